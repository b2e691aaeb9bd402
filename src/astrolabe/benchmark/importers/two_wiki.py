"""2WikiMultiHopQA: questions that need two to four passages, with ten to choose from."""

from pathlib import Path

from astrolabe.benchmark.imported import Imported
from astrolabe.benchmark.paragraph_rows import ContextRow, MarkedRow, import_paragraphs


def import_two_wiki(path: Path) -> Imported:
    """Read questions with their paragraphs: the published shape, which is HotpotQA's, or passages marked `is_gold`.

    Evidence and scopes as in `import_hotpotqa`; `evidences`, `type` and other fields are in `extra`.

    Args:
        path: The file, or a folder that holds it as `questions.jsonl`.

    Raises:
        FileError: The file is missing or is in neither shape, or a record lacks a field.
    """
    return import_paragraphs(path, "2wiki", {"context": ContextRow, "dataset": MarkedRow})
