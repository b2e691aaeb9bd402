"""The pages of the methods: a table of all, and for each its parameters, presets, source, costs and a figure.

The figure is drawn from the code: the method answers a question over some passages with a scripted model, and what it
opened, asked, searched and looked at on the way is what stands in the boxes.
"""

import asyncio
import dataclasses
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, ParamSpec, TypeVar, cast

from astrolabe.core.protocols import Method
from astrolabe.core.records import Answer, Step
from astrolabe.core.spelling import Scalar, presets, spell_defaults, written
from astrolabe.methods import METHODS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.sensible import sensible
from tests.six_passages import QUESTION, TEXTS, TracedKit, passage

if TYPE_CHECKING:
    from pydantic import JsonValue

P = ParamSpec("P")
T = TypeVar("T")
_OPEN: Final = re.compile(r"open (\w+)(.*)")
_ASK: Final = re.compile(r"ask (\S+) \((\S+)\)")
_SEARCH: Final = re.compile(r"search .* k=(\d+): ")
_WIDTH, _BOX, _GAP, _HEAD = 250, 44, 18, 34
_PORTS: Final = ("Skagen", "Leith", "Brest", "Cadiz")
PASSAGES: Final = [
    passage(f"{name}-{port}", f"{text} So it is in {port}.") for port in _PORTS for name, text in TEXTS.items()
]
"""Enough for a tree of summaries to grow."""
_COLUMNS: Final = ("Index, once for a scope", "Question", "Looked at, in the trace")


class Box(NamedTuple):
    """A step of the figure: what is done, and a word on how."""

    title: str
    detail: str


INTRO: Final = """\
A method answers a question from the documents of a scope. You name it as it is spelled on its page; parameters at
their default are left out, so `vanilla` and `vanilla(k=10)` are the same method, with one answers file and one
row in a table. Different parameters make a different method:

```text
astrolabe run --method extractive --method "vanilla(k=5, retriever=fused)"
```

The defaults are the preset `common`: all methods share passages, extraction, answer prompt and budgets as far as
their ideas allow, so that a comparison compares ideas. Methods of papers have a second preset, `published`, with
the parameters of the ASTRA-QA runs: `raptor@published`, `raptor@published(k=3)`.

These pages are made from the methods themselves: they say what `astrolabe methods` says. Your own system stands
beside them with `--system`, see [Your own system](../own-system.md); a method of your own is one file, see
[How to add a method](adding.md)."""


