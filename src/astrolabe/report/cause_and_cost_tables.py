"""Why topics are missed, and what the answers cost."""

from astrolabe.report.judged import count_causes, is_miss_cause
from astrolabe.report.material import Material
from astrolabe.report.table import Cell, Column, Table
from astrolabe.report.titles import method_cell


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


def indexes_table(material: Material) -> Table:
    """Return what came of the indexes whose build asked a model: how many replies it needed, and how many came."""
    titles = ("Index", "Passages", "Replies needed", "Came", "Share", "Seconds", "Lacks")
    rows = [
        (
            Cell(text=built.index, header=True),
            Cell(number=built.passages, digits=0),
            Cell(number=built.asked, digits=0),
            Cell(number=built.asked - built.missing, digits=0),
            Cell(text=f"{1 - built.missing / built.asked:.1%}" if built.asked else "-"),
            Cell(number=built.seconds),
            Cell(text=built.lacks or "nothing"),
        )
        for built in material.indexes
    ]
    columns = tuple(Column(title=title) for title in titles)
    return Table(name="indexes", caption="Indexes that a model was asked for", columns=columns, rows=tuple(rows))


def _every_method(material: Material) -> list[str]:
    order = [method for metric in material.metrics for method in material.methods(metric)]
    rest = sorted({score.method for score in material.scores if is_miss_cause(score)})
    return list(dict.fromkeys([*order, *rest]))
