"""The records that all stages exchange; their JSON names are the field names.

A record is frozen and strict: an unknown field, a NaN or a text that is not valid UTF-8 is refused.
What files of foreign formats carry beyond these fields goes to `extra`.
"""

from datetime import datetime
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from astrolabe.core.text import Text

Kind = Literal["single_sum", "pair_comp", "multi_comp", "enumeration", "temporal", "set", "other"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
DocumentStatus = Literal["ok", "empty", "failed", "duplicate"]
AnswerStatus = Literal["ok", "empty", "refused", "truncated", "unparsed", "failed"]
PassageKind = Literal["text", "table", "list", "code"]
Origin = Literal["comment", "tag", "model", "enriched", "reviewer", "imported"]
TopicState = Literal["draft", "accepted", "edited", "rejected"]
Extra = dict[str, JsonValue]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0)]


class Record(BaseModel):
    """What every record keeps to."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Usage(Record):
    """What calls cost.

    `recorded` of the `calls` came from the record and cost nothing; tokens, money and seconds count
    the others only. `usd` is null where any of them has no known price.
    """

    calls: Count = 0
    recorded: Count = 0
    prompt_tokens: Count = 0
    cached_tokens: Count = 0
    completion_tokens: Count = 0
    usd: float | None = 0.0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum; an unknown price stays unknown."""
        known = self.usd is not None and other.usd is not None
        return Usage(
            calls=self.calls + other.calls,
            recorded=self.recorded + other.recorded,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            usd=(self.usd or 0.0) + (other.usd or 0.0) if known else None,
            seconds=self.seconds + other.seconds,
        )


class Document(Record):
    """A source file's (or record's) text and what became of it; `id` is made of the text."""

    id: Text
    title: Text
    text: Text
    source: Text
    media_type: Text
    sha256: Text
    date: Text | None = None
    language: Text | None = None
    status: DocumentStatus = "ok"
    reason: Text | None = None
    warnings: tuple[Text, ...] = ()
    extra: Extra = {}


class Passage(Record):
    """A stretch of a document: `text` ends with `document.text[start:end]` and is `tokens` long.

    What stands in front of the stretch is context that the passage repeats: the headings above it, a table's header
    row. Only passages of wiki pages have any.
    """

    id: Text
    document_id: Text
    text: Text
    start: Count
    end: Count
    section: tuple[Text, ...] = ()
    kind: PassageKind = "text"
    tokens: Count

    @model_validator(mode="after")
    def _spans_its_text(self) -> Self:
        if not 0 <= self.end - self.start <= len(self.text):
            msg = f"start {self.start} and end {self.end} do not lie in a text of {len(self.text)} characters"
            raise ValueError(msg)
        return self


class Span(Record):
    """A quoted stretch of a document: `quote == document.text[start:end]`."""

    document_id: Text
    start: Count
    end: Count
    quote: Text


class Hit(Record):
    """One search result; `rank` counts from 1, a higher `score` is better."""

    passage_id: Text
    rank: Annotated[int, Field(ge=1)]
    score: float
    source: Text


class Claim(Record):
    """A statement of an answer, its half-open place there and the passages it leans on."""

    text: Text
    start: Count
    end: Count
    passages: tuple[Text, ...] = ()


class Alignment(Record):
    """How a comment was tied to a document."""

    method: Text
    confidence: Share


class Comment(Record):
    """What somebody said about a document: a review, a tag, an abstract."""

    id: Text
    document_id: Text | None = None
    author_label: Text
    type: Text
    text: Text
    source: Text
    alignment: Alignment | None = None
    extra: Extra = {}


class Topic(Record):
    """An expected (A) or unsupported (H) topic of a question."""

    id: Text
    text: Annotated[Text, Field(min_length=1)]
    aliases: tuple[Text, ...] = ()
    group: Text | None = None
    origin: Origin = "imported"
    evidence: tuple[Span, ...] = ()
    importance: Literal["vital", "okay"] | None = None
    state: TopicState = "draft"
    reason: Text | None = None


class TimeRange(Record):
    """The dates that a temporal question asks about, both included; null is open."""

    start: Text | None = None
    end: Text | None = None


