import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from astrolabe.core.errors import ConfigError, ModelError, NotRecorded, Stopped, UserError
from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.llm.budgeted import Budget
from astrolabe.methods import METHODS
from astrolabe.study.answers import all_answers, count_states
from astrolabe.study.models import Asking
from astrolabe.study.progress import Silent
from astrolabe.study.run import RunResult, answer_task
from astrolabe.study.running import RunRequest, run
from astrolabe.study.study import open_study
from astrolabe.study.tasks import Task
from tests.servers import Behaviour, Says, Seen, Status, serving
from tests.small_study import finds, many_questions, model_at, small_study, speaks
from tests.study_kits import kit_of


async def ran(
    root: Path, *methods: str, asking: Asking | None = None, scopes: Sequence[str] = (), limit: int | None = None
) -> RunResult:
    """Open the study afresh and run, as a new process would."""
    request = RunRequest(methods=methods or ("vanilla",), scopes=scopes, limit=limit)
    return await run(open_study(root), request, asking or Asking(), Silent())


def texts(root: Path) -> dict[tuple[str, str, str | None], str]:
    """Return what the study's answers say."""
    return {
        (method, job.question_id, job.scope): answer.text
        for method, book in all_answers(open_study(root)).items()
        for job, answer in book.items()
    }


async def test_every_question_in_every_scope_becomes_a_record(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        result = await ran(tmp_path, "vanilla", "extractive")

    lines = (tmp_path / "answers" / "vanilla.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 8
    assert {json.loads(line)["scope"] for line in lines} == {"simple", "hard"}
    assert len(result.answers) == 16
    assert count_states(result.answers) == {"ok": 16}


async def test_an_answer_says_who_when_and_what_it_cost(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        result = await ran(tmp_path, "vanilla(k=2)", limit=1, scopes=["hard"])

    (answer,) = result.answers
    assert answer.method == "vanilla(k=2)"
    assert answer.usage.calls == 1
    assert answer.stages == {"answer.write": answer.usage}
    assert answer.usage.prompt_tokens == 100
    assert answer.usage.usd is None
    assert answer.started_at is not None
    assert answer.duration_seconds > 0


async def test_a_second_run_asks_nothing_and_keeps_everything(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path)
        first = texts(tmp_path)
        asked = len(server.seen)
        again = await ran(tmp_path)

    assert asked == 8
    assert len(server.seen) == asked
    assert again.kept == 8
    assert texts(tmp_path) == first


async def test_a_deleted_folder_of_answers_is_made_again_from_the_record(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path)
        first = texts(tmp_path)
        for file in (tmp_path / "answers").iterdir():
            file.unlink()
        await ran(tmp_path)

    assert len(server.seen) == 8
    assert texts(tmp_path) == first


async def test_a_torn_last_line_is_one_answer_to_make_again(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path)
        first = texts(tmp_path)
        file = tmp_path / "answers" / "vanilla.jsonl"
        file.write_bytes(file.read_bytes()[:-40])
        again = await ran(tmp_path)

    assert again.kept == 7
    assert len(server.seen) == 8
    assert texts(tmp_path) == first


# D27
async def test_one_failing_question_stops_no_other_and_is_the_only_one_asked_again(tmp_path: Path) -> None:
    works = False

    def script(seen: Seen) -> Behaviour:
        bad = "tide 57?" in seen.messages[-1]["content"]
        return Status(400, "this one is refused") if bad and not works else Says("Yes.")

    with serving(script) as server:
        small_study(tmp_path, answer=model_at(server.url), concurrency=32, asked=many_questions(120))
        first = await ran(tmp_path)
        asked = len(server.seen)
        works = True
        second = await ran(tmp_path)

    failed = [answer for answer in first.answers if answer.status == "failed"]
    assert [answer.question_id for answer in failed] == ["q-57"]
    assert "this one is refused" in str(failed[0].reason)
    assert count_states(first.answers)["ok"] == 119
    assert len(server.seen) == asked + 1
    assert count_states(second.answers) == {"ok": 120}
    assert second.kept == 119


@pytest.mark.parametrize(
    ("says", "status"),
    [
        (Says(""), "empty"),
        (Says("Half a sen", finish="length"), "truncated"),
        (Says(None, refusal="I will not."), "refused"),
    ],
)
async def test_a_models_own_no_is_a_named_state_that_stands(tmp_path: Path, says: Says, status: str) -> None:
    with serving([says]) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path, limit=1, scopes=["hard"])
        asked = len(server.seen)
        again = await ran(tmp_path, limit=1, scopes=["hard"])

    assert [answer.status for answer in again.answers] == [status]
    assert again.answers[0].reason
    assert len(server.seen) == asked


async def test_a_budget_stops_between_questions_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url), concurrency=1, asked=many_questions(10))
        stopped = await ran(tmp_path, asking=Asking(budget=Budget(tokens=330)))
        resumed = await ran(tmp_path)

    assert stopped.stopped is not None
    assert "330 of 330 tokens" in stopped.stopped
    assert len(stopped.answers) == 3
    assert resumed.stopped is None
    assert (resumed.kept, len(resumed.answers)) == (3, 10)
    assert len(server.seen) == 10


