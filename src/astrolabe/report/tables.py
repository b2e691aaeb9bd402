"""The tables of a report, in the form of the ASTRA-QA paper's Tables 3, 4 and 8 and beyond."""

from collections.abc import Sequence
from typing import Final

from astrolabe.core.records import KINDS, Comparison
from astrolabe.core.spelling import slug
from astrolabe.report.judged import count_causes, is_miss_cause
from astrolabe.report.material import OVERALL, Material
from astrolabe.report.table import Cell, Column, Table

PART_TITLES: Final = {
    None: "T-F1",
    "t_prec": "T-Prec",
    "t_rec": "T-Rec",
    "h_topic": "H_topic",
    "h_topic+": "H_topic+",
    "h_resp": "H_resp",
    "h_resp+": "H_resp+",
}
KIND_TITLES: Final = {
    "single_sum": "Single summary",
    "pair_comp": "Pair comparison",
    "multi_comp": "Multi comparison",
    "enumeration": "Enumeration",
    "temporal": "Temporal",
    "set": "Set",
    "other": "Other",
}
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_MOST_NOTES: Final = 10


def main_table(material: Material) -> Table:
    """Return the table of the first screen and of the terminal: method x scope of the main metric."""
    return by_scope(material, material.metric)


def all_tables(material: Material) -> list[Table]:
    """Return every table that the material fills, the main one first."""
    topical = material.topic_metrics
    tables = [main_table(material)]
    for metric in topical:
        tables += [
            _grouped_by_scope(material, metric, "three_by_scope", (None, "h_topic", "h_resp")),
            by_kind(material, metric),
            precision_recall(material, metric),
            hallucinations(material, metric),
        ]
    tables += [by_scope(material, metric) for metric in material.metrics if metric != material.metric]
    tables += [pairs(material), causes_table(material), cost_table(material)]
    return [table for table in tables if table.rows]


def by_scope(material: Material, metric: str) -> Table:
    """Return method x scope of one metric, with the letters of the groups that cannot be told apart."""
    scopes = material.scope_names(metric)
    rows = [
        (method_cell(material, method), *(_cell(material, metric, method, scope) for scope in scopes))
        for method in material.methods(metric)
    ]
    title = "T-F1" if metric in material.topic_metrics else metric
    letters = "Methods with a letter in common in a column cannot be told apart there."
    return Table(
        name=_name(material, "by_scope", metric),
        caption=f"{title} by scope ({metric}), {_unit(material, metric)}: {_form(material)}",
        columns=(Column(title="Method"), *(Column(title=scope_title(scope)) for scope in scopes)),
        rows=tuple(rows),
        notes=(*_notes(material, metric, rows, each=True), *((letters,) if material.groups.get(metric) else ())),
    )


def by_kind(material: Material, metric: str) -> Table:
    """Return method x kind with T-F1, H_topic and H_resp (Table 4), in the widest scope."""
    scope = material.widest_scope(metric)
    seen = {one.kind for one in material.estimates if one.metric == metric and one.scope == scope}
    kinds = [kind for kind in KINDS if kind in seen]
    parts = (None, "h_topic", "h_resp")
    rows = [
        (
            method_cell(material, method),
            *(_cell(material, metric, method, scope, part=part, kind=kind) for kind in kinds for part in parts),
        )
        for method in material.methods(metric)
        if kinds
    ]
    return Table(
        name=_name(material, "by_kind", metric),
        caption=f"By kind of question, scope {scope_title(scope)} ({metric}), in percent: {_form(material)}",
        columns=(
            Column(title="Method"),
            *(Column(title=PART_TITLES[part], group=KIND_TITLES[kind]) for kind in kinds for part in parts),
        ),
        rows=tuple(rows),
        notes=_notes(material, metric, rows),
    )


def precision_recall(material: Material, metric: str) -> Table:
    """Return method x scope with T-Prec and T-Rec (Table 8)."""
    return _grouped_by_scope(material, metric, "precision_recall", ("t_prec", "t_rec"))


