"""Results in the terminal: a table a metric, who cannot be told apart, why topics are missed."""

import textwrap
from collections import Counter
from typing import Final

from astrolabe.cli.drawing import print_table
from astrolabe.cli.talk import give, say
from astrolabe.report import Material, all_banners
from astrolabe.report.judged import count_causes
from astrolabe.report.tables import by_scope

WIDTH: Final = 96


def print_results(material: Material) -> None:
    """Print the table of each metric that scores answers (else of each), with what belongs to it."""
    for banner in all_banners(material):
        say(f"note: {banner}")
    shown = material.scoring_metrics or material.metrics
    for metric in shown:
        table = by_scope(material, metric)
        if table.rows:
            print_table(table)
            for note in (*table.notes, *_alike(material, metric)):
                give(textwrap.fill(note, WIDTH, initial_indent="  ", subsequent_indent="  "))
    causes = Counter[str]()
    for counted in count_causes(material.scores).values():
        causes.update(counted)
    if causes:
        cause, number = causes.most_common(1)[0]
        give(f"  Most frequent cause of a missed topic: {cause} ({number} of {causes.total()}).")
    if beside := [metric for metric in material.metrics if metric not in shown]:
        give(f"  Also scored: {', '.join(beside)}; their tables stand in the report.")


def _alike(material: Material, metric: str) -> list[str]:
    """Return, for the widest scope, which methods cannot be told apart and which have too few questions for it."""
    scope = material.widest_scope(metric)
    groups = material.groups.get(metric, {}).get(scope, ())
    said = [f"Cannot be told apart: {', '.join(group)}." for group in groups if len(group) > 1]
    grouped = {method for group in groups for method in group}
    rest = [method for method in material.methods(metric) if method not in grouped]
    if rest and len(material.methods(metric)) > 1:
        said.append(f"Too few questions in common with another method to tell apart: {', '.join(rest)}.")
    return said
