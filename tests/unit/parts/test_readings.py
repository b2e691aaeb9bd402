"""Reading passages, whatever is read: order, gaps, replies that were cut."""

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Message, Prompt
from astrolabe.core.records import Passage, Usage
from astrolabe.llm.provider import RawReply
from astrolabe.parts.readings import Read, ask_for, read_passages
from astrolabe.parts.triples import NamesRead
from tests.six_passages import TracedKit, passage

HELD = [passage(f"p{number}", f"Text {number}.") for number in range(4)]
PROMPT = Prompt(
    name="names.v1", stage="index.x", messages=(Message(role="user", content="?"),), reply=NamesRead, max_tokens=5
)


async def test_every_passage_is_read_in_order_and_one_that_fails_stops_no_other() -> None:
    async def read(one: Passage) -> Read[NamesRead]:
        if one.id == "p2":
            raise ModelError("failed", "HTTP 500")
        return Read(NamesRead(entities=(one.id,)), short=one.id == "p1")

    readings = await read_passages(HELD, read)

    assert [found.entities for found in readings.of.values()] == [("p0",), ("p1",), ("p3",)]
    assert (readings.gaps.asked, readings.gaps.failed) == (4, {"p2": "HTTP 500"})
    assert readings.cut_short == ("p1",)


async def test_another_error_than_the_models_ends_the_reading() -> None:
    async def read(one: Passage) -> Read[NamesRead]:
        raise ValueError(one.id)

    with pytest.raises(ExceptionGroup):
        await read_passages(HELD, read)


async def test_a_cut_reply_counts_where_it_holds_something() -> None:
    cut = RawReply(text='{"entities": ["moon", "su', finish="length", usage=Usage(calls=1))
    kit = TracedKit({"names": [cut, cut] * 2})

    read = await ask_for(PROMPT, kit, something=lambda found: bool(found.entities))
    with pytest.raises(ModelError, match="cut off"):
        await ask_for(PROMPT, kit, something=lambda found: len(found.entities) > 2)

    assert read == Read(NamesRead(entities=("moon",)), short=True)