def hallucinations(material: Material, metric: str) -> Table:
    """Return H_topic and H_resp by scope, as defined and over questions that have such topics."""
    return _grouped_by_scope(material, metric, "hallucinations", ("h_topic", "h_topic+", "h_resp", "h_resp+"))


def pairs(material: Material) -> Table:
    """Return every pair of methods of the main metric in the widest scope, the one with the better mean first."""
    scope = material.widest_scope(material.metric)
    order = {method: rank for rank, method in enumerate(material.methods(material.metric))}
    chosen = [
        one if order[one.first] < order[one.second] else _flipped(one)
        for one in material.comparisons
        if (one.metric, one.scope) == (material.metric, scope) and {one.first, one.second} <= order.keys()
    ]
    chosen.sort(key=lambda one: (order[one.first], order[one.second]))
    titles = ("First", "Second", "Difference", "Low", "High", "Questions", "p", "p corrected", "First is", "Needed")
    percent = 100.0 if material.percent(material.metric) else 1.0
    return Table(
        name="pairs",
        caption=f"Pairs of methods, {material.metric}, scope {scope_title(scope)}: difference of the means",
        columns=tuple(Column(title=title) for title in titles),
        rows=tuple(_pair(material, one, percent) for one in chosen),
        notes=(
            f"Paired sign-flip test on the questions scored for both; p corrected: {material.correction}, these pairs.",
            "Needed: the number of questions at which such a difference would be found in 80 % of studies.",
        ),
    )


def causes_table(material: Material) -> Table:
    """Return by method how often each cause of a missed topic occurs, the most frequent cause first."""
    counted = count_causes(material.scores)
    totals = {
        cause: sum(counts[cause] for counts in counted.values()) for counts in counted.values() for cause in counts
    }
    order = sorted(totals, key=lambda cause: (-totals[cause], cause))
    methods = [method for method in _every_method(material) if method in counted]
    rows = [
        (
            method_cell(material, method),
            *(Cell(number=counted[method][cause], digits=0) for cause in order),
            Cell(number=counted[method].total(), digits=0),
            Cell(text=counted[method].most_common(1)[0][0] if counted[method] else "nothing missed"),
        )
        for method in methods
    ]
    titles = ["Method", *order, "All missed", "Most often"]
    return Table(
        name="missed_topics",
        caption="Missed topics by cause, over all scopes",
        columns=tuple(Column(title=title) for title in titles),
        rows=tuple(rows),
    )


def cost_table(material: Material) -> Table:
    """Return what answers and the work behind them took."""
    titles = ("What", "Answers", "Calls", "From the record", "Prompt tokens", "Completion tokens", "USD", "Seconds")
    rows = [
        (
            Cell(text=cost.what, header=True),
            Cell(text="", number=cost.answers, digits=0),
            *(
                Cell(number=number, digits=0)
                for number in (
                    cost.usage.calls,
                    cost.usage.recorded,
                    cost.usage.prompt_tokens,
                    cost.usage.completion_tokens,
                )
            ),
            Cell(text="no price", number=cost.usage.usd, digits=2),
            Cell(number=cost.usage.seconds),
        )
        for cost in material.costs
    ]
    return Table(name="cost", caption="Cost", columns=tuple(Column(title=title) for title in titles), rows=tuple(rows))


def scope_title(scope: str | None) -> str:
    """Return a scope's name as a heading."""
    return "Overall" if scope == OVERALL else scope or "All"


def method_cell(material: Material, method: str) -> Cell:
    """Return a method's name, marked where its index comes from a record."""
    return Cell(text=method, mark="recorded" if method in material.recorded else "", header=True)


def letters_of(material: Material, metric: str, scope: str | None) -> dict[str, str]:
    """Return each method's letters: one for every group of methods that it cannot be told apart from."""
    found: dict[str, str] = {}
    for index, group in enumerate(material.groups.get(metric, {}).get(scope, ())):
        for method in group:
            found[method] = found.get(method, "") + group_letter(index)
    return found


