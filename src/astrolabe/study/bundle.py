"""The documents and questions that come with the package."""

import asyncio
import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final, NamedTuple

from astrolabe.core.protocols import Embedder
from astrolabe.core.records import Question
from astrolabe.documents import RecordFields
from astrolabe.store.lines import read_records
from astrolabe.study.arguments import Stoppable
from astrolabe.study.importing import take_questions
from astrolabe.study.ingesting import ingest
from astrolabe.study.models import Asking, open_models
from astrolabe.study.progress import Progress
from astrolabe.study.study import Study, new_study

QUESTIONS_A_CLUSTER: Final = 2
"""There are four questions a kind: clusters of two keep Middle between Simple and Hard."""


class Bundle(NamedTuple):
    """What comes with the package.

    Attributes:
        documents: The folder of documents.
        questions: The questions over them.
        sample: The ids of the questions that methods with a model answer in the quickstart: one a kind.
        example: The questions of the example study: three, over two short documents.
        example_settings: What its settings have beside those of the template, as TOML.
        record: The exported replies of the methods that the quickstart shows from the record.
        files: Where each document lies, by its id.
    """

    documents: Path
    questions: list[Question]
    sample: list[str]
    example: list[Question]
    example_settings: str
    record: Path
    files: dict[str, Path]

    def sampled(self, questions: Sequence[Question]) -> list[Question]:
        """Return those of the questions that are in the sample, in their order."""
        return [question for question in questions if question.id in self.sample]


@contextmanager
def bundled() -> Generator[Bundle]:
    """Give the bundle as files, also where the package is a zip file."""
    with as_file(files("astrolabe") / "bundled") as folder:
        sample: list[str] = json.loads((folder / "quickstart.json").read_text("utf-8"))["llm_sample"]
        sources: list[dict[str, str]] = json.loads((folder / "sources.json").read_text("utf-8"))
        yield Bundle(
            documents=folder / "documents",
            questions=read_records(folder / "benchmark.jsonl", Question),
            sample=sample,
            example=read_records(folder / "example.jsonl", Question),
            example_settings=(folder / "example.toml").read_text("utf-8"),
            record=folder / "replies.jsonl.gz",
            files={source["id"]: folder / source["file"] for source in sources},
        )


async def new_example(root: Path, asking: Asking, progress: Progress) -> Study:
    """Make a study of three bundled questions and the documents that answer them, small enough for any method.

    Args:
        root: The study's folder.
        asking: How texts are embedded.
        progress: Hears of every document.

    Raises:
        UserError: The folder holds a study already, or cannot be written to.
    """
    with bundled() as bundle:
        study = new_study(root, added=bundle.example_settings)
        evidence = sorted({document for question in bundle.example for document in question.evidence})
        files = [bundle.files[document] for document in evidence]
        async with open_models(study.settings, study.folder.calls, asking) as models:
            await take_bundle(study, files, bundle.example, embedder=models.embedder, progress=progress)
    return study


async def take_bundle(
    study: Study, documents: Sequence[Path], questions: Sequence[Question], *, embedder: Embedder, progress: Progress
) -> None:
    """Read bundled documents into a study and give it questions over them, with their scopes.

    Args:
        study: The study.
        documents: Files and folders of the bundle.
        questions: The questions; their evidence is among the documents.
        embedder: Tells which questions are alike.
        progress: Hears of every document.

    Raises:
        UserError: The study's folder cannot be written to.
    """
    with Stoppable(progress) as watched:  # in a thread, so that Ctrl-C is heard while files are read
        await asyncio.to_thread(ingest, study, documents, watched, fields=RecordFields(), seconds_per_file=60.0)
    await take_questions(study, questions, embedder, cluster_size=QUESTIONS_A_CLUSTER)
