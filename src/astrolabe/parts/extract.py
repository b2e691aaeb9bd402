"""Entities and relations of passages: one typed reply a passage, for all methods that build a graph."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, Field

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.ask_all import ask_all
from astrolabe.prompts import render
from astrolabe.prompts.template import PLAIN_CHARACTERS
from astrolabe.store.files import write_whole

STAGE: Final = "index.extract"
TYPES: Final = (
    "method, task, dataset, metric, finding, concept, organization, person, location, product, event, work, date"
)
"""What entities are of, unless a corpus has types of its own."""
FOUR_TYPES: Final = "organization, person, location, event"
"""The types of the published runs."""
_MAX_TOKENS: Final = 3_000


class ExtractedEntity(BaseModel, frozen=True):
    """A thing that a passage speaks of."""

    name: Annotated[str, Field(max_length=300)]
    type: Annotated[str, Field(max_length=100)] = ""
    description: Annotated[str, Field(max_length=3_000)] = ""


class ExtractedRelation(BaseModel, frozen=True):
    """How a passage says that two things are related; `strength` is of 1 to 10."""

    source: Annotated[str, Field(max_length=300)]
    target: Annotated[str, Field(max_length=300)]
    description: Annotated[str, Field(max_length=3_000)] = ""
    keywords: Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=12)] = ()
    strength: Annotated[float, Field(ge=0, le=100)] = 1.0


class Extraction(BaseModel, frozen=True):
    """What was read in one passage."""

    entities: Annotated[tuple[ExtractedEntity, ...], Field(max_length=80)] = ()
    relations: Annotated[tuple[ExtractedRelation, ...], Field(max_length=120)] = ()

    def __add__(self, more: "Extraction") -> "Extraction":
        """Return both lists."""
        return Extraction.model_construct(
            entities=(*self.entities, *more.entities), relations=(*self.relations, *more.relations)
        )


class _Kept(BaseModel, frozen=True):
    """An index of extractions as it stands on disk; it lacked nothing."""

    of: dict[str, Extraction]
    cut_short: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractions:
    """What was read in each passage of a scope.

    Attributes:
        of: By passage id, in the order of the passages; those that failed are missing.
        gaps: Which passages could not be read, and why.
        cut_short: Passages whose reply ended at the token limit: its whole items are there.
    """

    of: Mapping[str, Extraction]
    gaps: Gaps = field(default_factory=Gaps)
    cut_short: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """One typed reply for each passage: its entities and their relations, with themes.

    The reply hangs on the passage alone, so that all scopes and methods share it in the record of calls.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        types: The types of entities, separated by commas.
        gleanings: How often a passage is gone through again for what was missed, a call each.
    """

    name: ClassVar[str] = "extract"
    prompts: ClassVar[tuple[str, ...]] = ("extract.v1", "extract_more.v1")

    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be asked, before anything runs."""
        _ = self.cut
        if not self.types.strip(" ,") or len(self.types) > PLAIN_CHARACTERS or self.gleanings < 0:
            msg = (
                f"extraction needs types (at most {PLAIN_CHARACTERS} characters) and gleanings >= 0, got "
                f"types={self.types!r}, gleanings={self.gleanings!r}"
            )
            raise ConfigError(msg)

    @property
    def cut(self) -> Cut:
        """The passages that are read."""
        return Cut(size=self.size, overlap=self.overlap)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Extractions:
        """Read every passage; equal texts are asked about once."""
        outcomes = await ask_all(passages, lambda passage: self._read(passage, kit))
        read = list(zip(passages, outcomes, strict=True))
        return Extractions(
            of={passage.id: outcome[0] for passage, outcome in read if not isinstance(outcome, ModelError)},
            gaps=Gaps(
                asked=len(passages),
                failed={passage.id: outcome.reason for passage, outcome in read if isinstance(outcome, ModelError)},
            ),
            cut_short=tuple(
                passage.id for passage, outcome in read if not isinstance(outcome, ModelError) and outcome[1]
            ),
        )

    def save(self, index: Extractions, folder: Path) -> None:
        """Write `extractions.json`."""
        write_whole(folder / "extractions.json", _Kept(of=dict(index.of), cut_short=index.cut_short).model_dump_json())

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Extractions:  # noqa: ARG002 - the protocol's
        """Read what `save` wrote."""
        kept = _Kept.model_validate_json((folder / "extractions.json").read_bytes())
        return Extractions(of=kept.of, gaps=Gaps(asked=len(passages)), cut_short=kept.cut_short)

    async def _read(self, passage: Passage, kit: Kit) -> tuple[Extraction, bool]:
        """Return what a passage holds, and whether a reply was cut short.

        Raises:
            ModelError: The model gave no usable reply.
        """
        holes = {"types": self.types, "passage": passage.text}
        found, short = await _asked("extract.v1", holes, kit)
        for _ in range(self.gleanings):
            shown = "\n".join(_written(found))
            more, more_short = await _asked("extract_more.v1", {**holes, "found": shown or "(nothing)"}, kit)
            found, short = found + more, short or more_short
        return found, short


async def _asked(name: str, holes: Mapping[str, str], kit: Kit) -> tuple[Extraction, bool]:
    prompt = render(name, stage=STAGE, reply=Extraction, max_tokens=_MAX_TOKENS, holes=holes)
    try:
        return (await kit.llm.ask(prompt)).value, False
    except ModelError as error:
        if isinstance(error.partial, Extraction) and error.partial.entities:
            return error.partial, True
        raise


def _written(found: Extraction) -> Iterable[str]:
    yield from (f"{entity.name} ({entity.type}): {entity.description}" for entity in found.entities)
    yield from (f"{relation.source} - {relation.target}: {relation.description}" for relation in found.relations)
