"""Templates whose value a reader sees: numbers, dates, names, lists and infoboxes; all others are left out."""

# ruff: noqa: RUF001 - dashes, signs and primes are what the templates show

import calendar
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from astrolabe.documents.wiki_text import EQUALS, PIPE, one_value


@dataclass(frozen=True, slots=True)
class Template:
    """A template's name (lower case, spaces for underscores), its parameters in order and by name."""

    name: str
    values: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict[str, str])

    def at(self, place: int) -> str:
        """Return a parameter by its place, counted from 1; an empty text where there is none."""
        given = self.named.get(str(place))
        return given if given is not None else self.values[place - 1] if place <= len(self.values) else ""


_NAMED: Final = re.compile(r"\s*([^=|\n]{0,80}?)\s*=(.*)", re.DOTALL)
_INFOBOX: Final = re.compile(
    r"infobox\b|ficha de |(?:tax|species|chem|drug|geo|star|auto|subspecies|mycomorph)box|automatic taxobox|infobox_"
)
_NOT_A_FACT: Final = re.compile(
    r"image|img|logo|map|flag|pushpin|caption|alt|photo|coat|seal|icon|signature|cover|picture|crest|emblem|shield|"
    r"colou?r|width|size|style|align|embed|child|module_?name|footnotes?|label_|bodyclass|background|sound|audio|ref\b|"
    r"title\d*style|header_|nocat|show|float|mapframe"
)
_NUMBER: Final = re.compile(r"-?\d+")


def read_template(body: str) -> Template:
    """Return the template that stands between double braces; its inner templates and links are text already."""
    parts = body.split("|")
    values: list[str] = []
    named: dict[str, str] = {}
    for part in parts[1:]:
        found = _NAMED.match(part)
        if found:
            named[found[1].strip()] = found[2].strip()
        else:
            values.append(part.strip())
    name = " ".join(parts[0].replace("_", " ").split()).lower()
    return Template(name.removeprefix("template:"), tuple(values), named)


def is_infobox(template: Template) -> bool:
    """Return whether a template is a box of facts about the page."""
    return _INFOBOX.match(template.name) is not None


def infobox_lines(template: Template) -> list[str]:
    """Return the facts of an infobox as lines `key: value`; pictures, maps, colours and empty values are left out."""
    lines: list[str] = []
    for key, value in template.named.items():
        said = one_value(value)
        if said and key and not _NOT_A_FACT.search(key.lower()):
            lines.append(f"- {' '.join(key.replace('_', ' ').split())}: {said}")
    return lines


def template_text(template: Template) -> str | None:
    """Return what a reader sees of an inline template; null for one that is not known.

    Examples:
        >>> template_text(read_template("convert|5|km"))
        '5 km'
        >>> template_text(read_template("birth date|1990|1|2"))
        'January 2, 1990'
        >>> template_text(read_template("lang|fr|la mer"))
        'la mer'
        >>> template_text(read_template("navbox|title=Rivers")) is None
        True
    """
    name = template.name
    if name in _SIGNS:
        return _SIGNS[name]
    if name in _READERS:
        return _READERS[name](template).replace("|", PIPE)
    if name.startswith(("lang-", "langx-")):
        return template.at(1)
    head, colon, rest = name.partition(":")
    if colon and head in {"formatnum", "lc", "uc", "lcfirst", "ucfirst"}:
        return rest
    return None


def _first(template: Template) -> str:
    return template.at(1)


def _second(template: Template) -> str:
    return template.at(2) or template.at(1)


def _nothing(_template: Template) -> str:
    return ""


def _converted(template: Template) -> str:
    """Return the number and unit as written: `5 km`, `5 to 10 km`, `6 ft 2 in`."""
    words = {"-": "–", "to": " to ", "and": " and ", "or": " or ", "by": " by ", "x": " by ", "to(-)": "–", "–": "–"}
    parts = list(template.values)
    text = ""
    for place, part in enumerate(parts[:6]):
        if part in words and place:
            text = text.rstrip() + words[part]
        elif place and not re.match(r"[-−\d.,/]+$", part):
            text += ("" if text.endswith(" ") else " ") + part
            following = parts[place + 1] if place + 1 < len(parts) else ""
            if part not in {"ft", "lb", "st", "mi", "oz"} or not re.match(r"\d+(?:\.\d+)?$", following):
                break
            if len(parts) > place + 2 and parts[place + 2] in {"in", "lb", "oz", "ft", "yd"}:
                return f"{text} {following} {parts[place + 2]}"
            break
        else:
            text += part
    return text.strip()


