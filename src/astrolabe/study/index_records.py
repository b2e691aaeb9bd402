"""What a study's indexes were made of, what they lack and what they cost: read from their manifests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from astrolabe.core.plural import plural
from astrolabe.core.records import Usage
from astrolabe.store.folder import read_manifest

_SHOWN: Final = 3


class IndexRecord(BaseModel):
    """An index that is kept.

    Attributes:
        index: Its spelled name.
        passages: How many passages it was built over.
        model: The model that its build asked; null where it asked none.
        asked: How many replies the build needed.
        failed: Why the missing ones are missing, by what was asked about.
        usage: What the build cost, by stage.
        seconds: How long it took, the indexes that it opened included.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    index: str
    passages: int
    model: str | None = None
    asked: int = 0
    failed: dict[str, str] = {}
    usage: dict[str, Usage] = {}
    seconds: float = 0.0

    @property
    def total(self) -> Usage:
        """What the build cost in all."""
        total = Usage()
        for usage in self.usage.values():
            total = total + usage
        return total

    def lacks(self) -> str:
        """Say what is missing, for people; empty where nothing is."""
        return lacks(self.index, self.asked, self.failed)


def lacks(index: str, asked: int, failed: Mapping[str, str]) -> str:
    """Say what an index is missing, for people; empty where nothing is."""
    if not failed:
        return ""
    shown = "; ".join(f"{what}: {reason}" for what, reason in list(failed.items())[:_SHOWN])
    more = len(failed) - _SHOWN
    tail = f"; and {more} more" if more > 0 else ""
    return f"{index} lacks {len(failed)} of {asked} {plural(asked, 'reply', 'replies')}: {shown}{tail}"


def index_records(indexes: Path) -> list[IndexRecord]:
    """Return the records of all kept indexes that asked a model, by name and size."""
    found: list[IndexRecord] = []
    for folder in sorted(indexes.iterdir() if indexes.is_dir() else ()):
        try:
            record = IndexRecord.model_validate(read_manifest(folder) or {})
        except ValidationError:
            continue
        if record.asked:
            found.append(record)
    return sorted(found, key=lambda record: (record.index, record.passages))
