"""What the tables of cost and structure say, on examples worked out by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from astrolabe.core.records import Answer, Comparison, Estimate, Hit, Passage, Step, Usage
from astrolabe.report import Bucket, Elsewhere, Judged, Material, Table, all_tables

if TYPE_CHECKING:
    from pydantic import JsonValue

MADE = datetime(2026, 11, 30, tzinfo=UTC)


def mean(method: str, value: float | None, part: str | None = None, *, metric: str = "set_f1", n: int = 4) -> Estimate:
    """Return a mean with an interval of 0.1 to both sides."""
    ends = (None, None) if value is None else (value - 0.1, value + 0.1)
    scored = 0 if value is None else n
    return Estimate(
        metric=metric, part=part, method=method, value=value, low=ends[0], high=ends[1], n_scored=scored, n_asked=n
    )


def spent(method: str, calls: int, seconds: float, **stages: int) -> Answer:
    """Return an answer that took so much, so many calls at each stage."""
    usage = Usage(calls=calls, prompt_tokens=100 * calls, completion_tokens=10 * calls)
    own = {f"answer.{stage}": Usage(calls=number) for stage, number in stages.items()}
    return Answer(question_id="q", method=method, text="Oslo", usage=usage, stages=own, duration_seconds=seconds)


def node(name: str, parent: str | None, mode: str, reason: str, found: str = "", **output: "JsonValue") -> Step:
    """Return a node of a tree that found a passage a letter."""
    hits = tuple(Hit(passage_id=one, rank=rank, score=1.0, source="dense") for rank, one in enumerate(found, 1))
    drawn: dict[str, JsonValue] = {"shown": len(hits), "refs": [], "batch": [], "room": None, **output}
    return Step(id=name, parent=parent, stage="node", mode=mode, reason=reason, output=drawn, hits=hits)


ROOM: "dict[str, JsonValue]" = {"tokens": 1_000, "most": 30, "overlap": 0.0}
TREE = (
    node("0", None, "vertical", "split", room=ROOM),
    node("1", "0", "external", "atomic", "ab", batch=["1", "2"]),
    node("2", "0", "external", "atomic", "b", batch=["1", "2"]),
    node("3", "0", "external", "breadth_cap", "c"),
    node("4", "0", "external", "atomic", "c"),
    node("5", "0", "lateral", "answerable", refs=[1]),
)
"""A tree of six nodes; its four leaves were answered in three groups, and two are enough."""
PASSAGES = {name: Passage(id=name, document_id="d", text="x", start=0, end=1, tokens=50) for name in ("a", "b", "c")}


def filled(
    estimates: Sequence[Estimate], *, metric: str = "set_f1", answers: Sequence[Answer] = (), **more: object
) -> Material:
    """Return a material of some means."""
    content = {"title": "towns", "made_at": MADE, "metric": metric, "estimates": estimates, "answers": answers}
    return Material(**{**content, **more})  # pyright: ignore[reportArgumentType] - each test gives fields of the right type


def tables(material: Material) -> dict[str, Table]:
    return {table.name: table for table in all_tables(material)}


def rows(material: Material, name: str) -> list[tuple[str, ...]]:
    """Return a table's titles and rows."""
    table = tables(material)[name]
    return [table.header, *table.texts]


def test_the_cost_of_an_answer_is_told_by_mean_median_and_quantiles() -> None:
    answers = [spent("apt", calls, calls / 2) for calls in (1, 2, 3, 4, 10)]

    header, row = rows(filled([mean("apt", 0.5)], answers=answers), "per_answer")

    calls = dict(zip(header, row, strict=True))
    assert [calls[f"Calls {title}"] for title in ("mean", "median", "75 %", "95 %")] == ["4.0", "3.0", "4.0", "8.8"]
    assert [calls[f"Seconds {title}"] for title in ("mean", "median", "75 %", "95 %")] == ["2.0", "1.5", "2.0", "4.4"]
    assert calls["Answers"] == "5"


def test_calls_are_told_by_stage_and_a_stage_that_an_answer_did_without_counts_as_none() -> None:
    answers = [spent("apt", 5, 1, plan=3, write=2), spent("apt", 1, 1, write=1), spent("llm_only", 1, 1, write=1)]

    header, apt, alone = rows(filled([mean("apt", 0.5), mean("llm_only", 0.1)], answers=answers), "by_stage")

    assert header == ("Method", "answer.plan", "answer.write", "All")
    assert apt == ("apt", "1.50", "1.50", "3.00")
    assert alone == ("llm_only", "0.00", "1.00", "1.00")


