"""The main result in a sentence or two, so that nobody has to read it off a table."""

from astrolabe.core.plural import plural
from astrolabe.core.records import Estimate
from astrolabe.report.material import Material
from astrolabe.report.table import Cell


def finding(material: Material) -> str:
    """Return which method leads the main metric in its widest scope, and against whom that is shown."""
    metric = material.metric
    scope = material.widest_scope(metric)
    methods = material.methods(metric)
    best = material.find(metric, methods[0], scope) if methods else None
    if best is None or best.value is None:
        return "No answer could be scored: no method leads."
    cell = _cell(material, best)
    title = "T-F1" if metric in material.topic_metrics else metric
    place = "over all scopes" if scope == "overall" else f"in scope {scope}" if scope else "on all questions"
    end = "highest" if material.more_is_better(metric) else "lowest"
    alone = len(methods) == 1
    lead = f"{best.method} has {'a' if alone else f'the {end}'} mean {title} {place}"
    said = f"{lead}: {cell.value} {cell.span}, {cell.counts} {plural(best.n_asked, 'question')} scored"
    if same := [
        other for other in methods[1:] if _cell(material, material.find(metric, other, scope)).value == cell.value
    ]:
        said += f"; {_listed(same)} {plural(len(same), 'has', 'have')} the same"
    return " ".join([f"{said}.", *_rivals(material, best.method), *_asked_others(material, best.method)])


def _cell(material: Material, estimate: Estimate | None) -> Cell:
    percent = material.percent(material.metric)
    return Cell(estimate=estimate, scale=100.0 if percent else 1.0, digits=1 if percent else 2)


def _rivals(material: Material, leader: str) -> list[str]:
    scope = material.widest_scope(material.metric)
    verdicts: dict[str, str] = {}
    for one in material.comparisons:
        if (one.metric, one.scope) == (material.metric, scope) and leader in {one.first, one.second}:
            rival = one.second if one.first == leader else one.first
            verdicts[rival] = one.verdict
    order = [method for method in material.methods(material.metric) if method in verdicts]
    beaten = [method for method in order if verdicts[method] != "cannot tell"]
    open_ = [method for method in order if verdicts[method] == "cannot tell"]
    said: list[str] = []
    if beaten:
        said.append(f"It is better than {_listed(beaten)}.")
    if open_:
        said.append(f"These questions cannot tell it apart from {_listed(open_)}.")
    return said


def _asked_others(material: Material, leader: str) -> list[str]:
    """Return who was asked other questions than the leader: a mean over other questions is no higher or lower one."""
    asked = material.asked(material.metric)
    others = [method for method in material.methods(material.metric) if asked.get(method) != asked.get(leader)]
    if not others:
        return []
    were = "was" if len(others) == 1 else "were"
    return [f"{_listed(others)} {were} asked other questions: means over different questions are not compared."]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
