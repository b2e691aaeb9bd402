"""Entities and relations of passages: one typed reply a passage, for all methods that build a graph."""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Self, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, Field, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic.json_schema import SkipJsonSchema

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
LONGEST_REPLY: Final = 2 * _MAX_TOKENS
"""Tokens of the longest reply: one that is cut is asked for again with twice the limit."""
_PHRASE: Final = 200
_log = logging.getLogger(__name__)
R = TypeVar("R", bound=BaseModel)


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


def told(**bound: int) -> Any:  # noqa: ANN401 - as pydantic's `Field` has it
    """Return a bound that servers are told, where it ends endless replies; it turns nothing away here."""
    return Field(json_schema_extra={**bound})


class ExtractedEntity(BaseModel, frozen=True, coerce_numbers_to_str=True):
    """A thing that a passage speaks of."""

    name: Annotated[str, Field(max_length=300)]
    type: Annotated[str, told(maxLength=100)] = ""
    description: Annotated[str, told(maxLength=3_000)] = ""


class ExtractedRelation(BaseModel, frozen=True, coerce_numbers_to_str=True):
    """How a passage says that two things are related; `strength` is from 1 to 10."""

    source: Annotated[str, Field(max_length=300)]
    target: Annotated[str, Field(max_length=300)]
    description: Annotated[str, told(maxLength=3_000)] = ""
    keywords: Annotated[
        tuple[Annotated[str, Field(max_length=_PHRASE)], ...], told(maxItems=12), BeforeValidator(_phrases)
    ] = ()
    strength: Annotated[float, Field(ge=1, le=10), BeforeValidator(_strength)] = 1.0


class Extraction(BaseModel, frozen=True):
    """What was read in one passage; `unread` counts the records of the replies that could not be."""

    entities: Annotated[tuple[ExtractedEntity, ...], told(maxItems=80)] = ()
    relations: Annotated[tuple[ExtractedRelation, ...], told(maxItems=120)] = ()
    unread: SkipJsonSchema[int] = 0

    def __add__(self, more: "Extraction") -> "Extraction":
        """Return both lists."""
        return Extraction(
            entities=(*self.entities, *more.entities),
            relations=(*self.relations, *more.relations),
            unread=self.unread + more.unread,
        )


class ExtractReply(Extraction, frozen=True):
    """The entities of a text and their relations."""

    # A record that cannot be read is left out and counted, the others stay. A reply with records none of which can
    # be read is no extraction, and neither is an object without either list. (Servers are told the docstring.)
    @model_validator(mode="wrap")
    @classmethod
    def _readable(cls, value: object, validated: ModelWrapValidatorHandler[Self]) -> Self:
        given = _without_nulls(value)
        if not given.keys() & {"entities", "relations"}:
            raise ValueError("it has neither a list of entities nor one of relations")
        entities, lost_entities = _read_each(given.get("entities", []), ExtractedEntity)
        relations, lost_relations = _read_each(given.get("relations", []), ExtractedRelation)
        reply = validated({"entities": entities, "relations": relations} if entities or relations else given)
        return reply.model_copy(update={"unread": lost_entities + lost_relations})


def _read_each(listed: object, kind: type[R]) -> tuple[Sequence[R], int]:
    """Return the records of a list that can be read, and how many cannot."""
    if not isinstance(listed, list | tuple):
        raise ValueError(f"a list is needed, not {str(listed)[:60]!r}")  # noqa: TRY004 - pydantic hears value errors
    records = cast("Sequence[object]", listed)
    read: list[R] = []
    for record in records:
        with suppress(ValidationError):
            read.append(kind.model_validate(_without_nulls(record)))
    return read, len(records) - len(read)


def _without_nulls(record: object) -> Mapping[str, object]:
    """Return an object's fields that are not null; none of what is no object."""
    fields = cast("Mapping[str, object]", record if isinstance(record, dict) else {})
    return {name: value for name, value in fields.items() if value is not None}


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
        readings = await read_passages(passages, lambda passage: self._read(passage, kit))
        _tell(list(readings.of.values()))
        return readings

    def save(self, index: Extractions, folder: Path) -> None:
        """Write `extractions.json`."""
        write_whole(folder / "extractions.json", _Kept(of=dict(index.of), cut_short=index.cut_short).model_dump_json())

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Extractions:  # noqa: ARG002 - the protocol's
        """Read what `save` wrote."""
        kept = _Kept.model_validate_json((folder / "extractions.json").read_bytes())
        return Readings(of=kept.of, gaps=Gaps(asked=len(passages)), cut_short=kept.cut_short)

    async def _read(self, passage: Passage, kit: Kit) -> Read[Extraction]:
        """Return what a passage holds, and whether a reply was cut short.

        Raises:
            ModelError: The model gave no usable reply.
        """
        holes = {"types": self.types, "passage": passage.text}
        found: Extraction
        found, short = await _asked("extract.v1", holes, kit)
        for _ in range(self.gleanings):
            shown = "\n".join(_written(found)) or "(nothing)"
            more, more_short = await _asked("extract_more.v1", {**holes, "found": shown}, kit)
            found, short = found + more, short or more_short
        return Read(found, short=short)


async def _asked(name: str, holes: Mapping[str, str], kit: Kit) -> Read[ExtractReply]:
    prompt = render(name, stage=STAGE, reply=ExtractReply, max_tokens=_MAX_TOKENS, holes=holes)
    return await ask_for(prompt, kit, something=lambda found: bool(found.entities))


def _tell(found: Sequence[Extraction]) -> None:
    """Warn of records that could not be read, and of a scope in which nothing was found."""
    if unread := sum(one.unread for one in found):
        records = unread + sum(len(one.entities) + len(one.relations) for one in found)
        _log.warning("%d of %d records of the extraction could not be read and are left out", unread, records)
    if found and not any(one.entities or one.relations for one in found):
        _log.warning("the extraction found nothing in %d of %d passages: there is no graph", len(found), len(found))


def _written(found: Extraction) -> Iterable[str]:
    yield from (f"{entity.name} ({entity.type}): {entity.description}" for entity in found.entities)
    yield from (f"{relation.source} - {relation.target}: {relation.description}" for relation in found.relations)
