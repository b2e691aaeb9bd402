"""Scoring answers: each score is a record tied to the text that it judges."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from astrolabe.core.errors import CannotWrite, ConfigError, ModelError, Stopped, UserError
from astrolabe.core.ids import text_hash
from astrolabe.core.protocols import Kit, Metric
from astrolabe.core.records import Answer, Question, Score
from astrolabe.core.spelling import spell
from astrolabe.core.usage import metering
from astrolabe.store.claims import Claims
from astrolabe.store.folder import read_manifest
from astrolabe.store.lines import recover_records, settle_records
from astrolabe.study.answers import Job, all_answers
from astrolabe.study.bench import bench_of, kits_of_answers
from astrolabe.study.by_gold import default_metrics, fits
from astrolabe.study.faults import first_of
from astrolabe.study.judges import set_aside
from astrolabe.study.kit import Bench
from astrolabe.study.ledger import Ledger
from astrolabe.study.models import Models
from astrolabe.study.progress import Progress
from astrolabe.study.study import Study, save_manifest
from astrolabe.study.turns import Done, Turns
from astrolabe.study.workers import work_through

_TOGETHER = 64
_ANSWER = "answer_hash"


@dataclass(slots=True, kw_only=True)
class ScoreResult:
    """What scoring did: every score, how many stood already, and what ended it early."""

    scores: list[Score] = field(default_factory=list[Score])
    kept: int = 0
    stopped: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """What to score, and with what.

    Attributes:
        answers: The answers; each belongs to one of the questions.
        questions: The questions by id.
        metrics: The metrics.
        kit_of: The kit of an answer's scope; its model is the judge.
        judged_by: What scores depend on besides metric and answer (judge, embedder).
        by_gold: Whether nobody named the metrics, so that each scores the questions that have its kind of gold.
    """

    answers: Sequence[Answer]
    questions: Mapping[str, Question]
    metrics: Sequence[Metric]
    kit_of: Callable[[Answer], Kit]
    judged_by: Mapping[str, JsonValue]
    by_gold: bool = False

    def answers_for(self, metric: Metric) -> list[Answer]:
        """Return the answers that a metric scores."""
        return [
            answer
            for answer in self.answers
            if not self.by_gold or fits(metric, self.questions[answer.question_id], self.metrics)
        ]


class ScoreTask(NamedTuple):
    """One answer for one metric."""

    metric: Metric
    answer: Answer


async def score_answers(
    scoring: Scoring, study: Study | None, progress: Progress, *, ledger: Ledger | None = None
) -> ScoreResult:
    """Score every answer with every metric; without a study nothing is written.

    A score that stands already, for the same text, judge and embedder, is kept. A judgement that
    fails becomes an unscored record with its reason, and the next call tries it again. A ledger notes what
    each score took, or in `replay` knows it.

    Raises:
        UserError: A metric cannot work at all, for example for want of a judge.
    """
    turns = Turns(Score, lambda score: (score.metric, score.method, *_place(score)), _claims_of(ledger, study))
    files = _files(study, scoring) if study else {}
    for path in files.values():
        turns.watch(path)
    tasks, _, kept = open_scores(scoring, study)
    result = ScoreResult(scores=kept, kept=len(kept))
    progress.begin("scoring", len(tasks))
    begun: set[str] = set()

    async def score(task: ScoreTask) -> Score:
        """Score, and see to what that took."""
        made = await score_task(task, scoring)
        judged = [_hash(task.answer), dict(scoring.judged_by)]
        return await ledger.of_score(made, judged) if ledger else made

    async def scored(task: ScoreTask) -> Done[Score]:
        """Score, or take what another process has just scored."""
        if (where := study) is None:
            return Done(await score(task), own=True)
        metric, answer = spell(task.metric), task.answer
        return await turns.take(
            files[metric, answer.method],
            (metric, answer.method, answer.question_id, answer.scope or ""),
            lambda: score(task),
            lambda theirs: _holds(theirs, answer) and _still_holds(where, scoring, metric),
        )

    def keep(done: Sequence[Done[Score]]) -> None:
        """Write scores, where there is a study, and hold them."""
        if study is not None:
            _keep(study, scoring, turns, [one.record for one in done if one.own], begun=begun)
        result.scores += [one.record for one in done]
        result.kept += sum(not one.own for one in done)

    result.stopped = await work_through(tasks, scored, keep, requests=_TOGETHER, progress=progress)
    try:
        for path in files.values():
            settle_records(path, Score, _place)
    except CannotWrite as full:
        result.stopped = result.stopped or str(full)
    return result


async def score_study(
    study: Study,
    metrics: Sequence[Metric],
    models: Models,
    progress: Progress,
    *,
    methods: Sequence[str] = (),
    limit: int | None = None,
) -> ScoreResult:
    """Score the study's answers.

    Args:
        study: The study.
        metrics: The metrics; none for those that fit the questions' gold.
        models: The judge and the embedder.
        progress: Hears of every score.
        methods: Only the answers of these spelled methods; empty for all.
        limit: At most so many answers; null for all.

    Raises:
        UserError: There are no answers, or a metric cannot work at all.
    """
    scoring = scoring_of(study, metrics, bench_of(study, models, "judge"), methods=methods, limit=limit)
    return await score_answers(scoring, study, progress, ledger=models.ledger)


def scoring_of(
    study: Study, metrics: Sequence[Metric], bench: Bench, *, methods: Sequence[str], limit: int | None
) -> Scoring:
    """Return what scoring a study does; without metrics, with those that fit the questions' gold.

    Raises:
        UserError: There are no answers.
    """
    questions = {question.id: question for question in study.need_questions()}
    return Scoring(
        answers=_chosen_answers(study, methods)[:limit],
        questions=questions,
        metrics=metrics or default_metrics(questions.values()),
        by_gold=not metrics,
        kit_of=kits_of_answers(study, bench, questions),
        judged_by={"judge": bench.llm.id if bench.llm else None, "embedder": bench.embedder.id},
    )


def _chosen_answers(study: Study, methods: Sequence[str]) -> list[Answer]:
    """Return the answers of some methods (none named: of all) to the study's questions.

    Raises:
        UserError: There are none.
    """
    books = all_answers(study)
    if unknown := [name for name in methods if name not in books]:
        msg = f"no answers of {', '.join(map(repr, unknown))}; there are answers of {', '.join(books) or 'no method'}"
        raise ConfigError(msg)
    known = {question.id for question in study.need_questions()}
    chosen = [book for name, book in books.items() if not methods or name in methods]
    answers = [answer for book in chosen for answer in book.values() if answer.question_id in known]
    if not answers:
        root = study.folder.root
        msg = f"{root} holds no answers to score; run: astrolabe run --method vanilla --study {root}"
        raise UserError(msg)
    return answers


def load_scores(study: Study) -> list[Score]:
    """Return every score of the study, the latest of each metric, method and job."""
    latest: dict[tuple[str, str, Job], Score] = {}
    for path in sorted((study.folder.root / "scores").glob("*/*.jsonl")):
        for score in recover_records(path, Score):
            latest[score.metric, score.method, Job(score.question_id, score.scope)] = score
    return sorted(latest.values(), key=lambda score: (score.metric, score.method, *_place(score)))


def standing_scores(study: Study) -> list[Score]:
    """Return the scores whose answer is still the one that they judge, and a question of the study's."""
    books = all_answers(study)
    known = {question.id for question in study.questions}
    standing: list[Score] = []
    for score in load_scores(study):
        answer = books.get(score.method, {}).get(Job(score.question_id, score.scope))
        if answer is not None and answer.question_id in known and score.detail.get(_ANSWER) == _hash(answer):
            standing.append(score)
    return standing