class Question(Record):
    """A question with its gold: topics (A), hallucination topics (H), evidence and scopes."""

    id: Annotated[Text, Field(min_length=1)]
    text: Annotated[Text, Field(min_length=1)]
    kind: Kind = "other"
    topics: tuple[Topic, ...] = ()
    hallucinations: tuple[Topic, ...] = ()
    evidence: tuple[Text, ...] = ()
    scopes: dict[Text, Text] = {}
    time_range: TimeRange | None = None
    answers: tuple[tuple[Text, ...], ...] = ()
    split: Text | None = None
    extra: Extra = {}


class Scope(Record):
    """A set of documents that a question may be answered from; `kind` is null for a mixed pool."""

    id: Text
    name: Text
    kind: Kind | None = None
    documents: tuple[Text, ...]


class Step(Record):
    """One step of a trace; `parent` names the step it belongs to."""

    id: Text
    parent: Text | None = None
    stage: Text
    mode: Text = ""
    reason: Text = ""
    input: JsonValue = None
    output: JsonValue = None
    hits: tuple[Hit, ...] = ()
    usage: Usage = Usage()


class Answer(Record):
    """A method's answer, or the named state in which the attempt ended (never an apology).

    `stages` says what of `usage` was spent at which stage (`answer.plan`, `answer.write`, ...).
    """

    question_id: Text
    method: Text = ""
    scope: Text | None = None
    text: Text = ""
    items: tuple[Text, ...] = ()
    claims: tuple[Claim, ...] = ()
    contexts: tuple[Hit, ...] = ()
    retrieved: tuple[Hit, ...] = ()
    trace: tuple[Step, ...] = ()
    usage: Usage = Usage()
    stages: dict[Text, Usage] = {}
    started_at: datetime | None = None
    duration_seconds: float = 0.0
    status: AnswerStatus = "ok"
    reason: Text | None = None

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.status != "ok" and not self.reason:
            msg = f"status {self.status!r} needs a reason"
            raise ValueError(msg)
        if self.status == "ok" and not self.text.strip():
            msg = "an answer without text has status 'empty', not 'ok'"
            raise ValueError(msg)
        return self


class Verdict(Record):
    """One head-to-head judgement; `order` tells which answer was shown first."""

    question_id: Text
    scope: Text | None = None
    first: Text
    second: Text
    order: Literal["forward", "reverse"]
    criterion: Text
    winner: Literal["first", "second", "tie"] | None
    reason: Text
    judge: Text


class Label(Record):
    """A person's judgement of an answer or of one of its topics."""

    question_id: Text
    method: Text
    topic_id: Text | None = None
    rater: Text
    scale: Text
    value: float


class Score(Record):
    """One metric of one answer: a number, or `unscored` with the reason."""

    question_id: Text
    method: Text
    scope: Text | None = None
    metric: Text
    value: float | None = None
    parts: dict[Text, float | None] = {}
    detail: Extra = {}
    status: Literal["scored", "unscored"] = "scored"
    reason: Text | None = None
    judge: Text | None = None
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _is_a_number_or_says_why(self) -> Self:
        if (self.status == "scored") != (self.value is not None):
            msg = f"status {self.status!r} does not go with value {self.value!r}"
            raise ValueError(msg)
        if self.status == "unscored" and not self.reason:
            msg = "an unscored answer needs a reason"
            raise ValueError(msg)
        return self


class Comparison(Record):
    """Two methods on the `n` questions that both answered: `difference` is first minus second."""

    metric: Text
    scope: Text | None = None
    kind: Kind | None = None
    first: Text
    second: Text
    n: Count
    difference: float | None
    low: float | None = None
    high: float | None = None
    p: Share | None = None
    p_adjusted: Share | None = None
    verdict: Literal["better", "worse", "cannot tell"]
    correction: Text


class Estimate(Record):
    """A mean over questions with its interval: `value [low, high], n_scored scored / n_asked`.

    `part` is one of a score's parts (`t_prec`, `h_topic`, ...) or null for its value. `scope` is
    null for answers without one and `overall` for the mean over scopes on the questions scored in
    all of them. `equal` says that two or more scores are all the same: then resampling says nothing of
    the mean, and the interval is the one that so many equal scores allow for. `worst` and `best` bound
    the mean over all that were asked, whatever the unscored ones are.
    """

    metric: Text
    part: Text | None = None
    method: Text
    scope: Text | None = None
    kind: Kind | None = None
    value: float | None
    low: float | None = None
    high: float | None = None
    equal: bool = False
    worst: float | None = None
    best: float | None = None
    n_scored: Count
    n_asked: Count
    confidence: Share = 0.95
