"""What of wikitext stands inside a line: tags, entities, quotes, links; and what the other wiki modules share."""

import html
import re
from collections.abc import Callable
from typing import Final

BLOCK: Final = "\x03"
"""Stands on both sides of a block's number; control characters cannot occur in a dump, which is XML."""
PIPE: Final = "\x05"
EQUALS: Final = "\x06"
"""A pipe and an equals sign that a template has written: they divide no parameters of the template around it."""
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_COMMENT: Final = re.compile(r"<!--")
_DROPPED: Final = re.compile(
    r"<(ref|gallery|timeline|score|imagemap|templatestyles|graph|mapframe|maplink|indicator|section|references)\b"
    r"(?:[^<>\"]|\"[^\"]*\")*>",
    re.IGNORECASE,
)
_KEPT_AS_WRITTEN: Final = re.compile(
    r"<(nowiki|math|chem|pre|syntaxhighlight|source|code)\b[^<>]*(?<!/)>", re.IGNORECASE
)
_MARKUP: Final = re.compile(r"[\[\]{}|'=*#:;!_~\n<>]")
_BREAK: Final = re.compile(r"<br\b[^<>]*>|</(?:li|p|div|tr|h[1-6])\s*>", re.IGNORECASE)
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
_EXTERNAL: Final = re.compile(
    r"\[(?:[a-zA-Z]{3,10}:)?//[^\s\[\]]*[ \t]*([^\[\]\n]*)\]|\[mailto:[^\s\[\]]*[ \t]*([^\[\]\n]*)\]"
)
_QUOTES: Final = re.compile(r"'{2,}")
_SWITCH: Final = re.compile(r"__[A-Z]{3,}__")
_LEFT_OVER: Final = re.compile(r"\{\{+|\}\}+|\[\[|\]\]")
_EMPTIED: Final = re.compile(r"\(\s*[,;]?\s*\)|(?<=\()\s*[,;]\s+")
_BEFORE_MARK: Final = re.compile(r"(?<![ \t])[ \t]+(?=[,.;)](?:\s|$))")


def without_asides(text: str) -> str:
    """Return wikitext without comments, references, galleries and the like; what is not to be read stays as text."""
    plain = _CONTROLS.sub("", text)
    plain = _cut_out(plain, _COMMENT, lambda _: "-->", lambda _: "")
    plain = _cut_out(plain, _KEPT_AS_WRITTEN, _closing, _written)
    return _cut_out(plain, _DROPPED, _closing, lambda _: "")


def _closing(found: re.Match[str]) -> str:
    return "" if found[0].endswith("/>") else f"</{found[1].lower()}"


def _written(inside: str) -> str:
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", html.unescape(inside))


def _cut_out(
    text: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], str], put: Callable[[str], str]
) -> str:
    """Return the text with `put(inside)` in place of what stands between two marks; a mark that nothing closes goes.

    Takes linear time: a closing mark that was not found once is not looked for again.
    """
    pieces: list[str] = []
    lowered = text.lower()
    missing: set[str] = set()
    place = 0
    while found := opening.search(text, place):
        pieces.append(text[place : found.start()])
        mark = closing(found)
        end = -1 if mark in missing else lowered.find(mark, found.end()) if mark else found.end()
        if end < 0:
            missing.add(mark)
            place = found.end()
            continue
        pieces.append(put(text[found.end() : end]))
        close = text.find(">", end)
        place = (close + 1 if close >= 0 else len(text)) if mark else end
    return "".join([*pieces, text[place:]])


def plain_text(text: str) -> str:
    """Return the text of one line or of several, without any markup; a `<br>` becomes a line end."""
    plain = _BREAK.sub("\n", text)
    plain = _EXTERNAL.sub(lambda found: found[1] or found[2] or "", plain)
    for pattern in (_TAG, _QUOTES, _SWITCH, _LEFT_OVER):
        plain = pattern.sub("", plain)
    plain = html.unescape(plain).replace("\xa0", " ").replace(PIPE, "|").replace(EQUALS, "=")
    return _BEFORE_MARK.sub("", _EMPTIED.sub("", plain))


def one_value(text: str) -> str:
    """Return the text of a cell or of a parameter on one line; its lines and list items divided by semicolons."""
    lines = (line.strip().lstrip("*#:;").strip() for line in plain_text(text).split("\n"))
    return "; ".join(" ".join(line.split()) for line in lines if line).replace(";;", ";")
