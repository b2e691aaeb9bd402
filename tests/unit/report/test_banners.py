"""What is said on top where scores are missing."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from astrolabe.cli.result_page import print_results
from astrolabe.core.records import Estimate, Kind
from astrolabe.report import FORMATS, Built, Cell, Material, all_banners, all_tables, write_report
from tests.unit.report.made import made_material

MISSING = "Scores are missing"


def cell(scored: int, *, asked: int = 100, kind: Kind | None = None, metric: str = "topics") -> Estimate:
    """Return a mean of 0.5 over so many of those asked."""
    return Estimate(
        metric=metric,
        method="vanilla(k=3)",
        scope="hard",
        kind=kind,
        value=0.5,
        low=0.4,
        high=0.6,
        worst=0.5 * scored / asked,
        best=(0.5 * scored + asked - scored) / asked,
        n_scored=scored,
        n_asked=asked,
    )


def material(*estimates: Estimate) -> Material:
    made = made_material()
    return Material(title="t", made_at=made.made_at, metric=estimates[0].metric, estimates=estimates)


@pytest.mark.parametrize(("scored", "said"), [(100, False), (99, False), (98, True), (80, True), (0, True)])
def test_a_banner_begins_at_two_percent_missing(scored: int, said: bool) -> None:  # noqa: FBT001 - a table of cases
    found = all_banners(material(cell(scored)))

    assert any(MISSING in banner for banner in found) is said


def test_the_banner_names_the_worst_cell_and_counts_the_others() -> None:
    found = all_banners(material(cell(93), cell(45, asked=50, kind="single_sum"), cell(48, asked=50, kind="temporal")))

    assert found[0] == (
        "Scores are missing: 3 cells lack 2% or more, of 3; most lacks topics, vanilla(k=3), hard, Single summary: "
        "10.0%, 5 of 50. A mean is of the scored alone; the round brackets say between what it would lie with all."
    )
    assert len(found) == 1


def test_the_studys_own_banners_stand_first() -> None:
    found = all_banners(replace(material(cell(90)), banners=["by words alone"]))

    assert found[0] == "by words alone"
    assert len(found) == 2


def test_a_metric_that_stands_beside_others_and_has_nothing_to_measure_is_no_gap() -> None:
    assert all_banners(material(cell(100), cell(0, metric="evidence_recall"))) == []


def test_every_format_has_the_banner_and_the_bounds_of_each_mean(tmp_path: Path) -> None:
    write_report(material(cell(90)), tmp_path, FORMATS)

    for name in ("report.html", "report.md", "report.tex"):
        content = (tmp_path / name).read_text("utf-8")
        assert MISSING in content
        assert "(45.0 to 55.0)" in content
    header, row = csv.reader((tmp_path / "tables" / "by_scope.csv").read_text("utf-8").splitlines())
    numbers = dict(zip(header, row, strict=True))
    assert (numbers["hard worst"], numbers["hard best"]) == ("0.45", "0.55")


def test_the_terminal_has_the_banner_and_the_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(material(cell(90)))

    said = capsys.readouterr()
    assert MISSING in said.err
    assert "(45.0 to 55.0)" in said.out
    assert "90/100" in said.out


def test_where_nothing_is_missing_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_results(material(cell(100)))
    write_report(material(cell(100)), tmp_path, ("html",))

    said = capsys.readouterr()
    assert MISSING not in said.err
    assert "round brackets" not in said.out
    assert MISSING not in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("worst", "best", "value", "shown"),
    [
        (0.2, 0.7, 0.5, "(0.2 to 0.7)"),
        (0.7, 0.2, 0.5, "(0.2 to 0.7)"),
        (None, 0.2, 0.5, "(0.2 or more)"),
        (0.7, None, 0.5, "(0.7 or less)"),
        (None, None, 0.5, ""),
        (None, 0.0, None, ""),
    ],
)
def test_bounds_may_be_open_to_one_side(
    worst: float | None, best: float | None, value: float | None, shown: str
) -> None:
    one = Estimate(metric="m", method="a", value=value, worst=worst, best=best, n_scored=1, n_asked=2)

    assert Cell(estimate=one).bounds == shown


def test_an_index_that_is_not_whole_is_said_on_top_and_stands_in_a_table() -> None:
    lacks = "described_graph lacks 1 of 120 replies: p57: HTTP 500"
    whole, lacking = (
        Built(index="triples", passages=9, asked=9),
        Built(index="described_graph", passages=120, asked=120, missing=1, lacks=lacks),
    )
    one = replace(material(cell(100)), indexes=[whole, lacking])

    assert all_banners(one)[0] == f"An index is not whole: {lacks}."
    (table,) = [table for table in all_tables(one) if table.name == "indexes"]
    assert [[cell.shown for cell in row] for row in table.rows] == [
        ["triples", "9", "9", "9", "100.0%", "0.0", "nothing"],
        ["described_graph", "120", "120", "119", "99.2%", "0.0", lacks],
    ]
