"""ScholarQA-CS: expert key points for computer-science questions, and the answers of four systems."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, JsonValue

from astrolabe.benchmark.gold_rules import fault, gold_problems
from astrolabe.benchmark.imported import ForeignRecord, Imported, part_of, placed, read_foreign
from astrolabe.core.records import Answer, Kind, Question, Topic
from astrolabe.core.text import Text

_LEAD_IN: Final = re.compile(
    r"(?:near the beginning,?\s+)?(?:the\s+)?a\w{3,6}s?\s+(?:sho+uld|could|must)\s+"
    r"(?:(?:first|also|br(?:ie|ei)fly)\s+)*"
    r"(?:begin\s+(?:with|by)\s+)?",
    re.IGNORECASE,
)
_REPORTING: Final = re.compile(
    r"(?:mention(?:ed)?|discuss|provid(?:e|ing)|include|highlight|list|name|enumerate|emphasi[sz]e|specify"
    r"|argue|conclude|point(?:\s+to|\s+out)?|have|note|the(?=\s+list\s+of))\s+"
    r"(?:(?:the\s+)?(?:informa\w+|background)\s+(?:on|about|of)\s+|to\s+the\s+fact\s+|about\s+)?"
    r"(?:that\s+)?",
    re.IGNORECASE,
)
_IMPORTANCE: Final[dict[str, Literal["vital", "okay"]]] = {
    "most_important": "vital",
    "nice_to_have": "okay",
}
_PAIR: Final = re.compile(r"\bbetween\b.*\band\b|\bdiffers?\b.*\bfrom\b|\bversus\b|\bvs\b")
_COMPARES: Final = re.compile(r"\b(compare|compared|comparison|differs?|differences?|versus|vs)\b")
_ENUMERATES: Final = re.compile(
    r"^(what|which)\b(?!\s+is\b)[\w\s,-]*?\b(are|have|can|techniques|tools?|datasets)\b|^(list|name|suggest|enumerate)\b"
)


class _KeyPoint(ForeignRecord):
    topic_id: Text
    importance: Literal["most_important", "nice_to_have"]
    criterion: Text = Field(min_length=1)
    weight: float
    evidence: tuple[Text, ...] = ()


class _Case(ForeignRecord):
    case_id: Text = Field(min_length=1)
    question: Text = Field(min_length=1)
    annotator: int
    agreement_item: bool
    topics: tuple[_KeyPoint, ...]


class _SystemAnswer(ForeignRecord):
    case_id: Text
    system: Text = Field(min_length=1)
    answer: Text


def import_scholarqa(path: Path) -> Imported:
    """Read `questions.jsonl` and `answers.jsonl` of a folder.

    Each case is a question under its own id, so a question that two people annotated comes twice. The
    key points are instructions to a grader; a topic is what remains without the instruction (see
    `topic_of`), the full wording stays in `extra` under `criteria`, by topic id, beside `quotes`,
    `weights` and `source_ids`. The evidence is quotes without documents, so no topic has evidence spans.
    There are no hallucination topics. The source names no kinds: `kind_of` guesses them from the
    question's words.

    Raises:
        FileError: A file is missing, or a record lacks a field.
    """
    questions_file = part_of(path, "questions.jsonl")
    cases = [(line, _question(case)) for line, case in read_foreign(questions_file, _Case)]
    answers_file = part_of(path, "answers.jsonl")
    numbered = read_foreign(answers_file, _SystemAnswer)
    known = {question.id for _, question in cases}
    strangers = [
        fault(
            "case_id",
            answer.case_id,
            "questions.jsonl has no such case",
            "Use both files of one release",
            line=line,
        )
        for line, answer in numbered
        if answer.case_id not in known
    ]
    return Imported(
        questions=tuple(question for _, question in cases),
        answers=tuple(_answer(answer) for _, answer in numbered),
        problems=(
            *placed(questions_file, list(gold_problems(cases, None))),
            *placed(answers_file, strangers),
        ),
    )


def topic_of(criterion: str) -> str:
    """Return the topic that an instruction to a grader asks for.

    The lead-in ("Near the beginning, the answer should briefly") goes, and with it verbs that only ask
    for a mention ("discuss that", "provide information on"); "define", "explain", "compare" and their
    like stay, for they say what is wanted. The source's own misspellings of the lead-in are known. A
    rule by pattern: a few topics keep words that a person would drop.

    Examples:
        >>> topic_of("Near the beginning, the answer should briefly define k-sat.")
        'define k-sat'
        >>> topic_of("The answer should mention that this problem is NP-complete.")
        'this problem is NP-complete'
    """
    text = " ".join(criterion.split())
    lead_in = _LEAD_IN.match(text)
    if lead_in is None:
        return text.rstrip(". ") or text
    bare = text[lead_in.end() :]
    reporting = _REPORTING.match(bare)
    return (bare[reporting.end() if reporting else 0 :].rstrip(". ")) or text


def kind_of(question: str) -> Kind:
    """Return a guess at a question's kind from its words.

    Comparing words make it a comparison, of a pair where two things are joined by "between ... and",
    "differ from" or "versus"; "what are", "which ..." and "list" make it an enumeration; anything else
    is `other`. No person has checked the outcome.

    Examples:
        >>> kind_of("What are the key differences between A and B?")
        'pair_comp'
        >>> kind_of("What are leading methods?"), kind_of("Why is it so?")
        ('enumeration', 'other')
    """
    plain = " ".join(question.casefold().split())
    if _COMPARES.search(plain):
        return "pair_comp" if _PAIR.search(plain) else "multi_comp"
    return "enumeration" if _ENUMERATES.search(plain) else "other"


def _question(case: _Case) -> Question:
    points = {f"A{number}": point for number, point in enumerate(case.topics, start=1)}
    return Question(
        id=case.case_id,
        text=case.question,
        kind=kind_of(case.question),
        topics=tuple(
            Topic(id=topic, text=topic_of(point.criterion), importance=_IMPORTANCE[point.importance])
            for topic, point in points.items()
        ),
        extra={
            **(case.model_extra or {}),
            "annotator": case.annotator,
            "agreement_item": case.agreement_item,
            "criteria": {topic: point.criterion for topic, point in points.items()},
            "weights": {topic: point.weight for topic, point in points.items()},
            "source_ids": {topic: point.topic_id for topic, point in points.items()},
            "quotes": {topic: _listed(point.evidence) for topic, point in points.items()},
        },
    )


def _listed(texts: Sequence[str]) -> list[JsonValue]:
    return [*texts]


def _answer(answer: _SystemAnswer) -> Answer:
    bare = not answer.answer.strip()
    return Answer(
        question_id=answer.case_id,
        method=answer.system,
        text="" if bare else answer.answer,
        status="empty" if bare else "ok",
        reason="the release holds no text" if bare else None,
    )
