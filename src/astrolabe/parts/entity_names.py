"""When two names mean one entity."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_QUOTES: Final = "\"'`´‘’‚‛“”„‟«»‹›「」『』"  # noqa: RUF001  the quotes that models put around names
_SPACES: Final = re.compile(r"\s+")


def shown_name(name: str) -> str:
    """Return a name as it is shown: without a pair of quotes around it, spaces single.

    A quote that has no partner at the other end belongs to the name, and so do quotes around parts of it. A name of
    quotes and spaces alone is empty.

    Examples:
        >>> shown_name(' “Electrons” ')
        'Electrons'
        >>> shown_name("'s-Hertogenbosch")
        "'s-Hertogenbosch"
    """
    shown = _SPACES.sub(" ", name).strip()
    while len(shown) > 1 and _enclosed(shown):
        shown = shown[1:-1].strip()
    return shown if shown.strip(f" {_QUOTES}") else ""


def _enclosed(name: str) -> bool:
    """Tell whether the first and the last character are the quotes around all that stands between them."""
    inside = name[1:-1]
    return name[0] in _QUOTES and name[-1] in _QUOTES and name[0] not in inside and name[-1] not in inside


@lru_cache(maxsize=1 << 16)
def entity_key(name: str) -> str:
    """Return what the spellings of one entity have in common.

    Case, width, quotes and spaces around do not count; every other character does, so that `C`, `C++` and `C#`, `3.5`
    and `35` stay apart, in any script.

    Examples:
        >>> entity_key(" ELECTRONS ") == entity_key("“electrons”")
        True
        >>> len({entity_key(name) for name in ("C", "C++", "C#")})
        3
    """
    if name.isascii():
        return shown_name(name).casefold()
    wide = unicodedata.normalize("NFKC", shown_name(name))
    return unicodedata.normalize("NFKC", shown_name(wide).casefold())


def names_once(names: Iterable[str]) -> list[str]:
    """Return names as they are shown, each entity once: where it comes first, spelled so; empty ones left out.

    Examples:
        >>> names_once(["Tides", "moon", " TIDES ", "“”"])
        ['Tides', 'moon']
    """
    shown: dict[str, str] = {}
    for name in names:
        shown.setdefault(entity_key(name), shown_name(name))
    return [name for key, name in shown.items() if key]
