"""What the house keeps beyond what ruff and import-linter check, read from its own code."""

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest

BANNED_NAMES = {"utils", "helper", "manager", "framework", "base", "data", "info", "meta", "misc"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One Python file of the package: where it is (relative to the package) and what it says."""

    path: Path
    text: str

    @property
    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


def files_over_their_length(source: Source) -> Iterator[str]:
    lines = len(source.text.splitlines())
    most = 200 if source.path.parts[0] == "methods" else 400
    if lines > most:
        yield f"{source.path}: {lines} lines, at most {most}: split it by what it does"


def functions_over_sixty_lines(source: Source) -> Iterator[str]:
    for function in source.functions:
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        if lines > 60:
            yield f"{source.path}:{function.lineno} {function.name}: {lines} lines, at most 60"


def functions_with_more_than_four_parameters_by_position(source: Source) -> Iterator[str]:
    for function in source.functions:
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        by_position = [name for name in names if name not in {"self", "cls"}]
        if len(by_position) > 4:
            yield f"{source.path}:{function.lineno} {function.name}: make parameters keyword-only"


def names_that_say_nothing(source: Source) -> Iterator[str]:
    for part in source.path.with_suffix("").parts:
        if banned := BANNED_NAMES & {part, *part.split("_")}:
            yield f"{source.path}: {sorted(banned)} in a name: say what it does"


def broad_excepts_without_their_reason(source: Source) -> Iterator[str]:
    lines = source.text.splitlines()
    for node in ast.walk(ast.parse(source.text)):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = "Exception" if node.type is None else ast.unparse(node.type)
        line = lines[node.lineno - 1]
        reason = re.sub(r"noqa:\s*[A-Z]+[0-9]+", "", line.partition("#")[2])
        if caught in {"Exception", "BaseException"} and not re.search(r"\w", reason):
            yield f"{source.path}:{node.lineno} except {caught}: say why beside it"


RULES = [
    files_over_their_length,
    functions_over_sixty_lines,
    functions_with_more_than_four_parameters_by_position,
    names_that_say_nothing,
    broad_excepts_without_their_reason,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_has_no(rule: Callable[[Source], Iterator[str]], repository: Path) -> None:
    package = repository / "src" / "astrolabe"
    paths = sorted(package.rglob("*.py"))

    found = [
        fault for path in paths for fault in rule(Source(path=path.relative_to(package), text=path.read_text("utf-8")))
    ]

    assert paths
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (files_over_their_length, "core/long.py", "a = 1\n" * 401),
        (files_over_their_length, "methods/long.py", "a = 1\n" * 201),
        (functions_over_sixty_lines, "core/ids.py", "def f():\n" + "    a = 1\n" * 60),
        (
            functions_with_more_than_four_parameters_by_position,
            "core/ids.py",
            "class C:\n    def f(self, a, b, c, d, e): ...\n",
        ),
        (names_that_say_nothing, "core/text_utils.py", ""),
        (names_that_say_nothing, "data/rows.py", ""),
        (
            broad_excepts_without_their_reason,
            "core/ids.py",
            "try:\n    f()\nexcept Exception:  # noqa: BLE001\n    g()\n",
        ),
        (broad_excepts_without_their_reason, "core/ids.py", "try:\n    f()\nexcept:\n    g()\n"),
    ],
)
def test_each_rule_finds_a_planted_fault(rule: Callable[[Source], Iterator[str]], path: str, text: str) -> None:
    found = list(rule(Source(path=Path(path), text=text)))

    assert len(found) == 1


def test_a_broad_except_with_its_reason_is_accepted() -> None:
    text = "try:\n    f()\nexcept Exception:  # noqa: BLE001  one bad file stops no other\n    g()\n"

    assert not list(broad_excepts_without_their_reason(Source(path=Path("a.py"), text=text)))


def test_the_constraints_pin_all_that_the_project_asks_for(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    asked: list[str] = [*project["dependencies"], *chain.from_iterable(extras.values())]
    pins = (repository / "constraints.txt").read_text("utf-8")
    names = {re.split(r"[^\w-]", wanted)[0].lower() for wanted in asked}

    pinned = set(re.findall(r"^([a-z0-9-]+)==", pins, re.MULTILINE))

    assert names - pinned == set(), "run `make constraints`"


def test_the_constraints_name_no_host_and_no_folder(repository: Path) -> None:
    pins = (repository / "constraints.txt").read_text("utf-8")

    assert "/" not in pins
    assert "--index" not in pins
    assert "--find-links" not in pins
