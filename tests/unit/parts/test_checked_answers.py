import json

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.records import Hit
from astrolabe.llm.provider import schema_of
from astrolabe.parts.checked_answers import Checked, does, spans
from astrolabe.parts.tree_node import Node
from tests.six_passages import TracedKit

SHOWN = [Hit(passage_id=name, rank=rank, score=1 / rank, source="dense") for rank, name in enumerate(("p1", "p4"), 1)]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (["whale oil", "the moon"], ("whale oil", "the moon")),
        (["Whale  Oil", "whale oil"], ("Whale Oil",)),
        (["seal oil", "", "  "], ()),
        (["oceans, and tides", "oil before the moon"], ("oceans, and tides",)),
        ([], ()),
    ],
)
async def test_a_stretch_stands_in_one_of_the_passages(said: list[str], kept: tuple[str, ...]) -> None:
    node = Node(id="1", question="What burns?", shown=SHOWN)

    assert await spans(node, TracedKit(lambda _: json.dumps({"spans": said}))) == kept


@pytest.mark.parametrize(
    "said",
    [
        {"coherence": 11, "answerability": 50},
        {"coherence": 5, "answerability": 101},
        {"coherence": 5, "answerability": 50, "valid": "true"},
        {"coherence": 5, "answerability": 50, "valid": 1},
        {"valid": True},
    ],
)
async def test_a_check_outside_its_bounds_says_nothing(said: dict[str, object]) -> None:
    with pytest.raises(ModelError):
        await does("The moon.", "What pulls?", TracedKit(lambda _: json.dumps(said)))


def test_a_check_asks_for_whole_numbers_within_bounds_that_a_grammar_can_hold() -> None:
    asked = json.loads(json.dumps(schema_of(Checked)))["properties"]

    assert asked["coherence"] == {"type": "integer", "minimum": 0, "maximum": 10}
    assert asked["answerability"] == {"type": "integer", "minimum": 0, "maximum": 100}


@pytest.mark.parametrize(("overall", "enough"), [(5.9, False), (6.2, True)])
async def test_a_check_with_parts_of_a_point_counts_whole_ones(overall: float, *, enough: bool) -> None:
    said = {"coherence": 5.6, "answerability": 60.2, "overall": overall}

    assert await does("The moon.", "What pulls?", TracedKit(lambda _: json.dumps(said))) is enough
