"""Two judges of one metric: both are kept, and what they say of the same answers stands side by side."""

from pathlib import Path

from astrolabe.core.records import Score
from astrolabe.report import Judged
from astrolabe.store.lines import read_records, write_records
from astrolabe.study.judges import Judges, compared_judges, other_judges
from astrolabe.study.models import Asking
from astrolabe.study.progress import Silent
from astrolabe.study.running import RunRequest, run
from astrolabe.study.scoring import load_scores, standing_scores
from astrolabe.study.study import open_study
from astrolabe.study.study_scores import score_and_show
from astrolabe.study.taken import Estimating
from tests.servers import Says, Seen, serving
from tests.small_study import finds, found, many_questions, model_at, small_study

HOW = Estimating(seed=0, confidence=0.95, ranges={"topics": (0.0, 1.0)})
METHODS = ["extractive(sentences=2)", "extractive(sentences=3)"]


async def answered(root: Path) -> Path:
    """Make a study of three questions, answered by two methods."""
    small_study(root, asked=many_questions(3))
    await run(open_study(root), RunRequest(methods=METHODS), Asking(), Silent())
    return root


async def judged(root: Path, judge: str, *, methods: tuple[str, ...] = ()) -> None:
    """Score with a judge, as a new process would."""
    await score_and_show(open_study(root), ("topics",), Asking(roles={"judge": judge}), Silent(), methods=methods)


def compared(root: Path) -> Judges:
    study = open_study(root)
    return compared_judges(study, standing_scores(study), {one.id: one for one in study.questions}, HOW)


def means(one: Judged) -> list[tuple[str, float | None, int]]:
    """Return the T-F1 of each method by one judge, and of how many questions."""
    return [(mean.method, mean.value, mean.n_scored) for mean in one.estimates if mean.part is None]


def strict(seen: Seen) -> Says:  # noqa: ARG001 - whatever is judged
    """Find nothing."""
    return Says(found(None))


async def test_scores_of_an_earlier_judge_stand_beside_those_of_the_last(tmp_path: Path) -> None:
    with serving(finds()) as kind, serving(strict) as harsh:
        root = await answered(tmp_path)
        await judged(root, model_at(kind.url))
        await judged(root, f"openai:harsh@{harsh.url}")

    last, first = compared(root).means
    said = compared(root).agreements["topics"]

    assert len(load_scores(open_study(root))) == 6
    assert (last.judge.startswith("openai:harsh"), first.judge.startswith("openai:harsh")) == (True, False)
    assert {value for _, value, _ in means(last)} == {0.0}
    assert all(value and number == 3 for _, value, number in means(first))
    assert "on 6 answers: equal scores on" in said
    assert said.endswith("over the methods' means cannot be told.")


async def test_only_answers_that_both_judges_scored_are_compared(tmp_path: Path) -> None:
    with serving(finds()) as one, serving(finds()) as other:
        root = await answered(tmp_path)
        await judged(root, model_at(one.url))
        await judged(root, f"openai:other@{other.url}", methods=(METHODS[0],))

    (last, first) = compared(root).means

    assert means(last) == means(first)
    assert {method for method, _, _ in means(last)} == {METHODS[0]}
    assert "equal scores on 100 %, 0.0 points apart" in compared(root).agreements["topics"]


async def test_an_answer_that_was_written_anew_is_not_compared(tmp_path: Path) -> None:
    with serving(finds()) as one, serving(finds()) as other:
        root = await answered(tmp_path)
        await judged(root, model_at(one.url))
        await judged(root, f"openai:other@{other.url}")
    study = open_study(root)
    (place,) = (study.folder.scores("topics", "").parent / "by").glob("*/extractive-sentences-2*.jsonl")
    changed = [score.model_copy(update={"detail": {"answer_hash": "old"}}) for score in read_records(place, Score)]
    write_records(place, changed)

    assert {method for method, _, _ in means(compared(root).means[0])} == {METHODS[1]}


async def test_one_judge_alone_is_compared_with_nobody(tmp_path: Path) -> None:
    with serving(finds()) as server:
        root = await answered(tmp_path)
        await judged(root, model_at(server.url))

    assert compared(root) == Judges([], {})
    assert other_judges(open_study(root), "topics") == {}


async def test_going_back_to_a_judge_asks_it_nothing_again(tmp_path: Path) -> None:
    with serving(finds()) as one, serving(strict) as other:
        root = await answered(tmp_path)
        for judge in (model_at(one.url), f"openai:other@{other.url}", model_at(one.url)):
            await judged(root, judge)

    assert (len(one.seen), len(other.seen)) == (6, 6)
    assert [judge.startswith("openai:other") for judge in other_judges(open_study(root), "topics")] == [True]


async def test_changed_questions_drop_the_scores_of_all_judges(tmp_path: Path) -> None:
    with serving(finds()) as one, serving(finds()) as other:
        root = await answered(tmp_path)
        await judged(root, model_at(one.url))
        await judged(root, f"openai:other@{other.url}")
        changed = [one.model_copy(update={"split": "test"}) for one in many_questions(3)]
        write_records(open_study(root).folder.questions, changed)
        await judged(root, f"openai:other@{other.url}")

    assert compared(root) == Judges([], {})
