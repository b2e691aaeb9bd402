"""A trace in the terminal: every step under the one it belongs to, with what was looked at and what came of it."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from pydantic import JsonValue

from astrolabe.cli.talk import give
from astrolabe.core.plural import plural
from astrolabe.core.records import Answer, Passage, Step

_WIDTH: Final = 96
_NODES: Final = 8
"""How many of a step's nodes are printed; the rest is counted."""
_INDENT: Final = "   "


def print_trace(answer: Answer, passages: Mapping[str, Passage]) -> None:
    """Print the steps of an answer as a tree."""
    give("\nTrace")
    if not answer.trace:
        give(f"{_INDENT}the method left no steps")
    children: dict[str | None, list[Step]] = {}
    known = {step.id for step in answer.trace}
    for step in answer.trace:
        children.setdefault(step.parent if step.parent in known else None, []).append(step)
    for line in _lines(children, None, "", passages):
        give(line)


def _lines(
    children: Mapping[str | None, Sequence[Step]], parent: str | None, indent: str, passages: Mapping[str, Passage]
) -> Iterator[str]:
    steps = children.get(parent, ())
    for number, step in enumerate(steps, 1):
        last = number == len(steps)
        yield f"{indent}{'└─ ' if last else '├─ '}{_heading(step)}"
        below = f"{indent}{'   ' if last else '│  '}"
        for line in _details(step, passages):
            yield from textwrap.wrap(
                line, _WIDTH, initial_indent=below, subsequent_indent=f"{below}  ", break_long_words=False
            )
        yield from _lines(children, step.id, below, passages)


def _heading(step: Step) -> str:
    words = [step.stage, step.mode and f"({step.mode})", step.reason and f"- {step.reason}"]
    calls = step.usage.calls
    return " ".join([word for word in words if word] + ([f"[{calls} {plural(calls, 'call')}]"] if calls else []))


def _details(step: Step, passages: Mapping[str, Passage]) -> Iterator[str]:
    if step.input is not None:
        yield f"asked: {_shown(step.input)}"
    drawn = step.output
    if isinstance(drawn, dict) and "answer" in drawn:
        yield from _resolved(step, drawn)
    elif isinstance(drawn, dict) and isinstance(drawn.get("nodes"), list):
        yield from _nodes(cast("list[dict[str, JsonValue]]", drawn["nodes"]), passages)
        edges = cast("list[dict[str, JsonValue]]", drawn.get("edges") or [])
        if edges:
            yield f"{len(edges)} {plural(len(edges), 'edge')}, such as {_edge(edges[0])}"
    elif drawn is not None:
        yield f"said: {_shown(drawn)}"


def _resolved(step: Step, drawn: Mapping[str, JsonValue]) -> Iterator[str]:
    """Say what a node of a reasoning tree was searched for with, and what came of it."""
    if step.hits:
        query = f" by {drawn['query']!r}" if drawn.get("query") else ""
        yield f"found{query}: {len(step.hits)} {plural(len(step.hits), 'passage')}"
    together = cast("list[str]", drawn.get("batch") or [])
    if len(together) > 1:
        yield f"answered together with {', '.join(name for name in together if name != step.id)}"
    answer = drawn["answer"]
    yield f"answer: {_shown(answer)}" if answer is not None else f"{drawn.get('status')}: {drawn.get('why')}"


def _nodes(nodes: Sequence[Mapping[str, JsonValue]], passages: Mapping[str, Passage]) -> Iterator[str]:
    for node in nodes[:_NODES]:
        score = node.get("score")
        shown = f"{score:.3f} " if isinstance(score, int | float) else ""
        passage = passages.get(str(node["id"]))
        label = " ".join(passage.text.split()) if passage else str(node["label"])
        yield f"{shown}{node['kind']}: {_cut(label, _WIDTH)}"
    if len(nodes) > _NODES:
        yield f"... and {len(nodes) - _NODES} more"


def _edge(edge: Mapping[str, JsonValue]) -> str:
    label = edge.get("label")
    joined = f"{edge['source']} - {edge['target']}"
    return _cut(f"{joined}: {label}" if label else joined, _WIDTH)


def _shown(value: JsonValue) -> str:
    return _cut(str(value), 3 * _WIDTH)


def _cut(text: str, width: int) -> str:
    """Return the text on one line, cut between words, or within the first where a script writes no spaces."""
    words = " ".join(text.split())
    shown = textwrap.shorten(words, width, placeholder=" ...")
    return shown if shown.strip() != "..." else f"{words[: width - 4]} ..."
