import re
from dataclasses import replace

import pytest

from astrolabe.core.records import Score
from astrolabe.report.judged import found_items
from astrolabe.report.page import page_content, render_page
from tests.unit.report.made import made_material, mixed_material


def explained(page: str) -> dict[str, str]:
    """Return what the page explains below its tables, by the word that it explains."""
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page[page.index('id="made"') :], re.DOTALL))


def test_the_page_explains_each_figure_that_it_shows_and_no_other() -> None:
    topical, mixed = explained(render_page(made_material())), explained(render_page(mixed_material()))
    judged = [
        one.model_copy(update={"metric": "set_f1_judged"})
        for one in mixed_material().estimates
        if one.metric == "set_f1"
    ]
    alone = explained(render_page(replace(mixed_material(), metric="set_f1_judged", estimates=judged)))

    assert ("T-F1" in topical, "set_f1" in topical) == (True, False)
    assert ("T-F1" in mixed, "set_f1" in mixed) == (True, True)
    for word in ("Precision (P)", "Recall (R)", "F1", "items", "aliases", "2PR / (P + R)", "QAMPARI"):
        assert word in mixed["set_f1"], word
    assert ("T-F1" in alone, "set_f1" in alone) == (False, False)
    assert "a judge decides" in alone["set_f1_judged"]


def test_a_question_without_the_gold_of_the_main_metric_is_shown_with_the_score_of_its_own() -> None:
    content = page_content(mixed_material())

    scores = content["scores"]
    assert isinstance(scores, list)
    shown = {one["question"]: (one["title"], one["value"]) for one in scores if isinstance(one, dict)}
    assert shown == {"towns": ("set_f1", 0.25), "tides": ("T-F1", 0.5)}
    assert content["titles_of_scores"] == ["set_f1", "T-F1"]


@pytest.mark.parametrize(
    ("metric", "items"),
    [("set_f1", {"found": ["a"], "wrong": ["b"]}), ("topics", {}), ("set_f1_judged", {"found": ["a"], "wrong": ["b"]})],
)
def test_items_are_those_of_set_metrics_and_only_texts(metric: str, items: dict[str, list[str]]) -> None:
    score = Score(
        question_id="q", method="m", metric=metric, value=0.5, detail={"found": ["a", 3], "missed": 7, "wrong": ["b"]}
    )

    assert found_items(score) == items
