"""Results in the terminal: the main table, who cannot be told apart, why topics are missed."""

from collections import Counter

from astrolabe.cli.drawing import print_table
from astrolabe.cli.talk import give, say
from astrolabe.report import Material, main_table
from astrolabe.report.judged import count_causes


def print_results(material: Material) -> None:
    """Print the main table with what belongs to it."""
    for banner in material.banners:
        say(f"note: {banner}")
    table = main_table(material)
    print_table(table)
    for note in table.notes:
        give(f"  {note}")
    for scope, groups in material.groups.get(material.metric, {}).items():
        alike = [f"{{{', '.join(group)}}}" for group in groups if len(group) > 1]
        if alike and scope in {None, "overall"}:
            give(f"  Cannot be told apart: {'; '.join(alike)}.")
    causes = Counter[str]()
    for counted in count_causes(material.scores).values():
        causes.update(counted)
    if causes:
        cause, number = causes.most_common(1)[0]
        give(f"  Most frequent cause of a missed topic: {cause} ({number} of {causes.total()}).")
