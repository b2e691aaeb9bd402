"""The report as one HTML file that asks for nothing: style, scripts and all records are inside."""

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from pydantic import JsonValue

from astrolabe.core.records import Answer, Question, Score, Topic
from astrolabe.report.banners import all_banners
from astrolabe.report.finding import finding
from astrolabe.report.judged import (
    SET_METRICS,
    Cause,
    causes,
    count_causes,
    found_items,
    found_topics,
    is_miss_cause,
    origins,
)
from astrolabe.report.material import Material
from astrolabe.report.table import Cell, Table
from astrolabe.report.tables import all_tables, main_table
from astrolabe.report.titles import KIND_TITLES, group_letter, scope_title, score_title
from astrolabe.report.trace import page_steps

_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
Place = tuple[str, str, str | None]


def render_page(material: Material) -> str:
    """Return the page. Every text is escaped; a policy in its head forbids requests and foreign scripts."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    tables = {table.name: table for table in all_tables(material)}
    scripts = [_read("vendor/echarts.common.min.js"), _read("templates/page.js")]
    main = main_table(material)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_read("templates/page.html.j2")).render(
        axis=_axis(main.rows),
        banners=all_banners(material),
        breakable=_breakable,
        content=Markup(_json(page_content(material))),  # noqa: S704  every < is escaped
        finding=finding(material),
        group_letter=group_letter,
        groups=material.groups.get(material.metric, {}).get(material.widest_scope(material.metric), ()),
        main=main,
        material=material,
        policy=_policy(scripts),
        scope_title=scope_title,
        set_metrics=[one for one in material.metrics if one.partition("(")[0] in SET_METRICS],
        scripts=[Markup(script) for script in scripts],  # noqa: S704  files of this package
        style=Markup(_read("templates/page.css")),  # noqa: S704  likewise
        spread=_spread(tables.get("pairs")),
        tables=tables,
    )


def page_content(material: Material) -> dict[str, JsonValue]:
    """Return the records that the page's own script shows: what is read back from it equals this."""
    texts = {_place(answer): answer.text for answer in material.answers}
    judged = _standing(material)
    missed = {_place(score): score for score in material.scores if is_miss_cause(score)}
    others: dict[Place, dict[str, JsonValue]] = {}
    for score in material.scores:
        if not is_miss_cause(score) and score is not judged.get(_place(score)):
            others.setdefault(_place(score), {})[score.metric] = score.value
    shown = {hit.passage_id for answer in material.answers for hit in answer.contexts}
    scopes = dict.fromkeys(scope for scope in material.scope_names(material.metric) if scope != "overall")
    return {
        "methods": list[JsonValue](material.methods(material.metric)),
        "recorded": list[JsonValue](sorted(material.recorded)),
        "scopes": [{"name": scope, "title": scope_title(scope)} for scope in scopes],
        "titles_of_scores": list[JsonValue](dict.fromkeys(_title(material, one) for one in judged.values())),
        "questions": [_question(question) for question in material.questions],
        "answers": [_answer(answer) for answer in material.answers],
        "scores": [
            {
                **_score(score, texts, missed, others),
                "title": _title(material, score),
                "percent": material.percent(score.metric),
            }
            for score in judged.values()
        ],
        "passages": {
            id_: {"text": one.text, "document": one.document_id, "section": list[JsonValue](one.section)}
            for id_, one in material.passages.items()
            if id_ in shown
        },
        "titles": dict[str, JsonValue](material.titles),
        "charts": _charts(material),
    }


def _standing(material: Material) -> dict[Place, Score]:
    """Return the score that stands for each answer.

    It is that of the main metric; where its question has no gold of that kind (topics, or a set of items), that of the
    metric which scored it by its own.
    """
    topical = set(material.topic_metrics)
    other_kind = [one for one in material.scoring_metrics if (one in topical) != (material.metric in topical)]
    standing: dict[Place, Score] = {}
    for metric in (material.metric, *other_kind):
        for score in material.scores:
            held = standing.get(_place(score))
            if score.metric == metric and (held is None or (held.value is None and score.value is not None)):
                standing[_place(score)] = score
    return standing


def _title(material: Material, score: Score) -> str:
    return score_title(material, score.metric, None)