class OpenScores(NamedTuple):
    """What scoring has to do, what is done, and the scores that stand."""

    tasks: list[ScoreTask]
    done: list[ScoreTask]
    kept: list[Score]


def open_scores(scoring: Scoring, study: Study | None) -> OpenScores:
    """Return what has to be scored; without a study that is everything. Nothing is written.

    The questions come in an order that is random and always the same, each with all its answers and metrics: what a
    budget leaves is a fair sample of the questions, and the same one for every method.
    """
    found = OpenScores([], [], [])
    for metric in scoring.metrics:
        standing = _standing(scoring, study, spell(metric))
        for answer in scoring.answers_for(metric):
            score = standing.get((answer.method, Job(answer.question_id, answer.scope)))
            if score is not None and _holds(score, answer):
                found.done.append(ScoreTask(metric, answer))
                found.kept.append(score)
            else:
                found.tasks.append(ScoreTask(metric, answer))
    seed = study.settings.seed if study else 0
    found.tasks.sort(key=lambda task: text_hash(f"{seed} {task.answer.question_id}"))
    return found


def _holds(score: Score, answer: Answer) -> bool:
    # An answer that is no text stays unscored; a judgement that failed is tried again.
    return score.detail.get(_ANSWER) == _hash(answer) and (score.status == "scored" or answer.status != "ok")