def test_nodes_are_told_by_how_they_were_resolved_with_depth_and_breadth_by_parents() -> None:
    deep = (
        node("Q", None, "vertical", "split"),
        node("Q1.1", "Q", "vertical", "split"),
        node("Q2.1", "Q1.1", "external", "atomic"),
    )
    answers = [spent("apt", 1, 1).model_copy(update={"trace": trace}) for trace in (TREE, deep)]

    header, row = rows(filled([mean("apt", 0.5)], answers=answers), "trees")

    assert dict(zip(header[2:], row[2:], strict=True)) == {
        "Nodes a tree": "4.5",
        "Lateral": "11.1",
        "External": "55.6",
        "Vertical": "33.3",
        "Depth": "2.50",
        "Deepest": "3",
        "Breadth": "3.00",
    }


def test_the_reasons_of_the_nodes_are_counted() -> None:
    answers = [spent("apt", 1, 1).model_copy(update={"trace": TREE})]

    assert rows(filled([mean("apt", 0.5)], answers=answers), "reasons") == [
        ("Method", "answerable", "atomic", "breadth_cap", "split"),
        ("apt", "1", "3", "1", "1"),
    ]


def test_groups_are_counted_as_answered_as_without_limits_and_as_few_as_there_can_be() -> None:
    answers = [spent("apt", 1, 1).model_copy(update={"trace": TREE})]

    header, row = rows(filled([mean("apt", 0.5)], answers=answers, passages=PASSAGES), "shared_calls")

    assert dict(zip(header, row, strict=True)) == {
        "Method": "apt",
        "Leaves": "2 to 5",
        "Times": "1",
        "Groups greedy": "3.00",
        "Groups relaxed": "2.00",
        "Groups difference": "1.00",
        "Groups, at most 10 leaves times": "1",
        "Groups, at most 10 leaves greedy": "3.00",
        "Groups, at most 10 leaves fewest": "2.00",
    }


def test_without_trees_and_answers_there_are_no_such_tables() -> None:
    folded = [table.name for table in all_tables(filled([mean("a", 0.5)])) if table.folded]

    assert folded == []


def test_figures_stand_by_gold_pages_and_a_method_that_was_not_asked_there_has_no_row() -> None:
    few = [
        mean("apt", 0.75),
        mean("vanilla", 0.5),
        mean("apt", 3, metric="answer"),
        mean("apt", 2, "depth", metric="answer"),
    ]
    many = [mean("apt", 0.25, n=1), mean("apt", 9.5, metric="answer", n=1)]
    buckets = [
        Bucket(pages="1 to 10", questions=4, estimates=few),
        Bucket(pages="none", questions=1, estimates=many),
    ]

    header, *found = rows(filled([mean("apt", 0.6), mean("vanilla", 0.5)], buckets=buckets), "by_gold_pages")

    assert header == ("Gold pages", "Method", "Questions", "set_f1", "Depth", "Calls")
    assert found == [
        ("1 to 10", "apt", "4", "75.0 [65.0, 85.0], 4/4", "2.00 [1.90, 2.10], 4/4", "3.0 [2.9, 3.1], 4/4"),
        ("1 to 10", "vanilla", "4", "50.0 [40.0, 60.0], 4/4", "–", "–"),
        ("none", "apt", "1", "25.0 [15.0, 35.0], 1/1", "–", "9.5 [9.4, 9.6], 1/1"),
    ]


def compared(first: str, second: str, difference: float) -> Comparison:
    return Comparison(
        metric="set_f1", first=first, second=second, n=4, difference=difference, low=difference - 0.05,
        high=difference + 0.1, p=0.01, p_adjusted=0.03, verdict="better", correction="bonferroni",
    )  # fmt: skip


def test_variants_of_a_method_stand_below_the_plain_one_with_their_difference_to_it() -> None:
    estimates = [
        one
        for method, value in (("apt(k=5)", 0.6), ("apt(k=5, lateral=false)", 0.4), ("vanilla", 0.9))
        for one in (mean(method, value), mean(method, value, "precision"), mean(method, value, "recall"))
    ]
    taken = [mean("apt(k=5)", 9, metric="answer"), mean("apt(k=5)", 900, "tokens", metric="answer")]
    pair = compared("apt(k=5)", "apt(k=5, lateral=false)", 0.2)
    material = filled(estimates, taken=taken, comparisons=[pair], correction="Bonferroni")

    (name,) = [name for name in tables(material) if name.startswith("variants")]
    header, plain, changed = rows(material, name)

    assert header == (
        "Method",
        "Changed",
        "Precision",
        "Recall",
        "set_f1",
        "set_f1 - plain",
        "p corrected",
        "Calls",
        "Tokens",
    )
    assert plain[:2] == ("apt(k=5)", "nothing")
    assert (plain[5], plain[7:]) == ("–", ("9.0 [8.9, 9.1], 4/4", "900 [900, 900], 4/4"))
    assert changed[:2] == ("apt(k=5, lateral=false)", "lateral=false")
    assert changed[5:] == ("-20.0 [-30.0, -15.0], 4/4", "0.0300", "–", "–")


