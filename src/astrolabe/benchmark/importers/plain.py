"""Our own format: the simple form `{"question", "topics": [...], "hallucinations": [...]}`, or full records."""

from pathlib import Path
from typing import Final

from astrolabe.benchmark.check import is_full_form
from astrolabe.benchmark.documents_beside import check_documents, documents_file
from astrolabe.benchmark.gold_rules import gold_problems, keep_first
from astrolabe.benchmark.imported import Imported, part_of, placed, read_foreign
from astrolabe.benchmark.simple_form import SimpleQuestion
from astrolabe.benchmark.topic_table import read_topic_table
from astrolabe.core.records import Question, Scope
from astrolabe.store.lines import read_records

_NAMES: Final = ("questions.jsonl", "bench.jsonl")


def import_jsonl(path: Path) -> Imported:
    """Read a benchmark in the simple form or as full records, with the documents that lie beside it.

    Topics may be texts or objects; missing ids become A1, A2, ..., H1, H2, ... and, for a question,
    one made of its kind and text. Ids that are given are kept. Documents come from `documents.jsonl`
    or `corpus.jsonl` in the same folder, where `{"id", "text"}` is enough, and scopes from `scopes.jsonl`.

    Args:
        path: The file, or a folder that holds it as `questions.jsonl` or `bench.jsonl`; a file that ends
            in `.csv` is a table with a row for each topic (see `read_topic_table`).

    Raises:
        FileError: The file cannot be read, or a line is not in the form of the first.
    """
    if path.is_dir():
        held = [name for name in _NAMES if (path / name).is_file()]
        path = part_of(path, held[0] if held else _NAMES[0])
    numbered = _numbered(path)
    beside = documents_file(path)
    documents, faults_beside = check_documents(beside) if beside else ([], [])
    corpus = {document.id: document for document in documents} if beside else None
    unique = keep_first(
        numbered,
        key=lambda question: question.id,
        content=lambda question: question,
        field="id",
    )
    problems = [*unique.problems, *gold_problems(numbered, corpus)]
    ordered = sorted(placed(path, problems), key=lambda problem: problem.line)
    return Imported(
        questions=tuple(question for _, question in unique.records),
        documents=tuple(documents),
        scopes=tuple(read_records(scopes, Scope) if (scopes := path.parent / "scopes.jsonl").is_file() else ()),
        problems=(*ordered, *faults_beside),
    )


def _numbered(path: Path) -> list[tuple[int, Question]]:
    is_table = path.suffix.casefold() == ".csv"
    if not is_table and is_full_form(path):
        return read_foreign(path, Question)
    read = read_topic_table(path) if is_table else read_foreign(path, SimpleQuestion)
    return [(line, simple.as_question()) for line, simple in read]
