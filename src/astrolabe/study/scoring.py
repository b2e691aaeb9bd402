"""Scoring answers: each score is a record tied to the text that it judges."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from astrolabe.core.errors import ModelError, Stopped, UserError
from astrolabe.core.ids import text_hash
from astrolabe.core.protocols import Kit, Metric
from astrolabe.core.records import Answer, Question, Score
from astrolabe.core.spelling import spell
from astrolabe.core.usage import metering
from astrolabe.store.folder import read_manifest
from astrolabe.store.lines import append_records, recover_records
from astrolabe.study.answers import Job, all_answers
from astrolabe.study.bench import bench_of, kits_of_answers
from astrolabe.study.faults import first_of
from astrolabe.study.models import Models
from astrolabe.study.progress import Progress
from astrolabe.study.study import Study, save_manifest

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
    """

    answers: Sequence[Answer]
    questions: Mapping[str, Question]
    metrics: Sequence[Metric]
    kit_of: Callable[[Answer], Kit]
    judged_by: Mapping[str, JsonValue]


class _Task:
    def __init__(self, metric: Metric, answer: Answer) -> None:
        self.metric = metric
        self.answer = answer


async def score_answers(scoring: Scoring, study: Study | None, progress: Progress) -> ScoreResult:
    """Score every answer with every metric; without a study nothing is written.

    A score that stands already, for the same text, judge and embedder, is kept. A judgement that
    fails becomes an unscored record with its reason, and the next call tries it again.

    Raises:
        UserError: A metric cannot work at all, for example for want of a judge.
    """
    result = ScoreResult()
    tasks = list(_open_tasks(scoring, study, result))
    progress.begin("scoring", len(tasks))
    queue = iter(tasks)

    async def worker() -> None:
        for task in queue:
            score = await _score(task, scoring)
            if study is not None:
                append_records(study.folder.scores(score.metric, score.method), [score])
            result.scores.append(score)
            progress.step()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_TOGETHER, len(tasks))):
                group.create_task(worker())
    except* Stopped as stopped:
        result.stopped = str(stopped.exceptions[0])
    except* UserError as faults:
        raise first_of(faults) from None
    finally:
        progress.end()
    return result


async def score_study(
    study: Study, metrics: Sequence[Metric], models: Models, progress: Progress, methods: Sequence[str] = ()
) -> ScoreResult:
    """Score the study's answers; with `methods`, those of some methods alone.

    Raises:
        UserError: There are no answers, or a metric cannot work at all.
    """
    answers = chosen_answers(study, methods)
    questions = {question.id: question for question in study.need_questions()}
    bench = bench_of(study, models, "judge")
    scoring = Scoring(
        answers=answers,
        questions=questions,
        metrics=metrics,
        kit_of=kits_of_answers(study, bench, questions),
        judged_by={"judge": bench.llm.id if bench.llm else None, "embedder": bench.embedder.id},
    )
    return await score_answers(scoring, study, progress)


def chosen_answers(study: Study, methods: Sequence[str]) -> list[Answer]:
    """Return the answers of some methods (none named: of all) to the study's questions.

    Raises:
        UserError: There are none.
    """
    books = all_answers(study)
    known = {question.id for question in study.need_questions()}
    chosen = [book for name, book in books.items() if not methods or name in methods]
    answers = [answer for book in chosen for answer in book.values() if answer.question_id in known]
    if not answers:
        root = study.folder.root
        msg = f"{root} holds no answers to score; run: astrolabe run --method vanilla --study {root}"
        raise UserError(msg)
    return answers


def load_scores(study: Study) -> list[Score]:
    """Return every standing score of the study, the latest of each metric, method and job."""
    latest: dict[tuple[str, str, Job], Score] = {}
    for path in sorted((study.folder.root / "scores").glob("*/*.jsonl")):
        for score in recover_records(path, Score):
            latest[score.metric, score.method, Job(score.question_id, score.scope)] = score
    return list(latest.values())


def _open_tasks(scoring: Scoring, study: Study | None, result: ScoreResult) -> Iterator[_Task]:
    for metric in scoring.metrics:
        spelled = spell(metric)
        standing = _standing(scoring, study, spelled)
        for answer in scoring.answers:
            score = standing.get((answer.method, Job(answer.question_id, answer.scope)))
            if score is not None and _holds(score, answer):
                result.scores.append(score)
                result.kept += 1
            else:
                yield _Task(metric, answer)


def _holds(score: Score, answer: Answer) -> bool:
    same = score.detail.get(_ANSWER) == _hash(answer)
    # An answer that is no text stays unscored; a judgement that failed is tried again.
    return same and (score.status == "scored" or answer.status != "ok" or not score.usage.calls)


def _standing(scoring: Scoring, study: Study | None, metric: str) -> dict[tuple[str, Job], Score]:
    if study is None:
        return {}
    folder = study.folder.scores(metric, "").parent
    current: dict[str, JsonValue] = {
        "metric": metric,
        "questions": text_hash("\n".join(question.model_dump_json() for question in scoring.questions.values())),
        **scoring.judged_by,
    }
    kept = read_manifest(folder)
    if kept is None or any(kept.get(key) != value for key, value in current.items()):
        for path in folder.glob("*.jsonl"):
            path.unlink()
        save_manifest(folder, current)
    standing: dict[tuple[str, Job], Score] = {}
    for method in {answer.method for answer in scoring.answers}:
        for score in recover_records(study.folder.scores(metric, method), Score):
            standing[method, Job(score.question_id, score.scope)] = score
    return standing


async def _score(task: _Task, scoring: Scoring) -> Score:
    answer, spelled = task.answer, spell(task.metric)
    with metering() as meter:
        try:
            score = await task.metric.score(scoring.questions[answer.question_id], answer, scoring.kit_of(answer))
        except (Stopped, UserError):
            raise
        except ModelError as error:
            score = _unscored(answer, spelled, f"the judge's reply was {error.status}: {error.reason}")
        except Exception as error:  # noqa: BLE001 - one answer's fault must not stop its neighbours; it is named
            score = _unscored(answer, spelled, f"{type(error).__name__}: {error}")
    detail: dict[str, JsonValue] = {**score.detail, _ANSWER: _hash(answer)}
    return score.model_copy(update={"usage": meter.total, "detail": detail})


def _unscored(answer: Answer, metric: str, reason: str) -> Score:
    return Score(
        question_id=answer.question_id,
        method=answer.method,
        scope=answer.scope,
        metric=metric,
        status="unscored",
        reason=reason,
    )


def _hash(answer: Answer) -> str:
    contexts = ",".join(hit.passage_id for hit in (*answer.retrieved, *answer.contexts))
    return text_hash(f"{answer.status}\n{answer.text}\n{contexts}")