async def test_what_is_under_way_when_the_budget_ends_is_kept(tmp_path: Path) -> None:
    with serving(speaks(seconds=0.2)) as server:
        small_study(tmp_path, answer=model_at(server.url), concurrency=4, asked=many_questions(12))
        stopped = await ran(tmp_path, asking=Asking(budget=Budget(tokens=200)))
        asked = len(server.seen)
        await ran(tmp_path)

    assert stopped.stopped is not None
    assert len(stopped.answers) == asked
    assert len(server.seen) == 12


async def test_a_stopped_run_leaves_a_sample_that_is_not_the_files_first_questions(tmp_path: Path) -> None:
    small_study(tmp_path, asked=many_questions(40))

    result = await ran(tmp_path, "extractive", limit=8)
    again = await ran(tmp_path, "extractive(k=2)", limit=8)

    places = {answer.question_id for answer in result.answers}
    assert places != {f"q-{place}" for place in range(8)}
    assert {answer.question_id for answer in again.answers} == places


async def test_a_provider_that_does_not_know_us_stops_the_run_after_one_question(tmp_path: Path) -> None:
    with serving([Status(401, "who are you")]) as server:
        small_study(tmp_path, answer=model_at(server.url), concurrency=1)
        result = await ran(tmp_path)

    assert result.stopped is not None
    assert "key" in result.stopped
    assert result.answers == []
    assert len(server.seen) == 1


async def test_replay_with_everything_recorded_gives_the_same_answers_and_leaves_the_server_alone(
    tmp_path: Path,
) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path)
        first = texts(tmp_path)
        (tmp_path / "answers" / "vanilla.jsonl").unlink()
        await ran(tmp_path, asking=Asking(mode="replay"))

    assert len(server.seen) == 8
    assert texts(tmp_path) == first