@pytest.mark.parametrize(
    "methods",
    [
        ["vanilla(k=3)", "vanilla(k=5)"],
        ["apt", "vanilla"],
        ["http://a.example/x", "not spelled"],
        ["apt", "apt@published"],
    ],
)
def test_methods_without_a_plain_one_of_their_class_are_no_variants(methods: list[str]) -> None:
    material = filled([mean(method, 0.5) for method in methods])

    assert not [name for name in tables(material) if name.startswith("variants")]


def recalled(method: str) -> list[Estimate]:
    """Return the means of a method that was scored for its evidence, too."""
    parts = [mean(method, 0.8, "precision"), mean(method, 0.4, "recall"), mean(method, 0.5)]
    return [
        *parts,
        mean(method, 0.7, metric="evidence_recall"),
        mean(method, 0.9, "page_recall", metric="evidence_recall"),
    ]


def test_the_main_table_has_precision_recall_f1_and_what_was_found() -> None:
    material = filled([*recalled("apt"), *recalled("extractive")], models={"apt": "vllm:m"})

    header, apt, extractive = rows(material, "overview")

    assert header == ("Benchmark", "Model", "Method", "Metric", "Precision", "Recall", "F1", "Retrieval recall")
    assert apt[:4] == ("towns", "vllm:m", "apt", "set_f1")
    assert [cell.split()[0] for cell in apt[4:]] == ["80.0", "40.0", "50.0", "90.0"]
    assert extractive[1] == "none"


def test_other_studies_stand_below_in_the_same_table_the_best_method_of_each_first() -> None:
    other = Elsewhere(
        benchmark="rivers",
        metric="set_f1",
        estimates=[*recalled("vanilla"), *(one.model_copy(update={"value": 0.6}) for one in recalled("apt"))],
        models={},
    )

    _, *found = rows(filled(recalled("apt"), elsewhere=[other]), "overview")

    assert [row[:3] for row in found] == [
        ("towns", "none", "apt"),
        ("rivers", "none", "apt"),
        ("rivers", "none", "vanilla"),
    ]
    assert "not compared" in tables(filled(recalled("apt"), elsewhere=[other]))["overview"].notes[-1]


def test_a_study_in_which_nothing_could_be_scored_stands_there_with_its_counts() -> None:
    other = Elsewhere(benchmark="rivers", metric="set_f1", estimates=[mean("vanilla", None)], models={})

    *_, row = rows(filled(recalled("apt"), elsewhere=[other]), "overview")

    assert row[4:] == ("–", "–", "– [–], 0/4", "–")


def test_there_is_no_main_table_where_it_would_repeat_others() -> None:
    without_evidence = [mean("a", 0.5), mean("a", 0.5, "precision"), mean("a", 0.5, "recall")]

    assert "overview" not in tables(filled(without_evidence))
    assert "overview" not in tables(filled([mean("a", 0.5), *recalled("a")[3:]]))


def test_two_judges_stand_side_by_side_with_their_agreement() -> None:
    judges = [
        Judged(metric="set_f1", judge=judge, estimates=[mean("apt", value)])
        for judge, value in (("m1", 0.5), ("m2", 0.6))
    ]
    material = filled([mean("apt", 0.6)], judges=judges, agreements={"set_f1": "They agree."})

    header, row = rows(material, "judges_set_f1")

    assert header == ("Method", "m1", "m2")
    assert row == ("apt", "50.0 [40.0, 60.0], 4/4", "60.0 [50.0, 70.0], 4/4")
    assert tables(material)["judges_set_f1"].notes[0] == "They agree."


def test_tokens_and_seconds_are_those_of_answers_without_a_call_from_the_record() -> None:
    answers = [spent("apt", 2, 3), spent("apt", 4, 1).model_copy(update={"usage": Usage(calls=4, recorded=1)})]
    material = filled(
        [mean("apt", 0.5), mean("raptor", 0.5)], answers=[*answers, answers[1].model_copy(update={"method": "raptor"})]
    )

    header, apt, raptor = rows(material, "per_answer")

    figures = dict(zip(header, apt, strict=True))
    assert (figures["Answers"], figures["All asked"]) == ("2", "1")
    assert (figures["Calls mean"], figures["Prompt tokens mean"], figures["Seconds mean"]) == ("3.0", "200", "3.0")
    assert (raptor[3], raptor[7]) == ("4.0", "–")
    assert "--calls live" in tables(material)["per_answer"].notes[-1]
