"""Plans of methods whose index asks a model, and of runs that are partly done."""

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Message, Prompt
from astrolabe.core.protocols import Calls, Cut, Gaps, Kit
from astrolabe.core.records import Answer, Passage, Question
from astrolabe.methods import METHODS
from astrolabe.study.models import Asking
from astrolabe.study.plan import StagePlan, plan_run, plan_score
from astrolabe.study.progress import Silent
from astrolabe.study.running import RunRequest, run
from astrolabe.study.study import open_study
from astrolabe.study.study_scores import score_and_show
from tests.sensible import speaks_sensibly
from tests.servers import Behaviour, Says, Seen, serving
from tests.small_study import found, many_questions, model_at, small_study, speaks


def asks_for(stage: str, text: str) -> Prompt[str]:
    name = f"{stage.replace('.', '_')}.v1"
    return Prompt(name=name, stage=stage, messages=(Message(role="user", content=text),), reply=str, max_tokens=100)


@dataclass(frozen=True, slots=True)
class NotesIndex:
    notes: tuple[str, ...]
    gaps: Gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """A note a passage, then a report for each two notes."""

    name: ClassVar[str] = "notes"
    prompts: ClassVar[tuple[str, ...]] = ("index_note.v1", "index_report.v1")

    cut: Cut = field(default_factory=lambda: Cut(size=16))

    async def build(self, passages: Sequence[Passage], kit: Kit) -> NotesIndex:
        notes = [note for note in await self._all(kit, "index.note", [one.text for one in passages]) if note]
        pairs = ["".join(notes[start : start + 2]) for start in range(0, len(notes), 2)]
        reports = await self._all(kit, "index.report", pairs)
        failed = {str(place): "no note" for place in range(len(passages) - len(notes))}
        return NotesIndex(tuple(filter(None, reports)), Gaps(asked=len(passages), failed=failed))

    async def _all(self, kit: Kit, stage: str, texts: Sequence[str]) -> list[str | None]:
        two_at_a_time = asyncio.Semaphore(2)

        async def one(text: str) -> str | None:
            async with two_at_a_time:
                await asyncio.sleep(0)
                try:
                    return (await kit.llm.ask(asks_for(stage, text))).value
                except ModelError:
                    return None

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(text)) for text in texts]
        return [task.result() for task in tasks]

    def save(self, index: NotesIndex, folder: Path) -> None:
        (folder / "notes.json").write_text(json.dumps(index.notes), "utf-8")

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> NotesIndex:
        del kit
        return NotesIndex(tuple(json.loads((folder / "notes.json").read_text("utf-8"))), Gaps(asked=len(passages)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Asks what to look for, then answers; every second question needs one call more."""

    name: ClassVar[str] = "noted"
    index_calls: ClassVar[str] = "1 a passage, a report for each two"
    question_calls: ClassVar[str] = "2 or 3"

    @property
    def calls(self) -> Calls:
        return Calls(question_low=2, question_high=3, passage_low=1.5, passage_high=1.5, cut=Notes().cut)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        index = await kit.open(Notes())
        wanted = await kit.llm.ask(asks_for("answer.plan", question.text))
        if question.id in {"q-salt", "q-nets"}:
            wanted = await kit.llm.ask(asks_for("answer.plan", f"{question.text} {wanted.value}"))
        told = f"{question.text} {wanted.value} {index.notes}"
        return Answer(question_id=question.id, text=(await kit.llm.ask(asks_for("answer.write", told))).value)


@pytest.fixture(autouse=True)
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "noted", Noted)


async def planned(root: Path, *methods: str, **asked: int) -> dict[str, StagePlan]:
    request = RunRequest(methods=methods, limit=asked.get("limit"))
    return {stage.stage: stage for stage in await plan_run(open_study(root), request, Asking(), Silent())}


async def ran(root: Path, *methods: str, **asked: int) -> None:
    await run(open_study(root), RunRequest(methods=methods, limit=asked.get("limit")), Asking(), Silent())


async def test_what_an_index_reads_is_counted_exactly_and_what_hangs_on_it_lies_within_bounds(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        plan = await planned(tmp_path, "noted")
        untouched = len(server.seen)
        await ran(tmp_path, "noted")
        prompts = [json.dumps(seen.messages) for seen in server.seen]
        after = await planned(tmp_path, "noted")
    low = sum(stage.calls_low for stage in plan.values())
    high = sum(stage.calls_high for stage in plan.values())

    assert untouched == 0
    # Each of 16 passages is read once, though it lies in two scopes; nothing of it is in the record.
    assert (plan["index.note"].calls, plan["index.note"].recorded) == (16, 0)
    assert plan["index.note"].calls_low == plan["index.note"].calls_high == plan["index.note"].calls
    # Both scopes may ask the same of a question.
    assert plan["answer.later"].calls_low == 4 * 2
    assert plan["answer.later"].calls_high == 8 * 3
    assert low <= len(prompts) <= high
    assert len(set(prompts)) == len(prompts)
    assert after == {}


async def test_what_does_not_grow_with_the_passages_is_within_the_plan_of_each_scope(tmp_path: Path) -> None:
    calls = METHODS["hirag"]().calls
    with serving(speaks_sensibly) as server:
        small_study(tmp_path, answer=model_at(server.url), asked=many_questions(1))
        plan = await planned(tmp_path, "hirag")
        await ran(tmp_path, "hirag")
        made = len(server.seen)

    assert sum(stage.calls_low for stage in plan.values()) <= made
    assert made <= sum(stage.calls_high for stage in plan.values())
    assert plan["index.later"].calls_high == math.ceil(calls.passage_high * 4 + calls.scope_high - 4)


async def test_an_index_that_a_plan_could_not_build_is_not_kept(tmp_path: Path) -> None:
    small_study(tmp_path, answer=model_at("http://127.0.0.1:9/v1"))

    await planned(tmp_path, "noted")

    assert not list((tmp_path / "indexes").glob("i-*"))


async def test_where_the_indexes_are_there_only_questions_are_planned(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path, "noted", limit=1)
        before = len(server.seen)
        plan = await planned(tmp_path, "noted", limit=2)
        await ran(tmp_path, "noted", limit=2)
        made = len(server.seen) - before

    first = plan["answer.plan"].calls
    assert sum(stage.calls_low for stage in plan.values()) <= made
    assert made <= sum(stage.calls_high for stage in plan.values())
    assert first >= 1


async def test_tokens_of_the_rest_are_within_a_tenth_once_some_of_a_run_is_recorded(tmp_path: Path) -> None:
    def script(seen: Seen) -> Behaviour:
        # a tokenizer that is not ours, and replies of about thirty tokens where a hundred are allowed
        sent = sum(len(message["content"]) for message in seen.messages)
        return Says("The moon.", prompt_tokens=sent // 3, completion_tokens=25 + seen.number % 11)

    with serving(script) as server:
        small_study(tmp_path, answer=model_at(server.url), asked=many_questions(40))
        blind = (await planned(tmp_path, "vanilla"))["answer.write"]
        await ran(tmp_path, "vanilla", limit=10)
        plan = (await planned(tmp_path, "vanilla"))["answer.write"]
        done = len(server.seen)
        await ran(tmp_path, "vanilla")
        rest = server.seen[done:]
    prompt_tokens = sum(sum(len(message["content"]) for message in seen.messages) // 3 for seen in rest)
    reply_tokens = sum(25 + seen.number % 11 for seen in rest)

    assert plan.calls == len(rest) == 30
    assert plan.prompt_tokens == pytest.approx(prompt_tokens, rel=0.1)
    assert plan.completion_tokens == pytest.approx(reply_tokens, rel=0.1)
    assert blind.completion_tokens == 40 * 120 / 2
    assert plan.recorded == 0


async def test_tokens_of_scoring_are_learned_alike(tmp_path: Path) -> None:
    def judge(seen: Seen) -> Behaviour:
        sent = sum(len(message["content"]) for message in seen.messages)
        return Says(found("T1"), prompt_tokens=sent // 5, completion_tokens=21)

    with serving(judge) as server:
        small_study(tmp_path, judge=model_at(server.url), asked=many_questions(30))
        await ran(tmp_path, "extractive")
        await score_and_show(open_study(tmp_path), ["topics"], Asking(), Silent(), limit=6)
        (plan,) = await plan_score(open_study(tmp_path), ["topics"], Asking(), Silent())
        done = len(server.seen)
        await score_and_show(open_study(tmp_path), ["topics"], Asking(), Silent())
        rest = server.seen[done:]
    prompt_tokens = sum(sum(len(message["content"]) for message in seen.messages) // 5 for seen in rest)

    assert plan.calls == len(rest)
    assert plan.prompt_tokens == pytest.approx(prompt_tokens, rel=0.1)
    assert plan.completion_tokens == pytest.approx(21 * len(rest), rel=0.1)


async def test_topics_without_a_judge_are_planned_as_no_calls(tmp_path: Path) -> None:
    small_study(tmp_path)
    await ran(tmp_path, "extractive")

    assert await plan_score(open_study(tmp_path), ["topics_local"], Asking(), Silent()) == []