async def test_replay_without_a_record_names_the_step_and_asks_nothing(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        with pytest.raises(NotRecorded, match=r"answer\.write"):
            await ran(tmp_path, asking=Asking(mode="replay"))

    assert server.seen == []


async def test_live_asks_again_where_no_answer_stands(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path, limit=1, scopes=["hard"])
        (tmp_path / "answers" / "vanilla.jsonl").unlink()
        await ran(tmp_path, limit=1, scopes=["hard"], asking=Asking(mode="live"))

    assert len(server.seen) == 2


async def test_another_length_makes_the_answers_again(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        study = small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path)
        settings = study.folder.settings
        settings.write_text(settings.read_text("utf-8").replace("max_tokens = 120", "max_tokens = 60"), "utf-8")
        again = await ran(tmp_path)

    assert again.kept == 0
    assert len(server.seen) == 16


async def test_another_model_makes_the_answers_again_and_the_first_ones_calls_stay_recorded(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path)
        other = await ran(tmp_path, asking=Asking(roles={"answer": f"openai:other@{server.url}"}))
        back = await ran(tmp_path)

    assert other.kept == back.kept == 0
    assert len(server.seen) == 16
    assert all(answer.usage.recorded == 1 for answer in back.answers)


async def test_a_changed_document_makes_the_answers_again(tmp_path: Path) -> None:
    study = small_study(tmp_path)
    await ran(tmp_path, "extractive")
    lines = study.folder.documents.read_text("utf-8").splitlines()
    study.folder.documents.write_text("\n".join(lines[1:]) + "\n", "utf-8")

    again = await ran(tmp_path, "extractive", scopes=["hard"])

    assert again.kept == 0
    assert all(hit.passage_id for answer in again.answers for hit in answer.contexts)


async def test_a_command_that_cannot_run_leaves_the_answers_that_there_are(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        study = small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path)
        settings = study.folder.settings
        settings.write_text(settings.read_text("utf-8").replace(model_at(server.url), ""), "utf-8")
        with pytest.raises(ConfigError, match="role 'answer'"):
            await ran(tmp_path)

    assert len(texts(tmp_path)) == 8


async def test_every_misspelled_scope_is_named(tmp_path: Path) -> None:
    small_study(tmp_path)

    with pytest.raises(ConfigError, match=r"'hrad'.*hard, simple"):
        await ran(tmp_path, "extractive", scopes=["simple", "hrad"])


async def test_questions_without_any_scope_are_the_users_to_mend(tmp_path: Path) -> None:
    bare = [question.model_copy(update={"scopes": {}}) for question in many_questions(1)]
    small_study(tmp_path, asked=bare)

    with pytest.raises(ConfigError, match="scopes here: none"):
        await ran(tmp_path, "extractive")


async def test_a_scope_that_is_not_there_is_named_with_its_question(tmp_path: Path) -> None:
    lost = [question.model_copy(update={"scopes": {"hard": "s-gone"}}) for question in many_questions(1)]
    small_study(tmp_path, asked=lost)

    with pytest.raises(ConfigError, match="'q-0' names the scope 's-gone'"):
        await ran(tmp_path, "extractive")


async def test_the_same_method_scope_or_question_twice_is_run_once(tmp_path: Path) -> None:
    small_study(tmp_path)
    request = RunRequest(
        methods=["extractive", "extractive(k=10)"], scopes=["hard", "hard"], questions=["q-salt", "q-salt"]
    )

    result = await run(open_study(tmp_path), request, Asking(), Silent())

    assert len(result.answers) == 1


async def test_all_stands_for_every_method_beside_those_that_are_named(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        result = await ran(tmp_path, "all", "vanilla(k=1)", limit=1, scopes=["hard"])

    assert {answer.method for answer in result.answers} == {*METHODS, "vanilla(k=1)"}


async def test_all_stands_for_the_methods_that_the_study_says_where_it_says_any(tmp_path: Path) -> None:
    study = small_study(tmp_path)
    with study.folder.settings.open("a", encoding="utf-8") as settings:
        settings.write('\n[methods]\nall = ["extractive(k=2)", "extractive(k=3)"]\n')

    result = await ran(tmp_path, "all", limit=1, scopes=["hard"])

    assert {answer.method for answer in result.answers} == {"extractive(k=2)", "extractive(k=3)"}


async def test_a_question_that_is_not_there_is_named(tmp_path: Path) -> None:
    small_study(tmp_path)
    request = RunRequest(methods=["extractive"], questions=["q-salt", "q-gone"])

    with pytest.raises(ConfigError, match="'q-gone'"):
        await run(open_study(tmp_path), request, Asking(), Silent())


@pytest.mark.parametrize("missing", ["documents", "questions"])
async def test_a_study_without_documents_or_questions_says_what_to_run(tmp_path: Path, missing: str) -> None:
    study = small_study(tmp_path)
    {"documents": study.folder.documents, "questions": study.folder.questions}[missing].unlink()

    with pytest.raises(UserError, match=rf"no.* {missing}; run: astrolabe"):
        await ran(tmp_path, "extractive")


# D32
@pytest.mark.parametrize("spelled", ["vanilla(k=0)", "extractive(k=-1)", "vanilla(size=0)", "vanilla(overlap=512)"])
async def test_a_search_that_cannot_be_made_is_refused_before_anything_runs(tmp_path: Path, spelled: str) -> None:
    small_study(tmp_path)

    with pytest.raises(ConfigError):
        await ran(tmp_path, spelled)

    assert not (tmp_path / "answers").exists()
    assert not (tmp_path / "indexes").exists()


@dataclass(frozen=True, slots=True, kw_only=True)
class Falls:
    """A method that raises."""

    name: ClassVar[str] = "falls"

    error: Exception

    @property
    def calls(self) -> Calls:
        return Calls()

    async def answer(self, question: Question, kit: Kit) -> Answer:  # noqa: ARG002 - it fails before it looks
        raise self.error


async def fallen(tmp_path: Path, error: Exception) -> Answer:
    study = small_study(tmp_path)
    task = Task(method=Falls(error=error), question=study.questions[0], scope="hard", documents=())
    return await answer_task(task, kit_of(study))


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (ModelError("refused", "it would not"), "refused", "it would not"),
        (KeyError("p-1"), "failed", "KeyError: 'p-1'"),
        (ExceptionGroup("two", [ModelError("unparsed", "no JSON"), ValueError("x")]), "unparsed", "no JSON"),
    ],
)
async def test_whatever_a_method_raises_is_one_answers_named_state(
    tmp_path: Path, error: Exception, status: str, reason: str
) -> None:
    answer = await fallen(tmp_path, error)

    assert (answer.status, answer.reason) == (status, reason)


@pytest.mark.parametrize("error", [Stopped("budget"), ConfigError("no model")])
async def test_what_ends_a_run_is_seen_also_inside_a_group(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        await fallen(tmp_path, ExceptionGroup("outer", [ValueError("x"), ExceptionGroup("inner", [error])]))


async def test_identical_calls_of_different_scopes_are_asked_once(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        result = await ran(tmp_path, "llm_only")

    assert len(result.answers) == 8
    assert len(server.seen) == 4


async def test_a_judge_is_not_asked_by_a_run(tmp_path: Path) -> None:
    with serving(speaks()) as server, serving(finds()) as judge:
        small_study(tmp_path, answer=model_at(server.url), judge=model_at(judge.url))
        await ran(tmp_path, limit=1)

    assert judge.seen == []


async def test_answers_of_a_method_that_asks_no_model_stand_whichever_model_is_set(tmp_path: Path) -> None:
    study = small_study(tmp_path)
    await ran(tmp_path, "extractive")
    settings = study.folder.settings
    settings.write_text(settings.read_text("utf-8").replace('answer = ""', 'answer = "openai:m@http://127.0.0.1:9/v1"'))

    again = await ran(tmp_path, "extractive")

    assert again.kept == len(again.answers) > 0
