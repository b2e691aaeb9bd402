"""Kits over the small study."""

from astrolabe.core.protocols import LLM
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.study.kit import Bench, ScopeKit
from astrolabe.study.passages import Shelf
from astrolabe.study.settings import AnswerSettings
from astrolabe.study.study import Study


def bench(study: Study, llm: LLM | None = None, *, answers: AnswerSettings | None = None, kept: bool = False) -> Bench:
    """Return a bench over the study's documents, on disk where it is kept."""
    root = study.folder.root
    return Bench(
        shelf=Shelf(study.documents, root / "corpus" if kept else None),
        llm=llm,
        embedder=HashedEmbedder(),
        answers=answers or AnswerSettings(),
        indexes=root / "indexes" if kept else None,
        role="answer",
    )


def kit_of(study: Study, llm: LLM | None = None, *, answers: AnswerSettings | None = None) -> ScopeKit:
    """Return a kit over all documents of the study."""
    documents = tuple(document.id for document in study.documents)
    return ScopeKit(bench=bench(study, llm, answers=answers), documents=documents, scope="hard")
