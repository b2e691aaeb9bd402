"""From a prompt's name and its holes to what a model is asked."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeVar

from astrolabe.core.prompt import Message, Prompt
from astrolabe.prompts.template import Template, block_name

if TYPE_CHECKING:
    from pydantic import BaseModel

R = TypeVar("R", bound="BaseModel | str")


def render(
    name: str,
    *,
    stage: str,
    reply: type[R],
    max_tokens: int,
    holes: Mapping[str, str],
    temperature: float = 0.0,
    repetition: int = 0,
) -> Prompt[R]:
    """Fill the holes of the prompt file `<name>.md` of this package.

    Args:
        name: The file's name with its version, such as `write.v1`.
        stage: What the call is for, such as `answer.write`.
        reply: The pydantic model that the reply must fit, or `str`.
        max_tokens: The most tokens that the reply may take, thinking apart.
        holes: The content of every hole, by name.
        temperature: 0 for the likeliest reply.
        repetition: The number of a deliberate repeat.

    Raises:
        ValueError: No such prompt, a hole missing or unknown, or a long text in a plain hole.
    """
    return Prompt(
        name=name,
        stage=stage,
        messages=messages(name, holes),
        reply=reply,
        max_tokens=max_tokens,
        temperature=temperature,
        repetition=repetition,
    )


def messages(name: str, holes: Mapping[str, str]) -> tuple[Message, ...]:
    """Return a prompt file's turns; where it has blocks, the system turn says what they are."""
    template = load(name)
    filled = template.fill(holes)
    return guarded(filled, block_name(holes)) if template.blocks else filled


def guarded(turns: tuple[Message, ...], border: str) -> tuple[Message, ...]:
    """Return the turns with a system turn that says how to take text between the borders."""
    (rule,) = load("blocks.v1").fill({"block": border})
    if turns[0].role != "system":
        return (rule, *turns)
    return (Message(role="system", content=f"{turns[0].content}\n\n{rule.content}"), *turns[1:])


@cache
def load(name: str) -> Template:
    """Read a prompt file of this package once.

    Raises:
        ValueError: There is no such prompt; names those there are.
    """
    folder = files("astrolabe.prompts")
    if not re.fullmatch(r"[a-z][a-z0-9_]*\.v[1-9][0-9]*", name) or not (folder / f"{name}.md").is_file():
        there = sorted(entry.name.removesuffix(".md") for entry in folder.iterdir() if entry.name.endswith(".md"))
        raise ValueError(f"no prompt {name!r}; there are {there!r}")
    return Template.parse(name, (folder / f"{name}.md").read_text("utf-8"))
