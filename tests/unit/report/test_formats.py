"""Markdown, LaTeX and CSV: hostile texts (field case D36) stay texts, and nothing is NaN."""

import csv
import hashlib
import html as html_texts
import io
import json
import re
from pathlib import Path

import pytest

from astrolabe.core.records import Estimate
from astrolabe.report import FORMATS, Cell, Column, Table, write_report
from astrolabe.report.formats import to_csv, to_latex, to_markdown
from tests.unit.report.made import made_material

HOSTILE = [
    "</script><script>window.hit=1</script>",
    '<img src=x onerror="window.hit=1">',
    "<!-- <b>bold?</b> & \"quotes\" 'single'",
    "[link](javascript:window.hit=1)",
    "a | b\n| --- |",
    r"\input{/etc/passwd} $x_1^2$ 100% #1 ~ {}",
    "=1+1",
    "-cmd|' /C calc'!A0",
    "@SUM(A1)",
    "`code` *strong* _em_ ~~gone~~ &lt;",
]


def table(*cells: Cell) -> Table:
    return Table(
        name="t",
        caption="C <b>",
        columns=tuple(Column(title=f"c{n}") for n in range(len(cells))),
        rows=(cells,),
        notes=("n | <i>",),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_a_hostile_text_as_it_is(text: str) -> None:
    written = to_markdown(table(Cell(text=text)))

    row = written.splitlines()[4]
    assert re.sub(r"\\(.)", r"\1", row) == f"| {' '.join(text.split())} |"
    assert not re.search(r"(?<!\\)[<>`*\[\]]", row)
    assert len(re.findall(r"(?<!\\)\|", row)) == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_runs_no_command_of_a_hostile_text(text: str) -> None:
    written = to_latex(table(Cell(text=text)))

    row = next(line for line in written.splitlines() if line.endswith(r" \\") and not line.startswith("c0"))
    ours = r"\\text(backslash|asciitilde|asciicircum|less|greater|bar|quotedbl)\{\}|\\[{}$&%#_]|\{[\[\]]\}"
    assert not re.search(r"[\\$&%#_~^{}]", re.sub(ours, "", row.removesuffix(r" \\")))


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_reads_back_and_a_spreadsheet_computes_nothing(text: str) -> None:
    written = to_csv(table(Cell(text=text), Cell(number=-0.5)))

    _, (field, number) = csv.reader(io.StringIO(written))
    assert field.lstrip("'") == " ".join(text.split())
    assert not field.startswith(("=", "+", "-", "@"))
    assert number == "-0.5"


def test_csv_has_an_estimates_numbers_unscaled_and_null_as_empty() -> None:
    one = Estimate(metric="topics", method="a", value=0.5, worst=0.125, best=0.875, n_scored=1, n_asked=4)

    header, row = csv.reader(io.StringIO(to_csv(table(Cell(text="a"), Cell(estimate=one, letters="ab", scale=100)))))

    names = ["value", "low", "high", "worst", "best", "n_scored", "n_asked", "groups"]
    assert header == ["c0", *(f"c1 {name}" for name in names)]
    assert row == ["a", "0.5", "", "", "0.125", "0.875", "1", "4", "ab"]


def test_latex_groups_columns_under_their_scope() -> None:
    written = to_latex(
        Table(
            name="t",
            caption="c",
            columns=(Column(title="M"), Column(title="P", group="hard"), Column(title="R", group="hard")),
            rows=(),
        )
    )

    assert r"\multicolumn{1}{c}{} & \multicolumn{2}{c}{hard} \\" in written


def test_all_formats_are_written_whole_with_every_table(tmp_path: Path) -> None:
    written = write_report(made_material(), tmp_path, FORMATS)

    names = [str(path.relative_to(tmp_path)) for path in written]
    assert names[:3] == ["report.html", "report.md", "report.tex"]
    assert {"tables/by_scope.csv", "tables/by_kind.csv", "tables/precision_recall.csv"} <= set(names)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(written)
    for path in written:
        text = path.read_text("utf-8")
        assert path.suffix == ".html" or not re.search(r"\b(nan|NaN|inf|None|null)\b", text)


def test_banners_stand_on_top_of_every_written_text(tmp_path: Path) -> None:
    material = made_material()
    html, markdown, latex = write_report(material, tmp_path, ("html", "md", "latex"))

    assert html.read_text("utf-8").index(material.banners[0]) < html.read_text("utf-8").index("<h1>")
    assert (
        material.banners[0] in markdown.read_text("utf-8").split("\n\n")[0] + markdown.read_text("utf-8").split("\n")[2]
    )
    assert material.banners[0] in latex.read_text("utf-8").split(r"\begin{table}")[0]


def test_the_pages_records_are_strict_json_and_the_page_asks_for_nothing(tmp_path: Path) -> None:
    (html,) = write_report(made_material(), tmp_path)

    text = html.read_text("utf-8")
    (content,) = re.findall(r'<script type="application/json" id="content">(.*?)</script>', text, re.DOTALL)
    assert json.loads(content, parse_constant=pytest.fail)["questions"]
    assert "default-src 'none'" in html_texts.unescape(text.split("<style>")[0])
    assert not re.search(r"<(link|iframe|object|embed|form|base)\b|\ssrc=|@import|url\(", text.split("<script", 1)[0])


def test_csv_has_a_methods_name_as_it_is_spelled_and_its_mark_beside_it() -> None:
    header, row = csv.reader(io.StringIO(to_csv(table(Cell(text="raptor(k=12)", mark="recorded")))))

    assert (header, row) == (["c0", "c0 mark"], ["raptor(k=12)", "recorded"])


def test_the_vendored_chart_library_is_the_one_that_its_note_names(repository: Path) -> None:
    vendor = repository / "src" / "astrolabe" / "report" / "vendor"

    digest = hashlib.sha256((vendor / "echarts.common.min.js").read_bytes()).hexdigest()

    assert digest in (vendor / "README.md").read_text("utf-8")
