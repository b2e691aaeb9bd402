import json
import logging
from pathlib import Path

import pytest
from pydantic import JsonValue

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.llm.provider import RawReply
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.parts.extract import FOUR_TYPES, Extract, ExtractedEntity, Extraction, Extractions, ExtractReply
from tests.six_passages import TEXTS, TracedKit, passage

ONE = (passage("p1", TEXTS["p1"]),)
MOON: dict[str, JsonValue] = {"name": "Moon", "type": "body", "description": "It pulls."}
TIDES: dict[str, JsonValue] = {"name": "Tides", "type": "event", "description": "They follow."}
PULL: dict[str, JsonValue] = {
    "source": "Moon",
    "target": "Tides",
    "description": "It causes them.",
    "keywords": ["gravity", "sea"],
    "strength": 9,
}
WHOLE = json.dumps({"entities": [MOON, TIDES], "relations": [PULL]})


async def extracted(*lines: Line, gleanings: int = 0) -> Extractions:
    kit = TracedKit({"extract": lines, "extract_more": lines[1:]}, held=ONE)
    return await kit.open(Extract(gleanings=gleanings))


def reply(entities: JsonValue, relations: JsonValue = None) -> str:
    return json.dumps({"entities": entities, "relations": relations})


# D17: what models send, the names and the pairs that are read of it, and how many records are not.
GOLDEN: dict[str, tuple[str, list[str], list[str], int]] = {
    "as asked": (WHOLE, ["Moon", "Tides"], ["Moon-Tides"], 0),
    "fenced": (f"Here it is:\n```json\n{WHOLE}\n```\nDone.", ["Moon", "Tides"], ["Moon-Tides"], 0),
    "thoughts before": (f'<think>{{"entities": []}} no.</think>{WHOLE}', ["Moon", "Tides"], ["Moon-Tides"], 0),
    "a note behind": (f'{WHOLE}\n\nMy notes: {{"confidence": 0.9}}', ["Moon", "Tides"], ["Moon-Tides"], 0),
    "single quotes and a comma too many": ("{'entities': [{'name': 'Moon', 'type': 'body',},],}", ["Moon"], [], 0),
    "both lists empty": (reply([], []), [], [], 0),
    "one list": (json.dumps({"entities": [MOON]}), ["Moon"], [], 0),
    "a null list": (reply([MOON], None), ["Moon"], [], 0),
    "relations alone": (json.dumps({"relations": [PULL]}), [], ["Moon-Tides"], 0),
    "an unknown end stays an end": (reply([MOON], [{**PULL, "target": "Sun"}]), ["Moon"], ["Moon-Sun"], 0),
    "a field too many": (reply([{**MOON, "id": 7}], [{**PULL, "reason": "x"}]), ["Moon"], ["Moon-Tides"], 0),
    "a field too few": (reply([MOON, {"type": "body"}]), ["Moon"], [], 1),
    "an end too few": (reply([MOON], [{"source": "Moon"}, PULL]), ["Moon"], ["Moon-Tides"], 1),
    "null fields": (reply([{**MOON, "type": None}, {"name": None}]), ["Moon"], [], 1),
    "null records": (reply([None, MOON], [None]), ["Moon"], [], 2),
    "texts for records": (reply([MOON, "Tides"], ["Moon causes Tides"]), ["Moon"], [], 2),
    "a list for a record": (reply([MOON, ["Tides", "event"]]), ["Moon"], [], 1),
    "a list for a name": (reply([MOON, {"name": ["Tides"]}]), ["Moon"], [], 1),
    "a number for a name": (reply([{**MOON, "name": 2024}, {"name": 3.5}]), ["2024", "3.5"], [], 0),
    "a name without end": (reply([MOON, {"name": "Tides" * 100}]), ["Moon"], [], 1),
    "line breaks and brackets inside": (
        reply([{"name": "Clause A (Annex)", "description": "Sets limits (see B)\nfor use."}]),
        ["Clause A (Annex)"],
        [],
        0,
    ),
    "more than asked for": (reply([{"name": f"E{place}"} for place in range(95)]), [f"E{n}" for n in range(95)], [], 0),
}


