"""What a parser finds in a file: the message from the parsing process to ours."""

from typing import Self

from astrolabe.core.records import Extra, Record
from astrolabe.core.text import Text, clean_text


class Extract(Record):
    """A file's or a record's text, before it becomes a document.

    `place` says where in a file of records it stands (an id or a line number), null for whole files.
    `failure` says why there is no text; `emptiness` is the reason to give where the text is blank.
    """

    text: Text = ""
    media_type: Text
    title: Text | None = None
    date: Text | None = None
    warnings: tuple[Text, ...] = ()
    extra: Extra = {}  # noqa: RUF012 - pydantic copies it
    place: Text | None = None
    failure: Text | None = None
    emptiness: Text = "the file holds no text"

    @classmethod
    def of(cls, text: str, *, media_type: str, title: str | None = None, date: str | None = None) -> Self:
        """Return an extract of any text: what cannot be stored is replaced, and a warning counts it."""
        cleaned = clean_text(text)
        warnings: list[str] = []
        if cleaned.nuls:
            warnings.append(f"{cleaned.nuls} NUL character(s) replaced by U+FFFD")
        if cleaned.surrogates:
            warnings.append(f"{cleaned.surrogates} half surrogate pair(s) replaced by U+FFFD")
        return cls(
            text=cleaned.text,
            media_type=media_type,
            title=_one_line(title),
            date=date,
            warnings=tuple(warnings),
        )

    def warned(self, *warnings: str | None) -> Self:
        """Return a copy with further warnings; nulls are left out."""
        added = tuple(clean_text(warning).text for warning in warnings if warning)
        return self.model_copy(update={"warnings": (*self.warnings, *added)})


class Unreadable(Exception):
    """A file that cannot be turned into text; the message is the reason people read."""


def _one_line(title: str | None) -> str | None:
    shown = " ".join(clean_text(title or "").text.split())
    return shown or None
