"""When two names mean one entity."""

import re
import unicodedata
from typing import Final

_QUOTES: Final = "\"'`´‘’‚‛“”„‟«»‹›「」『』"  # noqa: RUF001  the quotes that models put around names
_SPACES: Final = re.compile(r"\s+")


def shown_name(name: str) -> str:
    """Return a name as it is shown: without quotes around it, spaces single. Empty for one of quotes and spaces alone.

    Examples:
        >>> shown_name(' “Electrons” ')
        'Electrons'
        >>> shown_name("C++")
        'C++'
    """
    return _SPACES.sub(" ", name).strip(f" {_QUOTES}")


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
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", shown_name(name)).casefold())
