"""The documents and questions that come with the package."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

from astrolabe.core.records import Question
from astrolabe.store.lines import read_records


class Bundle(NamedTuple):
    """The folder of documents, the questions, and the ids of those that the LLM methods answer."""

    documents: Path
    questions: list[Question]
    sample: list[str]


@contextmanager
def bundled() -> Generator[Bundle]:
    """Give the bundle as files, also where the package is a zip file."""
    with as_file(files("astrolabe") / "bundled") as folder:
        sample: list[str] = json.loads((folder / "quickstart.json").read_text("utf-8"))["llm_sample"]
        yield Bundle(folder / "documents", read_records(folder / "benchmark.jsonl", Question), sample)
