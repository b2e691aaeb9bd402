"""What a parser finds in a file: the message from the parsing process to ours.

The parsing process starts for every read, so what it imports is light: no pydantic, no records.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """A file's or a record's text, before it becomes a document; its texts need not be storable yet.

    Attributes:
        text: The text, Markdown where the format has headings, lists or tables.
        media_type: What the file is.
        title: The title that the file gives itself.
        date: YYYY, YYYY-MM or YYYY-MM-DD.
        warnings: What people should know about how the text was come by.
        extra: What else the file says.
        place: Where in a file of records it stands (an id or a line number); null for whole files.
        failure: Why there is no text; null where there is one.
        emptiness: The reason to give where the text is blank.
    """

    text: str = ""
    media_type: str
    title: str | None = None
    date: str | None = None
    warnings: tuple[str, ...] = ()
    extra: "dict[str, JsonValue]" = field(default_factory=dict)
    place: str | None = None
    failure: str | None = None
    emptiness: str = "the file holds no text"

    def warned(self, *warnings: str | None) -> "Extract":
        """Return a copy with further warnings; nulls are left out."""
        return replace(self, warnings=(*self.warnings, *filter(None, warnings)))

    def line(self) -> bytes:
        """Return the extract as one line of ASCII; half surrogate pairs survive it."""
        return json.dumps(asdict(self)).encode("ascii") + b"\n"


def read_extract(line: bytes) -> Extract:
    """Return the extract that `Extract.line` wrote."""
    read = json.loads(line)
    read["warnings"] = tuple(read["warnings"])
    return Extract(**read)


class Unreadable(Exception):
    """A file that cannot be turned into text; the message is the reason people read."""
