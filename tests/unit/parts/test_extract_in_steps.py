import json
from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.parts.extract_in_steps import ExtractInSteps
from tests.six_passages import TracedKit, passage

MOON = {"name": "Moon", "type": "body", "description": "It pulls."}
TIDE = {"name": "Tide", "type": "event", "description": "It comes."}
PULL = {"source": "Moon", "target": "Tide", "description": "It moves it.", "strength": 9}
AGAIN = {"source": "Moon", "target": "Sea", "description": "It pulls it.", "strength": 4}
SCRIPT = {
    "entities": [json.dumps({"entities": [MOON]}), json.dumps({"entities": [TIDE]})],
    "relations": [json.dumps({"relations": [PULL]}), json.dumps({"relations": [AGAIN]})],
}
SEA = passage("p1", "The moon pulls the tide.")


async def test_entities_are_read_first_then_how_they_are_related_each_with_what_was_missed() -> None:
    kit = TracedKit(SCRIPT, held=[SEA])

    read = (await kit.open(ExtractInSteps(gleanings=1))).of["p1"]

    assert [one.name for one in read.entities] == ["Moon", "Tide"]
    assert [one.strength for one in read.relations] == [9, 4]
    shown = [prompt.messages[-1].content for prompt in kit.scripted.asked]
    assert ["(nothing)" in text for text in shown] == [True, False, True, False]
    assert "Moon\nTide" in shown[2]


# H8
async def test_the_second_round_of_relations_asks_for_relations_and_shows_the_first() -> None:
    kit = TracedKit(SCRIPT, held=[SEA])

    await kit.open(ExtractInSteps(gleanings=1, types="body, event"))

    assert [prompt.name for prompt in kit.scripted.asked] == ["entities.v1"] * 2 + ["relations.v1"] * 2
    assert "Moon - Tide" in kit.scripted.asked[3].messages[-1].content
    assert "body, event" in kit.scripted.asked[0].messages[0].content


async def test_without_an_entity_nothing_is_asked_about_relations() -> None:
    kit = TracedKit({"entities": [json.dumps({"entities": []})]}, held=[SEA])

    read = await kit.open(ExtractInSteps())

    assert (read.of["p1"].entities, len(kit.scripted.asked)) == ((), 1)


async def test_a_step_that_fails_makes_the_passage_a_gap() -> None:
    script = {"entities": SCRIPT["entities"], "relations": [ModelError("failed", "HTTP 500")]}
    kit = TracedKit(script, held=[SEA])

    read = await kit.open(ExtractInSteps())

    assert (dict(read.of), read.gaps.failed) == ({}, {"p1": "HTTP 500"})


async def test_what_is_saved_is_the_same(tmp_path: Path) -> None:
    kit, spec = TracedKit(SCRIPT, held=[SEA]), ExtractInSteps(gleanings=1)
    read = await kit.open(spec)

    spec.save(read, tmp_path)

    assert spec.load(tmp_path, kit.held, kit) == read


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ConfigError, match="gleanings"):
        ExtractInSteps(gleanings=-1)
