"""An answer's items and their forms as the field's scorer has them, so that published numbers can be compared with."""

import re
import string
from typing import Final

_LEAD: Final = ("answers:", "answer:")
_SEPARATORS: Final = (",", "\n", "#")
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


def official_items(text: str) -> list[str]:
    """Return the items of a text as the scorer of QAMPARI takes them from a model's reply, each once, in order.

    One leading `Answers:` or `Answer:` goes; what is left is cut at commas if it holds any, else at line ends, else at
    `#`. So a name with a comma falls apart: that is part of the published numbers. Empty for an empty text.

    Examples:
        >>> official_items("Answers: Paris, Washington, D.C.")
        ['Paris', 'Washington', 'D.C.']
    """
    left = text.strip()
    for lead in _LEAD:
        if left.lower().startswith(lead):
            left = left[len(lead) :].strip()
            break
    separator = next((one for one in _SEPARATORS if one in left), None)
    parts = left.split(separator) if separator else [left]
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def official_form(text: str) -> str:
    """Return an item as the field compares it: lower case, without ASCII punctuation and the words a, an, the.

    Examples:
        >>> official_form("The  Beatles!"), official_form("Group A")
        ('beatles', 'group')
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())
