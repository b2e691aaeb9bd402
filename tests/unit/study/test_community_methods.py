"""The methods that write reports, over the study's own kit: their indexes are kept, shared, and never half."""

from collections import Counter
from pathlib import Path

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Method
from astrolabe.core.records import Answer, Question
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted
from astrolabe.methods.archrag import ArchRAG
from astrolabe.methods.graphrag import GraphRAGGlobal, GraphRAGLocal
from astrolabe.study.kit import ScopeKit
from tests.sensible import sensible
from tests.small_study import IDS, small_study
from tests.study_kits import bench

QUESTION = Question(id="q", text="What moves the tides?")
METHODS: list[Method] = [GraphRAGGlobal(), GraphRAGLocal(), ArchRAG(min_clusters=1)]
EVERY = pytest.mark.parametrize("method", METHODS, ids=["graphrag_global", "graphrag_local", "archrag"])


def kit(folder: Path, llm: Scripted) -> ScopeKit:
    """Return a new process's kit over a study whose indexes are kept."""
    return ScopeKit(bench=bench(small_study(folder), llm, kept=True), documents=tuple(IDS.values()))


async def asked(method: Method, folder: Path, llm: Scripted) -> Answer:
    return await method.answer(QUESTION, kit(folder, llm))


def prompts(llm: Scripted) -> Counter[str]:
    return Counter(prompt.name for prompt in llm.asked)


@EVERY
async def test_a_second_process_opens_what_the_first_has_built_and_answers_the_same(
    method: Method, tmp_path: Path
) -> None:
    first, second = Scripted(sensible), Scripted(sensible)

    answer = await asked(method, tmp_path, first)

    assert answer.status == "ok"
    assert await asked(method, tmp_path, second) == answer
    assert prompts(first)["extract.v1"] == 4
    assert prompts(first)["report.v1"] > 0
    assert set(prompts(second)) == {"write.v1", "points.v1"} & set(prompts(first))


async def test_the_three_read_each_passage_once_between_them(tmp_path: Path) -> None:
    llm = Scripted(sensible)

    for method in METHODS:
        await asked(method, tmp_path, llm)

    assert prompts(llm)["extract.v1"] == 4


# A9, U15
@EVERY
async def test_where_a_report_fails_no_question_is_answered_and_the_next_run_asks_again(
    method: Method, tmp_path: Path
) -> None:
    def fails(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "HTTP 500") if prompt.name == "report.v1" else sensible(prompt)

    with pytest.raises(ModelError, match=r"report on .*HTTP 500"):
        await asked(method, tmp_path, Scripted(fails))

    again = Scripted(sensible)
    answer = await asked(method, tmp_path, again)

    assert answer.status == "ok"
    assert prompts(again)["extract.v1"] == 0
    assert prompts(again)["report.v1"] > 0
