"""What the tables say: the paper's forms, counts beside every mean, nulls as dashes."""

from dataclasses import replace

import pytest

from astrolabe.core.records import Estimate, Usage
from astrolabe.report import Cell, Cost, Material, all_tables, main_table
from astrolabe.report.finding import finding
from astrolabe.report.score_tables import BOUNDS, NEAR_MISS, hallucinations
from astrolabe.report.table import DASH, EQUAL
from tests.unit.report.made import METHODS, made_material


def named(material: Material, name: str) -> tuple[tuple[str, ...], ...]:
    found = {table.name: table for table in all_tables(material)}[name]
    return (found.header, *found.texts)


def test_the_main_table_has_overall_first_then_the_benchmarks_scopes_and_the_best_method_on_top() -> None:
    table = main_table(made_material())

    assert table.header == ("Method", "Overall", "simple", "middle", "hard")
    assert next(row[0] for row in table.texts) == "raptor(k=12) *recorded*"
    assert len(table.rows) == len(METHODS)


def test_every_mean_stands_with_its_interval_its_counts_and_its_groups() -> None:
    one = Estimate(metric="topics", method="a", value=0.45, low=0.412, high=0.49, n_scored=19, n_asked=20)

    assert Cell(estimate=one, letters="ab", scale=100).shown == "45.0 [41.2, 49.0], 19/20 ab"


def test_one_scored_of_ten_is_never_a_bare_hundred() -> None:
    one = Estimate(metric="topics", method="a", value=1.0, worst=0.1, best=1.0, n_scored=1, n_asked=10)
    material = Material(title="t", made_at=made_material().made_at, metric="topics", estimates=[one])

    table = main_table(material)

    assert table.texts[0][1] == "100.0 [–], 1/10 (10.0 to 100.0)"
    assert BOUNDS in table.notes


def test_nothing_scored_is_a_dash_with_its_counts() -> None:
    one = Estimate(metric="topics", method="a", value=None, n_scored=0, n_asked=3)

    assert Cell(estimate=one).shown == "– [–], 0/3"


def test_precision_and_recall_stand_together_by_scope_as_in_table_8() -> None:
    header, *rows = named(made_material(), "precision_recall")

    assert header[:5] == ("Method", "Overall T-Prec", "Overall T-Rec", "simple T-Prec", "simple T-Rec")
    assert len(header) == 1 + 2 * 4
    assert len(rows) == len(METHODS)


def test_the_three_figures_stand_by_scope_as_in_table_3_and_by_kind_as_in_table_4() -> None:
    by_scope, *_ = named(made_material(), "three_by_scope")
    by_kind, *_ = named(made_material(), "by_kind")

    assert by_scope[-3:] == ("hard T-F1", "hard H_topic", "hard H_resp")
    assert by_kind[1:4] == ("Single summary T-F1", "Single summary H_topic", "Single summary H_resp")
    assert "scope Overall" in {table.name: table.caption for table in all_tables(made_material())}["by_kind"]


def test_hallucinations_are_counted_over_all_questions_and_over_those_that_have_such_topics() -> None:
    header, *rows = named(made_material(), "hallucinations")

    assert header[1:5] == ("Overall H_topic", "Overall H_topic+", "Overall H_resp", "Overall H_resp+")
    assert rows[0][1].endswith("20/20")
    assert rows[0][2].endswith("10/10")


def test_the_most_frequent_cause_of_missed_topics_is_named_for_each_method() -> None:
    header, *rows = named(made_material(), "missed_topics")

    assert header[1] == "not retrieved"
    assert {row[-1] for row in rows} == {"not retrieved"}
    assert [sum(int(cell) for cell in row[1:-2]) for row in rows] == [int(row[-2]) for row in rows]


def test_pairs_are_shown_from_the_better_method_with_the_questions_needed() -> None:
    _, *rows = named(made_material(), "pairs")

    assert {row[8] for row in rows} <= {"better", "cannot tell"}
    assert all(float(row[2]) >= 0 for row in rows)
    assert [row[-1] for row in rows if row[8] == "cannot tell"] == ["312"]


def test_the_agreement_with_people_stands_under_every_table_that_the_metric_fills() -> None:
    material = made_material()
    topical = [table for table in all_tables(material) if "(topics)" in table.caption]

    assert len(topical) == 5
    assert all(material.agreement["topics"] in table.notes for table in topical)


def test_unsupported_topics_that_no_judge_looked_at_are_called_upper_bounds() -> None:
    matched = hallucinations(made_material(), "topics")
    judged = hallucinations(replace(made_material(), agreement={}), "topics")

    assert NEAR_MISS in matched.notes
    assert NEAR_MISS not in judged.notes


def test_two_topic_metrics_are_never_in_one_table() -> None:
    material = made_material()
    local = [one.model_copy(update={"metric": "topics_local"}) for one in material.estimates if one.metric == "topics"]
    both = replace(material, estimates=[*material.estimates, *local])

    names = [table.name for table in all_tables(both)]

    assert len(names) == len(set(names))
    assert {"by_scope", "by_scope_topics_local", "precision_recall_topics_local"} <= set(names)


