"""PDF by PDFium: the lines as printed, then reflowed. Only ever called in a process of its own."""

# a part of pypdfium2 has no types:
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from astrolabe.documents.extract import Extract, Unreadable
from astrolabe.documents.markdown import one_line
from astrolabe.documents.reflow import PrintedLine, reflow, without_running_lines
from astrolabe.documents.sniff import MEDIA_TYPES

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

_HYPHEN: Final = "\ufffe"
"""What PDFium writes for a hyphen at the end of a line; the line break behind it is left out."""
_LINE: Final = re.compile(rf"([^\r\n{_HYPHEN}]*)(\r\n|\r|\n|{_HYPHEN}|\Z)")
_NO_TITLE: Final = re.compile(r"untitled.*|microsoft word - .*|.*\.(docx?|indd|tex|qxd|dvi|pdf)|\W*", re.IGNORECASE)
_LOWER_MARGIN: Final = 0.1
_UPPER_MARGIN: Final = 0.92
_LONGEST_TITLE: Final = 200
_NO_TEXT: Final = "no extractable text: the pages are pictures or blank; run OCR over the file and ingest the result"


def read_pdf(content: bytes) -> Extract:
    """Return a PDF's text as Markdown paragraphs and headings.

    Raises:
        Unreadable: Encrypted or damaged; gives PDFium's message.
    """
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(content)
        pages = [_lines(document, number) for number in range(len(document))]
        pictures = [number + 1 for number, lines in enumerate(pages) if not lines and _has_picture(document[number])]
        title: str = document.get_metadata_value("Title")
    except PdfiumError as error:
        reason = "it is encrypted: save it without a password" if "assword" in str(error) else str(error)
        msg = f"PDF cannot be read: {reason}"
        raise Unreadable(msg) from error
    lines, left_out = without_running_lines(pages)
    extract = Extract(
        text=reflow(lines),
        media_type=MEDIA_TYPES["pdf"],
        title=_first_heading(lines) if _NO_TITLE.fullmatch(one_line(title)) else title,
    )
    extra = {"pages": len(pages), **({"running_lines_left_out": left_out} if left_out else {})}
    return replace(extract, emptiness=_NO_TEXT, extra=extra).warned(_without_text(pictures, len(pages)))


def _without_text(pictures: list[int], pages: int) -> str | None:
    if not pictures or len(pictures) == pages:
        return None
    shown = ", ".join(map(str, pictures[:10])) + (", ..." if len(pictures) > 10 else "")  # noqa: PLR2004 - what one reads
    return f"{len(pictures)} of {pages} page(s) hold pictures and no text (page {shown}); run OCR to read them"


def _lines(document: "PdfDocument", number: int) -> list[PrintedLine]:
    page = document[number]
    shown = page.get_textpage()
    text: str = shown.get_text_range()
    # PDFium counts a character beyond the first plane as two.
    wide = [place for place, character in enumerate(text) if character > "\uffff"]
    placed = len(text) + len(wide) == shown.count_chars()
    lines: list[PrintedLine] = []
    for found in _LINE.finditer(text):
        bare = found[1].strip()
        if bare:
            first = found.start() + found[1].index(bare)
            span = tuple(place + bisect_left(wide, place) for place in (first, first + len(bare) - 1))
            line = PrintedLine(text=bare, page=number, broken=found[2] == _HYPHEN)
            lines.append(_placed(shown, line, span, page.get_height()) if placed else line)
    shown.close()
    page.close()
    return lines


def _placed(shown: "PdfTextPage", line: PrintedLine, span: Sequence[int], height: float) -> PrintedLine:
    first, last = _box(shown, span[0]), _box(shown, span[-1])
    size = _type_size(shown, (span[0] + span[-1]) // 2)
    in_margin = not _LOWER_MARGIN * height < first.bottom < _UPPER_MARGIN * height
    return replace(line, left=first.left, bottom=first.bottom, right=last.right, size=size, in_margin=in_margin)


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float


def _box(shown: "PdfTextPage", character: int) -> _Box:
    return _Box(*shown.get_charbox(character, loose=True))


def _type_size(shown: "PdfTextPage", character: int) -> float:
    from pypdfium2 import raw

    matrix = raw.FS_MATRIX()
    scaled = raw.FPDFText_GetMatrix(shown, character, matrix)
    return float(raw.FPDFText_GetFontSize(shown, character)) * (math.hypot(matrix.c, matrix.d) if scaled else 1.0)


def _has_picture(page: "PdfPage") -> bool:
    from pypdfium2 import raw

    pictures = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE])  # pyright: ignore[reportArgumentType] - its default is none
    return any(True for _ in pictures)


def _first_heading(lines: list[PrintedLine]) -> str | None:
    first = [line for line in lines if line.page == 0 and re.search(r"[^\W\d_]{2}", line.text)]
    largest = max((line.size for line in first), default=0.0)
    title = [line.text for line in first if line.size > 0.98 * largest]
    whole = one_line(" ".join(title))
    return whole if whole and len(whole) <= _LONGEST_TITLE else None
