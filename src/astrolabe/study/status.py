"""What is done, failed and missing in a study."""

from collections import Counter
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from astrolabe.study.answers import all_answers, count_states
from astrolabe.study.index_records import IndexRecord, index_records
from astrolabe.study.scoring import load_scores
from astrolabe.study.study import Study


class StudyStatus(BaseModel):
    """Counts by state.

    Attributes:
        documents: Documents by status.
        questions: Questions by kind.
        asked: How many answers a method has when it is done: every question in each of its scopes.
        answers: By method, answers by status.
        scores: By metric, scores by status.
        indexes: Those that asked a model: what they lack and what they cost.
    """

    model_config = ConfigDict(frozen=True)

    documents: dict[str, int]
    questions: dict[str, int]
    asked: int
    answers: dict[str, dict[str, int]]
    scores: dict[str, dict[str, int]]
    indexes: list[IndexRecord] = []


def study_status(study: Study) -> StudyStatus:
    """Count what a study's folder holds; an empty study has counts of nothing."""
    scores: dict[str, Counter[str]] = {}
    for score in load_scores(study):
        scores.setdefault(score.metric, Counter())[score.status] += 1
    return StudyStatus(
        documents=_tally(document.status for document in study.documents),
        questions=_tally(question.kind for question in study.questions),
        asked=sum(len(question.scopes) for question in study.questions),
        answers={
            method: {str(state): number for state, number in count_states(list(book.values())).items()}
            for method, book in all_answers(study).items()
        },
        scores={metric: dict(sorted(counts.items())) for metric, counts in sorted(scores.items())},
        indexes=index_records(study.folder.indexes),
    )


def _tally(states: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(states).items()))