def _made_from(scoring: Scoring, metric: str) -> dict[str, JsonValue]:
    questions = text_hash("\n".join(question.model_dump_json() for question in scoring.questions.values()))
    return {"metric": metric, "questions": questions, **scoring.judged_by}


def _still_holds(study: Study, scoring: Scoring, metric: str) -> bool:
    kept = read_manifest(study.folder.scores(metric, "").parent)
    return kept is not None and all(kept.get(key) == value for key, value in _made_from(scoring, metric).items())


def _standing(scoring: Scoring, study: Study | None, metric: str) -> dict[tuple[str, Job], Score]:
    if study is None or not _still_holds(study, scoring, metric):
        return {}
    standing: dict[tuple[str, Job], Score] = {}
    for method in {answer.method for answer in scoring.answers}:
        for score in recover_records(study.folder.scores(metric, method), Score):
            standing[method, Job(score.question_id, score.scope)] = score
    return standing


def _files(study: Study, scoring: Scoring) -> dict[tuple[str, str], Path]:
    """Return the files of the scores, by spelled metric and method."""
    metrics = [spell(metric) for metric in scoring.metrics]
    methods = dict.fromkeys(answer.method for answer in scoring.answers)
    return {(metric, method): study.folder.scores(metric, method) for metric in metrics for method in methods}


def _claims_of(ledger: Ledger | None, study: Study | None) -> Claims | None:
    return ledger.record.claims if ledger and study else None


def _keep(study: Study, scoring: Scoring, turns: Turns[Score], scores: Sequence[Score], *, begun: set[str]) -> None:
    """Write scores; with a metric's first one, drop those that something else but another judge was the source of."""
    for metric in {score.metric for score in scores} - begun:
        folder = study.folder.scores(metric, "").parent
        with turns.alone(metric):
            if not _still_holds(study, scoring, metric):
                set_aside(study, metric, _made_from(scoring, metric))
                save_manifest(folder, _made_from(scoring, metric))
        begun.add(metric)
    together: dict[Path, list[Score]] = {}
    for score in scores:
        together.setdefault(study.folder.scores(score.metric, score.method), []).append(score)
    for path, own in together.items():
        turns.append(path, own)


async def score_task(task: ScoreTask, scoring: Scoring) -> Score:
    """Score one answer; a judgement that fails alone becomes an unscored record with its reason."""
    answer, spelled = task.answer, spell(task.metric)
    with metering() as meter:
        try:
            score = await task.metric.score(scoring.questions[answer.question_id], answer, scoring.kit_of(answer))
        except Exception as caught:  # one answer's fault must not stop its neighbours; it is named
            error = first_of(caught)
            if isinstance(error, Stopped | UserError):
                raise error from caught
            score = _unscored(answer, spelled, _said(error))
    detail: dict[str, JsonValue] = {**score.detail, _ANSWER: _hash(answer)}
    return score.model_copy(update={"usage": meter.total, "detail": detail})


def _said(error: BaseException) -> str:
    if isinstance(error, ModelError):
        return f"the judge's reply was {error.status}: {error.reason}"
    return f"{type(error).__name__}: {error}"


def _unscored(answer: Answer, metric: str, reason: str) -> Score:
    return Score(
        question_id=answer.question_id,
        method=answer.method,
        scope=answer.scope,
        metric=metric,
        status="unscored",
        reason=reason,
    )


def _place(score: Score) -> tuple[str, str]:
    """Return a score's place in its file: the same whatever order they were made in."""
    return score.question_id, score.scope or ""


def _hash(answer: Answer) -> str:
    searched = [hit for step in answer.trace for hit in step.hits]
    hits = ",".join(hit.passage_id for hit in (*answer.retrieved, *answer.contexts, *searched))
    return text_hash("\n".join((answer.status, answer.text, hits, *answer.items)))
