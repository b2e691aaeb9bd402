"""HotpotQA: questions that need two passages, with ten to choose from."""

from pathlib import Path

from astrolabe.benchmark.imported import Imported
from astrolabe.benchmark.paragraph_rows import ContextRow, ListedRow, MarkedRow, import_paragraphs


def import_hotpotqa(path: Path) -> Imported:
    """Read questions with their paragraphs.

    Three shapes: the published one (`_id`, `question`, `answer`, `supporting_facts`, `context`; lists of pairs or
    objects of lists), `questions.jsonl` with `passages` and `gold` beside `passages.jsonl`, and passages marked
    `is_gold` in each question, of one or several data sets. A question becomes one of kind `set` with one item; its
    gold paragraphs are its evidence, the scopes are these (`simple`), its paragraphs (`middle`) and those of all
    questions (`hard`). A supporting title that no paragraph has is a warning, and so is one that several have.

    Args:
        path: The file, or a folder that holds it as `questions.jsonl`.

    Raises:
        FileError: A file is missing or is in none of the shapes, a record lacks a field, or a question names a
            passage that is not there.
    """
    return import_paragraphs(path, "hotpotqa", {"context": ContextRow, "gold": ListedRow, "dataset": MarkedRow})
