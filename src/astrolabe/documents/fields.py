"""Which field of a JSON record holds what."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFields:
    """Names of the fields of JSON records; a dot leads into an object, as in `paper.title`.

    Where the text's field is not named, the first of `text`, `content`, `body`, `abstract`,
    `meta.content` and `contents` that holds something is taken; a title that the record lacks is looked for under
    `meta`, too. A field may hold a string or lists of strings, such as paragraphs, which
    are joined by empty lines. A record's `id` names its place in the file instead of its line number.
    """

    text: str | None = None
    id: str = "id"
    title: str = "title"
    date: str = "date"
    source: str = "source"
