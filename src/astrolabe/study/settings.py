"""A study's settings: `study.toml`, read with every fault named at once."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from astrolabe.core.errors import ConfigError
from astrolabe.core.plural import plural

Positive = Annotated[int, Field(ge=1)]
Price = Annotated[float, Field(ge=0.0)]
_USER_PART: Final = re.compile(r"(?<=://)[^/@\s]*@")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ModelSettings(_Part):
    """Which model plays which role, spelled `provider:name`; empty means none (`embed`: the default)."""

    answer: str = ""
    judge: str = ""
    build: str = ""
    embed: str = ""

    def __repr__(self) -> str:
        """Show the models without what stands before the `@` of an address: it may be a key."""
        shown = {name: _USER_PART.sub("", getattr(self, name)) for name in type(self).model_fields}
        return f"ModelSettings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    __str__ = __repr__


class AnswerSettings(_Part):
    """How long answers and their contexts may be, in tokens."""

    max_tokens: Positive = 1024
    context_tokens: Positive = 6000


class MethodSettings(_Part):
    """What `--method all` runs, spelled; null for every method with its defaults."""

    all: Annotated[tuple[str, ...], Field(min_length=1)] | None = None


class LimitSettings(_Part):
    """How hard a provider may be asked; null is without a limit."""

    concurrency: Positive = 64
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0)] | None = None
    timeout_seconds: Annotated[float, Field(gt=0)] = 600.0


class PriceSettings(_Part):
    """What a model costs, in US dollars a million tokens."""

    prompt: Price
    completion: Price
    cached: Price | None = None


class Settings(_Part):
    """All of `study.toml`."""

    seed: Annotated[int, Field(ge=0)] = 1
    models: ModelSettings = ModelSettings()
    answers: AnswerSettings = AnswerSettings()
    methods: MethodSettings = MethodSettings()
    limits: LimitSettings = LimitSettings()
    prices: dict[str, PriceSettings] = {}


def read_settings(path: Path) -> Settings:
    """Return the settings of a file; a missing file gives the defaults.

    Raises:
        ConfigError: The file is not TOML, or keys or values are wrong; names each of them.
    """
    if not path.exists():
        return Settings()
    try:
        return Settings.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path}: not readable as TOML: {error}"
        raise ConfigError(msg) from error
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}; give the study's folder its own readable study.toml"
        raise ConfigError(msg) from error
    except ValidationError as error:
        faults = "\n".join(
            f"  {'.'.join(str(part) for part in fault['loc'])} = {fault['input']!r}: {fault['msg']}"
            for fault in error.errors(include_url=False)
        )
        msg = f"{path}: {error.error_count()} {plural(error.error_count(), 'setting')} to correct\n{faults}"
        raise ConfigError(msg) from error


def settings_template() -> str:
    """Return the commented `study.toml` that a new study starts with."""
    return (files("astrolabe") / "bundled" / "study.toml").read_text("utf-8")
