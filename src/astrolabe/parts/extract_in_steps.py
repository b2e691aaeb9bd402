"""Entities first, then relations among them: HiRAG's two steps, a call each and one more for what was missed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from pydantic import BaseModel

from astrolabe.core.protocols import Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.extract import STAGE, TYPES, Extract, Extraction, Extractions, ExtractReply
from astrolabe.parts.parameters import spec_of
from astrolabe.parts.readings import Read, Readings, ask_for, read_passages
from astrolabe.prompts import render
from astrolabe.store.files import write_whole

_MAX_TOKENS: Final = 3_000
_NOTHING: Final = "(nothing)"


class _Kept(BaseModel, frozen=True):
    """An index of extractions as it stands on disk; it lacked nothing."""

    of: dict[str, Extraction]
    cut_short: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractInSteps:
    """Two typed replies for each passage: its entities, then how those are related.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        types: The types of entities, separated by commas.
        gleanings: How often each step goes through the passage again for what it missed, a call each.
    """

    name: ClassVar[str] = "extract_in_steps"
    prompts: ClassVar[tuple[str, ...]] = ("entities.v1", "relations.v1")

    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be asked, before anything runs."""
        _ = spec_of(Extract, self)

    @property
    def cut(self) -> Cut:
        """The passages that are read."""
        return Cut(size=self.size, overlap=self.overlap)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Extractions:
        """Read every passage."""
        return await read_passages(passages, lambda passage: self._read(passage, kit))

    def save(self, index: Extractions, folder: Path) -> None:
        """Write `extractions.json`."""
        write_whole(folder / "extractions.json", _Kept(of=dict(index.of), cut_short=index.cut_short).model_dump_json())

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Extractions:  # noqa: ARG002 - the protocol's
        """Read what `save` wrote."""
        kept = _Kept.model_validate_json((folder / "extractions.json").read_bytes())
        return Readings(of=kept.of, gaps=Gaps(asked=len(passages)), cut_short=kept.cut_short)

    async def _read(self, passage: Passage, kit: Kit) -> Read[Extraction]:
        """Return what a passage holds; without an entity nothing is asked about relations.

        Raises:
            ModelError: The model gave no usable reply.
        """
        found, short = Extraction(), False
        for _ in range(1 + self.gleanings):
            listed = "\n".join(one.name for one in found.entities) or _NOTHING
            holes = {"types": self.types, "passage": passage.text, "found": listed}
            more, cut = await _asked("entities.v1", holes, kit)
            found, short = found + Extraction(entities=more.entities, unread=more.unread), short or cut
        things = "\n".join(one.name for one in found.entities)
        for _ in range(1 + self.gleanings if things else 0):
            listed = "\n".join(f"{one.source} - {one.target}" for one in found.relations) or _NOTHING
            holes = {"entities": things, "passage": passage.text, "found": listed}
            more, cut = await _asked("relations.v1", holes, kit)
            found, short = found + Extraction(relations=more.relations, unread=more.unread), short or cut
        return Read(found, short=short)


async def _asked(name: str, holes: dict[str, str], kit: Kit) -> Read[ExtractReply]:
    prompt = render(name, stage=STAGE, reply=ExtractReply, max_tokens=_MAX_TOKENS, holes=holes)
    return await ask_for(prompt, kit, something=lambda found: bool(found.entities or found.relations))
