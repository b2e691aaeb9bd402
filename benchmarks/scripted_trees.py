"""A server that plays a reasoning tree for any question, so that what asks it can be measured without a model.

    python benchmarks/scripted_trees.py [--seconds 0]

It prints its address and answers until it is ended. Every reply is made from its prompt alone and differs with the
question: trees have two to four parts of which one refers to another, about half of the checks say yes, some parts
are not found. Prompts that have no line here are answered as the tests' model does. Tokens are a quarter of the
characters.
"""

import argparse
import json
import re
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from scripted_server import playing, serve

from astrolabe.core.prompt import Message, Prompt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.sensible import names, sensible

PART: Final = "part of: "
_QUESTION: Final = re.compile(r'<block[^>]* name="question">\n(.*?)\n</block', re.DOTALL)
_CONTEXT: Final = re.compile(r'<block[^>]* name="context">\n(.*?)\n</block', re.DOTALL)
_LONGEST: Final = 300


def reply_to(name: str, shown: str) -> str:
    """Return what the model says to a prompt."""
    found = _QUESTION.search(shown)
    question = found.group(1) if found else shown
    if name in REPLIES:
        return json.dumps(REPLIES[name](question, shown))
    if name:
        turn = Message(role="user", content=shown)
        return str(sensible(Prompt(name=name, stage="", messages=(turn,), reply=str, max_tokens=1)))
    return " ".join((names(context_of(shown)) or ["Nothing is known."])[:3])


def context_of(shown: str) -> str:
    """Return the material of a prompt; all of it where it has none."""
    found = _CONTEXT.search(shown)
    return found.group(1) if found else shown


def one_of(choices: int, shown: str) -> int:
    """Return a number below `choices` that differs with the prompt and is the same each time."""
    return zlib.crc32(re.sub(r"block-\w+", "block", shown).encode()) % choices


def parts_of(question: str) -> list[str]:
    """Return two to four parts of a question, of which the second refers to the first; a part has none."""
    if PART in question:
        return []
    told = question[:_LONGEST]
    second = f"What has <Q1> to do with the second {PART}{told}"
    others = [f"What is the {word} {PART}{told}" for word in ("first", "third", "fourth")]
    return [others[0], second, *others[1:]][: 2 + one_of(3, told)]


def planned(question: str) -> list[dict[str, str | list[str]]]:
    """Return the parts as a plan."""
    return [
        {"id": f"Q{place}", "question": part, "needs": ["Q1"] if "<Q1>" in part else []}
        for place, part in enumerate(parts_of(question), 1)
    ]


def halves(question: str) -> dict[str, str]:
    """Return the first two parts."""
    first, second, *_ = [*parts_of(question), "", ""]
    return {"kind": "sequential" if first else "none", "first": first, "second": second}


def each(shown: str) -> list[dict[str, str]]:
    """Return an answer for each of the questions but those that a third of the prompts leave out."""
    ids = re.findall(r"^(N[\d.]+) \[", shown, re.MULTILINE)
    return [{"id": one, "answer": named(shown, one)} for one in ids[one_of(3, shown) == 0 :]]


def named(shown: str, salt: str = "") -> str:
    """Return a name of the material."""
    held = names(context_of(shown)) or ["Nobody"]
    return held[one_of(len(held), shown + salt)]


REPLIES: Final[dict[str, Callable[[str, str], object]]] = {
    "answer_or_none.v1": lambda _, shown: {"found": one_of(4, shown) > 0, "answer": named(shown)},
    "answer_together.v1": lambda _, shown: {"answers": each(shown)},
    "answerable.v1": lambda _, shown: {"missing": [], "answerable": one_of(2, shown) == 0},
    "check_answer.v1": lambda _, shown: {"coherence": 5, "answerability": 50, "valid": one_of(2, shown) == 0},
    "contextualize.v1": lambda question, shown: {"items": [], "question": question.replace("<Q1>", named(shown))},
    "decompose.v1": lambda question, _: {"questions": parts_of(question)},
    "halve.v1": lambda question, _: halves(question),
    "list_alone.v1": lambda _, shown: {"items": [named(shown)]},
    "list_items.v1": lambda _, shown: {"items": list(dict.fromkeys(named(shown, salt) for salt in "ab"))},
    "logic_plan.v1": lambda question, shown: {"enough": one_of(4, shown) == 0, "questions": planned(question)},
    "plan_graph.v1": lambda question, _: {"questions": planned(question)},
    "subquestions.v1": lambda question, _: {"questions": parts_of(question)},
}


def main() -> None:
    """Serve."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=0.0, help="how long a reply takes")
    serve(playing(reply_to), options.parse_args().seconds)


if __name__ == "__main__":
    main()
