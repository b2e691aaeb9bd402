import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from astrolabe.core.errors import ConfigError, ModelError, Stopped, UserError
from astrolabe.core.protocols import Kit, Metric
from astrolabe.core.records import Answer, Hit, Question, Score, Step
from astrolabe.llm.budgeted import Budget
from astrolabe.study.models import Asking
from astrolabe.study.progress import Silent
from astrolabe.study.running import RunRequest, run
from astrolabe.study.scoring import Scoring, load_scores, score_answers, standing_scores
from astrolabe.study.shown import Shown
from astrolabe.study.study import open_study
from astrolabe.study.study_scores import compare_study, score_and_show
from tests.servers import Behaviour, Says, Seen, Status, serving
from tests.small_study import finds, found, many_questions, model_at, small_study
from tests.study_kits import kit_of


async def answered(root: Path, *, questions: int = 10) -> Path:
    """Make a study of so many questions, each with an extractive answer."""
    small_study(root, asked=many_questions(questions), concurrency=4)
    await run(open_study(root), RunRequest(methods=["extractive(sentences=2)"]), Asking(), Silent())
    return root


async def scored(
    root: Path, judge: str = "", *metrics: str, budget: Budget | None = None, limit: int | None = None
) -> Shown:
    """Open the study afresh and score, as a new process would."""
    asking = Asking(roles={"judge": judge} if judge else {}, budget=budget)
    return await score_and_show(open_study(root), metrics or ("topics",), asking, Silent(), limit=limit)


def about(number: int, seen: Seen) -> bool:
    return f"tide {number}?" in seen.messages[-1]["content"]


# D21
async def test_nine_failed_judgements_of_ten_are_shown_and_only_they_are_judged_again(tmp_path: Path) -> None:
    works = False

    def judge(seen: Seen) -> Behaviour:
        return Says(found("T1") if works or about(4, seen) else "What a fine answer!")

    with serving(judge) as server:
        root = await answered(tmp_path)
        first = await scored(root, model_at(server.url))
        works = True
        before = len(server.seen)
        second = await scored(root, model_at(server.url))

    (mean,) = [one for one in first.results.estimates if one.part is None and one.kind is None and one.scope == "hard"]
    assert (mean.n_scored, mean.n_asked) == (1, 10)
    reasons = [score.reason for score in first.results.scores if score.status == "unscored"]
    assert len(reasons) == 9
    assert all("unparsed" in str(reason) for reason in reasons)
    assert len(server.seen) - before == 9
    assert second.kept == 1
    assert all(score.status == "scored" for score in second.results.scores)


# D21, with a judge that does not answer at all
async def test_judgements_that_the_server_refused_are_asked_again_too(tmp_path: Path) -> None:
    works = False

    def judge(seen: Seen) -> Behaviour:  # noqa: ARG001 - each request fares alike
        return Says(found("T1")) if works else Status(400, "not today")

    with serving(judge) as server:
        root = await answered(tmp_path, questions=3)
        first = await scored(root, model_at(server.url))
        works = True
        second = await scored(root, model_at(server.url))

    assert [score.status for score in first.results.scores] == ["unscored"] * 3
    assert all("not today" in str(score.reason) for score in first.results.scores)
    assert [score.status for score in second.results.scores] == ["scored"] * 3


# D21
async def test_what_is_written_holds_no_number_that_json_has_not(tmp_path: Path) -> None:
    def judge(seen: Seen) -> Behaviour:
        return Says(found("T1")) if about(1, seen) else Says("prose")

    def refuse(constant: str) -> object:
        raise AssertionError(constant)

    with serving(judge) as server:
        root = await answered(tmp_path, questions=3)
        await scored(root, model_at(server.url))
        compare_study(open_study(root))

    for path in [*root.rglob("*.jsonl"), *root.rglob("*.json")]:
        lines = path.read_text("utf-8").splitlines() if path.suffix == ".jsonl" else [path.read_text("utf-8")]
        assert all(isinstance(json.loads(line, parse_constant=refuse), dict) for line in lines)


# D25
async def test_a_reply_that_is_not_json_is_kept_for_inspection_and_never_reused(tmp_path: Path) -> None:
    replies = iter(["not json", "still not json"])

    def judge(seen: Seen) -> Behaviour:  # noqa: ARG001 - the first call and its repeat fail, whatever they are
        return Says(next(replies, found("T1")))

    with serving(judge) as server:
        root = await answered(tmp_path, questions=1)
        first = await scored(root, model_at(server.url))
        second = await scored(root, model_at(server.url))
        third = await scored(root, model_at(server.url))

    assert [score.status for score in first.results.scores] == ["unscored"]
    assert [score.status for score in second.results.scores] == ["scored"]
    assert third.kept == 1
    assert len(server.seen) == 3


async def test_a_budget_keeps_what_is_judged_and_the_next_call_goes_on(tmp_path: Path) -> None:
    with serving(finds(seconds=0.02)) as server:
        root = await answered(tmp_path, questions=100)
        stopped = await scored(root, model_at(server.url), budget=Budget(tokens=1000))
        before = len(server.seen)
        resumed = await scored(root, model_at(server.url))

    assert stopped.stopped is not None
    assert "tokens are spent" in stopped.stopped
    assert len(stopped.results.scores) == before < 100
    assert resumed.kept == before
    assert len(server.seen) == 100


