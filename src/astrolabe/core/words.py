"""Words for counting and searching, in any script."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import groupby, pairwise
from typing import Final, NamedTuple, Protocol

# Scripts that write no spaces between words: Han, kana, Hangul. Marks and iteration signs belong to them,
# the katakana middle dot and CJK punctuation do not.
_UNSPACED: Final = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3131-\u318e"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uf900-\ufaff"
    "\U00016fe0-\U00018aff\U0001aff0-\U0001b16f\U00020000-\U000323af"
)
_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_INVISIBLE: Final = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")

_MOST_WORDS: Final = 1_000_000

# Words of function, not of content. `no`, `not` and `nor` stay: they change what a sentence says. `may`, `us`
# and `who` are names, too; of these only `who` is dropped, because questions begin with it.
STOP_WORDS: Final = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below between both
    but by can could d did do does doing down during each few for from further had has have having he her here hers
    herself him himself his how i if in into is it its itself just ll m me more most my myself of off on once only or
    other our ours ourselves out over own re s same she should so some such t than that the their theirs them themselves
    then there these they this those through to too under until up ve very was we were what when where which while who
    whom whose why will with would you your yours yourself yourselves
    """.split()  # noqa: SIM905 - as text it is read at a glance
)
"""English words that `stems` drops."""


def words(text: str) -> list[str]:
    """Return the words of a text, in order, as they are compared: NFKC, case folded.

    A run of Han, kana or Hangul becomes its overlapping pairs of characters, since such scripts write no spaces; a
    lone character is itself. Anything else is a run of letters and digits with the marks that belong to them.
    Punctuation, underscores and symbols part words; soft hyphens and joiners do not. Empty for a text without words.

    Examples:
        >>> words("The QUICK fox_2!")
        ['the', 'quick', 'fox', '2']
        >>> words("数据库 ok")
        ['数据', '据库', 'ok']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return list(_split(_INVISIBLE.sub("", folded)))


def stems(text: str, language: str = "english") -> list[str]:
    """Return the stems of the words of a text, in order, English stop words dropped.

    Pairs of Han, kana or Hangul are left as they are. A text of stop words alone gives an empty list.

    Args:
        text: Any text.
        language: The Snowball stemmer to use, by its English name in lower case.

    Raises:
        KeyError: There is no stemmer of this name.

    Examples:
        >>> stems("What are the causes of flooding?")
        ['caus', 'flood']
    """
    known = _stems_of(language)
    return [stem for word in words(text) if (stem := known[word])]


class _Stems(dict[str, str]):
    """The stems of the words seen so far, empty for a stop word: texts repeat their words many times."""

    def __init__(self, language: str) -> None:
        import Stemmer

        # One a word (0.7 us): a stemmer keeps state and must not be shared by threads.
        self._stemmer: Callable[[], _Stemmer] = partial(Stemmer.Stemmer, language)
        self._stemmer()

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_WORDS:
            self.clear()
        stem = "" if word in STOP_WORDS else self._stemmer().stemWord(word)
        self[word] = stem
        return stem


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


@cache
def _stems_of(language: str) -> _Stems:
    return _Stems(language)


def _split(folded: str) -> Iterator[str]:
    spaced, mixed, unspaced = _patterns()
    if not unspaced.search(folded):
        yield from spaced.findall(folded)
        return
    for run in mixed.findall(folded):
        if len(run) > 1 and unspaced.match(run):
            yield from (first + second for first, second in pairwise(run))
        else:
            yield run


class _Patterns(NamedTuple):
    spaced: re.Pattern[str]
    mixed: re.Pattern[str]
    unspaced: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Return what matches a word of a spaced script, a run of any script, and a letter of an unspaced one."""
    word = "{letter}+(?:[{marks}]+{letter}*)*"
    marks = _marks()
    other = word.format(letter=rf"[^\W_{_UNSPACED}]", marks=marks)
    return _Patterns(
        spaced=re.compile(word.format(letter=r"[^\W_]", marks=marks)),
        mixed=re.compile(rf"[{_UNSPACED}]+|{other}"),
        unspaced=re.compile(rf"[{_UNSPACED}]"),
    )


def _marks() -> str:
    """Return Unicode's combining marks as the ranges of a character class; `re` has no name for them."""
    marks = [code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code)).startswith("M")]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in _ranges(marks))


def _ranges(codes: Iterable[int]) -> Iterator[tuple[int, int]]:
    for _, run in groupby(enumerate(codes), key=lambda numbered: numbered[1] - numbered[0]):
        members = [code for _, code in run]
        yield members[0], members[-1]
