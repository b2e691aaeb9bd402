"""Reading triples in passages: what counts as one, and what happens to a reply that is not."""

import json
from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.records import Usage
from astrolabe.llm.provider import RawReply
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.parts.triples import NamesAndTriples, Triple, Triples, TriplesInTwo, triples_spec
from tests.late import late
from tests.six_passages import TracedKit, passage

MOON = {"subject": "moon", "relation": "pulls", "object": "water"}
HELD = [passage("p1", "The moon pulls the water."), passage("p2", "The sun shines.")]


def said(*triples: object, entities: tuple[str, ...] = ("moon",)) -> str:
    return json.dumps({"entities": entities, "triples": triples})


async def read(
    *lines: Line, spec: Triples | TriplesInTwo | None = None
) -> tuple[dict[str, NamesAndTriples], TracedKit]:
    kit = TracedKit({"index.triples": lines}, held=HELD[:1])
    readings = await kit.built(spec or Triples())
    return dict(readings.of), kit


async def test_one_call_reads_names_and_triples_of_a_passage() -> None:
    found, kit = await read(said(MOON))

    assert found["p1"] == NamesAndTriples(entities=("moon",), triples=(Triple.model_validate(MOON),))
    assert kit.trace[-1] == "ask triples.v1 (index.triples) with no passage"
    assert len(kit.scripted.asked) == 1


async def test_read_in_two_the_triples_are_asked_for_with_the_names() -> None:
    lines = json.dumps({"entities": ["moon", "high\nwater"]}), json.dumps({"triples": [MOON]})

    found, kit = await read(*lines, spec=TriplesInTwo())

    assert found["p1"].entities == ("moon", "high\nwater")
    assert [prompt.name for prompt in kit.scripted.asked] == ["names.v1", "triples_of.v1"]
    assert "\nmoon\nhigh water\n" in kit.scripted.asked[1].messages[-1].content


# U14
@pytest.mark.parametrize(
    ("given", "read_as"),
    [
        (["moon", "pulls", "water"], ("moon", "pulls", "water")),
        ({"subject": "F1", "relation": "is", "object": 0.87}, ("F1", "is", "0.87")),
        ({"subject": "GPT-3.5", "relation": "beats"}, ("GPT-3.5", "beats", "")),
        ({"subject": "a", "relation": None, "object": True}, ("a", "", "")),
        (["moon", "pulls"], ("", "", "")),
        ("moon pulls water", ("", "", "")),
    ],
)
async def test_an_odd_triple_costs_its_neighbours_nothing(given: object, read_as: tuple[str, ...]) -> None:
    found, _ = await read(said(given, MOON))

    first, second = found["p1"].triples
    assert (first.subject, first.relation, first.object) == read_as
    assert second == Triple.model_validate(MOON)


# U12
@pytest.mark.parametrize("text", [f"```json\n{said(MOON)}\n```", f"<think>Let me see.</think>{said(MOON)}"])
async def test_fences_and_thoughts_around_a_reply_are_no_part_of_it(text: str) -> None:
    found, _ = await read(text)

    assert len(found["p1"].triples) == 1


# U12
async def test_a_reply_that_is_cut_keeps_its_whole_triples_and_says_so() -> None:
    text = said(MOON, MOON)[:-20]
    cut = RawReply(text=text, finish="length", usage=Usage(calls=1))
    kit = TracedKit({"triples": [cut, cut]}, held=HELD[:1])

    readings = await kit.built(Triples())

    assert [triple.object for triple in readings.of["p1"].triples] == ["water"]
    assert readings.cut_short == ("p1",)
    assert readings.gaps.failed == {}


# P1
async def test_a_reply_with_code_in_it_is_text_and_no_code() -> None:
    readings = await TracedKit({"triples": ["__import__('os').getcwd()"] * 2}, held=HELD[:1]).built(Triples())

    assert readings.of == {}
    assert "no JSON object" in readings.gaps.failed["p1"]


# U15
@pytest.mark.parametrize("spec", [Triples(), TriplesInTwo()])
async def test_a_passage_that_fails_is_a_gap_and_stops_no_other(spec: Triples | TriplesInTwo) -> None:
    def model(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "HTTP 500") if "sun" in prompt.messages[-1].content else said(MOON)

    readings = await TracedKit(model, held=HELD).built(spec)

    assert list(readings.of) == ["p1"]
    assert (readings.gaps.asked, readings.gaps.failed) == (2, {"p2": "HTTP 500"})


async def test_the_order_in_which_replies_arrive_does_not_matter() -> None:
    held = [passage(f"p{number}", f"Text {number} of the moon.") for number in range(8)]
    kits = [TracedKit(lambda _: said(MOON), held=held) for _ in range(2)]

    first, second = [await late(kit, seed).built(Triples()) for seed, kit in enumerate(kits)]

    assert first == second
    assert list(first.of) == [one.id for one in held]


async def test_what_was_read_is_kept_and_opened_again(tmp_path: Path) -> None:
    kit = TracedKit(lambda _: said(MOON, ["数据库", "是", "系统"]), held=HELD)
    readings = await kit.built(Triples())

    Triples().save(readings, tmp_path)

    assert Triples().load(tmp_path, HELD, kit) == readings


def test_a_way_of_reading_is_named_by_a_word() -> None:
    assert triples_spec("at_once", size=600, overlap=0) == Triples(size=600, overlap=0)
    assert triples_spec("in_two", size=600, overlap=0) == TriplesInTwo(size=600, overlap=0)


def test_a_cut_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(ConfigError, match="overlap"):
        Triples(size=100, overlap=100)
