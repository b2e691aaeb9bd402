"""What a door shows of scores: the means, what to say on top, what was written."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from astrolabe.core.records import Question
from astrolabe.study.results import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Results with their surroundings.

    Attributes:
        results: Means, comparisons, groups and the scores behind them.
        questions: The questions by id.
        banners: What stands on top of every table.
        written: The files that were written.
        stopped: Why the command ended early; null where it did not.
        kept: How many scores stood already.
    """

    results: Results
    questions: Mapping[str, Question]
    banners: tuple[str, ...] = ()
    written: tuple[Path, ...] = ()
    stopped: str | None = None
    kept: int = 0
