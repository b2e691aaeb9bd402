"""Telling a reply from the thoughts that some models write before it."""

import re
from typing import Final, NamedTuple

_NAMED: Final = ("think", "thinking", "thought", "reasoning", "seed:think")
_TAGS: Final = (
    *((f"<{name}>", f"</{name}>") for name in _NAMED),
    ("[THINK]", "[/THINK]"),
    (
        "\N{WHITE LEFT-POINTING TRIANGLE}think\N{WHITE RIGHT-POINTING TRIANGLE}",
        "\N{WHITE LEFT-POINTING TRIANGLE}/think\N{WHITE RIGHT-POINTING TRIANGLE}",
    ),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
"""How thoughts begin and end: most models', Mistral's, Kimi's, the channels of gpt-oss where a server leaks them."""
_WHOLE: Final = re.compile(
    "|".join(rf"\s*{re.escape(opening)}(.*?){re.escape(closing)}" for opening, closing in _TAGS), re.DOTALL
)
_OPEN: Final = re.compile(rf"\s*(?:{'|'.join(re.escape(opening) for opening, _ in _TAGS)})")
_CLOSE: Final = re.compile("|".join(re.escape(closing) for _, closing in _TAGS))


class Said(NamedTuple):
    """What a model said after its thoughts.

    Attributes:
        text: What it said.
        unended: Whether the thoughts never ended, so that nothing was said.
        thought: Whether there were any thoughts.
    """

    text: str
    unended: bool = False
    thought: bool = False


def said(text: str) -> Said:
    """Return the text without leading thoughts.

    Thoughts stand at the beginning: between two tags, or before a closing tag alone (the opening one stood
    in the prompt). A tag inside a reply that begins with a brace is the reply's own text.

    Examples:
        >>> said("<think>hm</think> Yes.").text
        'Yes.'
        >>> said("hm</think>Yes.").text
        'Yes.'
        >>> said("<think>hm").unended
        True
    """
    thought = False
    while whole := _WHOLE.match(text):
        thought = thought or any((found or "").strip() for found in whole.groups())
        text = text[whole.end() :]
    if _OPEN.match(text):
        return Said("", unended=True, thought=True)
    text = text.strip()
    if text.startswith(("{", "[")):
        return Said(text, thought=thought)
    *_, last = [0, *(close.end() for close in _CLOSE.finditer(text))]
    return Said(text[last:].strip(), thought=thought or last > 0)
