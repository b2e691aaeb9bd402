"""What answers took and how their trees look, as figures with intervals: over all questions, and by gold pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from astrolabe.compare import Range, estimate
from astrolabe.core.records import Answer, Estimate, Question, Score
from astrolabe.parts.between import Between
from astrolabe.parts.gold_evidence import gold_pages
from astrolabe.parts.topic_scores import gold_topics
from astrolabe.parts.trace_shape import shape
from astrolabe.report import Bucket

ANSWER: Final = "answer"
"""Under this name what an answer took stands beside what it scored; its value is the number of calls."""
BUCKETS: Final = (Between(1, 10), Between(11, 20), Between(21, 30), Between(31))
"""How many gold pages the questions of a bucket need: the buckets of APT-RAG's analysis."""
_EVIDENCE: Final = "evidence_recall"
_PARTS: Final = ("page_recall", "documents_retrieved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimating:
    """How means are made.

    Attributes:
        seed: Everything random starts from it.
        confidence: Of the intervals.
        ranges: Worst and best value by metric.
    """

    seed: int
    confidence: float
    ranges: Mapping[str, Range]

    def means(self, scores: Sequence[Score], questions: Mapping[str, Question]) -> list[Estimate]:
        """Return the means over questions, of all kinds together."""
        rng = np.random.default_rng(self.seed)
        found = estimate(scores, questions, rng=rng, ranges=self.ranges, confidence=self.confidence)
        return [one for one in found if one.kind is None]


def taken_scores(answers: Iterable[Answer]) -> list[Score]:
    """Return what each answer took as a score; an answer that failed took something, too.

    Parts: `tokens`, `seconds` (wall clock), and of a trace `depth` and `breadth` (see `Shape`). Tokens and seconds are
    null where a call came from the record: what it took then is not what it took now. There is no depth without a
    trace, and no breadth where no step has others below it.
    """
    return [_taken(answer) for answer in answers]


def by_gold_pages(
    scores: Sequence[Score], taken: Sequence[Score], questions: Mapping[str, Question], how: Estimating
) -> list[Bucket]:
    """Return the means of each bucket that has questions, those without a gold page last.

    There is nothing to compare where all questions are in one bucket: then the list is empty.

    Args:
        scores: Of any metrics; of `evidence_recall` what was found anywhere is kept, of the others their value.
        taken: What the answers took.
        questions: By id.
        how: How means are made.
    """
    pages = {name: gold_page_count(question) for name, question in questions.items()}
    asked = {score.question_id for score in (*scores, *taken)}
    places = {name: _bucket(pages[name]) for name in questions if name in asked}
    kept = [_short(score) for score in scores]
    titles = [title for title in (*(bucket.title for bucket in BUCKETS), _NONE) if title in places.values()]
    if len(titles) <= 1:
        return []
    return [
        Bucket(
            pages=title,
            questions=sum(place == title for place in places.values()),
            estimates=how.means([one for one in (*kept, *taken) if places[one.question_id] == title], questions),
        )
        for title in titles
    ]


def gold_page_count(question: Question) -> int:
    """Return how many gold pages a question needs; 0 where it names none."""
    spans = {span.document_id for topic in gold_topics(question).expected for span in topic.evidence}
    return len(gold_pages(question, spans))


_NONE: Final = "none"


def _bucket(pages: int) -> str:
    return next((bucket.title for bucket in BUCKETS if bucket.holds(pages)), _NONE)


def _short(score: Score) -> Score:
    """Return the score without the parts that no table by gold pages shows."""
    wanted = _PARTS if score.metric.partition("(")[0] == _EVIDENCE else ()
    parts = {name: score.parts[name] for name in wanted if name in score.parts}
    return score.model_copy(update={"parts": parts})


def _taken(answer: Answer) -> Score:
    seen, usage = shape(answer.trace), answer.usage
    parts = {
        "tokens": None if usage.recorded else float(usage.prompt_tokens + usage.completion_tokens),
        "seconds": None if usage.recorded else answer.duration_seconds,
        **({"depth": float(seen.depth)} if answer.trace else {}),
        **({"breadth": seen.breadth} if seen.breadth else {}),
    }
    return Score(
        question_id=answer.question_id,
        method=answer.method,
        scope=answer.scope,
        metric=ANSWER,
        value=float(usage.calls),
        parts=parts,
    )
