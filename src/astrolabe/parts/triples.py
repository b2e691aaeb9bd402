"""Facts of three parts, read in passages without any list of types: the open extraction of HippoRAG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal, cast

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, model_validator

from astrolabe.core.protocols import Cut, Gaps, IndexSpec, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.readings import Read, Readings, ask_for, read_passages
from astrolabe.prompts import render
from astrolabe.store.files import write_whole

STAGE: Final = "index.triples"
_MAX_TOKENS: Final = 2_000
_PARTS: Final = ("subject", "relation", "object")
_LONGEST: Final = 300


def _names(listed: object) -> object:
    """Return the names of a list; what is none, or longer than any name, is left out."""
    if not isinstance(listed, list | tuple):
        return listed
    texts = [_text(name) for name in cast("Sequence[JsonValue]", listed)]
    return [text for text in texts if text.strip()]


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else ""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


# Servers are told how many there may be, which ends endless replies; a longer list is taken whole.
Name = Annotated[str, Field(max_length=_LONGEST)]
Names = Annotated[tuple[Name, ...], Field(json_schema_extra={"maxItems": 80}), BeforeValidator(_names)]


class Triple(BaseModel, frozen=True):
    """What a passage says of a subject; a part that the reply left out is empty, and whoever builds on it counts it."""

    subject: Name = ""
    relation: Name = ""
    object: Name = ""

    @model_validator(mode="before")
    @classmethod
    def _as_texts(cls, given: "JsonValue | Triple") -> "JsonValue | Triple":
        """Take a list of three for its parts, and numbers for texts; anything else, and anything too long, is empty."""
        if isinstance(given, Triple):
            return given
        if isinstance(given, list) and len(given) == len(_PARTS):
            given = dict(zip(_PARTS, given, strict=True))
        named = given if isinstance(given, dict) else {}
        return {part: _text(named.get(part)) for part in _PARTS}


class NamesRead(BaseModel, frozen=True):
    """What a text names."""

    entities: Names = ()


class TriplesRead(BaseModel, frozen=True):
    """What a passage says of things that are known."""

    triples: Annotated[tuple[Triple, ...], Field(json_schema_extra={"maxItems": 150})] = ()


class NamesAndTriples(TriplesRead, frozen=True):
    """What a passage names and what it says."""

    entities: Names = ()


class _Kept(BaseModel, frozen=True):
    """Triples as they stand on disk; they lacked nothing."""

    of: dict[str, NamesAndTriples]
    cut_short: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfPassages:
    """Over which passages triples are read, and how they are kept.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
    """

    size: int = 1200
    overlap: int = 100

    def __post_init__(self) -> None:
        """Refuse a cut that cannot be made."""
        _ = self.cut

    @property
    def cut(self) -> Cut:
        """The passages that are read."""
        return Cut(size=self.size, overlap=self.overlap)

    def save(self, index: Readings[NamesAndTriples], folder: Path) -> None:
        """Write `triples.json`."""
        write_whole(folder / "triples.json", _Kept(of=dict(index.of), cut_short=index.cut_short).model_dump_json())

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Readings[NamesAndTriples]:  # noqa: ARG002 - the protocol's
        """Read what `save` wrote."""
        kept = _Kept.model_validate_json((folder / "triples.json").read_bytes())
        return Readings(of=kept.of, gaps=Gaps(asked=len(passages)), cut_short=kept.cut_short)


@dataclass(frozen=True, slots=True, kw_only=True)
class Triples(_OfPassages):
    """One typed reply a passage: its names and its triples.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
    """

    name: ClassVar[str] = "triples"
    prompts: ClassVar[tuple[str, ...]] = ("triples.v1",)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Readings[NamesAndTriples]:
        """Read every passage."""

        async def read(passage: Passage) -> Read[NamesAndTriples]:
            """Return a passage's names and triples."""
            holes = {"passage": passage.text}
            prompt = render("triples.v1", stage=STAGE, reply=NamesAndTriples, max_tokens=_MAX_TOKENS, holes=holes)
            return await ask_for(prompt, kit, something=lambda found: bool(found.triples))

        return await read_passages(passages, read)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriplesInTwo(_OfPassages):
    """Two replies a passage, as HippoRAG publishes it: the names first, then triples given the names.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
    """

    name: ClassVar[str] = "triples_in_two"
    prompts: ClassVar[tuple[str, ...]] = ("names.v1", "triples_of.v1")

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Readings[NamesAndTriples]:
        """Read every passage twice."""

        async def read(passage: Passage) -> Read[NamesAndTriples]:
            """Return what one passage names and says."""
            holes = {"passage": passage.text}
            asked = render("names.v1", stage=STAGE, reply=NamesRead, max_tokens=_MAX_TOKENS, holes=holes)
            named = await ask_for(asked, kit, something=lambda found: bool(found.entities))
            holes |= {"entities": "\n".join(" ".join(name.split()) for name in named.found.entities) or "(none)"}
            asked = render("triples_of.v1", stage=STAGE, reply=TriplesRead, max_tokens=_MAX_TOKENS, holes=holes)
            said = await ask_for(asked, kit, something=lambda found: bool(found.triples))
            both = NamesAndTriples(entities=named.found.entities, triples=said.found.triples)
            return Read(both, short=named.short or said.short)

        return await read_passages(passages, read)


Reading = Literal["at_once", "in_two"]
CALLS_A_PASSAGE: Final[Mapping[Reading, int]] = {"at_once": 1, "in_two": 2}
"""How many calls each way of reading makes."""


def triples_spec(reading: Reading, *, size: int, overlap: int) -> IndexSpec[Readings[NamesAndTriples]]:
    """Return the triples that a way of reading stands for."""
    kinds: Mapping[Reading, type[Triples | TriplesInTwo]] = {"at_once": Triples, "in_two": TriplesInTwo}
    return kinds[reading](size=size, overlap=overlap)
