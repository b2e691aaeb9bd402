"""What HiRAG shows, and where there is nothing to join or to show."""

import json

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.records import Question
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods import METHODS
from astrolabe.methods.hirag import HiRAG
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit, passage


def islands(number: int, *, length: int = 1) -> TracedKit:
    """Return a kit over passages each of which speaks of two things that no other passage speaks of."""

    def says(prompt: AnyPrompt) -> Line:
        if prompt.name != "extract.v1":
            return sensible(prompt)
        place = next(place for place in range(number) if f"Island{place}." in prompt.messages[-1].content)
        entities = [{"name": f"{kind} {place}", "type": "x", "description": "tide " * 9} for kind in ("Bay", "Cape")]
        relations = [{"source": f"Bay {place}", "target": f"Cape {place}", "description": "near"}]
        return json.dumps({"entities": entities, "relations": relations})

    held = [passage(f"p{place}", f"Island{place}. " + "The tide came in. " * length) for place in range(number)]
    return TracedKit(says, held=held)


# H1
async def test_all_sections_shrink_together_to_what_a_model_may_be_shown() -> None:
    kit = islands(12, length=100)
    kit.context_tokens = 600

    answer = await HiRAG(layers=0).answer(QUESTION, kit)

    shown = kit.scripted.asked[-1].messages[-1].content
    parts = [shown.index(f"{title}:\n") for title in ("Background", "Things", "Passages")]
    assert answer.status == "ok"
    assert parts == sorted(parts)
    assert count_tokens(shown) < 800
    assert answer.contexts


# H5
async def test_a_graph_that_hangs_together_nowhere_is_answered_and_the_trace_says_so() -> None:
    answer = await HiRAG(layers=0).answer(QUESTION, islands(6))

    walk = answer.trace[2]
    assert answer.status == "ok"
    assert (walk.stage, walk.reason.startswith("skipped ")) == ("walk.bridge", True)


# H5
async def test_the_bridge_is_the_same_every_time() -> None:
    answers = [await HiRAG(k=5, max_size=4).answer(QUESTION, TracedKit(sensible)) for _ in range(2)]

    assert answers[0] == answers[1]


# H10
async def test_a_missing_report_fails_no_question() -> None:
    def without_reports(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "HTTP 500") if prompt.name == "report.v1" else sensible(prompt)

    answer = await HiRAG().answer(QUESTION, TracedKit(without_reports))

    assert answer.status == "ok"


# D29
async def test_without_any_entity_the_answer_says_that_there_is_no_graph() -> None:
    nothing = json.dumps({"entities": [], "relations": []})

    answer = await HiRAG().answer(QUESTION, TracedKit(lambda prompt: nothing))  # noqa: ARG005 - whatever is asked

    assert (answer.status, answer.reason) == ("empty", "no graph: the extraction found nothing in 6 of 6 passages")


async def test_one_passage_and_a_question_in_another_language_are_answered() -> None:
    question = Question(id="q", text="潮汐是什么引起的？")

    answer = await HiRAG().answer(question, islands(1))

    assert answer.status in {"ok", "empty"}
    assert answer.status == "ok" or answer.reason


async def test_passages_that_only_a_path_or_a_report_brings_are_retrieved_and_not_shown() -> None:
    answer = await HiRAG(k=1, wider=30).answer(QUESTION, TracedKit(sensible))

    shown = {hit.passage_id for hit in answer.contexts}
    sources = {hit.source for hit in answer.retrieved}
    assert "entity" in sources
    assert sources <= {"entity", "path", "community"}
    assert all(hit.source == "entity" for hit in answer.contexts)
    assert shown <= {hit.passage_id for hit in answer.retrieved}


def test_the_published_run_is_a_preset() -> None:
    published = parse_spelled("hirag@published", METHODS, what="method")

    assert isinstance(published, HiRAG)
    assert (published.reducer, published.extraction, published.gleanings) == ("umap", "in_steps", 1)
    assert spell(published) == "hirag@published"


@pytest.mark.parametrize("wrong", ["wider=0", "keys=0", "path_tokens=0", "threshold=2"])
def test_a_number_out_of_its_range_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong.split("=", maxsplit=1)[0]):
        parse_spelled(f"hirag({wrong})", METHODS, what="method")
