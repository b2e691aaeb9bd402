"""One question over a set of files, answered with its evidence."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from astrolabe.core.errors import ConfigError
from astrolabe.core.ids import content_id, text_hash
from astrolabe.core.protocols import Method
from astrolabe.core.records import Answer, Passage, Question
from astrolabe.core.spelling import parse_spelled
from astrolabe.documents import RecordFields
from astrolabe.llm.embedded import missing
from astrolabe.methods import METHODS
from astrolabe.methods.extractive import Extractive
from astrolabe.methods.vanilla import Vanilla
from astrolabe.store.cache import cache_folder
from astrolabe.study.bench import bench_of
from astrolabe.study.faults import under_way
from astrolabe.study.ingesting import ingest
from astrolabe.study.kit import ScopeKit
from astrolabe.study.models import Asking, open_models
from astrolabe.study.progress import SILENT, Progress
from astrolabe.study.run import answer_task
from astrolabe.study.study import Study, open_or_new
from astrolabe.study.tasks import Task, asks_model

EVERYTHING = "all"
"""The scope of an asked question: every usable document."""

SMALL = Vanilla(k=3, size=256)
"""What an embedded model can read in some seconds on two cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskResult:
    """An answer with its surroundings.

    Attributes:
        answer: The answer.
        passages: The passages that it was made from or that were found on the way, by id.
        titles: The documents' titles, by id.
        sources: The documents' sources, by id.
        banners: What to say on top.
        why: Why no model was asked, where nobody chose a method without one; empty otherwise.
    """

    answer: Answer
    passages: dict[str, Passage]
    titles: dict[str, str]
    sources: dict[str, str]
    banners: tuple[str, ...]
    why: str = ""


def check_asked(text: str, method: str | None) -> None:
    """Refuse what cannot be asked, before any file is read.

    Raises:
        ConfigError: The question is blank, or the method is not spelled right.
    """
    if not text.strip():
        raise ConfigError(f'the question {text!r} is blank; ask something, such as "What changed?"')
    if method:
        parse_spelled(method, METHODS, what="method")


def study_of_paths(paths: Sequence[Path], progress: Progress, *, seconds_per_file: float) -> Study:
    """Return the cached study of some files and folders, read again where they have changed.

    Raises:
        UserError: A path does not exist, or nothing usable was found.
    """
    key = text_hash("\n".join(sorted(path.resolve().as_uri() for path in paths)))[:16]
    root = cache_folder() / "studies" / key
    study = open_or_new(root)
    with under_way():
        ingest(study, paths, progress, fields=RecordFields(), seconds_per_file=seconds_per_file)
    return study


def default_method(study: Study, asking: Asking) -> tuple[Method, str]:
    """Return the method for a question and why: `vanilla` where a model can answer, else `extractive`."""
    model = asking.roles.get("answer") or study.settings.models.answer
    if not model:
        return Extractive(), "no model is set for the role 'answer'"
    provider, _, name = model.partition(":")
    if provider != "embedded":
        return Vanilla(), ""
    if lack := missing(name):
        return Extractive(), str(lack)
    return SMALL, ""


async def ask(study: Study, text: str, method: str | None, asking: Asking, *, progress: Progress = SILENT) -> AskResult:
    """Answer one question over all usable documents of a study.

    Args:
        study: The study.
        text: The question.
        method: A spelled method; null or empty for `default_method`.
        asking: How models are asked.
        progress: Hears how far an index is that asks a model.

    Raises:
        UserError: The question is blank, the study has no usable documents, or no model plays a role that the
            method needs, or one that cannot be asked.
        Stopped: The disk is full.
    """
    check_asked(text, method)
    chosen, why = (parse_spelled(method, METHODS, what="method"), "") if method else default_method(study, asking)
    documents = study.need_documents()
    question = Question(id=content_id("q", text), text=text)
    async with AsyncExitStack() as stack:
        stack.enter_context(under_way())
        models = await stack.enter_async_context(open_models(study.settings, study.folder.calls, asking))
        ids = tuple(document.id for document in documents)
        bench = bench_of(study, models, "answer")
        bench.told = progress.note
        if asks_model(chosen):
            bench.need_ready_llm()
        kit = ScopeKit(bench=bench, documents=ids, scope=EVERYTHING)
        task = Task(method=chosen, question=question, scope=EVERYTHING, documents=ids)
        answer = await answer_task(task, kit)
        used = {hit.passage_id for hit in (*answer.contexts, *answer.retrieved)}
        passages = {name: kit.read(name) for name in sorted(used)}
        return AskResult(
            answer=answer,
            passages=passages,
            titles={document.id: document.title for document in documents},
            sources={document.id: document.source for document in documents},
            banners=models.banners,
            why=why,
        )