def _value(template: Template) -> str:
    unit = template.named.get("u") or template.named.get("ul") or template.named.get("up") or ""
    more = f" ± {template.at(2)}" if template.at(2) else ""
    exponent = template.named.get("e")
    power = f" × 10^{exponent}" if exponent else ""
    return f"{template.at(1)}{more}{power}{f' {unit}' if unit else ''}"


def _date(template: Template) -> str:
    """Return a date of up to three numbers, the last year first: `January 2, 1990`, `2 January 1990` with df=y."""
    numbers = [value for value in template.values if _NUMBER.fullmatch(value)]
    return _spelled_date(numbers[:3], day_first=template.named.get("df", "").lower() in {"y", "yes"})


def _spelled_date(numbers: list[str], *, day_first: bool) -> str:
    if len(numbers) < 2 or not 1 <= int(numbers[1]) <= 12:  # noqa: PLR2004 - months of a year
        return "-".join(numbers)
    month = calendar.month_name[int(numbers[1])]
    if len(numbers) == 2:  # noqa: PLR2004 - a year and a month
        return f"{month} {numbers[0]}"
    day = int(numbers[2])
    return f"{day} {month} {numbers[0]}" if day_first else f"{month} {day}, {numbers[0]}"


def _death_date(template: Template) -> str:
    numbers = [value for value in template.values if _NUMBER.fullmatch(value)]
    if len(numbers) < 6:  # noqa: PLR2004 - two dates of three numbers
        return _date(template)
    date = _spelled_date(numbers[:3], day_first=template.named.get("df", "").lower() in {"y", "yes"})
    died, born = ([int(number) for number in part] for part in (numbers[:3], numbers[3:6]))
    return f"{date} (aged {died[0] - born[0] - (died[1:] < born[1:])})"


def _list(template: Template) -> str:
    return "; ".join(filter(None, map(one_value, template.values)))


def _lines(template: Template) -> str:
    """Return a list in wikitext, or the parameters as one."""
    written = template.at(1)
    if len(template.values) <= 1 and ("\n" in written or written.startswith("*")):
        return f"\n{written}\n"
    return _list(template)


def _fraction(template: Template) -> str:
    whole, above, below = ["", *template.values][-3:] if len(template.values) < 3 else template.values[:3]  # noqa: PLR2004 - whole, above, below
    return f"{whole} {above}/{below}".strip() if below else f"1/{above}"


def _after(word: str) -> Callable[[Template], str]:
    return lambda template: f"{word} {_score(template)}".strip()


def _money(sign: str) -> Callable[[Template], str]:
    return lambda template: f"{sign}{template.at(1)}"


def _named_sort(template: Template) -> str:
    return f"{template.at(1)} {template.at(2)}".strip()


def _coordinates(template: Template) -> str:
    letters = "NSEW"
    parts = [part for part in template.values if re.fullmatch(r"-?[\d.]+|[NSEW]", part)]
    if not any(part in letters for part in parts):
        return ", ".join(parts[:2])
    marks, text, count = "°′″", "", 0
    for part in parts:
        if part in letters:
            text += f" {part}, "
            count = 0
        else:
            text += f"{' ' if count else ''}{part}{marks[min(count, 2)]}"
            count += 1
    return text.strip(", ")


def _score(template: Template) -> str:
    return "–".join(filter(None, template.values[:2]))


def _quote(template: Template) -> str:
    said = template.named.get("text") or template.named.get("quote") or template.at(1)
    author = template.named.get("author") or template.named.get("source") or template.at(2)
    return f"\n\n{said}{f' – {author}' if author else ''}\n\n" if said else ""


def _since(template: Template) -> str:
    numbers = [value for value in template.values if _NUMBER.fullmatch(value)]
    word = "as of" if template.named.get("lc", "").lower() in {"y", "yes"} else "As of"
    return f"{word} {_spelled_date(numbers, day_first=True)}"


