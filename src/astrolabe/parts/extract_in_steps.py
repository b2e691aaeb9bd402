"""Entities first, then relations among them: HiRAG's two steps, a call each and one more for what was missed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Passage
from astrolabe.parts.extract import STAGE, Extract, Extraction, Extractions, ExtractReply
from astrolabe.parts.readings import Read, ask_for, read_passages
from astrolabe.prompts import render

_MAX_TOKENS: Final = 3_000
_NOTHING: Final = "(nothing)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractInSteps(Extract):
    """Two typed replies for each passage: its entities, then how those are related.

    Its parameters are those of `Extract`; each step is gone through again as often as `gleanings` says.
    """

    name: ClassVar[str] = "extract_in_steps"
    prompts: ClassVar[tuple[str, ...]] = ("entities.v1", "relations.v1")

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Extractions:
        """Read every passage."""
        return await read_passages(passages, lambda passage: self._read(passage, kit))

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