async def test_another_judge_scores_again(tmp_path: Path) -> None:
    with serving(finds()) as server:
        root = await answered(tmp_path, questions=2)
        await scored(root, model_at(server.url))
        other = await scored(root, f"openai:other@{server.url}")

    assert other.kept == 0
    assert len(server.seen) == 4


async def test_a_judge_that_is_missing_leaves_the_scores_that_there_are(tmp_path: Path) -> None:
    with serving(finds()) as server:
        root = await answered(tmp_path, questions=2)
        await scored(root, model_at(server.url))
    with pytest.raises(ConfigError, match="role 'judge'"):
        await scored(root)

    assert len(load_scores(open_study(root))) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Something else altogether.", "claims": ()},
        {"items": ("Something else",)},
        {"trace": (Step(id="x", stage="search", hits=(Hit(passage_id="p-x", rank=1, score=1.0, source="bm25"),)),)},
    ],
    ids=["text", "items", "trace"],
)
async def test_a_changed_answer_is_scored_again_alone(tmp_path: Path, change: dict[str, object]) -> None:
    root = await answered(tmp_path, questions=4)
    await scored(root, "", "topics_local")
    file = next((root / "answers").glob("*.jsonl"))
    first, *rest = [Answer.model_validate_json(line) for line in file.read_text("utf-8").splitlines()]
    other = first.model_copy(update=change)
    file.write_text("".join(f"{answer.model_dump_json()}\n" for answer in (other, *rest)), "utf-8")

    assert len(standing_scores(open_study(root))) == 3
    assert (await scored(root, "", "topics_local")).kept == 3
    assert len(standing_scores(open_study(root))) == 4


async def test_changed_questions_are_scored_again(tmp_path: Path) -> None:
    root = await answered(tmp_path, questions=2)
    await scored(root, "", "topics_local")
    questions = root / "benchmark" / "questions.jsonl"
    questions.write_text(questions.read_text("utf-8").replace("comet", "meteor"), "utf-8")

    assert (await scored(root, "", "topics_local")).kept == 0


async def test_an_answer_that_failed_stays_unscored_with_its_reason(tmp_path: Path) -> None:
    with serving([Status(400, "no")]) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await run(open_study(tmp_path), RunRequest(methods=["llm_only"], scopes=["hard"]), Asking(), Silent())
    first = await scored(tmp_path, "", "topics_local")
    again = await scored(tmp_path, "", "topics_local")

    assert {score.status for score in first.results.scores} == {"unscored"}
    assert all("the answer is failed" in str(score.reason) for score in first.results.scores)
    assert again.kept == 4


async def test_limit_scores_some_answers_and_the_next_call_the_others(tmp_path: Path) -> None:
    root = await answered(tmp_path, questions=5)

    assert len((await scored(root, "", "topics_local", limit=2)).results.scores) == 2
    assert (await scored(root, "", "topics_local")).kept == 2


async def test_the_same_metric_twice_scores_once(tmp_path: Path) -> None:
    root = await answered(tmp_path, questions=2)

    assert len((await scored(root, "", "cost", "cost")).results.scores) == 2


async def test_a_study_whose_scores_are_all_stale_has_none_to_compare(tmp_path: Path) -> None:
    root = await answered(tmp_path, questions=2)
    await scored(root, "", "topics_local")
    for file in (root / "answers").glob("*.jsonl"):
        file.unlink()

    with pytest.raises(UserError, match="no scores to compare"):
        compare_study(open_study(root))


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaks:
    """A metric that raises for one question."""

    name: ClassVar[str] = "breaks"

    error: Exception

    @property
    def range(self) -> tuple[float, float]:
        return (0.0, 1.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:  # noqa: ARG002 - it looks at none
        await asyncio.sleep(0)
        if question.id == "q-1":
            raise self.error
        return Score(question_id=question.id, method=answer.method, metric=self.name, value=1.0)


async def broken(tmp_path: Path, error: Exception) -> list[Score]:
    study = small_study(tmp_path, asked=many_questions(3))
    metric: Metric = Breaks(error=error)
    scoring = Scoring(
        answers=[Answer(question_id=question.id, method="m", text="x") for question in study.questions],
        questions={question.id: question for question in study.questions},
        metrics=[metric],
        kit_of=lambda _: kit_of(study),
        judged_by={},
    )
    result = await score_answers(scoring, None, Silent())
    return sorted(result.scores, key=lambda score: score.question_id)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelError("refused", "it would not"), "the judge's reply was refused: it would not"),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
        (ExceptionGroup("two", [ModelError("unparsed", "no JSON")]), "the judge's reply was unparsed: no JSON"),
    ],
)
async def test_one_broken_judgement_stops_no_other(tmp_path: Path, error: Exception, reason: str) -> None:
    scores = await broken(tmp_path, error)

    assert [score.status for score in scores] == ["scored", "unscored", "scored"]
    assert scores[1].reason == reason


async def test_what_ends_scoring_is_seen_also_inside_a_group(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no judge"):
        await broken(tmp_path, ExceptionGroup("outer", [ConfigError("no judge")]))


async def test_a_provider_that_stops_leaves_the_other_scores(tmp_path: Path) -> None:
    assert [score.question_id for score in await broken(tmp_path, Stopped("no quota"))] == ["q-0", "q-2"]