@pytest.mark.parametrize(("text", "names", "pairs", "unread"), GOLDEN.values(), ids=GOLDEN)
async def test_what_models_send_is_read_record_by_record_and_what_is_not_is_counted(
    text: str, names: list[str], pairs: list[str], unread: int
) -> None:
    read = await extracted(text)

    found = read.of["p1"]
    assert [entity.name for entity in found.entities] == names
    assert [f"{one.source}-{one.target}" for one in found.relations] == pairs
    assert found.unread == unread
    assert read.gaps.share == 1.0
    assert not read.cut_short


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "I cannot find any.",
        json.dumps({"topics": ["Moon"]}),
        json.dumps({"entities": "Moon, Tides"}),
        json.dumps({"entities": {"Moon": "body"}}),
        reply(["Moon", "Tides"]),
        reply([{"title": "Moon"}], [{"from": "Moon", "to": "Tides"}]),
        '("entity"<|>"Moon"<|>"body"<|>"It pulls.")##',
        "{'entities': [{'name': __import__('os').getcwd()}]}",
    ],
)
async def test_a_reply_without_any_record_that_can_be_read_is_asked_again_then_a_gap(text: str) -> None:
    kit = TracedKit({"extract": [text] * 2}, held=ONE)

    read = await kit.open(Extract())

    assert len(kit.scripted.requests) == 2
    assert read.of == {}
    assert (read.gaps.asked, list(read.gaps.failed)) == (1, ["p1"])


async def test_a_second_reply_mends_the_first() -> None:
    read = await extracted("no list", WHOLE)

    assert len(read.of["p1"].entities) == 2
    assert read.gaps.share == 1.0


async def test_a_reply_that_stays_cut_keeps_its_whole_records_and_is_counted() -> None:
    cut = WHOLE[: WHOLE.index('"They follow')]

    read = await extracted(*[RawReply(text=cut, finish="length")] * 2)

    assert [entity.name for entity in read.of["p1"].entities] == ["Moon"]
    assert read.cut_short == ("p1",)
    assert read.gaps.failed == {}


async def test_a_reply_cut_before_its_first_record_is_a_gap() -> None:
    read = await extracted(*[RawReply(text='{"entities": [{"name": "Mo', finish="length")] * 2)

    assert read.of == {}
    assert "cut off" in read.gaps.failed["p1"]


async def test_one_passage_that_fails_stops_no_other_and_is_named() -> None:
    def script(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "HTTP 500") if TEXTS["p3"] in prompt.messages[-1].content else WHOLE

    read = await TracedKit(script).open(Extract())

    assert list(read.of) == ["p1", "p2", "p4", "p5", "p6"]
    assert read.gaps.failed == {"p3": "HTTP 500"}
    assert read.gaps.share == pytest.approx(5 / 6)


# U25
@pytest.mark.parametrize(
    ("written", "strength"),
    [(7, 7.0), ("8", 8.0), ("8/10", 1.0), ("strong", 1.0), (None, 1.0), (0, 1.0), (95, 10.0), ("nan", 1.0), ([3], 1.0)],
)
async def test_a_strength_in_another_form_costs_no_relation(written: JsonValue, strength: float) -> None:
    read = await extracted(reply([MOON], [{**PULL, "strength": written}]))

    assert [one.strength for one in read.of["p1"].relations] == [strength]


# U12
@pytest.mark.parametrize(
    ("written", "keywords"),
    [
        (["gravity", "sea"], ("gravity", "sea")),
        ("gravity", ("gravity",)),
        (["gravity", None, 3, " ", "x" * 300], ("gravity",)),
        (None, ()),
        ({"a": "b"}, ()),
    ],
)
async def test_keywords_are_never_spelled_out_in_characters(written: JsonValue, keywords: tuple[str, ...]) -> None:
    read = await extracted(reply([MOON], [{**PULL, "keywords": written}]))

    assert read.of["p1"].relations[0].keywords == keywords


