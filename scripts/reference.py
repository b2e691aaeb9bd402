#!/usr/bin/env python3
"""Makes what the documentation says about commands, methods, metrics, models and formats from the code itself.

    python scripts/reference.py            # writes docs/
    python scripts/reference.py --check    # writes nothing; exits with 1 and names what is stale

`commands.md`, `methods/` and `question.schema.json` are made whole; in other pages what stands between
`<!-- made: NAME -->` and `<!-- end -->` is.
"""

import argparse
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import click

from astrolabe.benchmark import IMPORTERS, question_schema
from astrolabe.cli.group import COMMANDS, astrolabe
from astrolabe.cli.options import common_options
from astrolabe.core.records import Question, Topic
from astrolabe.core.spelling import spell_defaults
from astrolabe.methods import METHODS
from astrolabe.metrics import MATCHED, METRICS
from astrolabe.metrics.agreement import FIGURES
from astrolabe.study.machine import embedded_models

sys.path.insert(0, str(Path(__file__).parent))
from method_pages import index_page, method_figure, method_page

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
MADE: Final = "<!-- Made by `python scripts/reference.py`; changes here are lost. -->"
_BLOCK: Final = re.compile(r"(<!-- made: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_ATTRIBUTE: Final = re.compile(r"^    (\w+): (.*)$")


class Docstring(NamedTuple):
    """A docstring's paragraphs, and what it says of each attribute."""

    paragraphs: list[str]
    attributes: dict[str, str]


def main() -> int:
    """Write or check every page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where something is stale")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of the pages")
    chosen = parser.parse_args()
    pages = {chosen.docs / name: make() for name, make in PAGES.items()}
    for path in sorted(chosen.docs.glob("*.md")):
        if path not in pages and "<!-- made: " in (text := path.read_text("utf-8")):
            pages[path] = _BLOCK.sub(_filled, text)
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        if chosen.check:
            sys.stderr.write(f"{path.relative_to(chosen.docs)} is stale; run: python scripts/reference.py\n")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(pages[path], "utf-8")
            sys.stdout.write(f"{path}\n")
    return int(chosen.check and bool(stale))


def _filled(found: re.Match[str]) -> str:
    return f"{found[1]}\n{BLOCKS[found['name']]().strip()}\n\n{found[3]}"


def commands_page() -> str:
    """Return every command with its arguments and options."""
    common = _common()
    parts = [
        MADE,
        "# Commands",
        "This page is made from the commands themselves: it says what `astrolabe COMMAND --help` says.",
        _table(("command", "does"), [(f"[`{name}`](#{name})", says) for name, says in COMMANDS.items()]),
        "(options-of-every-command)=\n## Options of every command",
        _options(common.values()),
        "How a command ends is its exit code:",
        _table(("exit code", "means"), EXITS),
    ]
    context = click.Context(astrolabe, info_name="astrolabe")
    for name in COMMANDS:
        command = astrolabe.get_command(context, name)
        if command is not None:
            parts += _command(command, context, common, level="##")
    return "\n\n".join(parts) + "\n"


EXITS: Final = (
    ("0", "All is done. Duplicates of a document do not count as a fault."),
    ("1", "Done, but some items are failed, empty, refused, truncated or unscored. Each is listed with its reason."),
    ("2", "Nothing ran, and you can fix it: a wrong option, a faulty file, a missing model, a call missing in replay."),
    ("3", "Stopped by the budget or the provider. The same command goes on from there."),
    ("130", "Interrupted with Ctrl-C. The same command goes on from there."),
)


def _command(
    command: click.Command, parent: click.Context, common: Mapping[str, click.Option], *, level: str
) -> Iterable[str]:
    context = click.Context(command, info_name=command.name, parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"{level} {context.command_path.removeprefix('astrolabe ')}"
    yield f"```text\n{context.command_path} {usage}\n```"
    yield _unwrapped(inspect.cleandoc(command.help or ""))
    own = [one for one in command.params if isinstance(one, click.Option) and one.name not in common]
    if own:
        yield _options(own)
    if len(own) < len(command.params):
        yield "And the [options of every command](#options-of-every-command)."
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _command(inner, context, common, level=f"{level}#")


def _common() -> dict[str, click.Option]:
    def nothing() -> int:
        return 0

    params: list[click.Option] = getattr(common_options(nothing), "__click_params__", [])
    return {str(one.name): one for one in reversed(params)}


def _options(options: Iterable[click.Option]) -> str:
    """Return a table of options; without any default it has no column for them."""
    rows = [_option(one) for one in options]
    head = ("option", "what it does", "default")
    return _table(head, rows) if any(row[2] for row in rows) else _table(head[:2], [row[:2] for row in rows])


def _option(option: click.Option) -> tuple[str, str, str]:
    names = " ".join(f"`{name}`" for name in option.opts)
    if not option.is_flag:
        shown = f"`{option.make_metavar(click.Context(click.Command('x')))}`"
        names = f"{names} {shown}"
    says = option.help or ""
    if isinstance(option.type, click.IntRange | click.FloatRange):
        bounds = [f"at {word} {end}" for word, end in (("least", option.type.min), ("most", option.type.max))]
        given = [bound for bound in bounds if "None" not in bound]
        says += f" ({' and '.join(given)})" if given else ""
    return names, f"{says}{' Can be repeated.' if option.multiple else ''}", _default(option)


def _default(option: click.Option) -> str:
    shown = option.show_default
    if isinstance(shown, str):
        return shown
    if not shown or option.default is None:
        return ""
    default = cast("object", option.default)
    values = cast("tuple[object, ...]", default) if isinstance(default, tuple) else (default,)
    return ", ".join(f"`{str(value).lower() if isinstance(value, bool) else value}`" for value in values)


def method_pages() -> dict[str, Callable[[], str]]:
    """Return what makes the table of the methods, and each method's page and figure."""
    made: dict[str, Callable[[], str]] = {"methods/index.md": lambda: f"{MADE}\n\n{index_page()}"}
    for name, kind in METHODS.items():
        read = _docstring(kind)
        made[f"methods/{name}.md"] = partial(_made, method_page, name, read.paragraphs, read.attributes)
        made[f"methods/{name}.svg"] = partial(method_figure, name)
    return made


def _made(page: Callable[..., str], *told: object) -> str:
    return f"{MADE}\n\n{page(*told)}"


def metrics_block() -> str:
    """Return every metric as it describes itself."""
    parts: list[str] = []
    for name, kind in METRICS.items():
        read = _docstring(kind)
        worst, best = kind().range
        parts += [f"### {name}", f"```text\n{spell_defaults(kind)}\n```", *read.paragraphs]
        if read.attributes:
            parts.append("\n".join(f"- `{field}`: {says}" for field, says in read.attributes.items()))
        parts.append(f"Worst value {_bound(worst)}, best value {_bound(best)}.")
    return "\n\n".join(parts)


def agreement_block() -> str:
    """Return how far the local matchers agree with people."""
    names = ", ".join(f"`{name}`" for name in MATCHED)
    rows = [
        (
            f"`{name}` ({one.embedder})",
            f"{one.average_precision:.2f}",
            f"{one.pairs_kappa:.2f}",
            f"{one.correlation:.2f}",
            f"{one.covered_kappa:.2f}",
        )
        for name, one in FIGURES.items()
    ]
    head = ("matcher", "argkp: average precision", "argkp: kappa", "summhay: Pearson r", "summhay: kappa")
    return f"{_table(head, rows)}\n\nThese figures are printed with every table that {names} fill."


def fields_block() -> str:
    """Return the fields of a question and of a topic."""
    parts: list[str] = []
    for title, record, meanings in (("A question", Question, QUESTION_FIELDS), ("A topic", Topic, TOPIC_FIELDS)):
        schema = record.model_json_schema()
        needed = set(schema.get("required", ()))
        rows = [
            (f"`{name}`{' (needed)' if name in needed else ''}", meanings[name], _choices(field))
            for name, field in schema["properties"].items()
        ]
        parts.append(f"{title}:\n\n{_table(('field', 'holds', 'one of'), rows)}")
    return "\n\n".join(parts)


def _choices(field: Mapping[str, Any]) -> str:
    """Return the values that a field may have, where they are listed."""
    options = [field, *field.get("anyOf", ())]
    return ", ".join(f"`{value}`" for option in options for value in option.get("enum", ()))


QUESTION_FIELDS: Final = {
    "id": "its name in answers and scores; never reused for another question",
    "text": "the question as it is asked",
    "kind": "what the answer does; tables by kind use it",
    "topics": "what a good answer covers (A)",
    "hallucinations": "what no document supports (H)",
    "evidence": "ids of the documents that the answer rests on",
    "scopes": "by a scope's name, the id of its scope; computed where it is missing",
    "time_range": "`start` and `end`, both included, of what a temporal question asks about; null is open",
    "answers": "for the kind `set`: each item of the answer as a list of its spellings",
    "split": "such as `dev` or `test`",
    "extra": "whatever else a foreign format says",
}
TOPIC_FIELDS: Final = {
    "id": "its name within the question, such as A1 or H2",
    "text": "the topic in a few words",
    "aliases": "other words for it",
    "group": "for a comparison, which of the compared things it belongs to",
    "origin": "where it comes from",
    "evidence": "spans: `document_id`, `start`, `end` and the `quote` that stands there",
    "importance": "how much an answer without it lacks",
    "state": "whether a person has looked at it; a rejected topic counts nowhere",
    "reason": "why a person decided so",
}


def formats_block() -> str:
    """Return what each importer reads."""
    rows = [(f"`{name}`", _first_paragraph(inspect.getmodule(reader))) for name, reader in IMPORTERS.items()]
    return _table(("format", "what it reads"), rows)


def models_block() -> str:
    """Return the embedded models."""
    rows = [
        (f"`{one.name}`", one.role, f"{one.about}", one.licence, f"{one.megabytes} MB") for one in embedded_models()
    ]
    return _table(("model", "roles", "what it is", "licence", "size"), rows)


def _first_paragraph(described: object) -> str:
    found = inspect.getdoc(described) or ""
    return " ".join(found.partition("\n\n")[0].split())


def _docstring(kind: type) -> Docstring:
    text, _, rest = (inspect.getdoc(kind) or "").partition("Attributes:\n")
    attributes: dict[str, str] = {}
    last = ""
    for line in rest.splitlines():
        if found := _ATTRIBUTE.match(line):
            last = found[1]
            attributes[last] = found[2]
        elif line.strip() and last:
            attributes[last] += f" {line.strip()}"
    return Docstring([_unwrapped(part) for part in text.strip().split("\n\n")], attributes)


def _bound(value: float) -> str:
    return "without bound" if value in {float("inf"), float("-inf")} else f"{value:g}"


def _unwrapped(text: str) -> str:
    """Return paragraphs on one line each: the page wraps them."""
    return "\n\n".join(" ".join(part.split()) for part in textwrap.dedent(text).split("\n\n"))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


PAGES: Final[dict[str, Callable[[], str]]] = {
    "commands.md": commands_page,
    **method_pages(),
    "question.schema.json": lambda: json.dumps(question_schema(), indent=2, ensure_ascii=False) + "\n",
}
BLOCKS: Final[dict[str, Callable[[], str]]] = {
    "metrics": metrics_block,
    "agreement": agreement_block,
    "fields": fields_block,
    "formats": formats_block,
    "models": models_block,
}

if __name__ == "__main__":
    sys.exit(main())
