"""A script for `tests.servers.serving` that misbehaves by seed and rate, as real servers do.

    script = Misbehaving(seed=1, rate=0.2, says=answers)
    with serving(script) as server:
        ...  # script.log has every request in order of arrival, with what was done about it

What becomes of a request depends on the seed, on what is asked and on how often it was asked before: never on the
order in which requests arrive, so a run under concurrency meets the same faults each time. Some conversations are
stubborn: whatever went wrong first goes wrong for ever (but for `hangs`, which would take for ever, too).
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from pydantic import JsonValue

from tests.servers import Behaviour, Body, Resets, Says, Seen, Status

State = Literal["well", "wire", "cut", "spoilt", "nothing", "refused"]
Part = Literal["json_schema", "json_object", "temperature", "max_tokens", "chat_template_kwargs", "reasoning_effort"]

FATES: Final[Mapping[str, State]] = {
    "429": "wire",
    "429 with a wait": "wire",
    "500": "wire",
    "503": "wire",
    "reset": "wire",
    "hangs": "wire",
    "html": "wire",
    "half a body": "wire",
    "cut": "cut",
    "cut in thoughts": "cut",
    "empty": "nothing",
    "null": "nothing",
    "no choices": "nothing",
    "refusal": "refused",
    "content filter": "refused",
    "stalls": "well",
    "thinks": "well",
    "thinks apart": "well",
    "no usage": "well",
}
"""What may be done to any request, and what a client should make of it."""

JSON_FATES: Final[Mapping[str, State]] = {
    "fences": "well",
    "chatter": "well",
    "single quotes": "well",
    "trailing comma": "well",
    "missing verdicts": "well",
    "surplus verdicts": "well",
    "prose": "spoilt",
    "wrong types": "spoilt",
    "unknown id": "spoilt",
}
"""What may be done besides to a request for a list of judged topics."""

EMBED_FATES: Final[Mapping[str, State]] = {
    "429": "wire",
    "429 with a wait": "wire",
    "500": "wire",
    "503": "wire",
    "reset": "wire",
    "html": "wire",
    "wrong count": "spoilt",
    "not a number": "spoilt",
    "another length": "spoilt",
}
"""What may be done to a request for vectors."""

REFUSED_IN: Final[Mapping[Part, Status]] = {
    "json_schema": Status(
        400,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        error={"type": "invalid_request_error", "param": None, "code": None},
    ),
    "json_object": Status(400, "'response_format.type' must be 'text'", error={"param": "response_format"}),
    "temperature": Status(
        400,
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        error={"param": "temperature", "code": "unsupported_value"},
    ),
    "max_tokens": Status(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        error={"param": "max_tokens", "code": "unsupported_parameter"},
    ),
    "chat_template_kwargs": Status(400, "Unrecognized request argument supplied: chat_template_kwargs"),
    "reasoning_effort": Status(
        400,
        "Unsupported value: 'reasoning_effort' does not support 'none' with this model. "
        "Supported values are: 'minimal', 'low', 'medium', and 'high'.",
        error={"param": "reasoning_effort", "code": "unsupported_value"},
    ),
}
"""How a real server says that it does not take a part of a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was done about a request: `conversation` is what was asked first, `attempt` counts from 0."""

    seen: Seen
    conversation: str
    attempt: int
    fate: str


@dataclass(slots=True, kw_only=True)
class Misbehaving:
    """The script.

    Attributes:
        seed: Everything that looks random starts from it.
        says: What the model behind the server says where nothing goes wrong.
        rate: The share of requests to which something is done.
        stubborn: The share of conversations in which the first fault repeats for ever; they are part of the rate.
        refuses: Parts of a request that are always answered with a 400.
        stall_seconds: How long a server takes that a patient client waits for.
        hang_seconds: How long one takes that no client should wait for.
        wait_milliseconds: What a server asks to wait that is too busy.
        log: Every request in the order of arrival.
    """

    seed: int
    says: Callable[[Seen], str]
    rate: float = 0.2
    stubborn: float = 0.02
    refuses: frozenset[Part] = frozenset()
    stall_seconds: float = 0.02
    hang_seconds: float = 60.0
    wait_milliseconds: int = 1
    log: list[Done] = field(default_factory=list[Done])
    _asked: Counter[str] = field(default_factory=Counter[str])

    def __call__(self, seen: Seen) -> Behaviour:
        """Decide, note and act."""
        conversation = conversation_of(seen)
        for part, status in REFUSED_IN.items():
            if part in self.refuses and has_part(seen, part):
                self.log.append(Done(seen=seen, conversation=conversation, attempt=-1, fate=f"refuses {part}"))
                return status
        attempt = self._asked[conversation]
        self._asked[conversation] += 1
        fate = self.fate(conversation, attempt, fates_of(seen))
        self.log.append(Done(seen=seen, conversation=conversation, attempt=attempt, fate=fate))
        return self._act(fate, seen)

    def fate(self, conversation: str, attempt: int, fates: Mapping[str, State]) -> str:
        """Return what is done to a conversation's request, the `attempt`th from 0; empty for nothing."""
        rng = random.Random(f"{self.seed} {conversation}")  # noqa: S311 - a script, not a secret
        if rng.random() < self.stubborn:
            return rng.choice([fate for fate in fates if fate != "hangs"])
        rng = random.Random(f"{self.seed} {conversation} {attempt}")  # noqa: S311 - likewise
        faulty = rng.random() < (self.rate - self.stubborn) / (1 - self.stubborn)
        return rng.choice(list(fates)) if faulty else ""

    def _act(self, fate: str, seen: Seen) -> Behaviour:
        if fate in _PLAIN:
            return _PLAIN[fate]
        if fate == "429 with a wait":
            return Status(429, "slow down", headers={"retry-after-ms": str(self.wait_milliseconds)})
        if seen.path.endswith("/embeddings"):
            return _vectors(fate, len(cast("list[str]", seen.body["input"])))
        text = self.says(seen)
        if fate in {"stalls", "hangs"}:
            return Says(text, seconds=self.stall_seconds if fate == "stalls" else self.hang_seconds)
        return _chat(fate, text)


