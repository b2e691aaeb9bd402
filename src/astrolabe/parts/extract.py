"""Entities and relations of passages: one typed reply a passage, for all methods that build a graph."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, Field

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.readings import Read, Readings, ask_for, read_passages
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


def _strength(value: object) -> float:
    """Return a strength from 1 to 10: what lies outside is taken as the nearer end, what is no number as 1."""
    try:
        number = float(value) if isinstance(value, int | float | str) else 1.0
    except ValueError:
        number = 1.0
    return min(max(number, 1.0), 10.0) if math.isfinite(number) else 1.0


def _phrases(value: object) -> Sequence[str]:
    """Return the texts of a list, or a text alone; what is none or longer than a phrase is left out."""
    listed = cast("Sequence[object]", value if isinstance(value, list | tuple) else [value])
    return [phrase for phrase in listed if isinstance(phrase, str) and phrase.strip() and len(phrase) <= _PHRASE]


def _at_most(**bound: int) -> object:
    """Return a bound that is told to servers, where it ends endless replies, and that turns nothing away here."""
    return Field(json_schema_extra=dict[str, JsonValue](bound))


class ExtractedEntity(BaseModel, frozen=True, coerce_numbers_to_str=True):
    """A thing that a passage speaks of."""

    name: Annotated[str, Field(max_length=300)]
    type: Annotated[str, _at_most(maxLength=100)] = ""
    description: Annotated[str, _at_most(maxLength=3_000)] = ""


class ExtractedRelation(BaseModel, frozen=True, coerce_numbers_to_str=True):
    """How a passage says that two things are related; `strength` is from 1 to 10."""

    source: Annotated[str, Field(max_length=300)]
    target: Annotated[str, Field(max_length=300)]
    description: Annotated[str, _at_most(maxLength=3_000)] = ""
    keywords: Annotated[
        tuple[Annotated[str, Field(max_length=_PHRASE)], ...], BeforeValidator(_phrases), _at_most(maxItems=12)
    ] = ()
    strength: Annotated[float, BeforeValidator(_strength), Field(ge=1, le=10)] = 1.0


class Extraction(BaseModel, frozen=True):
    """What was read in one passage."""

    entities: Annotated[tuple[ExtractedEntity, ...], _at_most(maxItems=80)] = ()
    relations: Annotated[tuple[ExtractedRelation, ...], _at_most(maxItems=120)] = ()

    def __add__(self, more: "Extraction") -> "Extraction":
        """Return both lists."""
        return Extraction(entities=(*self.entities, *more.entities), relations=(*self.relations, *more.relations))


class ExtractReply(Extraction, frozen=True):
    """An extraction as a model writes it: a record that cannot be read is left out and counted, the others stay.

    A reply with records none of which can be read is no extraction, and neither is an object without either list.
    """

    _unread: int = PrivateAttr(default=0)

    @property
    def unread(self) -> int:
        """How many records could not be read."""
        return self._unread

    @model_validator(mode="wrap")
    @classmethod
    def _readable(cls, value: object, validated: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, dict) or not value.keys() & cls.model_fields.keys():
            raise ValueError("neither a list of entities nor one of relations")
        lists = {name: listed for name, listed in value.items() if listed is not None}
        entities, bad_entities = _read_each(lists.get("entities", []), ExtractedEntity)
        relations, bad_relations = _read_each(lists.get("relations", []), ExtractedRelation)
        unread = bad_entities + bad_relations
        reply = validated(lists if unread and not (entities or relations) else {"entities": entities, "relations": relations})
        reply._unread = unread
        return reply


class _Kept(BaseModel, frozen=True):
    """An index of extractions as it stands on disk; it lacked nothing."""

    of: dict[str, Extraction]
    cut_short: tuple[str, ...]


Extractions = Readings[Extraction]
"""What was read in each passage of a scope."""


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
        return await read_passages(passages, lambda passage: self._read(passage, kit))

    def save(self, index: Extractions, folder: Path) -> None:
        """Write `extractions.json`."""
        write_whole(folder / "extractions.json", _Kept(of=dict(index.of), cut_short=index.cut_short).model_dump_json())

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Extractions:  # noqa: ARG002 - the protocol's
        """Read what `save` wrote."""
        kept = _Kept.model_validate_json((folder / "extractions.json").read_bytes())
        return Extractions(of=kept.of, gaps=Gaps(asked=len(passages)), cut_short=kept.cut_short)

    async def _read(self, passage: Passage, kit: Kit) -> Read[Extraction]:
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
        return Read(found, short=short)


async def _asked(name: str, holes: Mapping[str, str], kit: Kit) -> Read[Extraction]:
    prompt = render(name, stage=STAGE, reply=Extraction, max_tokens=_MAX_TOKENS, holes=holes)
    return await ask_for(prompt, kit, something=lambda found: bool(found.entities))


def _written(found: Extraction) -> Iterable[str]:
    yield from (f"{entity.name} ({entity.type}): {entity.description}" for entity in found.entities)
    yield from (f"{relation.source} - {relation.target}: {relation.description}" for relation in found.relations)