def _height(template: Template) -> str:
    return " ".join(f"{value} {unit}" for unit, value in template.named.items() if unit in _UNITS)


def _dated(template: Template) -> str:
    return _date(template) or template.at(1)


_UNITS: Final = frozenset(("m", "cm", "ft", "in"))
_SIGNS: Final[Mapping[str, str]] = {
    "!": PIPE, "=": EQUALS, "'": "'", "'s": "'s", "ndash": "–", "snd": " – ", "spnd": " – ", "spaced ndash": " – ",
    "mdash": "—", "nbsp": " ", "space": " ", "dot": " · ", "·": " · ", "bullet": " • ", "•": " • ", "pi": "π",
    "minus": "−", "times": "×", "sdot": "·", "yes": "Yes", "no": "No", "y": "Yes", "n": "No", "tick": "Yes",
    "cross": "No", "won": "Won", "nom": "Nominated", "tba": "TBA", "n/a": "N/A", "na": "N/A", "dagger": "†",
    "double-dagger": "‡", "break": "\n", "-": "\n", "clear": "\n", "%": "%", "percent": "%", "pound": "£", "euro": "€",
}  # fmt: skip
_ALIKE: Final[Sequence[tuple[Callable[[Template], str], str]]] = (
    (_converted, "convert, cvt"),
    (_value, "val"),
    (
        _dated,
        (
            "birth date, birth date and age, bda, birth-date, dob, date of birth, birth year and age, birth "
            "year, start date, start date and age, end date, end date and age, film date, release date, launch "
            "date, opening date, dts, date table sorting, date"
        ),
    ),
    (_death_date, "death date, death date and age, dda, death year and age"),
    (
        _first,
        (
            "nowrap, nobr, nobold, small, smaller, big, larger, resize, center, centre, left, right, normal, "
            "noitalic, em, strong, mono, kbd, var, smallcaps, sc, sup, sub, overline, underline, ill, "
            "interlanguage link, abbr, abbrlink, tooltip, notatypo, not a typo, sic, url, official url, flag, "
            "flagcountry, flagg, flagu, flag country, nts, number table sorting, ntsh, formatnum, number, gaps, "
            "ship, uss, hms, marriage, married, br separated entries, iast, ipa, math, mvar, bignum, nihongo, "
            "nihongo2, respell, visible anchor, vanchor, unicode, trim, code, fb, fbw, flagathlete, flagioc"
        ),
    ),
    (
        _second,
        (
            "lang, langx, native name, native phrase, transl, transliteration, color, colour, abbreviation, "
            "font color, sort, hs, script/hebrew, rtl-lang, wikt, link"
        ),
    ),
    (_named_sort, "sortname"),
    (_lines, "flatlist, plainlist, plain list, div col, columns-list, col-list, indented plainlist"),
    (
        _list,
        (
            "ubl, unbulleted list, ublist, hlist, cslist, bulleted list, ordered list, collapsible list, enum, "
            "blist, comma separated entries"
        ),
    ),
    (_fraction, "frac, fraction, sfrac"),
    (_money("US$"), "usd, us dollar, us$"),
    (_money("£"), "gbp, gbp2"),
    (_money("€"), "eur, euros"),
    (_money("₹"), "inr, indian rupee"),
    (_money("¥"), "jpy, cny, yen"),
    (_money("A$"), "aud"),
    (_money("C$"), "cad"),
    (_second, "inflation"),
    (_after("c."), "circa, c., c, ca"),
    (_after("fl."), "floruit, fl."),
    (_after("r."), "reign, r."),
    (_coordinates, "coord, coords"),
    (_since, "as of, asof"),
    (_quote, "blockquote, quote, cquote, quotation, quote box, rquote"),
    (_height, "height"),
    (_score, "winning score, score"),
    (_nothing, "flagicon, flagdeco, sfn, sfnp, efn, refn, r, rp, cn, citation needed, fact, anchor"),
)
_READERS: Final[Mapping[str, Callable[[Template], str]]] = {
    name: reader for reader, names in _ALIKE for name in names.split(", ")
}
