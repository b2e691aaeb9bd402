"""Scores of one metric by several judges: those of earlier judges are kept beside those of the last."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from pydantic import JsonValue

from astrolabe.compare import JudgesAgree, judges_agree
from astrolabe.core.plural import plural
from astrolabe.core.records import Question, Score
from astrolabe.report import Judged
from astrolabe.store.folder import read_manifest, write_manifest
from astrolabe.store.lines import recover_records
from astrolabe.study.study import Study
from astrolabe.study.taken import Estimating

_JUDGE = "judge"


class Judges(NamedTuple):
    """The means by each judge of a metric, and by metric what is to be said of how far they agree."""

    means: list[Judged]
    agreements: dict[str, str]


NO_JUDGES: Final = Judges([], {})


def set_aside(study: Study, metric: str, now: Mapping[str, JsonValue]) -> None:
    """Make place for scores that are made from something else than those there.

    Where only the judge is another, those there are moved beside; else they belong to questions or vectors that are
    not there any more, and are dropped, with those of all earlier judges.

    Args:
        study: The study.
        metric: The spelled metric.
        now: What its new scores are made from.
    """
    folder = study.folder.scores(metric, "").parent
    kept = read_manifest(folder)
    judge = kept.get(_JUDGE) if kept else None
    place = study.folder.scores_by(metric, judge) if isinstance(judge, str) else None
    if kept and place and all(kept.get(key) == value for key, value in now.items() if key != _JUDGE):
        place.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("*.jsonl"):
            path.replace(place / path.name)
        write_manifest(place, kept)
        return
    for path in (*folder.glob("*.jsonl"), *(folder / "by").glob("*/*.jsonl")):
        path.unlink(missing_ok=True)


def other_judges(study: Study, metric: str) -> dict[str, list[Score]]:
    """Return the scores of a metric by each judge but the last, by the judges' ids."""
    folder = study.folder.scores(metric, "").parent
    last = (read_manifest(folder) or {}).get(_JUDGE)
    found: dict[str, list[Score]] = {}
    for place in sorted((folder / "by").glob("*/")):
        judge = (read_manifest(place) or {}).get(_JUDGE)
        if isinstance(judge, str) and judge != last:
            found[judge] = [score for path in sorted(place.glob("*.jsonl")) for score in recover_records(path, Score)]
    return found


def compared_judges(
    study: Study, scores: Sequence[Score], questions: Mapping[str, Question], how: Estimating
) -> Judges:
    """Return what several judges say of the same answers, for each metric that several have scored.

    Only answers count that all judges of a metric scored as they stand now.

    Args:
        study: The study.
        scores: Those that hold now, of all metrics.
        questions: By id.
        how: How means are made.
    """
    found = Judges([], {})
    for metric in sorted({score.metric for score in scores if score.judge is not None}):
        own = [score for score in scores if score.metric == metric and score.value is not None]
        last = next((score.judge for score in own if score.judge is not None), "")
        books = {last: own, **other_judges(study, metric)}
        common = _common(books)
        if len(books) > 1 and common[last]:
            found.means.extend(
                Judged(metric=metric, judge=name, estimates=how.means(scored, questions))
                for name, scored in common.items()
            )
            pairs = combinations(common.items(), 2)
            found.agreements[metric] = " ".join(
                _said(one, other, judges_agree(first, second)) for (one, first), (other, second) in pairs
            )
    return found


def _common(books: Mapping[str, Sequence[Score]]) -> dict[str, list[Score]]:
    """Return each judge's scores of the answers that all of them scored, in one order."""
    placed = {judge: {_place(score): score for score in own if score.value is not None} for judge, own in books.items()}
    first, *others = placed.values()
    shared = sorted(place for place in first if all(place in book for book in others))
    return {judge: [book[place] for place in shared] for judge, book in placed.items()}


def _place(score: Score) -> tuple[str, str, str, str]:
    """Return which answer a score judges: of what method, to which question in which scope, and as it was written."""
    return score.method, score.question_id, score.scope or "", str(score.detail.get("answer_hash"))


def _said(one: str, other: str, found: JudgesAgree) -> str:
    def number(value: float | None) -> str:
        return "cannot be told" if value is None else f"{value:.2f}"

    return (
        f"{one} and {other} on {found.answers} {plural(found.answers, 'answer')}: "
        f"equal scores on {100 * found.equal:.0f} %, "
        f"{100 * found.apart:.1f} points apart in the mean; rank correlation (Kendall's tau-b) over the answers "
        f"{number(found.over_answers.value)}, over the methods' means {number(found.over_methods.value)}."
    )
