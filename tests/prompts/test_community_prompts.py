"""What is asked about communities, about blocks of reports, and where the model's own knowledge comes first."""

import pytest

from astrolabe.prompts import render
from astrolabe.prompts.rendering import load
from astrolabe.prompts.template import block_name

REPORT = {"group": "Moon (body, 1 relation): It pulls.", "aspects": "dates"}
POINTS = {"material": "[1] Moon\nIt pulls.", "question": "Why tides?"}
KNOWING = {"context": "It pulls.", "question": "Why tides?", "sentences": "3"}


def turns(name: str, holes: dict[str, str]) -> tuple[str, str]:
    """Return both turns with the border named X."""
    prompt = render(name, stage="s", reply=str, max_tokens=1, holes=holes)
    system, user = (message.content.replace(block_name(holes), "X") for message in prompt.messages)
    return system, user


def test_a_report_is_asked_for_with_the_group_as_material_and_its_shape_at_the_end() -> None:
    system, user = turns("report.v1", REPORT)

    assert "Pay most attention to: dates." in system
    assert user == (
        'Material:\n<X name="group">\nMoon (body, 1 relation): It pulls.\n</X>\n\n'
        'Reply with an object {"title": ..., "summary": ..., "rating": ..., "rating_explanation": ..., '
        '"findings": [{"summary": ..., "explanation": ...}, ...]}.'
    )


def test_points_are_asked_for_with_the_material_before_the_question() -> None:
    _, user = turns("points.v1", POINTS)

    assert user == (
        'Material:\n<X name="material">\n[1] Moon\nIt pulls.\n</X>\n\n'
        'Question:\n<X name="question">\nWhy tides?\n</X>\n\n'
        'Reply with an object {"points": [{"description": ..., "score": ..., "entries": [...]}, ...]}.'
    )


def test_the_prompt_that_lets_the_model_use_what_it_knows_has_the_holes_of_the_shared_one() -> None:
    system, user = turns("write_knowing.v1", KNOWING)

    assert "with what you know" in system
    assert user.endswith("Answer in at most 3 short sentences.")
    assert load("write_knowing.v1").holes == load("write.v1").holes


@pytest.mark.parametrize(
    ("name", "holes"), [("report.v1", REPORT), ("points.v1", POINTS), ("write_knowing.v1", KNOWING)]
)
def test_what_others_wrote_stands_between_borders_that_the_system_turn_explains(
    name: str, holes: dict[str, str]
) -> None:
    system, _ = turns(name, holes)

    assert "What stands between <X> and </X>" in system
