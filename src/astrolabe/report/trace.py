"""A trace as the page holds it: the steps of an answer, short enough for thousands of answers in one file."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

from pydantic import JsonValue

from astrolabe.core.records import Step

MOST_STEPS: Final = 250
MOST_NODES: Final = 12
_LABEL: Final = 160
_TEXT: Final = 1_200


def page_steps(trace: Sequence[Step]) -> list[JsonValue]:
    """Return the steps of a trace for the page, each with the one it belongs to; what is left out is counted.

    Nodes that are passages keep their ids: the page has their texts where an answer was shown them.
    """
    known = {step.id for step in trace[:MOST_STEPS]}
    return [_step(step, step.parent if step.parent in known else None) for step in trace[:MOST_STEPS]]


def _step(step: Step, parent: str | None) -> JsonValue:
    drawn: Mapping[str, JsonValue] = step.output if isinstance(step.output, dict) else {}
    nodes = cast("list[dict[str, JsonValue]]", drawn.get("nodes") or [])
    answer = drawn.get("answer") if step.output is drawn else step.output
    return {
        "id": step.id,
        "parent": parent,
        "head": " ".join(filter(None, [step.stage, f"({step.mode})" if step.mode else "", step.reason])),
        "asked": _short(step.input, _TEXT),
        "query": _short(drawn.get("query"), _LABEL),
        "answer": _short(answer, _TEXT),
        "why": _short(drawn.get("why"), _LABEL),
        "calls": step.usage.calls,
        "nodes": [_node(node) for node in nodes[:MOST_NODES]],
        "left": max(0, len(nodes) - MOST_NODES),
    }


def _node(node: Mapping[str, JsonValue]) -> JsonValue:
    passage = str(node["id"]) if node["kind"] == "passage" else None
    return {
        "kind": node["kind"],
        "label": _short(node.get("label"), _LABEL),
        "score": node.get("score"),
        "passage": passage,
    }


def _short(value: JsonValue, most: int) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= most else f"{text[:most]}…"
