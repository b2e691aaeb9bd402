"""Judging a reply: strictly first, repaired only where that failed, and never by guessing.

Everything a model can do wrong ends here in a `ModelError` with its status, or in a parsed reply.
"""

import re
from collections.abc import Sequence
from typing import Final, Generic, NamedTuple, TypeVar, cast, get_origin

from pydantic import BaseModel, JsonValue, ValidationError

from astrolabe.core.errors import ModelError
from astrolabe.llm.candidates import Candidate, candidates, parsed
from astrolabe.llm.mending import mended
from astrolabe.llm.provider import RawReply
from astrolabe.llm.thinking import said

R = TypeVar("R", bound="BaseModel | str")
M = TypeVar("M", bound=BaseModel)
_SHOWN: Final = 200
_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)


class Read(NamedTuple, Generic[R]):
    """A reply that was accepted, and what had to be done for it."""

    value: R
    repaired: bool = False
    dropped: int = 0


def read(raw: RawReply, reply: type[R]) -> Read[R]:
    """Return the parsed reply.

    Raises:
        ModelError: `refused` (a refusal, or the provider's content filter), `truncated` (cut at the token
            limit, even if it parses; `partial` has the complete items), `empty`, or `unparsed`.
    """
    text, unended, _ = said(raw.text)
    if raw.refusal or raw.finish == "content_filter":
        why = (
            f"the model refused: {raw.refusal[:_SHOWN]}"
            if raw.refusal
            else "the provider's content filter held it back"
        )
        raise ModelError("refused", why, text=raw.text)
    if raw.finish == "length" or unended:
        why = "cut off at the token limit" if raw.finish == "length" else "the thoughts have no end"
        if raw.finish == "length" and (unended or (raw.thought and not text)):
            why = f"{why} inside its thoughts: it thinks longer than it is given tokens for"
        raise ModelError("truncated", why, text=raw.text, partial=complete_items(raw.text, reply))
    if not text:
        why = (
            "the reply has no text" if raw.finish == "stop" else f"the reply has no text (it ended with {raw.finish!r})"
        )
        if raw.thought:
            why = f"{why}, only thoughts: start the server with a reasoning parser that fits the model, or with none"
        raise ModelError("empty", why, text=raw.text)
    if issubclass(reply, BaseModel):
        try:
            return _read_model(text, reply)
        except ValueError as error:
            raise ModelError("unparsed", _told(error), text=raw.text) from error
    return Read(cast("R", text))


def _read_model(text: str, reply: type[M]) -> Read[M]:
    """Return the model in a text: the last object with its fields counts, and it must fit.

    A judged text that is repeated before the verdict may hold an object, too; falling back to an earlier
    object would let it answer in the judge's place.
    """
    try:
        return _fitted(parsed(text), reply, repaired=False)
    except ValidationError:
        raise
    except ValueError as strict:
        candidate = _chosen(list(candidates(text)), reply)
        value = mended(candidate.text) if candidate and candidate.broken else candidate and candidate.value
        if candidate is None or value is None:
            raise ValueError(f"no JSON object with the fields {sorted(reply.model_fields)!r}: {strict}") from strict
        return _fitted(value, reply, repaired=candidate.broken)


def _chosen(found: Sequence[Candidate], reply: type[BaseModel]) -> Candidate | None:
    """Return the last object that has a field of the reply, broken or not; else the last array, if one may be."""
    objects = [candidate for candidate in found if not candidate.is_list and _concerns(candidate, reply)]
    arrays = [candidate for candidate in found if candidate.is_list and list_field(reply)]
    return next(reversed(objects), None) or next(reversed(arrays), None)


def _concerns(candidate: Candidate, reply: type[BaseModel]) -> bool:
    if isinstance(candidate.value, dict):
        return bool(candidate.value.keys() & reply.model_fields.keys())
    return any(name in candidate.text for name in reply.model_fields)


def _fitted(value: JsonValue, reply: type[M], *, repaired: bool) -> Read[M]:
    field = list_field(reply)
    whole: JsonValue = {field: value} if field and isinstance(value, list) else value
    try:
        return Read(reply.model_validate(whole), repaired)
    except ValidationError:
        kept, dropped = _without_nulls(whole)
        if not dropped:
            raise
        return Read(reply.model_validate(kept), repaired=True, dropped=dropped)


def complete_items(text: str, reply: type[R]) -> R | None:
    """Return what of a cut reply is whole, in its type: a half item never counts; null where nothing is."""
    text = said(text).text
    if not issubclass(reply, BaseModel):
        return cast("R", text) or None
    from pydantic_core import from_json

    opening = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    try:
        value: JsonValue = from_json(_without_half(text[opening:]), allow_partial=True) if opening >= 0 else None
        return _fitted(value, reply, repaired=True).value
    except ValueError:
        return None


def _without_half(text: str) -> str:
    """Return cut JSON up to the last whole item of the outermost list that the cut left open.

    An object that was cut inside could else pass for a whole one whose last fields are at their defaults.
    """
    opened: list[tuple[str, int]] = []  # each open bracket, and where what is whole within it ends
    for mark in _MARK.finditer(text):
        if mark[0] in {"{", "["}:
            opened.append((mark[0], mark.end()))
        elif mark[0] in {"}", "]"} and opened:
            opened.pop()
            if opened:
                opened[-1] = (opened[-1][0], mark.end())
    ends = [end for bracket, end in opened[:-1] if bracket == "["]
    return text[: ends[0]] if ends else text


def list_field(reply: type[BaseModel]) -> str | None:
    """Return the field that a bare array stands for: the only list, where nothing else is required."""
    lists = [name for name, field in reply.model_fields.items() if get_origin(field.annotation) in {list, tuple}]
    others = any(field.is_required() for name, field in reply.model_fields.items() if name not in lists)
    return lists[0] if len(lists) == 1 and not others else None


def _without_nulls(value: JsonValue) -> tuple[JsonValue, int]:
    if isinstance(value, dict):
        pairs = {key: _without_nulls(item) for key, item in value.items()}
        return {key: kept for key, (kept, _) in pairs.items()}, sum(dropped for _, dropped in pairs.values())
    if isinstance(value, list):
        items = [_without_nulls(item) for item in value if item is not None]
        return [kept for kept, _ in items], value.count(None) + sum(dropped for _, dropped in items)
    return value, 0


def _told(error: ValueError) -> str:
    """Return what was wrong in one line, short enough to show to a model."""
    if isinstance(error, ValidationError):
        faults = error.errors(include_url=False, include_context=False)[:5]
        return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'the reply'}: {fault['msg']}" for fault in faults)
    return str(error)[: 2 * _SHOWN]
