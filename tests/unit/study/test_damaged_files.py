"""A study whose files were damaged: what is made from others is made again."""

from pathlib import Path

import pytest

from astrolabe.study.answers import answer_sources
from astrolabe.study.models import Asking
from astrolabe.study.progress import Silent
from astrolabe.study.run import RunResult
from astrolabe.study.running import RunRequest, run
from astrolabe.study.study import open_study
from astrolabe.study.study_scores import score_and_show
from tests.small_study import small_study

DAMAGE = b"\xff\xfe damaged"


async def ran(root: Path, method: str) -> RunResult:
    return await run(open_study(root), RunRequest(methods=(method,)), Asking(), Silent())


def files(root: Path, pattern: str) -> list[Path]:
    return [path for path in root.glob(pattern) if path.is_file()]


def damage(root: Path, pattern: str) -> None:
    for path in files(root, pattern):
        path.write_bytes(DAMAGE)


def is_damaged(root: Path, pattern: str) -> bool:
    return any(path.read_bytes() == DAMAGE for path in files(root, pattern))


@pytest.mark.parametrize("pattern", ["corpus/*/passages.jsonl", "corpus/*/manifest.json", "indexes/*/*"])
async def test_passages_and_indexes_are_made_again(tmp_path: Path, pattern: str) -> None:
    small_study(tmp_path)
    await ran(tmp_path, "extractive")
    damage(tmp_path, pattern)
    damaged_before = is_damaged(tmp_path, pattern)
    result = await ran(tmp_path, "extractive(k=3)")

    assert damaged_before
    assert {answer.status for answer in result.answers} == {"ok"}
    assert not is_damaged(tmp_path, pattern)


async def test_scores_whose_manifest_is_damaged_are_made_again(tmp_path: Path) -> None:
    study = small_study(tmp_path)
    await ran(tmp_path, "extractive")
    await score_and_show(study, ["topics_local"], Asking(), Silent())
    damage(tmp_path, "scores/*/manifest.json")
    shown = await score_and_show(study, ["topics_local"], Asking(), Silent())

    assert {score.status for score in shown.results.scores} == {"scored"}
    assert not is_damaged(tmp_path, "scores/*/manifest.json")


async def test_answers_whose_note_is_damaged_are_given_again(tmp_path: Path) -> None:
    study = small_study(tmp_path)
    await ran(tmp_path, "extractive")
    damage(tmp_path, "answers/*.made-from.json")
    before = answer_sources(study)
    result = await ran(tmp_path, "extractive")

    assert before == []
    assert result.kept == 0
    assert len(answer_sources(study)) == 1
