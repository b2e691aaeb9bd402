"""The kits' common bench for a study and the models of one command."""

from collections.abc import Callable

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question
from astrolabe.study.kit import Bench, Kits
from astrolabe.study.models import Models, Role
from astrolabe.study.passages import Shelf
from astrolabe.study.settings import AnswerSettings
from astrolabe.study.study import Study
from astrolabe.study.tasks import scope_documents


def bench_of(study: Study, models: Models, role: Role) -> Bench:
    """Return what all scopes share, with the model of a role."""
    usable = [document for document in study.documents if document.status == "ok"]
    return Bench(
        shelf=Shelf(usable, study.folder.root / "corpus"),
        llm=models.llms[role],
        embedder=models.embedder,
        answers=study.settings.answers,
        indexes=study.folder.indexes,
        role=role,
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
