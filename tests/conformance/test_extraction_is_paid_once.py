"""Three scopes, every method, one server that counts: no passage is read twice."""

import asyncio
import hashlib
from collections import Counter

from astrolabe.core.ids import document_id
from astrolabe.core.protocols import LLM, Cut
from astrolabe.core.records import Answer, Document, Question
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.llm.stack import open_llm
from astrolabe.methods import METHODS
from astrolabe.store.calls import CallRecord
from astrolabe.study.kit import Bench, ScopeKit
from astrolabe.study.passages import Shelf
from astrolabe.study.settings import AnswerSettings
from tests.sensible import name_of, speaks_sensibly
from tests.servers import serving

QUESTION = Question(id="q", text="What moves the tides of the oceans?")
READ = Cut(size=1200, overlap=100)
TEXTS = (
    "The moon pulls the water of the oceans, and tides follow it. Spring tides come when sun and moon pull together.",
    "Salt pans dry sea water in the sun until crystals form. Traders of Salzburg carried salt to Venice.",
    "Lighthouse lamps burned whale oil before paraffin came. " * 160,
    "Nets of hemp rot when they are stored wet. Fishers of Bergen tan their nets in oak bark.",
    "A tide table tells the harbour master of Dover when the water is high.",
    "Divers of Naples bring up sponges; the water of the oceans is salt.",
)
BUILDS = {"extract.v1", "triples.v1", "report.v1"}
SCOPES = {"simple": 2, "middle": 4, "hard": len(TEXTS)}


def documents() -> list[Document]:
    return [
        Document(
            id=document_id(text),
            title=f"Text {place}",
            text=text,
            source=f"{place}.txt",
            media_type="text/plain",
            sha256=hashlib.sha256(text.encode()).hexdigest(),
        )
        for place, text in enumerate(TEXTS)
    ]


def kits(llm: LLM) -> list[ScopeKit]:
    """Return a kit for each of three scopes, each of which holds the one before."""
    held = documents()
    bench = Bench(
        shelf=Shelf(held),
        llm=llm,
        embedder=HashedEmbedder(),
        answers=AnswerSettings(),
        indexes=None,
        role="answer",
    )
    return [
        ScopeKit(bench=bench, documents=tuple(one.id for one in held[:number]), scope=scope)
        for scope, number in SCOPES.items()
    ]


async def answered(llm: LLM) -> dict[tuple[str, str], Answer]:
    """Let every method answer in every scope, all at the same time."""
    async with asyncio.TaskGroup() as group:
        tasks = {
            (name, str(kit.scope)): group.create_task(kind().answer(QUESTION, kit))
            for kit in kits(llm)
            for name, kind in METHODS.items()
        }
    return {key: task.result() for key, task in tasks.items()}


async def test_a_passage_is_read_once_however_many_scopes_and_methods_there_are_and_nothing_twice() -> None:
    with serving(speaks_sensibly) as server, CallRecord(None) as record:
        async with open_llm(f"openai:m@{server.url}", record=record) as llm:
            first = await answered(llm)
            seen = list(server.seen)
            again = await answered(llm)
            texts = {passage.text for passage in kits(llm)[-1].passages(READ)}

    assert {key: answer.status for key, answer in first.items()} == dict.fromkeys(first, "ok")
    for name in ("extract.v1", "triples.v1"):
        messages = [one.messages[-1]["content"] for one in seen if name_of(one) == name]
        assert len(messages) == len(texts)
        assert all(any(f'name="passage">\n{text}\n</' in message for message in messages) for text in texts)
    # What builds indexes is never asked for twice; a method may well want several samples of a question's call.
    assert max(Counter(str(one.body) for one in seen if name_of(one) in BUILDS).values()) == 1
    assert len(server.seen) == len(seen)
    assert {key: (one.text, one.contexts) for key, one in again.items()} == {
        key: (one.text, one.contexts) for key, one in first.items()
    }
