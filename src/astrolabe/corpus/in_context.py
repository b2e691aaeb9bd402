"""Passages of a wiki's page: one section and one kind each, title, headings and header row in front, nothing cut."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from astrolabe.core.ids import passage_id
from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Passage, PassageKind
from astrolabe.core.tokens import count_tokens
from astrolabe.corpus.atoms import Atoms, cut_atoms
from astrolabe.corpus.outline import Block, outline
from astrolabe.corpus.stretches import SPACES, Level, Stretches
from astrolabe.parts.sentences import sentence_spans

GOES_ON: Final = "\N{HORIZONTAL ELLIPSIS} "
"""Stands in front of a passage that begins inside a sentence, a list item or a row that is longer than a passage."""
_CLAUSE: Final = re.compile(r"[,;:\N{EM DASH}\N{EN DASH})][ \n]+|[\uff0c\uff1b\uff1a\u3001]| \| ")
_CAPTION: Final = "Table: "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Blocks of one section and one kind that follow each other.

    `rows` is where a table's rows begin, behind its caption and header; otherwise the run's own beginning.
    """

    start: int
    end: int
    rows: int
    kind: PassageKind
    section: tuple[str, ...]
    blocks: tuple[Block, ...]


def cut_in_context(document: Document, cut: Cut) -> list[Passage]:
    """Return the passages of a document whose passages stand in context, in order.

    A passage is of one section and of one kind: text, a list (an infobox is one), a table. In front of it stand the
    page's title and the headings above it as `# Page`, `## Section` and so on, an empty line, and for a table its
    caption and its header row. All of this counts: no passage has more than `cut.size` tokens. It ends between
    sentences, list items or rows, as `cut_document` says; one that is longer than a passage alone is cut at a cell or a
    clause, else at a word, and the passage that goes on with it begins with an ellipsis.

    Context takes half of a passage at most: first a header row is repeated no more, then the headings between the title
    and the last one are left out, then the title is cut. Passages share sentences, items or rows of at most
    `cut.overlap` tokens, never parts of them. Headings without text of their own make no passage, but stand in those
    below them. All other characters of the document lie in the range of a passage.
    """
    runs = _runs(document.text, outline(document.text))
    return [passage for run in runs for passage in _passages(document, run, cut)]


def _runs(text: str, blocks: Sequence[Block]) -> Iterator[_Run]:
    ends = [*(block.start for block in blocks[1:]), len(text)]
    group: list[tuple[Block, int]] = []
    for block, end in zip(blocks, ends, strict=True):
        if group and not _goes_together(text, group[-1], block):
            yield _run(group)
            group = []
        if not block.is_heading:
            group.append((block, end))
    if group:
        yield _run(group)


def _goes_together(text: str, last: tuple[Block, int], block: Block) -> bool:
    before, end = last
    if block.is_heading or before.section != block.section or before.kind == "table":
        return False
    if block.kind == "table":
        return text.startswith(_CAPTION, before.start) and not text[before.start : end].endswith("\n\n")
    is_caption = text.startswith(_CAPTION, block.start)
    return before.kind == block.kind and not is_caption


def _run(group: Sequence[tuple[Block, int]]) -> _Run:
    last, end = group[-1]
    start = group[0][0].start
    rows = start
    if last.kind == "table":
        rows = last.parts[0] if last.parts else end
    return _Run(
        start=start,
        end=end,
        rows=rows,
        kind=last.kind,
        section=last.section,
        blocks=tuple(block for block, _ in group),
    )


def _passages(document: Document, run: _Run, cut: Cut) -> Iterator[Passage]:
    text = document.text
    headings = _headings(run.section, cut.size // 2)
    header = text[run.start : run.rows]
    context = headings + header
    start = run.rows
    if run.rows in {run.start, run.end} or count_tokens(context) > cut.size // 2:
        context, start = headings, run.start
    left = max(1, cut.size - count_tokens(context) - count_tokens(GOES_ON))
    own = replace(cut, size=left, overlap=min(cut.overlap, left - 1))
    for begin, end, is_whole in _stretches(text[start : run.end], start, run, own):
        first = begin == start
        begins = run.start if first else begin
        above = headings if first else context if is_whole else context + GOES_ON
        yield _passage(document, run, begins, end, context=above)


def _passage(document: Document, run: _Run, start: int, end: int, *, context: str) -> Passage:
    whole = context + document.text[start:end]
    return Passage(
        id=passage_id(document.id, start, end, context),
        document_id=document.id,
        text=whole,
        start=start,
        end=end,
        section=run.section,
        kind=run.kind,
        tokens=count_tokens(whole),
    )


def _stretches(text: str, start: int, run: _Run, cut: Cut) -> Iterator[tuple[int, int, bool]]:
    """Yield where each stretch begins and ends in the document, and whether it begins with a sentence, item or row."""
    atoms = cut_atoms(text, single_characters=cut.size < Atoms.LONGEST)
    if not len(atoms):
        yield start, start + len(text), True
        return
    levels = _levels(text, atoms, [place - start for place in _parts(run)], run.kind)
    for one in Stretches(text=text, atoms=atoms, levels=levels, cut=cut, keep_whole=True).all():
        is_whole = one.first == 0 or bool(levels[one.first] >= Level.SENTENCE)
        yield start + one.start, start + one.end, is_whole


def _parts(run: _Run) -> list[int]:
    return [place for block in run.blocks for place in (block.start, *block.parts)]


def _levels(text: str, atoms: Atoms, parts: Sequence[int], kind: PassageKind) -> npt.NDArray[np.uint8]:
    """Return how good a border lies before each atom: in a list or a table, a sentence within an item is a clause."""
    levels = np.zeros(len(atoms) + 1, dtype=np.uint8)
    words = [number for number in range(1, len(atoms)) if text[atoms.place(number) - 1] in SPACES]
    levels[words] = Level.WORD
    levels[atoms.at([found.end() for found in _CLAUSE.finditer(text)])] = Level.CLAUSE
    sentences = [begin for begin, _ in sentence_spans(text)]
    levels[atoms.at(sentences)] = Level.SENTENCE if kind == "text" else Level.CLAUSE
    levels[atoms.at([place for place in parts if place >= 0])] = Level.PART
    return levels


def _headings(section: Sequence[str], most: int) -> str:
    """Return the lines of the headings and an empty one, in at most so many tokens."""
    for chosen in (section, [*section[:1], *section[1:][-1:]], section[:1]):
        written = _written(chosen)
        if count_tokens(written) <= most:
            return written
    words = section[0].split()
    for end in range(len(words) - 1, 0, -1):
        written = _written([" ".join(words[:end])])
        if count_tokens(written) <= most:
            return written
    return ""


def _written(section: Sequence[str]) -> str:
    lines = [f"{'#' * min(level, 6)} {title}" for level, title in enumerate(section, start=1)]
    return "\n".join(lines) + "\n\n" if lines else ""
