"""Scores as tables: by scope and by kind, in the form of the ASTRA-QA paper's Tables 3, 4 and 8."""

from collections.abc import Sequence
from typing import Final

from astrolabe.core.records import KINDS
from astrolabe.core.spelling import slug
from astrolabe.report.material import Material
from astrolabe.report.table import Cell, Column, Table, explained
from astrolabe.report.titles import KIND_TITLES, PART_TITLES, letters_of, method_cell, scope_title, score_title, unit

BOUNDS: Final = "In round brackets: between what the mean over all that were asked lies, whatever the unscored are."
"""Said below a table in which scores are missing."""
NEAR_MISS: Final = (
    "A matcher without a model tells what a statement is about, not whether it affirms it, and takes a near miss for "
    "a hit: read its H_topic and H_resp as upper bounds."
)
"""Said below unsupported topics that no judge looked at."""


def by_scope(material: Material, metric: str) -> Table:
    """Return method x scope of one metric, with the letters of the groups that cannot be told apart."""
    scopes = material.scope_names(metric)
    rows = [
        (method_cell(material, method), *(_cell(material, metric, method, scope) for scope in scopes))
        for method in material.methods(metric)
    ]
    title = score_title(material, metric, None)
    letters = "Methods with a letter in common in a column cannot be told apart there."
    table = Table(
        name=_name(material, "by_scope", metric),
        caption=f"{title} by scope ({metric}), {unit(material, metric)}: {_form(material)}",
        columns=(Column(title="Method"), *(Column(title=scope_title(scope)) for scope in scopes)),
        rows=tuple(rows),
        notes=(
            *_notes(material, metric, rows),
            *((letters,) if any(cell.letters for row in rows for cell in row) else ()),
        ),
    )
    return explained(table)


def by_kind(material: Material, metric: str) -> Table:
    """Return method x kind with T-F1, H_topic and H_resp (Table 4), in the widest scope; no rows for a single kind."""
    scope = material.widest_scope(metric)
    seen = {one.kind for one in material.estimates if one.metric == metric and one.scope == scope}
    kinds = [kind for kind in KINDS if kind in seen]
    parts = _present(material, metric, (None, "h_topic", "h_resp"))
    rows = [
        (
            method_cell(material, method),
            *(_cell(material, metric, method, scope, part=part, kind=kind) for kind in kinds for part in parts),
        )
        for method in material.methods(metric)
        if len(kinds) > 1
    ]
    shown = "in percent" if len(parts) > 1 else unit(material, metric)
    return Table(
        name=_name(material, "by_kind", metric),
        caption=f"By kind of question, scope {scope_title(scope)} ({metric}), {shown}: {_form(material)}",
        columns=(
            Column(title="Method"),
            *(
                Column(title=score_title(material, metric, part), group=KIND_TITLES[kind])
                for kind in kinds
                for part in parts
            ),
        ),
        rows=tuple(rows),
        notes=_notes(material, metric, rows),
    )


def three_by_scope(material: Material, metric: str) -> Table:
    """Return method x scope with T-F1, H_topic and H_resp (Table 3)."""
    return _grouped_by_scope(material, metric, "three_by_scope", (None, "h_topic", "h_resp"))


def precision_recall(material: Material, metric: str) -> Table:
    """Return method x scope with T-Prec and T-Rec (Table 8)."""
    return _grouped_by_scope(material, metric, "precision_recall", ("t_prec", "t_rec"))


def hallucinations(material: Material, metric: str) -> Table:
    """Return H_topic and H_resp by scope, as defined and over questions that have such topics."""
    return _grouped_by_scope(material, metric, "hallucinations", ("h_topic", "h_topic+", "h_resp", "h_resp+"))


def set_parts(material: Material, metric: str) -> Table:
    """Return method x scope with precision, recall and F1 of answers that are sets, corrected and official."""
    official = ("official_precision", "official_recall", "official_f1")
    return _grouped_by_scope(material, metric, "sets", ("precision", "recall", "f1", *official))


def evidence_parts(material: Material, metric: str) -> Table:
    """Return method x scope with what was found of the gold evidence anywhere: pages, passages, places."""
    pages = ("page_recall", "page_precision", "page_f1", "page_hit")
    return _grouped_by_scope(material, metric, "evidence", (*pages, "exact_recall", "place_recall"))


def _grouped_by_scope(material: Material, metric: str, name: str, parts: Sequence[str | None]) -> Table:
    scopes = material.scope_names(metric)
    parts = _present(material, metric, parts)
    rows = [
        (
            method_cell(material, method),
            *(_cell(material, metric, method, scope, part=part) for scope in scopes for part in parts),
        )
        for method in material.methods(metric)
    ]
    titles = ", ".join(PART_TITLES[part] for part in parts)
    plus = (
        "H_topic+ and H_resp+ are over the questions that have hallucination topics; the others count as 0 in the rest."
    )
    return Table(
        name=_name(material, name, metric),
        caption=f"{titles} by scope ({metric}), in percent: {_form(material)}",
        columns=(
            Column(title="Method"),
            *(Column(title=PART_TITLES[part], group=scope_title(scope)) for scope in scopes for part in parts),
        ),
        rows=tuple(rows),
        notes=(
            *_notes(material, metric, rows),
            *((plus,) if "h_topic+" in parts else ()),
            *((NEAR_MISS,) if "h_topic" in parts and metric in material.agreement else ()),
        ),
    )


def _present(material: Material, metric: str, parts: Sequence[str | None]) -> list[str | None]:
    """Return those of the parts that the metric has: without any hallucination topic there is no H_topic+.

    A part that is null for every method is none: no question of the benchmark has gold for it.
    """
    own = [one for one in material.estimates if one.metric == metric]
    found = {one.part for one in own if one.value is not None} or {one.part for one in own}
    return [part for part in parts if part in found]


def _cell(
    material: Material, metric: str, method: str, scope: str | None, *, part: str | None = None, kind: str | None = None
) -> Cell:
    found = material.find(metric, method, scope, part=part, kind=kind)
    if found is None:
        return Cell(text="not run")
    letters = letters_of(material, metric, scope).get(method, "") if part is None and kind is None else ""
    percent = part is not None or material.percent(metric)
    return Cell(estimate=found, letters=letters, scale=100.0 if percent else 1.0, digits=1 if percent else 2)


def _notes(material: Material, metric: str, rows: Sequence[Sequence[Cell]]) -> tuple[str, ...]:
    """Return the metric's agreement with people, and what is said where answers are unscored."""
    found = [material.agreement[metric]] if metric in material.agreement else []
    open_ = [cell for row in rows for cell in row if cell.open]
    methods = list(dict.fromkeys(cell.estimate.method for cell in open_ if cell.estimate))
    if methods:
        found.append(f"Answers of {', '.join(methods)} are unscored and in no mean; the counts say where.")
    if any(cell.bounds for cell in open_):
        found.append(BOUNDS)
    return tuple(found)


def _form(material: Material) -> str:
    confidence = next((one.confidence for one in material.estimates), 0.95)
    return f"mean [{100 * confidence:g} % interval], scored/asked"


def _name(material: Material, name: str, metric: str) -> str:
    return name if metric == material.metric else f"{name}_{slug(metric)}"
