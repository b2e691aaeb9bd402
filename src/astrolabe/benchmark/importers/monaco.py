"""MoNaCo: natural questions over dozens of Wikipedia pages, with the traces of the people who answered them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, cast

from pydantic import Field, JsonValue

from astrolabe.benchmark.gold_rules import fault, keep_first
from astrolabe.benchmark.imported import ForeignRecord, Imported, part_of, placed, read_foreign
from astrolabe.benchmark.set_answers import gold_answers, no_answers
from astrolabe.core.errors import Problem
from astrolabe.core.records import Question
from astrolabe.core.text import Text
from astrolabe.parts.page_names import page_name
from astrolabe.store.lines import whole_text

_RELEASE: Final = "monaco_version_1_release.jsonl"
_TRACES: Final = "execution_traces"
_CANARY: Final = "canary"
_COLUMNS: Final = ("source_url", "answers_section", "context_type")

_Object = Mapping[str, JsonValue]


class _Natural(ForeignRecord):
    ex_num: int
    question: Text = Field(min_length=1)
    validated_answer: JsonValue
    decomposition: tuple[Text, ...] = ()


class _Gold(NamedTuple):
    """What a question's trace names: pages and places, and what is doubtful about them."""

    pages: list[JsonValue]
    places: list[JsonValue]
    doubts: list[Problem]


def import_monaco(path: Path) -> Imported:
    """Read the release's questions, and the gold pages and places of their traces.

    Answers may be texts, numbers, booleans (true is read as Yes) and lists within the list, which are one answer each,
    with a warning. Traces lie beside the file in `execution_traces/dataset_ex_<ex_num>.json`: a page counts where its
    `answer_in_wiki` is neither "no" nor null; `source_url`, `answers_section` and `context_type` are lists or single
    values that belong together by position, and where they do not, a warning says so and the pages are kept without
    places. A key `canary` is passed over. Page texts are no part of the data: pages and places are in `extra` under
    `gold_pages` and `gold_places`, where `evidence_recall` finds them by title in whatever corpus the study holds.

    Args:
        path: The file (JSON lines or one JSON list), or a folder that holds it as `monaco_version_1_release.jsonl`.

    Raises:
        FileError: The file is missing, or a record lacks a field.
    """
    file = part_of(path, _RELEASE) if path.is_dir() else path
    traces = file.parent / _TRACES
    numbered = read_foreign(file, _Natural)
    problems = [] if traces.is_dir() else [_no_traces(traces)]
    questions: list[tuple[int, Question]] = []
    for line, row in numbered:
        items = gold_answers("validated_answer", row.validated_answer)
        gold = _gold(row, traces)
        found = [*items.doubts, *gold.doubts]
        if items.answers:
            questions.append((line, _question(row, items.answers, gold)))
        else:
            found.append(no_answers("validated_answer", row.validated_answer))
        problems += [replace(problem, line=line) for problem in found]
    unique = keep_first(questions, key=lambda question: question.id, content=lambda question: question, field="ex_num")
    ordered = sorted([*problems, *unique.problems], key=lambda problem: problem.line)
    return Imported(questions=tuple(question for _, question in unique.records), problems=tuple(placed(file, ordered)))


def _question(row: _Natural, answers: tuple[tuple[str, ...], ...], gold: _Gold) -> Question:
    extra: dict[str, JsonValue] = {
        **(row.model_extra or {}),
        "ex_num": row.ex_num,
        "decomposition": [*row.decomposition],
        "gold_pages": gold.pages,
        "gold_places": gold.places,
    }
    return Question(id=f"monaco-{row.ex_num}", text=row.question.strip(), kind="set", answers=answers, extra=extra)


def _gold(row: _Natural, traces: Path) -> _Gold:
    file = traces / f"dataset_ex_{row.ex_num}.json"
    if not traces.is_dir():
        return _Gold([], [], [])
    if not file.is_file():
        return _Gold([], [], [_doubt("ex_num", row.ex_num, f"{_TRACES} has no {file.name}: no gold pages")])
    trace, doubts = _trace(file, row.question)
    pages: dict[str, JsonValue] = {}
    places: dict[tuple[str | None, ...], JsonValue] = {}
    for step, entry in _entries(trace):
        urls, sections, kinds = (_texts(entry.get(name)) for name in _COLUMNS)
        for url in filter(None, urls):
            pages.setdefault(page_name(url), {"url": url})
        if not len(urls) == len(sections) == len(kinds):
            sizes = ", ".join(f"{name} {len(_texts(entry.get(name)))}" for name in _COLUMNS)
            doubts.append(_doubt("provenance", step, f"lists of unequal length ({sizes}): pages kept, no places"))
            continue
        for url, section, kind in zip(urls, sections, kinds, strict=True):
            if url:
                place: dict[str, JsonValue] = {"page": url, "section": section, "kind": kind}
                places.setdefault((page_name(url), section, kind), place)
    if not pages:
        doubts.append(_doubt("provenance", row.ex_num, f"{file.name} names no page of Wikipedia: no gold pages"))
    return _Gold(list(pages.values()), list(places.values()), doubts)


def _trace(file: Path, question: str) -> tuple[_Object, list[Problem]]:
    """Return the provenance by step that a trace's file holds under the question's text, or its only other key."""
    try:
        content = cast("JsonValue", json.loads(whole_text(file)))
    except (ValueError, RecursionError) as error:
        return {}, [_doubt("trace", file.name, f"is not JSON: {error}")]
    held = {key: value for key, value in content.items() if key != _CANARY} if isinstance(content, dict) else {}
    own = {" ".join(key.split()): value for key, value in held.items()}.get(" ".join(question.split()))
    chosen = own if own is not None or len(held) != 1 else next(iter(held.values()))
    provenance = chosen.get("provenance") if isinstance(chosen, dict) else None
    if not isinstance(provenance, dict):
        return {}, [_doubt("trace", file.name, "holds no object `provenance` under the question's text")]
    return provenance, [] if own is not None else [_doubt("trace", file.name, "is of a question in other words; read")]


def _entries(provenance: _Object) -> Iterator[tuple[str, _Object]]:
    """Yield the entries whose answer is in Wikipedia, with their step."""
    for step, entries in provenance.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, dict) and _is_in_wiki(entry.get("answer_in_wiki")):
                yield step, entry


def _is_in_wiki(given: JsonValue) -> bool:
    return given not in (None, False) and not (isinstance(given, str) and given.strip().casefold() in {"no", ""})


def _texts(given: JsonValue) -> Sequence[str | None]:
    members = given if isinstance(given, list) else [] if given is None else [given]
    return [member if isinstance(member, str) else None for member in members]


def _no_traces(traces: Path) -> Problem:
    return _doubt("path", traces.name, "is not there: questions without gold pages, so evidence_recall is unscored")


def _doubt(name: str, value: JsonValue, problem: str) -> Problem:
    return fault(name, value, problem, "Use all files of one release", severity="warning")
