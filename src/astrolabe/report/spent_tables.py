"""What one answer costs: how calls, tokens and waiting are spread over answers, and at which stage calls are made."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from astrolabe.core.records import Answer
from astrolabe.report.material import Material
from astrolabe.report.table import DASH, Cell, Column, Table
from astrolabe.report.titles import method_cell

_SHARES: Final = (0.5, 0.75, 0.95)
_QUANTITIES: Final[Mapping[str, Callable[[Answer], float]]] = {
    "Calls": lambda answer: answer.usage.calls,
    "Prompt tokens": lambda answer: answer.usage.prompt_tokens,
    "Completion tokens": lambda answer: answer.usage.completion_tokens,
    "Seconds": lambda answer: answer.duration_seconds,
}
RECORDED: Final = (
    "Tokens and seconds are those of the answers none of whose calls came from the record, which costs nothing; with "
    "--calls live all are asked anew."
)


def per_answer(material: Material) -> Table:
    """Return by method how calls, tokens and seconds are spread over the answers."""
    books = answers_by_method(material)
    columns = [
        Column(title=title, group=group) for group in _QUANTITIES for title in ("mean", "median", "75 %", "95 %")
    ]
    new = {method: [answer for answer in own if not answer.usage.recorded] for method, own in books.items()}
    rows = [
        (
            method_cell(material, method),
            *(Cell(number=len(one), digits=0) for one in (answers, new[method])),
            *(cell for name in _QUANTITIES for cell in _spread(answers if name == "Calls" else new[method], name)),
        )
        for method, answers in books.items()
    ]
    return Table(
        name="per_answer",
        caption="Cost of an answer: mean, median, and what 75 % and 95 % of the answers stay within",
        columns=(Column(title="Method"), Column(title="Answers"), Column(title="All asked"), *columns),
        rows=tuple(rows),
        notes=(
            "Answers that failed are counted; shares are read off straight lines between the answers.",
            *recorded_note(material),
        ),
        folded=True,
    )


def by_stage(material: Material) -> Table:
    """Return by method the calls of an answer at each stage, in the mean; no rows where no answer says its stages."""
    books = {method: own for method, own in answers_by_method(material).items() if any(one.stages for one in own)}
    stages = sorted({stage for own in books.values() for answer in own for stage in answer.stages})
    rows = [
        (method_cell(material, method), *(_calls(own, stage) for stage in stages), _all_calls(own))
        for method, own in books.items()
    ]
    return Table(
        name="by_stage",
        caption="Calls of an answer by stage, in the mean",
        columns=tuple(Column(title=title) for title in ("Method", *stages, "All")),
        rows=tuple(rows),
        notes=("What the calls of a stage are for stands with each method in its documentation.",),
        folded=True,
    )


def answers_by_method(material: Material) -> dict[str, list[Answer]]:
    """Return the answers of each method, in the order of the main table, then by name."""
    order = [*material.methods(material.metric), *sorted({answer.method for answer in material.answers})]
    books: dict[str, list[Answer]] = {method: [] for method in order}
    for answer in material.answers:
        books[answer.method].append(answer)
    return {method: own for method, own in books.items() if own}


def recorded_note(material: Material) -> tuple[str, ...]:
    """Return what is said where some calls came from the record."""
    return (RECORDED,) if any(answer.usage.recorded for answer in material.answers) else ()


def _spread(answers: Sequence[Answer], quantity: str) -> list[Cell]:
    """Return the mean and the quantiles of a quantity; dashes where there are no answers."""
    values = [float(_QUANTITIES[quantity](answer)) for answer in answers]
    if not values:
        return [Cell(text=DASH)] * (1 + len(_SHARES))
    marks = np.quantile(values, _SHARES, method="linear").tolist()
    digits = 0 if quantity.endswith("tokens") else 1
    return [Cell(number=one, digits=digits) for one in (float(np.mean(values)), *marks)]


def _calls(answers: Sequence[Answer], stage: str) -> Cell:
    calls = sum(answer.stages[stage].calls for answer in answers if stage in answer.stages)
    return Cell(number=calls / len(answers), digits=2)


def _all_calls(answers: Sequence[Answer]) -> Cell:
    return Cell(number=sum(answer.usage.calls for answer in answers) / len(answers), digits=2)
