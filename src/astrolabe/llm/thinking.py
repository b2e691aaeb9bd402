"""Telling a reply from the thoughts that some models write before it."""

import re
from typing import Final, NamedTuple

_WHOLE: Final = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_OPEN: Final = re.compile(r"\s*<(think|thinking|reasoning)>")
_CLOSE: Final = re.compile(r"</(?:think|thinking|reasoning)>")


class Said(NamedTuple):
    """What a model said after its thoughts; `unended` where the thoughts never ended."""

    text: str
    unended: bool


def said(text: str) -> Said:
    """Return the text without leading thoughts.

    Thoughts stand at the beginning: between two tags, or before a closing tag alone (the opening one stood
    in the prompt). A tag inside a reply that begins with a brace is the reply's own text.

    Examples:
        >>> said("<think>hm</think> Yes.")
        Said(text='Yes.', unended=False)
        >>> said("hm</think>Yes.").text
        'Yes.'
        >>> said("<think>hm").unended
        True
    """
    while whole := _WHOLE.match(text):
        text = text[whole.end() :]
    if _OPEN.match(text):
        return Said("", unended=True)
    text = text.strip()
    if text.startswith(("{", "[")):
        return Said(text, unended=False)
    *_, last = [0, *(close.end() for close in _CLOSE.finditer(text))]
    return Said(text[last:].strip(), unended=False)