async def test_a_gleaning_shows_what_was_found_and_adds_what_was_missed() -> None:
    more = reply([TIDES, "half"], [PULL])
    kit = TracedKit({"extract": [reply([MOON])], "extract_more": [more, reply([])]}, held=ONE)

    read = await kit.open(Extract(gleanings=2))

    assert [entity.name for entity in read.of["p1"].entities] == ["Moon", "Tides"]
    assert len(read.of["p1"].relations) == 1
    assert read.of["p1"].unread == 1
    _, first, second = (prompt.messages[-1].content for prompt in kit.scripted.asked)
    assert "Moon (body): It pulls." in first
    assert "Tides" not in first.partition("First list")[2].partition("Reply")[0]
    assert "Moon - Tides: It causes them." in second


async def test_a_gleaning_over_an_empty_list_says_so() -> None:
    kit = TracedKit({"extract": [reply([])], "extract_more": [reply([MOON])]}, held=ONE)

    await kit.open(Extract(gleanings=1))

    assert "(nothing)" in kit.scripted.asked[1].messages[-1].content


async def test_a_passage_is_shown_whole_with_the_types_that_are_asked_for() -> None:
    kit = TracedKit({"extract": [WHOLE]}, held=ONE)

    await kit.open(Extract(types=FOUR_TYPES))

    system, user = (message.content for message in kit.scripted.asked[0].messages)
    assert FOUR_TYPES in system
    assert TEXTS["p1"] in user


# D29
async def test_a_scope_in_which_nothing_is_found_is_told(caplog: pytest.LogCaptureFixture) -> None:
    kit = TracedKit(lambda _: reply([]))

    with caplog.at_level(logging.WARNING):
        read = await kit.open(Extract())

    assert len(read.of) == 6
    assert "found nothing in 6 of 6 passages" in caplog.text


async def test_records_that_cannot_be_read_are_told_with_their_number(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        await extracted(reply([MOON, "Tides"], [PULL]))

    assert "1 of 3 records" in caplog.text


async def test_without_passages_nothing_is_asked_and_nothing_told(caplog: pytest.LogCaptureFixture) -> None:
    kit = TracedKit({}, held=())

    read = await kit.open(Extract())

    assert (read.of, read.gaps.asked, kit.scripted.asked, caplog.text) == ({}, 0, [], "")


async def test_what_was_saved_is_read_again(tmp_path: Path) -> None:
    kit = TracedKit(lambda _: reply([MOON, "Tides"], [{**PULL, "strength": "8"}]))
    read = await Extract().build(kit.held, kit)

    Extract().save(read, tmp_path)
    again = Extract().load(tmp_path, kit.held, kit)

    assert {name: one.model_dump() for name, one in again.of.items()} == {
        name: one.model_dump() for name, one in read.of.items()
    }
    assert (again.gaps, again.cut_short) == (read.gaps, read.cut_short)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Extract(types=" , "),
        lambda: Extract(types="x" * 201),
        lambda: Extract(gleanings=-1),
        lambda: Extract(size=0),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_runs(make: object) -> None:
    assert callable(make)

    with pytest.raises(ConfigError):
        make()


def test_an_extraction_is_spelled_and_parsed_back() -> None:
    spec = Extract(types=FOUR_TYPES, gleanings=1)

    assert parse_spelled(spell(spec), {"extract": Extract}, what="index") == spec
    assert spell(Extract()) == "extract"


def test_servers_are_told_the_bounds_and_not_what_is_counted_here() -> None:
    schema = ExtractReply.model_json_schema()

    assert set(schema["properties"]) == {"entities", "relations"}
    assert schema["properties"]["entities"]["maxItems"] == 80
    assert schema["$defs"]["ExtractedRelation"]["properties"]["strength"]["minimum"] == 1


def test_two_extractions_add_up() -> None:
    one = Extraction(entities=(ExtractedEntity(name="Moon"),), unread=1)
    other = Extraction(entities=(ExtractedEntity(name="Sun"),), unread=2)

    both = one + other

    assert ([entity.name for entity in both.entities], both.unread) == (["Moon", "Sun"], 3)
