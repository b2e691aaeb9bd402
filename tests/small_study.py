"""A study of four tiny documents and four questions, and a model that answers each question its own way."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from astrolabe.core.ids import document_id
from astrolabe.core.records import Document, Question, Scope, Span, Topic
from astrolabe.store.folder import StudyFolder
from astrolabe.store.lines import write_records
from astrolabe.study.study import Study, open_study
from tests.servers import Behaviour, Says, Seen

if TYPE_CHECKING:
    from pydantic import JsonValue

TEXTS = {
    "tides": (
        "Tides follow the moon across the sky. The moon pulls the water of the oceans towards itself. Spring tides "
        "come when the sun and the moon pull together. A harbour master reads the tide table every morning."
    ),
    "salt": (
        "Salt was once worth its weight in silver. Salt pans along the coast dry sea water in the sun. The crystals "
        "are raked into heaps by hand. Traders carried salt inland on the backs of mules."
    ),
    "lamps": (
        "Lighthouse lamps burned whale oil at first. Later lamps burned paraffin, which smoked less. Electric lamps "
        "need no keeper who climbs the stairs at dusk. A lens bends the light of the lamp into one beam."
    ),
    "nets": (
        "Nets of hemp rot when they are stored wet. Fishers tan their nets in oak bark against rot. Nylon nets do not "
        "rot but drift for years when they are lost. The mesh decides how small a fish may be."
    ),
}
IDS = {name: document_id(text) for name, text in TEXTS.items()}


class _Gold(NamedTuple):
    text: str
    evidence: str
    topics: tuple[str, ...]


_QUESTIONS = {
    "q-tides": _Gold("What moves the tides?", "tides", ("Tides follow the moon", "the sun and the moon pull together")),
    "q-salt": _Gold(
        "How is salt made and traded?", "salt", ("dry sea water in the sun", "Traders carried salt inland")
    ),
    "q-lamps": _Gold("What do lighthouse lamps burn?", "lamps", ("burned whale oil", "lamps burned paraffin")),
    "q-nets": _Gold("Why do nets rot?", "nets", ("rot when they are stored wet", "tan their nets in oak bark")),
}


def documents() -> list[Document]:
    """Return the documents."""
    return [
        Document(
            id=IDS[name],
            title=name.title(),
            text=text,
            source=f"{name}.txt",
            media_type="text/plain",
            sha256=hashlib.sha256(text.encode()).hexdigest(),
        )
        for name, text in TEXTS.items()
    ]


def questions() -> list[Question]:
    """Return the questions, each with two topics, one unsupported topic and the scopes `simple` and `hard`."""
    return [
        Question(
            id=name,
            text=gold.text,
            kind="single_sum",
            topics=tuple(_topic(f"A{number}", topic, gold.evidence) for number, topic in enumerate(gold.topics, 1)),
            hallucinations=(Topic(id="H1", text="a comet struck the harbour"),),
            evidence=(IDS[gold.evidence],),
            scopes={"simple": f"s-{gold.evidence}", "hard": "s-all"},
        )
        for name, gold in _QUESTIONS.items()
    ]


def scopes() -> list[Scope]:
    """Return a scope for each document, and one of all."""
    own = [Scope(id=f"s-{name}", name="simple", documents=(identity,)) for name, identity in IDS.items()]
    return [*own, Scope(id="s-all", name="hard", documents=tuple(IDS.values()))]


def small_study(
    root: Path, *, answer: str = "", judge: str = "", concurrency: int = 4, asked: Sequence[Question] = ()
) -> Study:
    """Write the study into a folder and open it.

    Args:
        root: The folder.
        answer: The spelled model of the role `answer`.
        judge: Likewise for `judge`.
        concurrency: Requests at once, at most.
        asked: Questions in place of the four.
    """
    folder = StudyFolder(root)
    root.mkdir(parents=True, exist_ok=True)
    folder.settings.write_text(
        f'[models]\nanswer = "{answer}"\njudge = "{judge}"\nembed = "hashed"\n\n'
        f"[answers]\nmax_tokens = 120\n\n[limits]\nconcurrency = {concurrency}\n",
        "utf-8",
    )
    write_records(folder.documents, documents())
    write_records(folder.questions, list(asked) or questions())
    write_records(folder.scopes, scopes())
    return open_study(root)


def many_questions(number: int) -> list[Question]:
    """Return as many questions, all in the scope `hard`."""
    first = questions()[0]
    return [
        first.model_copy(update={"id": f"q-{place}", "text": f"What moves tide {place}?", "scopes": {"hard": "s-all"}})
        for place in range(number)
    ]


def model_at(url: str) -> str:
    """Spell the model of a test server."""
    return f"openai:test@{url}"


def speaks(seconds: float = 0.0) -> Callable[[Seen], Behaviour]:
    """Return a script that answers each conversation in a way of its own, always the same."""

    def script(seen: Seen) -> Behaviour:
        return Says(f"The material says {_digits(seen)}.", seconds=seconds)

    return script


def finds(seconds: float = 0.0) -> Callable[[Seen], Behaviour]:
    """Return the script of a judge that finds the first reference."""

    def script(seen: Seen) -> Behaviour:  # noqa: ARG001 - every answer is judged alike
        return Says(found("T1"), seconds=seconds)

    return script


def found(reference: str | None) -> str:
    """Return a judge's reply with one topic."""
    topics: list[JsonValue] = [{"label": "found", "reference": reference, "stretch": "The material"}]
    return json.dumps({"topics": topics})


def _digits(seen: Seen) -> str:
    return hashlib.sha256(json.dumps(seen.messages).encode()).hexdigest()[:12]


def _topic(name: str, text: str, evidence: str) -> Topic:
    start = TEXTS[evidence].index(text)
    span = Span(document_id=IDS[evidence], start=start, end=start + len(text), quote=text)
    return Topic(id=name, text=text, evidence=(span,))
