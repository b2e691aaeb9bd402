"""The kits' common bench for a study and the models of one command."""

from collections.abc import Callable
from typing import Final

from astrolabe.core.protocols import LLM, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.study.kit import Bench, Kits
from astrolabe.study.models import Models, Role
from astrolabe.study.passages import Shelf
from astrolabe.study.settings import AnswerSettings
from astrolabe.study.study import Study
from astrolabe.study.tasks import scope_documents

EMBEDDED_ANSWER_TOKENS: Final = 256
"""A model of half a billion parameters says nothing new beyond it, and writes some ten tokens a second."""
EMBEDDED_CONTEXT_TOKENS: Final = 3_500
"""With question, instructions and answer within the window that its server has."""


def bench_of(study: Study, models: Models, role: Role) -> Bench:
    """Return what all scopes share, with the model of a role."""
    usable = [document for document in study.documents if document.status == "ok"]
    return Bench(
        shelf=Shelf(usable, study.folder.root / "corpus"),
        llm=models.llms[role],
        embedder=models.embedder,
        answers=_within_reach(study.settings.answers, models.llms[role]),
        indexes=study.folder.indexes,
        role=role,
        check=lambda: models.check(role),
    )


def _within_reach(answers: AnswerSettings, llm: LLM | None) -> AnswerSettings:
    """Return the lengths that the model can take: an embedded one reads and writes less than the settings allow."""
    if llm is None or not llm.id.startswith("embedded:"):
        return answers
    return AnswerSettings(
        max_tokens=min(answers.max_tokens, EMBEDDED_ANSWER_TOKENS),
        context_tokens=min(answers.context_tokens, EMBEDDED_CONTEXT_TOKENS),
    )


def loose_bench(models: Models, role: Role, answers: AnswerSettings) -> Bench:
    """Return a bench without documents, for answers that were made elsewhere."""
    return Bench(
        shelf=Shelf([]),
        llm=models.llms[role],
        embedder=models.embedder,
        answers=answers,
        indexes=None,
        role=role,
    )


def kits_of_answers(study: Study, bench: Bench, questions: dict[str, Question]) -> Callable[[Answer], Kit]:
    """Return the function that gives an answer's kit: its scope's documents, none where it has no scope."""
    kits = Kits(bench)

    def kit_of(answer: Answer) -> Kit:
        question = questions[answer.question_id]
        documents = scope_documents(study, question, answer.scope) if answer.scope else None
        return kits.of(answer.scope, documents or ())

    return kit_of
