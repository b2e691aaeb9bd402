"""A limited run asks the same questions of every method; methods that were asked different ones are not compared."""

from pathlib import Path

from astrolabe.core.records import Question
from astrolabe.report import pairs
from astrolabe.report.finding import finding
from astrolabe.report.pair_table import DIFFERENT
from astrolabe.study.models import Asking
from astrolabe.study.progress import Silent
from astrolabe.study.reporting import Surroundings, material_of
from astrolabe.study.running import RunRequest, run
from astrolabe.study.study import open_study
from astrolabe.study.study_scores import compare_study, score_and_show
from tests.small_study import many_questions, small_study

FIRST, SECOND = "extractive(sentences=2)", "extractive(sentences=3)"


async def sampled(root: Path, method: str, *, seed: int, limit: int = 3) -> set[str]:
    """Run one method on a seeded sample, as a command of its own would; return the questions it was asked."""
    study = open_study(root, seed=seed)
    result = await run(study, RunRequest(methods=[method], limit=limit), Asking(), Silent())
    return {answer.question_id for answer in result.answers}


def of_sets(number: int) -> list[Question]:
    """Return questions whose answers are lists, so that no judge is needed."""
    return [one.model_copy(update={"topics": (), "answers": (("moon",),)}) for one in many_questions(number)]


async def test_one_seed_gives_every_method_the_same_questions_in_whatever_command(tmp_path: Path) -> None:
    small_study(tmp_path, asked=of_sets(12))

    one = await sampled(tmp_path, FIRST, seed=7)
    other = await sampled(tmp_path, SECOND, seed=7)

    assert one == other
    assert len(one) == 3


async def test_a_larger_sample_of_a_seed_holds_the_smaller_one(tmp_path: Path) -> None:
    small_study(tmp_path, asked=of_sets(12))

    assert await sampled(tmp_path, FIRST, seed=7) < await sampled(tmp_path, SECOND, seed=7, limit=6)


async def test_the_order_of_the_questions_file_matters_to_nobody_but_the_seed(tmp_path: Path) -> None:
    small_study(tmp_path / "a", asked=of_sets(12))
    small_study(tmp_path / "b", asked=of_sets(12))

    assert await sampled(tmp_path / "a", FIRST, seed=1) == await sampled(tmp_path / "b", FIRST, seed=1)
    assert await sampled(tmp_path / "a", SECOND, seed=2) != await sampled(tmp_path / "b", FIRST, seed=1)


async def test_methods_that_were_asked_different_questions_are_compared_on_the_shared_ones_alone(
    tmp_path: Path,
) -> None:
    small_study(tmp_path, asked=of_sets(12))
    one, other = await sampled(tmp_path, FIRST, seed=1, limit=8), await sampled(tmp_path, SECOND, seed=2, limit=8)
    study = open_study(tmp_path)
    await score_and_show(study, ("set_f1",), Asking(), Silent())

    material = material_of(compare_study(study), Surroundings(title="t", study=study))

    assert one != other
    assert [comparison.n for comparison in material.comparisons if comparison.scope == "hard"] == [len(one & other)]
    assert DIFFERENT in pairs(material).notes
    assert "was asked other questions: means over different questions are not compared." in finding(material)


async def test_nothing_is_said_where_all_were_asked_the_same(tmp_path: Path) -> None:
    small_study(tmp_path, asked=of_sets(4))
    await sampled(tmp_path, FIRST, seed=1)
    await sampled(tmp_path, SECOND, seed=1)
    study = open_study(tmp_path)
    await score_and_show(study, ("set_f1",), Asking(), Silent())

    material = material_of(compare_study(study), Surroundings(title="t", study=study))

    assert DIFFERENT not in pairs(material).notes
    assert "other questions" not in finding(material)