def _question(question: Question) -> JsonValue:
    return {
        "id": question.id,
        "text": question.text,
        "kind": KIND_TITLES[question.kind],
        "topics": _topics(question.topics),
        "hallucinations": _topics(question.hallucinations),
    }


def _topics(topics: Sequence[Topic]) -> JsonValue:
    """Return the topics that count: not those that a reviewer rejected."""
    return [
        {
            "id": topic.id,
            "text": topic.text,
            "mark": f"{topic.origin}, {topic.state}",
            "evidence": [{"document": span.document_id, "quote": span.quote} for span in topic.evidence],
        }
        for topic in topics
        if topic.state != "rejected"
    ]


def _answer(answer: Answer) -> JsonValue:
    return {
        "question": answer.question_id,
        "method": answer.method,
        "scope": answer.scope,
        "text": answer.text,
        "status": answer.status,
        "reason": answer.reason,
        "calls": answer.usage.calls,
        "seconds": answer.duration_seconds,
        "contexts": [{"passage": hit.passage_id, "score": hit.score, "source": hit.source} for hit in answer.contexts],
        "trace": page_steps(answer.trace),
    }


def _score(
    score: Score,
    texts: Mapping[Place, str],
    missed: Mapping[Place, Score],
    others: Mapping[Place, dict[str, JsonValue]],
) -> dict[str, JsonValue]:
    place = _place(score)
    why = missed.get(place)
    found = found_topics(score, texts.get(place, ""))
    return {
        "question": score.question_id,
        "method": score.method,
        "scope": score.scope,
        "value": score.value,
        "parts": dict[str, JsonValue](score.parts),
        "reason": score.reason,
        "found": {topic: [list[JsonValue](one) for one in stretches] for topic, stretches in found.items()},
        "missed": _told(causes(why)) if why else {},
        "origins": _told(origins(why)) if why else {},
        "items": {name: list[JsonValue](items) for name, items in found_items(score).items()},
        "others": others.get(place, {}),
    }


def _told(found: Mapping[str, Cause]) -> JsonValue:
    return {topic: list[JsonValue](one) for topic, one in found.items()}


def _charts(material: Material) -> dict[str, JsonValue]:
    metric = material.metric
    points: list[JsonValue] = []
    for method in material.methods(metric):
        for scope in material.scope_names(metric):
            precision = material.find(metric, method, scope, part="t_prec")
            recall = material.find(metric, method, scope, part="t_rec")
            if precision and recall and precision.value is not None and recall.value is not None:
                place: JsonValue = scope_title(scope)
                points.append([method, place, recall.value, precision.value])
    counted = count_causes(material.scores)
    return {
        "precision_recall": points,
        "causes": {method: dict[str, JsonValue](counted[method]) for method in counted},
    }


def _breakable(name: str) -> str:
    """Return a spelled name that may be broken after its punctuation and nowhere else."""
    from markupsafe import Markup

    return Markup("<wbr>").join(re.split(r"(?<=[(=,/_:])", name))


def _spread(pairs: Table | None) -> float:
    """Return how far from 0 the widest interval of a difference reaches."""
    numbers = [abs(cell.number * cell.scale) for row in pairs.rows for cell in row[2:5] if cell.number] if pairs else []
    return max(numbers, default=1.0)


def _axis(rows: Sequence[Sequence[Cell]]) -> float:
    """Return where the main table's axis ends: a round number beyond every interval."""
    values = [
        value * cell.scale
        for row in rows
        for cell in row
        if cell.estimate
        for value in (cell.estimate.value, cell.estimate.high)
        if value is not None
    ]
    top = max(values, default=1.0)
    if top <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(top))
    return next(end * unit for end in (1, 2, 4, 6, 8, 10) if top <= end * unit * (1 + 1e-9))


def _place(record: Answer | Score) -> Place:
    return record.question_id, record.method, record.scope


def _json(content: Mapping[str, JsonValue]) -> str:
    written = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in _ESCAPES.items():
        written = written.replace(character, escape)
    return written


def _policy(scripts: Sequence[str]) -> str:
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _read(name: str) -> str:
    return (files("astrolabe.report") / name).read_text("utf-8").replace("\r\n", "\n")
