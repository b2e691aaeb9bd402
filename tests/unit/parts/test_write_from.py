import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.records import Hit
from astrolabe.parts.look import Node, look
from astrolabe.parts.write import Shown, write_from
from tests.six_passages import QUESTION, TracedKit


def hit(name: str, rank: int) -> Hit:
    return Hit(passage_id=name, rank=rank, score=1.0, source="entity")


SHOWN = Shown(
    text="Entities:\n\nMoon: It pulls.",
    contexts=[hit("p1", 1)],
    retrieved=[hit("p1", 1), hit("p2", 2)],
    trace=[look("search.entities", [Node(id="Moon", kind="entity")]), look("walk.neighbours", [])],
)


async def test_the_answer_keeps_what_was_shown_what_was_reached_and_what_was_looked_at() -> None:
    kit = TracedKit({"write": ["The moon."]})

    answer = await write_from(QUESTION, SHOWN, kit)

    assert (answer.text, answer.status) == ("The moon.", "ok")
    assert answer.contexts == tuple(SHOWN.contexts)
    assert answer.retrieved == tuple(SHOWN.retrieved)
    assert [(step.id, step.stage) for step in answer.trace] == [("s1", "search.entities"), ("s2", "walk.neighbours")]
    assert SHOWN.text in kit.scripted.asked[0].messages[-1].content


@pytest.mark.parametrize("text", ["", " \n\t"])
async def test_where_nothing_is_shown_nothing_is_asked_and_the_trace_stays(text: str) -> None:
    kit = TracedKit({})

    answer = await write_from(QUESTION, Shown(text=text, trace=SHOWN.trace), kit)

    assert answer.status == "empty"
    assert "found no passage in this scope" in str(answer.reason)
    assert len(answer.trace) == 2
    assert kit.scripted.asked == []


async def test_what_was_shown_is_kept_also_where_the_call_fails() -> None:
    answer = await write_from(QUESTION, SHOWN, TracedKit({"write": [ModelError("refused", "no")]}))

    assert (answer.status, answer.reason) == ("refused", "no")
    assert answer.contexts == tuple(SHOWN.contexts)
    assert len(answer.trace) == 2


async def test_another_answer_prompt_with_the_same_holes_may_be_asked() -> None:
    kit = TracedKit({"write_short": ["The moon."]})

    await write_from(QUESTION, SHOWN, kit, prompt="write_short.v1")

    assert kit.scripted.asked[0].name == "write_short.v1"
    assert SHOWN.text in kit.scripted.asked[0].messages[-1].content


async def test_an_unknown_answer_prompt_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"no prompt 'write_nothing\.v1'"):
        await write_from(QUESTION, SHOWN, TracedKit({}), prompt="write_nothing.v1")
