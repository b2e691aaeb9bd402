"""MuSiQue: questions that need two to four passages, with twenty to choose from."""

from pathlib import Path

from astrolabe.benchmark.imported import Imported
from astrolabe.benchmark.paragraph_rows import MarkedRow, ParagraphRow, import_paragraphs


def import_musique(path: Path) -> Imported:
    """Read questions with their paragraphs: the published shape, or passages marked `is_gold`.

    `answer_aliases` are further names of the answer. A question that is not `answerable` from its paragraphs is left
    out, and named. Evidence and scopes as in `import_hotpotqa`; `question_decomposition` is in `extra`.

    Args:
        path: The file, or a folder that holds it as `questions.jsonl`.

    Raises:
        FileError: The file is missing or is in neither shape, or a record lacks a field.
    """
    return import_paragraphs(path, "musique", {"paragraphs": ParagraphRow, "dataset": MarkedRow})