def conversation_of(seen: Seen) -> str:
    """Return what a request first asked: the first turn of the user, or the first text to embed."""
    if "input" in seen.body:
        return json.dumps(seen.body["input"])
    return next(turn["content"] for turn in seen.messages if turn["role"] == "user")


def fates_of(seen: Seen) -> Mapping[str, State]:
    """Return what may be done to a request."""
    if "input" in seen.body:
        return EMBED_FATES
    return {**FATES, **JSON_FATES} if "response_format" in seen.body else FATES


def has_part(seen: Seen, part: Part) -> bool:
    """Tell whether a request has a part that a server may refuse."""
    form = cast("dict[str, JsonValue]", seen.body.get("response_format") or {})
    if part == "reasoning_effort":
        return seen.body.get(part) == "none"
    return part in seen.body or form.get("type") == part


_PLAIN: Final[Mapping[str, Behaviour]] = {
    "429": Status(429, "rate limit reached"),
    "500": Status(500, "internal error"),
    "503": Status(503, "overloaded"),
    "reset": Resets(),
    "html": Body("<html><title>Welcome to nginx</title></html>", "text/html"),
    "half a body": Body('{"choices": [{"message": {"content": "Ye'),
    "empty": Says(""),
    "null": Says(None),
    "no choices": Body('{"object": "chat.completion", "choices": []}'),
    "refusal": Says(None, refusal="I cannot help with that."),
    "content filter": Says("", finish="content_filter"),
    "prose": Says("What a fine answer!"),
    "cut in thoughts": Says('<think>So far I have {"topics": ["Wrong"], but', finish="length"),
}


def _chat(fate: str, text: str) -> Says:
    """Return a completion that says the text, in the way of its fate."""
    if fate == "cut":
        return Says(text[: len(text) // 2], finish="length")
    if fate == "thinks apart":
        return Says(text, reasoning='Maybe {"topics": ["Wrong"]}?')
    if fate == "no usage":
        return Says(text, prompt_tokens=None)
    return Says(_WRITTEN[fate](text) if fate in _WRITTEN else text)


def _topics(text: str, change: Callable[[list[dict[str, JsonValue]]], Sequence[JsonValue]]) -> str:
    topics = cast("list[dict[str, JsonValue]]", json.loads(text)["topics"])
    return json.dumps({"topics": list(change(topics))})


_WRITTEN: Final[Mapping[str, Callable[[str], str]]] = {
    "thinks": lambda text: f'<think>Is it {{"topics": ["Wrong"]}}? No.</think>\n{text}',
    "fences": lambda text: f"```json\n{text}\n```",
    "chatter": lambda text: f"Sure! Here you are:\n\n{text}\n\nIs there anything else?",
    "single quotes": lambda text: repr(json.loads(text)),
    "trailing comma": lambda text: text.rstrip().removesuffix("}") + ",}",
    "missing verdicts": lambda text: _topics(text, lambda topics: topics[1:]),
    "surplus verdicts": lambda text: _topics(text, lambda topics: [*topics, *topics]),
    "wrong types": lambda text: _topics(text, lambda topics: [{**topic, "label": 7} for topic in topics]),
    "unknown id": lambda text: _topics(text, lambda topics: [{**topic, "reference": "T99"} for topic in topics]),
}


def _vectors(fate: str, count: int) -> Behaviour:
    """Return a reply for so many texts, spoilt in the way of its fate."""
    row = {"not a number": "[NaN, 1.0, 0.0, 0.0]", "another length": "[1.0, 0.0, 0.0]"}.get(
        fate, "[1.0, 0.0, 0.0, 0.0]"
    )
    numbers = range(count + (fate == "wrong count"))
    rows = ", ".join(f'{{"index": {number}, "embedding": {row}}}' for number in numbers)
    return Body(f'{{"data": [{rows}]}}')