def group_letter(index: int) -> str:
    """Return the letter of a group; after z come a1, b1 and so on."""
    turn, place = divmod(index, len(_LETTERS))
    return _LETTERS[place] + (str(turn) if turn else "")


def _grouped_by_scope(material: Material, metric: str, name: str, parts: Sequence[str | None]) -> Table:
    scopes = material.scope_names(metric)
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
        notes=(*_notes(material, metric, rows), *((plus,) if "h_topic+" in parts else ())),
    )


def _cell(
    material: Material, metric: str, method: str, scope: str | None, *, part: str | None = None, kind: str | None = None
) -> Cell:
    found = material.find(metric, method, scope, part=part, kind=kind)
    if found is None:
        return Cell(text="not run")
    letters = letters_of(material, metric, scope).get(method, "") if part is None and kind is None else ""
    percent = part is not None or material.percent(metric)
    return Cell(estimate=found, letters=letters, scale=100.0 if percent else 1.0, digits=1 if percent else 2)


def _flipped(one: Comparison) -> Comparison:
    """Return the same comparison seen from the other method."""
    swapped = {"better": "worse", "worse": "better"}

    def negated(value: float | None) -> float | None:
        return None if value is None else 0.0 - value

    return one.model_copy(
        update={
            "first": one.second,
            "second": one.first,
            "difference": negated(one.difference),
            "low": negated(one.high),
            "high": negated(one.low),
            "verdict": swapped.get(one.verdict, one.verdict),
        }
    )


def _pair(material: Material, one: Comparison, percent: float) -> tuple[Cell, ...]:
    def number(value: float | None, *, scale: float = 1.0, digits: int = 1) -> Cell:
        return Cell(text="none", number=value, scale=scale, digits=digits)

    either = [(one.first, one.second), (one.second, one.first)]
    needed = next((found for pair in either if (found := material.needed.get((one.metric, one.scope, *pair)))), None)
    return (
        Cell(text=one.first, header=True),
        Cell(text=one.second),
        *(number(value, scale=percent) for value in (one.difference, one.low, one.high)),
        number(one.n, digits=0),
        number(one.p, digits=4),
        number(one.p_adjusted, digits=4),
        Cell(text=one.verdict),
        Cell(text="", number=needed, digits=0),
    )


def _notes(material: Material, metric: str, rows: Sequence[Sequence[Cell]], *, each: bool = False) -> tuple[str, ...]:
    """Return the metric's agreement with people, and what unscored answers could change (`each`: by how much)."""
    found = [material.agreement[metric]] if metric in material.agreement else []
    open_ = [(cell, cell.estimate) for row in rows for cell in row if cell.estimate and cell.open]
    if each:
        for cell, one in open_[:_MOST_NOTES]:
            bounds = f"; if they were scored the mean would lie in {cell.bounds}" if cell.bounds else ""
            found.append(f"{one.method}, {scope_title(one.scope)}: {one.n_asked - one.n_scored} unscored{bounds}.")
    methods = list(dict.fromkeys(one.method for _, one in (open_[_MOST_NOTES:] if each else open_)))
    if methods:
        found.append(f"Answers of {', '.join(methods)} are unscored and in no mean; the counts say where.")
    return tuple(found)


def _form(material: Material) -> str:
    confidence = next((one.confidence for one in material.estimates), 0.95)
    return f"mean [{100 * confidence:g} % interval], scored/asked"


def _unit(material: Material, metric: str) -> str:
    direction = "more" if material.more_is_better(metric) else "less"
    return f"{'in percent, ' if material.percent(metric) else ''}{direction} is better"


def _name(material: Material, name: str, metric: str) -> str:
    return name if metric == material.metric else f"{name}_{slug(metric)}"


def _every_method(material: Material) -> list[str]:
    order = [method for metric in material.metrics for method in material.methods(metric)]
    rest = sorted({score.method for score in material.scores if is_miss_cause(score)})
    return list(dict.fromkeys([*order, *rest]))
