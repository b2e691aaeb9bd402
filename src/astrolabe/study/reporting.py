"""From a study's results to the material of a report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import astrolabe
from astrolabe.compare import questions_needed
from astrolabe.core.plural import plural
from astrolabe.core.records import Answer, Passage, Score, Usage
from astrolabe.core.tokens import COUNTER
from astrolabe.metrics import agreement_note
from astrolabe.parts.local_topics import MATCHER
from astrolabe.report import FORMATS, Built, Cost, Elsewhere, Format, Material, write_report
from astrolabe.study.answers import all_answers, answer_sources
from astrolabe.study.elsewhere import models_of
from astrolabe.study.index_records import IndexRecord, index_records
from astrolabe.study.judges import NO_JUDGES, compared_judges
from astrolabe.study.passages import Shelf
from astrolabe.study.results import main_metric, metric_of
from astrolabe.study.shown import Shown
from astrolabe.study.study import Study, save_manifest
from astrolabe.study.taken import Estimating, by_gold_pages, taken_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a report says beside the scores; all of it may be missing for answers made elsewhere."""

    title: str
    answers: Sequence[Answer] = ()
    study: Study | None = None
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    elsewhere: Sequence[Elsewhere] = ()


def material_of(shown: Shown, around: Surroundings) -> Material:
    """Return all that a report is made of."""
    results = shown.results
    metrics = sorted({score.metric for score in results.scores})
    main = main_metric(results.scores)
    study = around.study
    indexes = index_records(study.folder.indexes) if study else []
    ranges = {name: metric_of(name).range for name in metrics}
    taken = taken_scores(answer for answer in around.answers if answer.question_id in shown.questions)
    how = Estimating(
        seed=study.settings.seed if study else 0,
        confidence=next((one.confidence for one in results.estimates), 0.95),
        ranges=ranges,
    )
    sources = answer_sources(study) if study else []
    judges = compared_judges(study, results.scores, shown.questions, how) if study and taken else NO_JUDGES
    return Material(
        title=around.title,
        made_at=_made_at(around.answers),
        metric=main,
        estimates=results.estimates,
        comparisons=results.comparisons,
        groups=results.groups,
        scores=results.scores,
        answers=around.answers,
        questions=list(shown.questions.values()),
        scopes=list(study.scopes.values()) if study else (),
        passages=_passages(study, around.answers) if study else {},
        titles={document.id: document.title for document in study.documents} if study else {},
        banners=shown.banners,
        agreement=_agreement(results.scores),
        costs=[*_costs(around.answers), *(_cost(record) for record in indexes)],
        indexes=[_built(record) for record in indexes],
        facts={"Astrolabe": astrolabe.__version__, "Tokens counted by": COUNTER, **around.facts},
        ranges=ranges,
        needed=_needed(shown, main),
        correction=next((one.correction for one in results.comparisons), "holm").capitalize(),
        recorded=frozenset(str(one["method"]) for one in sources if one.get("bundled")),
        taken=how.means(taken, shown.questions),
        buckets=by_gold_pages(results.scores, taken, shown.questions, how) if taken else (),
        judges=judges.means,
        agreements=judges.agreements,
        models=models_of(study) if study else {},
        elsewhere=around.elsewhere,
    )


def write_study_report(
    study: Study, shown: Shown, formats: Sequence[Format] = FORMATS, *, elsewhere: Sequence[Elsewhere] = ()
) -> list[Path]:
    """Write the study's report, with the main figures of other studies beside its own; return the files, page first."""
    answers = [answer for book in all_answers(study).values() for answer in book.values()]
    around = Surroundings(
        title=study.folder.root.resolve().name,
        answers=answers,
        study=study,
        facts=_facts(study),
        elsewhere=elsewhere,
    )
    written = write_report(material_of(shown, around), study.folder.report, formats)
    save_manifest(
        study.folder.report,
        {"scores": len(shown.results.scores), "answers": len(answers), "formats": list(formats)},
    )
    return written


def _made_at(answers: Sequence[Answer]) -> datetime:
    """Return when the newest of the answers was begun, so that the same answers make the same report."""
    return max((one.started_at for one in answers if one.started_at is not None), default=datetime.now(UTC))


def _facts(study: Study) -> dict[str, str]:
    facts = {"Seed": str(study.settings.seed), "Documents": str(len(study.documents))}
    made = answer_sources(study)
    if any(one.get("keyed") and one.get("model") for one in made):
        facts["Key"] = "was set for the model that answers; it stands nowhere in this study"
    for name, label in (
        ("model", "Answers by"),
        ("embedder", "Embeddings by"),
        ("max_tokens", "Tokens an answer, at most"),
    ):
        values = sorted({str(one[name]) for one in made if one.get(name) is not None})
        if values:
            facts[label] = ", ".join(values)
    return facts


def _passages(study: Study, answers: Sequence[Answer]) -> dict[str, Passage]:
    usable = [document for document in study.documents if document.status == "ok"]
    shelf = Shelf(usable, study.folder.root / "corpus")
    found: dict[str, Passage] = {}
    for name in sorted({hit.passage_id for answer in answers for hit in answer.contexts}):
        passage = shelf.find(name)
        if passage is not None:
            found[name] = passage
    return found


def _agreement(scores: Sequence[Score]) -> dict[str, str]:
    """Return by metric what is known of the matchers that filled its scores."""
    matchers: dict[str, set[str]] = {}
    for score in scores:
        matcher = score.detail.get(MATCHER)
        if isinstance(matcher, str):
            matchers.setdefault(score.metric, set()).add(matcher)
    return {metric: agreement_note(names) for metric, names in matchers.items()}


def _costs(answers: Sequence[Answer]) -> list[Cost]:
    usage: dict[str, Usage] = {}
    counts: dict[str, int] = {}
    for answer in answers:
        usage[answer.method] = usage.get(answer.method, Usage()) + answer.usage
        counts[answer.method] = counts.get(answer.method, 0) + 1
    return [Cost(what=method, usage=usage[method], answers=counts[method]) for method in sorted(usage)]


def _cost(record: IndexRecord) -> Cost:
    over = f"{record.passages} {plural(record.passages, 'passage')}"
    return Cost(what=f"index {record.index} over {over}", usage=record.total)


def _built(record: IndexRecord) -> Built:
    return Built(
        index=record.index,
        passages=record.passages,
        asked=record.asked,
        missing=len(record.failed),
        lacks=record.lacks(),
        seconds=record.seconds,
    )


def _needed(shown: Shown, metric: str) -> dict[tuple[str, str | None, str, str], float | None]:
    needed: dict[tuple[str, str | None, str, str], float | None] = {}
    for one in shown.results.comparisons:
        if one.metric == metric and one.verdict == "cannot tell":
            found = questions_needed(
                shown.results.scores,
                shown.questions,
                metric=metric,
                first=one.first,
                second=one.second,
                scope=one.scope,
            )
            needed[one.metric, one.scope, one.first, one.second] = found.value
    return needed
