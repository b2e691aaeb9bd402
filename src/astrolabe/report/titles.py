"""How metrics, scopes, kinds, methods and groups are named in tables."""

from typing import Final

from astrolabe.report.material import OVERALL, Material
from astrolabe.report.table import Cell

PART_TITLES: Final = {
    None: "T-F1",
    "t_prec": "T-Prec",
    "t_rec": "T-Rec",
    "h_topic": "H_topic",
    "h_topic+": "H_topic+",
    "h_resp": "H_resp",
    "h_resp+": "H_resp+",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "official_precision": "Official precision",
    "official_recall": "Official recall",
    "official_f1": "Official F1",
    "page_recall": "Page recall",
    "page_precision": "Page precision",
    "page_f1": "Page F1",
    "page_hit": "Any page",
    "exact_recall": "Passage recall",
    "place_recall": "Place recall",
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


def score_title(material: Material, metric: str, part: str | None) -> str:
    """Return a part's name as a heading; a topic metric's value is its T-F1."""
    return PART_TITLES[part] if part or metric in material.topic_metrics else metric


def unit(material: Material, metric: str) -> str:
    """Return in what a metric is shown and which end is better."""
    direction = "more" if material.more_is_better(metric) else "less"
    return f"{'in percent, ' if material.percent(metric) else ''}{direction} is better"
