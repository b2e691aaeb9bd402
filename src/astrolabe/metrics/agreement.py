"""How far the matcher without a model agrees with people: printed with every table that it fills."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Figures of one matcher, on questions that its weights were not fitted on.

    Attributes:
        embedder: What it needs, in words.
        average_precision: On `argkp`: 12,959 pairs of argument and key point that people labelled.
        pairs_kappa: Cohen's kappa there, at the matcher's threshold.
        correlation: Pearson's r on `summhay_coverage`: 727 insights that people judged to be covered fully (1),
            partly (0.5) or not (0) by a summary.
        covered_kappa: Cohen's kappa there, fully or partly against not.
    """

    embedder: str
    average_precision: float
    pairs_kappa: float
    correlation: float
    covered_kappa: float

    def __str__(self) -> str:
        """Return the figures as one sentence."""
        return (
            f"matcher {self.embedder}: average precision {self.average_precision:.2f} and kappa {self.pairs_kappa:.2f} "
            f"on argkp, Pearson r {self.correlation:.2f} and kappa {self.covered_kappa:.2f} on summhay_coverage"
        )


FIGURES: Final[Mapping[str, Agreement]] = {
    "minilm": Agreement(
        embedder="with embedded:minilm",
        average_precision=0.598,
        pairs_kappa=0.425,
        correlation=0.761,
        covered_kappa=0.657,
    ),
    "words": Agreement(
        embedder="of words alone",
        average_precision=0.531,
        pairs_kappa=0.337,
        correlation=0.747,
        covered_kappa=0.596,
    ),
}
"""By the matcher's name. `python benchmarks/argkp.py` and `benchmarks/summhay.py` compute and check each figure."""

MATCHED: Final = ("topics_local", "miss_cause")
"""The metrics that a matcher fills, without parameters."""


def agreement_note(matchers: Collection[str]) -> str:
    """Return what is printed with every table that these matchers filled; empty for none."""
    figures = "; ".join(str(FIGURES[name]) for name in sorted(matchers))
    return f"Agreement with people, on questions not fitted on: {figures}." if figures else ""
