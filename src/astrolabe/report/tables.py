"""Every table of a report, in the order in which they are read."""

from typing import Final

from astrolabe.report.bucket_table import by_gold_pages
from astrolabe.report.cause_and_cost_tables import causes_table, cost_table, indexes_table
from astrolabe.report.judge_table import judges
from astrolabe.report.material import Material
from astrolabe.report.overview_table import overview
from astrolabe.report.pair_table import pairs
from astrolabe.report.score_tables import (
    by_kind,
    by_scope,
    evidence_parts,
    hallucinations,
    precision_recall,
    set_parts,
    three_by_scope,
)
from astrolabe.report.spent_tables import by_stage, per_answer
from astrolabe.report.table import Table, explained
from astrolabe.report.tree_tables import reasons, shared_calls, trees
from astrolabe.report.variant_tables import variants

_PARTS: Final = {"set_f1": set_parts, "set_f1_judged": set_parts, "evidence_recall": evidence_parts}
"""The table of a metric's parts, where it has one beside its own."""


def main_table(material: Material) -> Table:
    """Return the table of the first screen and of the terminal: method x scope of the main metric."""
    return by_scope(material, material.metric)


def all_tables(material: Material) -> list[Table]:
    """Return every table that the material fills, the main one first."""
    topical = material.topic_metrics
    tables = [main_table(material)]
    if material.metric not in topical:
        tables.append(by_kind(material, material.metric))
    for metric in topical:
        tables += [
            three_by_scope(material, metric),
            by_kind(material, metric),
            precision_recall(material, metric),
            hallucinations(material, metric),
        ]
    tables += [by_scope(material, metric) for metric in material.metrics if metric != material.metric]
    for metric in material.metrics:
        name = metric.partition("(")[0]
        tables += [_PARTS[name](material, metric)] if name in _PARTS else []
    tables += [overview(material), pairs(material), causes_table(material)]
    tables += [cost_table(material), indexes_table(material), *_folded(material)]
    return [explained(table) for table in tables if table.rows]


def _folded(material: Material) -> list[Table]:
    """Return the tables that explain the others: what makes a method cost what it does."""
    taken = [by_gold_pages(material), *variants(material), *judges(material), per_answer(material), by_stage(material)]
    return [*taken, trees(material), reasons(material), shared_calls(material)]