def index_page() -> str:
    """Return the table of all methods."""
    rows = [
        (f"[`{name}`]({name}.md)", _fact(kind, "paper"), _fact(kind, "index_calls"), _fact(kind, "question_calls"))
        for name, kind in METHODS.items()
    ]
    pages = "\n".join(["adding", *METHODS])
    toctree = f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{pages}\n```"
    head = ("method", "source", "calls to build its index", "calls a question")
    return "\n\n".join(["# Methods", INTRO, _table(head, rows), toctree]) + "\n"


def method_page(name: str, paragraphs: Sequence[str], attributes: Mapping[str, str]) -> str:
    """Return a method's page, from its docstring's paragraphs and what that says of each attribute."""
    kind = METHODS[name]
    fields = {field.name: field.default for field in dataclasses.fields(kind)}  # pyright: ignore[reportArgumentType]
    parts = [f"# {name}", f"```text\n{spell_defaults(kind)}\n```", *paragraphs]
    parts.append(f"![What {name} does, drawn from a run over some passages]({name}.svg)")
    tables = presets(kind)
    if fields:
        head = ("parameter", "default", *(f"`@{preset}`" for preset in tables), "meaning")
        rows = [
            (
                f"`{field}`",
                f"`{written(cast('Scalar', default))}`",
                *(f"`{written(table[field])}`" if field in table else "" for table in tables.values()),
                attributes.get(field, ""),
            )
            for field, default in fields.items()
        ]
        parts.append(_table(head, rows))
    costs = f"{_fact(kind, 'index_calls')} to build its index, {_fact(kind, 'question_calls')} for a question"
    parts.append(f"Source: {_fact(kind, 'paper')}. Calls to a model: {costs}.")
    return "\n\n".join(parts) + "\n"


def method_figure(name: str) -> str:
    """Return a method's figure as SVG."""
    kit = TracedKit(sensible, held=PASSAGES)
    answer = asyncio.run(_answered(name, kit))
    boxes = [list(_merged(_boxes(kit.trace, building=True))), list(_merged(_boxes(kit.trace, building=False)))]
    columns = [*boxes, list(_merged(map(_looked, answer.trace)))]
    shown = [(title, column) for title, column in zip(_COLUMNS, columns, strict=True) if column]
    height = _HEAD + max(len(column) for _, column in shown) * (_BOX + _GAP)
    width = len(shown) * (_WIDTH + _GAP) + _GAP
    drawn = "\n".join(line for place, (title, column) in enumerate(shown) for line in _column(place, title, column))
    style = "text{font:13px sans-serif;fill:#1c2430}.d{font-size:11px;fill:#5a6472}.h{font-weight:600}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">\n'
        f'<title>{escape(name)}</title>\n<style>{style}</style>\n<rect width="100%" height="100%" fill="#fff"/>\n'
        f"{drawn}\n</svg>\n"
    )


def _boxes(trace: Sequence[str], *, building: bool) -> Iterator[Box]:
    """Return what the kit saw, of the building of indexes or of the answering."""
    for line in trace:
        if found := _OPEN.match(line):
            if building:
                yield Box(f"index {found[1]}", found[2].strip("()"))
        elif found := _ASK.match(line):
            if building == found[2].startswith("index."):
                yield Box(f"ask {found[1]}", found[2])
        elif not building and (found := _SEARCH.match(line)):
            yield Box("search passages", f"the best {found[1]}")


def _looked(step: Step) -> Box:
    drawn = cast(
        "Mapping[str, Sequence[Mapping[str, JsonValue]]]", step.output if isinstance(step.output, dict) else {}
    )
    kinds = ", ".join(dict.fromkeys(str(node["kind"]) for node in drawn.get("nodes", ())))
    return Box(step.stage, ": ".join(filter(None, [step.mode, kinds])))


def _merged(boxes: Iterable[Box]) -> Iterator[Box]:
    """Return each box once, where it stands first."""
    for box, times in Counter(boxes).items():
        often = {1: "", len(PASSAGES): ", once a passage"}.get(times, ", often")
        yield box._replace(title=f"{box.title}{often}")


class _Inline(ThreadPoolExecutor):
    """Works at once, so that what a figure shows never hangs on threads."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Return the result as a future that is done."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  whatever it is, it is the caller's
            future.set_exception(error)
        return future


async def _answered(name: str, kit: TracedKit) -> Answer:
    asyncio.get_running_loop().set_default_executor(_Inline())
    return await METHODS[name]().answer(QUESTION, kit)


def _column(place: int, title: str, boxes: Sequence[Box]) -> Iterator[str]:
    left = _GAP + place * (_WIDTH + _GAP)
    middle = left + _WIDTH / 2
    yield f'<text class="h" x="{left}" y="22">{escape(title)}</text>'
    fill = ("#eef3fb", "#eefaf1", "#fbf5e9")[_COLUMNS.index(title)]
    for number, box in enumerate(boxes):
        top = _HEAD + number * (_BOX + _GAP)
        yield f'<rect x="{left}" y="{top}" width="{_WIDTH}" height="{_BOX}" rx="6" fill="{fill}" stroke="#9aa7b8"/>'
        yield f'<text x="{left + 12}" y="{top + 19}">{escape(_shortened(box.title, 34))}</text>'
        yield f'<text class="d" x="{left + 12}" y="{top + 35}">{escape(_shortened(box.detail, 40))}</text>'
        if number + 1 < len(boxes):
            yield f'<path d="M{middle} {top + _BOX}v{_GAP - 5}m-4 -4l4 5l4 -5" fill="none" stroke="#9aa7b8"/>'


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _fact(kind: type[Method], fact: str) -> str:
    return str(getattr(kind, fact))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