def test_a_cost_is_not_multiplied_and_less_is_better() -> None:
    estimates = [
        Estimate(metric="cost", method=m, value=v, low=v, high=v, n_scored=2, n_asked=2)
        for m, v in (("a", 40.0), ("b", 3.5))
    ]
    material = Material(
        title="t",
        made_at=made_material().made_at,
        metric="cost",
        estimates=estimates,
        ranges={"cost": (float("inf"), 0)},
    )

    assert [row[1] for row in main_table(material).texts] == ["3.50 [3.50, 3.50], 2/2", "40.00 [40.00, 40.00], 2/2"]
    assert finding(material) == "b has the lowest mean cost on all questions: 3.50 [3.50, 3.50], 2/2 questions scored."


def test_money_without_a_price_is_said_not_zero() -> None:
    material = replace(made_material(), costs=[Cost(what="a", usage=Usage(calls=2, usd=None), answers=1)])

    _, row = named(material, "cost")

    assert row[6] == "no price"


def test_the_finding_names_the_leader_those_it_beats_and_those_it_does_not() -> None:
    material = made_material()
    tied = [
        one.model_copy(update={"verdict": "cannot tell"})
        if {one.first, one.second} == {"raptor(k=12)", "vanilla(k=3, size=256)"}
        else one
        for one in material.comparisons
    ]

    said = finding(replace(material, comparisons=tied))

    assert said.startswith("raptor(k=12) has the highest mean T-F1 over all scopes: ")
    assert "It is better than extractive, extractive(retriever=bm25) and llm_only." in said
    assert said.endswith("These questions cannot tell it apart from vanilla(k=3, size=256).")


def test_the_finding_says_who_has_the_same_mean_as_the_leader() -> None:
    estimates = [
        Estimate(metric="set_f1", method=m, value=v, low=0.0, high=0.2, n_scored=5, n_asked=5)
        for m, v in (("a", 0.1), ("b", 0.1), ("c", 0.0), ("d", 0.1))
    ]
    material = Material(title="t", made_at=made_material().made_at, metric="set_f1", estimates=estimates)

    assert finding(material).endswith(", 5/5 questions scored; b and d have the same.")


def test_an_interval_of_equal_scores_is_marked_and_explained_below_its_table() -> None:
    equal = Estimate(metric="m", method="a", value=1.0, low=0.478, high=1.0, equal=True, n_scored=5, n_asked=5)
    other = equal.model_copy(update={"method": "b", "equal": False})
    plain, marked = (
        main_table(Material(title="t", made_at=made_material().made_at, metric="m", estimates=estimates))
        for estimates in ([other], [equal, other])
    )

    assert EQUAL not in plain.notes
    assert marked.notes == (EQUAL,)
    assert [row[1].shown for row in marked.rows] == ["100.0 [47.8, 100.0]=, 5/5", "100.0 [47.8, 100.0], 5/5"]
    assert Cell(estimate=equal.model_copy(update={"low": None, "high": None})).span == f"[{DASH}]="
    assert Cell(estimate=equal.model_copy(update={"low": 1.0})).span == "[1.0, 1.0]"


def test_every_table_explains_its_marks() -> None:
    made = made_material()
    marked = [one.model_copy(update={"equal": True}) for one in made.estimates]

    tables = all_tables(replace(made, estimates=marked))

    estimates = [table for table in tables if any(cell.equal for row in table.rows for cell in row)]
    assert len(estimates) > 3
    assert all(table.notes.count(EQUAL) == 1 for table in estimates)


def test_the_finding_of_a_single_method_names_its_mean_and_where() -> None:
    estimate = Estimate(metric="set_f1", method="a", scope="hard", value=0.1, low=0.0, high=0.2, n_scored=5, n_asked=5)
    material = Material(title="t", made_at=made_material().made_at, metric="set_f1", estimates=[estimate])

    assert finding(material) == "a has a mean set_f1 in scope hard: 10.0 [0.0, 20.0], 5/5 questions scored."


@pytest.mark.parametrize("estimates", [[], [Estimate(metric="topics", method="a", value=None, n_scored=0, n_asked=2)]])
def test_where_nothing_is_scored_nobody_leads(estimates: list[Estimate]) -> None:
    material = Material(title="t", made_at=made_material().made_at, metric="topics", estimates=estimates)

    assert finding(material) == "No answer could be scored: no method leads."


def test_a_text_of_a_megabyte_is_shown_shortened_and_says_how_long_it_is() -> None:
    shown = Cell(text="a" * 1_000_000).shown

    assert len(shown) < 400
    assert shown.endswith("(1,000,000 characters in all)")


def test_a_metric_without_topics_has_its_own_table_by_kind() -> None:
    material = made_material()
    alone = [one for one in material.estimates if one.metric == "evidence_recall"]

    header, *_ = named(replace(material, metric="evidence_recall", estimates=alone, comparisons=()), "by_kind")

    assert header[1:3] == ("Single summary evidence_recall", "Pair comparison evidence_recall")


def test_without_hallucination_topics_there_is_no_column_over_questions_that_have_some() -> None:
    material = made_material()
    plain = [one for one in material.estimates if not (one.part or "").endswith("+")]

    header, *rows = named(replace(material, estimates=plain), "hallucinations")

    assert header[1:3] == ("Overall H_topic", "Overall H_resp")
    assert "not run" not in rows[0]


def test_one_kind_has_no_table_by_kind() -> None:
    material = made_material()
    one_kind = [one for one in material.estimates if one.kind in {None, "temporal"}]

    assert "by_kind" not in {table.name for table in all_tables(replace(material, estimates=one_kind))}
