"""A model that answers every prompt of the package with something sensible, made from the prompt alone."""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from astrolabe.core.prompt import Message, Prompt
from astrolabe.llm.scripted import AnyPrompt, Line
from tests.servers import Says, Seen

if TYPE_CHECKING:
    from pydantic import JsonValue

_NAME = re.compile(r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*|\b(?:moon|sun|tides?|oceans?|water|lamps?|nets?|salt pans)\b")


def sensible(prompt: AnyPrompt) -> Line:
    """Return a reply that the prompt's parser accepts; a line of `REPLIES` for each prompt that wants an object."""
    reply = REPLIES.get(prompt.name)
    return reply(_shown(prompt)) if reply else "The moon pulls the water."


def speaks_sensibly(seen: Seen) -> Says:
    """Reply to a request as `sensible` does to its prompt."""
    line = sensible(
        Prompt(
            name=name_of(seen),
            stage="",
            messages=tuple(Message(role="user", content=turn["content"]) for turn in seen.messages),
            reply=str,
            max_tokens=1,
        )
    )
    return Says(str(line))


def name_of(seen: Seen) -> str:
    """Return the name of the prompt that is asked: servers are told it with the schema."""
    wanted = cast("dict[str, dict[str, JsonValue]]", seen.body.get("response_format", {}))
    return str(wanted.get("json_schema", {}).get("name", "")).replace("_v", ".v")


def _shown(prompt: AnyPrompt) -> str:
    """Return the turn of the user: what the prompt is about."""
    return prompt.messages[-1].content


def extraction(shown: str) -> Line:
    """Name what looks like a name in the text, and relate each name to the next one."""
    text = shown.partition("Reply with an object")[0].removeprefix("Text:")
    found = names(text)
    entities = [{"name": name, "type": "concept", "description": f"What is said of {name}."} for name in found]
    relations = [
        {"source": one, "target": other, "description": f"{one} and {other}", "keywords": ["sea"], "strength": 5}
        for one, other in pairwise(found)
    ]
    return json.dumps({"entities": entities, "relations": relations})


def relations(shown: str) -> Line:
    """Relate each of the given things to the next one."""
    things = shown.partition("Things, a line each:")[2].partition("Listed before:")[0]
    listed = [line for line in things.splitlines() if line.strip() and not line.startswith(("<block", "</block"))]
    return json.dumps({"relations": [{"source": one, "target": other} for one, other in pairwise(listed)]})


def nothing_more(shown: str) -> Line:  # noqa: ARG001 - whatever was found
    """Find nothing that was missed."""
    return json.dumps({"entities": [], "relations": []})


def report(shown: str) -> Line:
    """Report on a group by what its first line names."""
    first = next(line for line in shown.splitlines()[3:] if line.strip())
    name = first.partition(" (")[0].partition(":")[0]
    finding = {"summary": f"{name} is spoken of.", "explanation": "It is so."}
    return json.dumps(
        {
            "title": f"On {name}"[:100],
            "summary": f"What is known of {name}."[:200],
            "rating": 5,
            "rating_explanation": "-",
            "findings": [finding],
        }
    )


def points(shown: str) -> Line:
    """Find one point: the first entry."""
    entry = re.search(r"^\[1\] (.+)$", shown, re.MULTILINE)
    described = entry.group(1) if entry else "Nothing is known."
    return json.dumps({"points": [{"description": described, "score": 50, "entries": [1]}]})


def triples(shown: str) -> Line:
    """Name what looks like a name in the text, and say of each that it meets the next one."""
    text = shown.partition("Reply with an object")[0].partition("Entities, a line each:")[0].removeprefix("Text:")
    found = names(text)
    said = [{"subject": one, "relation": "meets", "object": other} for one, other in pairwise(found)]
    return json.dumps({"entities": found, "triples": said})


def broader(shown: str) -> Line:
    """Sum up the members in one thing that is named after the first, and relate each to it."""
    members = re.findall(r"^(.+?) \(", shown.partition("\n\nReply with an object")[0], re.MULTILINE)
    above = f"All about {members[0]}"
    entities = [{"name": above, "type": "theme", "description": f"What {len(members)} things share."}]
    relations = [
        {"source": one, "target": above, "description": "It falls under it.", "strength": 5} for one in members
    ]
    return json.dumps({"entities": entities, "relations": relations})


def question_names(shown: str) -> Line:
    """Name what looks like a name in the question."""
    return json.dumps({"entities": names(shown.partition("Reply with an object")[0].removeprefix("Question:"))})


def first_facts(shown: str) -> Line:  # noqa: ARG001 - whatever was found
    """Find the first two facts helpful."""
    return json.dumps({"facts": [1, 2]})


def thought(shown: str) -> Line:
    """Think of the last name of the material."""
    (*_, last) = names(shown.partition("Question:")[0].removeprefix("Material:"))
    return json.dumps({"thought": f"Next is {last}.", "enough": False})


def names(text: str) -> list[str]:
    """Return what looks like a name, each once."""
    return list(dict.fromkeys(match.group() for match in _NAME.finditer(text)))


def keywords(shown: str) -> Line:
    """Take what looks like a name for the low level, and the words that are none for the high level."""
    question = re.sub(r"</?block[^>]*>", "", shown.partition("Reply with an object")[0].removeprefix("Question:"))
    named = names(question)
    themes = [word for word in re.findall(r"\w{4,}", question) if word not in named]
    return json.dumps({"high_level": themes, "low_level": named})


def parts(shown: str) -> Line:
    """Take the question apart into two, of which the second refers to the first; a part stays whole."""
    whole = "What is known of" in shown or "<Q1>" in shown
    return json.dumps({"questions": [] if whole else ["What is known of the moon?", "What does <Q1> move?"]})


def stands_alone(shown: str) -> Line:  # noqa: ARG001 - whatever it refers to
    """Put the moon in place of the mark."""
    return json.dumps({"items": ["the moon"], "question": "What is known of what the moon moves?"})


def to_search_for(shown: str) -> Line:
    """Give each question itself as a query."""
    lines = [line.partition(": ") for line in shown.splitlines() if re.match(r"N[\d.]+: ", line)]
    return json.dumps({"queries": [{"id": name, "query": question} for name, _, question in lines]})


def to_each(shown: str) -> Line:
    """Give each question the same answer."""
    names = re.findall(r"^(N[\d.]+) \[", shown, re.MULTILINE)
    return json.dumps({"answers": [{"id": name, "answer": "The moon pulls the water."} for name in names]})


def planned() -> list[dict[str, str | list[str]]]:
    """Return two questions, of which the second needs the first."""
    first: dict[str, str | list[str]] = {"id": "Q1", "question": "What is known of the moon?", "needs": []}
    return [first, {"id": "Q2", "question": "What does <Q1> move?", "needs": ["Q1"]}]


def graph(shown: str) -> Line:  # noqa: ARG001 - whatever is asked
    """Plan two questions."""
    return json.dumps({"questions": planned()})


def ranks(shown: str) -> Line:  # noqa: ARG001 - whatever is known
    """Find the notes not enough, and plan two questions."""
    return json.dumps({"enough": False, "questions": planned()})


def marked(shown: str) -> Line:
    """Mark what looks like a name in the text."""
    return json.dumps({"spans": names(shown.partition("Question:")[0].removeprefix("Text:"))})


def doubted(shown: str) -> Line:  # noqa: ARG001 - whatever was answered
    """Find that an answer does not do."""
    return json.dumps({"coherence": 5, "answerability": 50, "overall": 5, "valid": False})


def built(shown: str) -> Line:
    """Say what a question names."""
    named = names(shown.partition("Reply with an object")[0].removeprefix("Question:"))
    return json.dumps({"asks": "what is known", "known": named, "unknown": []})


def halves(shown: str) -> Line:
    """Take the question apart into two, of which the second refers to the first; a half stays whole."""
    if "What is known of" in shown:
        return json.dumps({"kind": "none"})
    return json.dumps({"kind": "sequential", "first": "What is known of the moon?", "second": "What does <Q1> move?"})


REPLIES: dict[str, Callable[[str], Line]] = {
    "attribute_entities.v1": broader,
    "analyse.v1": built,
    "answer_or_none.v1": lambda shown: json.dumps({"found": bool(shown), "answer": "The moon pulls the water."}),
    "answer_together.v1": to_each,
    "answerable.v1": lambda shown: json.dumps({"missing": [], "answerable": "table" in shown}),
    "check_answer.v1": doubted,
    "contextualize.v1": stands_alone,
    "decompose.v1": parts,
    "halve.v1": halves,
    "list_alone.v1": lambda shown: json.dumps({"items": ["moon"] if shown else []}),
    "list_items.v1": lambda shown: json.dumps({"items": ["moon"] if shown else []}),
    "queries.v1": to_search_for,
    "entities.v1": extraction,
    "extract.v1": extraction,
    "extract_more.v1": nothing_more,
    "keywords.v1": keywords,
    "names.v1": question_names,
    "pick_facts.v1": first_facts,
    "logic_plan.v1": ranks,
    "plan_graph.v1": graph,
    "points.v1": points,
    "question_entities.v1": question_names,
    "relations.v1": relations,
    "report.v1": report,
    "spans.v1": marked,
    "subquestions.v1": parts,
    "thought.v1": thought,
    "triples.v1": triples,
    "triples_of.v1": triples,
}
