"""Indexes that ask a model: what they lack, what they cost, and when they are built again."""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Message, Prompt, Reply
from astrolabe.core.protocols import LLM, Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.core.usage import metering
from astrolabe.llm.recorded import Recorded
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted
from astrolabe.store.calls import CallRecord
from astrolabe.study.index_records import index_records
from astrolabe.study.kit import ScopeKit
from tests.small_study import IDS, small_study
from tests.study_kits import bench

if TYPE_CHECKING:
    from pydantic import BaseModel

R = TypeVar("R", bound="BaseModel | str")


@dataclass(frozen=True, slots=True)
class Read:
    """What was read, and what was not."""

    texts: tuple[str, ...]
    gaps: Gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An index that asks once for each of so many numbers."""

    name: ClassVar[str] = "reading"
    prompts: ClassVar[tuple[str, ...]] = ("number.v1",)

    numbers: int = 100

    @property
    def cut(self) -> Cut:
        return Cut()

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Read:  # noqa: ARG002 - it reads numbers
        texts: list[str] = []
        failed: dict[str, str] = {}
        for number in range(self.numbers):
            turns = (Message(role="user", content=str(number)),)
            try:
                prompt = Prompt(name="number.v1", stage="index.number", messages=turns, reply=str, max_tokens=5)
                texts.append((await kit.llm.ask(prompt)).value)
            except ModelError as error:
                failed[str(number)] = error.reason
        return Read(tuple(texts), Gaps(asked=self.numbers, failed=failed))

    def save(self, index: Read, folder: Path) -> None:
        (folder / "texts.json").write_text(json.dumps(index.texts), "utf-8")

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Read:  # noqa: ARG002 - as the protocol has it
        return Read(tuple(json.loads((folder / "texts.json").read_text("utf-8"))), Gaps(asked=self.numbers))


def without(*numbers: int) -> Scripted:
    """Return a model that fails at some numbers."""

    def says(prompt: AnyPrompt) -> Line:
        number = prompt.messages[0].content
        return ModelError("failed", "HTTP 500") if int(number) in numbers else f"number {number}"

    return Scripted(says)


def kit(folder: Path, llm: LLM) -> ScopeKit:
    """Return a new process's kit over a study whose indexes are kept."""
    study = small_study(folder)
    return ScopeKit(bench=bench(study, llm, kept=True), documents=tuple(IDS.values()))


def manifest(folder: Path) -> dict[str, object]:
    """Return the manifest of the one index that is kept."""
    (path,) = (folder / "indexes").glob("*/manifest.json")
    content: dict[str, object] = json.loads(path.read_text("utf-8"))
    return content


async def test_an_index_with_a_gap_is_used_and_built_again_by_the_next_run(tmp_path: Path) -> None:
    first = await kit(tmp_path, without(57)).open(Reading())
    second = await kit(tmp_path, without()).open(Reading())

    assert (first.gaps.share, len(second.texts)) == (0.99, 100)
    assert manifest(tmp_path)["failed"] == {}


async def test_the_manifest_says_what_is_missing_and_why(tmp_path: Path) -> None:
    await kit(tmp_path, without(57)).open(Reading())

    assert (manifest(tmp_path)["asked"], manifest(tmp_path)["failed"]) == (100, {"57": "HTTP 500"})


async def test_a_whole_index_is_opened_and_asks_nothing(tmp_path: Path) -> None:
    await kit(tmp_path, without()).open(Reading())
    silent = without()

    await kit(tmp_path, silent).open(Reading())

    assert silent.asked == []


async def test_an_index_that_lacks_too_much_answers_nothing_and_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'reading' has 98 of 100 replies \(98.0%; 99% are needed\): 3: HTTP 500"):
        await kit(tmp_path, without(3, 57)).open(Reading())

    assert not (tmp_path / "indexes").exists()


async def test_another_model_makes_another_index(tmp_path: Path) -> None:
    class Other(Scripted):
        @property
        def id(self) -> str:
            return "another model"

    await kit(tmp_path, without()).open(Reading())
    await kit(tmp_path, Other(lambda prompt: "other")).open(Reading())  # noqa: ARG005 - whatever is asked

    assert len(list((tmp_path / "indexes").glob("*/manifest.json"))) == 2


async def test_what_a_build_costs_is_the_indexs_and_not_the_questions(tmp_path: Path) -> None:
    opened = kit(tmp_path, without())
    with metering() as question:
        await opened.open(Reading())

    usage = manifest(tmp_path)["usage"]
    assert question.total.calls == 0
    assert isinstance(usage, dict)
    assert usage["index.number"]["calls"] == 100


async def test_a_study_knows_what_its_indexes_lack_and_cost(tmp_path: Path) -> None:
    await kit(tmp_path, without(57)).open(Reading())

    (record,) = index_records(tmp_path / "indexes")
    assert record.lacks() == "reading lacks 1 of 100 replies: 57: HTTP 500"
    assert (record.passages, record.model, record.total.calls) == (4, "scripted", 99)


class Slow(Scripted):
    """Repeats what it is asked, after a while."""

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        await asyncio.sleep(0.03)
        return await super().ask(prompt)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(Reading):
    """An index that computes for a while when everything is read."""

    name: ClassVar[str] = "thinking"

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Read:
        read = await super(Thinking, self).build(passages, kit)
        await asyncio.sleep(0.1)
        return read


async def notes_of(root: Path, numbers: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is said while an index reads numbers and then computes, at short intervals; seconds as N."""
    for name in ("FIRST_NOTE_SECONDS", "LONGEST_NOTE_SECONDS"):
        monkeypatch.setattr(f"astrolabe.study.kit.{name}", 0.02)
    said: list[str] = []
    with CallRecord(None) as record:
        opened = kit(root, Recorded(Slow(lambda prompt: prompt.messages[0].content), record))
        opened.bench.told = said.append
        await opened.open(Thinking(numbers=numbers))
    bare = [note.removeprefix(f"index thinking(numbers={numbers}) over 4 passages: ") for note in said]
    return [re.sub(r"\b\d s\b", "N s", note) for note in bare]


async def test_a_long_build_says_how_far_it_is_and_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_, last = await notes_of(tmp_path, 3, monkeypatch)

    assert first == "0 calls in N s so far, 1 under way"
    assert last == "3 calls in N s so far, none under way: it computes"


async def test_a_build_that_asks_nothing_does_not_speak_of_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(await notes_of(tmp_path, 0, monkeypatch)) == {"it computes, N s so far"}


def test_gaps_add_up() -> None:
    both = Gaps(asked=3, failed={"p1": "HTTP 500"}) + Gaps(asked=1)

    assert (both.share, both.failed) == (0.75, {"p1": "HTTP 500"})
    assert Gaps().share == 1.0
