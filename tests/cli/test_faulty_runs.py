"""A run and its judgements beside a server that misbehaves: the calls are those that the rules predict."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest
import stamina

from astrolabe.core.records import Answer, Score
from tests.commands import Command, Ended
from tests.misbehaving import FATES, JSON_FATES, Done, Misbehaving, State
from tests.servers import Behaviour, Says, Seen, Status, serving
from tests.small_study import many_questions, model_at, small_study

ATTEMPTS = 6
ALL: Mapping[str, State] = {**FATES, **JSON_FATES}
STATES: Mapping[State, str] = {"well": "ok", "nothing": "empty", "refused": "refused"}
AGAIN: Mapping[State, str] = {"cut": "truncated", "spoilt": "unparsed"}


class Ending(NamedTuple):
    """How many requests one conversation takes, and the state in which it ends."""

    requests: int
    state: str


def ending(fates: Iterable[str]) -> Ending:
    """Return how a conversation ends by the rules, from what the server does to its requests.

    What fails on the wire is sent again, six times in a row at most. A reply that is cut or cannot be read is asked
    for again, once for each of the two faults. Everything else is the end.
    """
    on_the_wire, seen = 0, set[str]()
    for number, fate in enumerate(fates, start=1):
        what = ALL[fate] if fate else "well"
        on_the_wire = on_the_wire + 1 if what == "wire" else 0
        if on_the_wire == ATTEMPTS:
            return Ending(number, "failed")
        if what in AGAIN:
            if AGAIN[what] in seen:
                return Ending(number, AGAIN[what])
            seen.add(AGAIN[what])
        elif what != "wire":
            return Ending(number, STATES[what])
    raise AssertionError("nothing ends this conversation")


def predicted(script: Misbehaving, first: Done) -> Ending:
    """Return how the conversation that a request began ends; the log is not looked into."""
    fates = ALL if is_judged(first) else FATES
    return ending(script.fate(first.conversation, attempt, fates) for attempt in count())


def is_judged(done: Done) -> bool:
    return "response_format" in done.seen.body


def says(seen: Seen) -> str:
    if "response_format" not in seen.body:
        digest = hashlib.sha256(seen.messages[-1]["content"].encode()).hexdigest()
        return f"The material says {digest[:12]}. It's the moon's doing."
    references = ["T1", None, "T2"]
    topics = [{"label": f"it's {name}", "reference": name, "stretch": "The material"} for name in references]
    return json.dumps({"topics": topics})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run and its judgements."""

    script: Misbehaving
    seen: int
    run: Ended
    score: Ended

    @property
    def answers(self) -> list[Answer]:
        return [Answer.model_validate_json(line) for line in self.run.out.splitlines()]

    @property
    def scores(self) -> list[Score]:
        return [Score.model_validate_json(line) for line in self.score.out.splitlines()]

    @property
    def ends(self) -> dict[str, tuple[str, float | None]]:
        """Return how each question ended: its answer's state, and its score."""
        values = {score.question_id: score.value for score in self.scores}
        return {answer.question_id: (answer.status, values[answer.question_id]) for answer in self.answers}

    def conversations(self, *, judged: bool) -> dict[str, list[Done]]:
        """Return the requests of each conversation, in order."""
        found: dict[str, list[Done]] = {}
        for done in self.script.log:
            if is_judged(done) is judged:
                found.setdefault(done.conversation, []).append(done)
        return found


def finished(command: Command, root: Path, *, questions: int, seed: int = 1, concurrency: int = 64) -> Finished:
    """Let `llm_only` answer so many questions and a judge look at the answers, with a fifth of the calls faulty."""
    script = Misbehaving(seed=seed, says=says)
    with serving(script) as server, stamina.set_testing(True, attempts=ATTEMPTS, cap=True):
        model = model_at(server.url)
        study = small_study(root, answer=model, judge=model, concurrency=concurrency, asked=many_questions(questions))
        with study.folder.settings.open("a", encoding="utf-8") as settings:
            settings.write("timeout_seconds = 3\n")
        ran = command("run", "--method", "llm_only", "--study", root, "--json")
        scored = command("score", "--metric", "topics", "--study", root, "--json")
    return Finished(script=script, seen=len(server.seen), run=ran, score=scored)


def check(done: Finished, questions: int) -> None:
    """Check that every item is in one named state and that the calls are those that the rules predict."""
    answers, scores = done.answers, done.scores
    judged = [answer for answer in answers if answer.status == "ok"]

    assert (done.run.code, done.score.code) == (1, 1)  # complete, with gaps
    assert len({answer.question_id for answer in answers}) == len(answers) == questions
    assert len({score.question_id for score in scores}) == len(scores) == questions
    assert all(answer.reason for answer in answers if answer.status != "ok")
    assert all(score.reason for score in scores if score.status == "unscored")
    counted = Counter(answer.status for answer in answers)
    assert f"{counted['ok']} ok" in done.run.err
    for state, number in counted.items():
        assert f"{number} {state}" in done.run.err

    asked = 0
    for kind, ends in ((False, [answer.status for answer in answers]), (True, _judgements(scores, judged))):
        conversations = done.conversations(judged=kind)
        rules = {text: predicted(done.script, requests[0]) for text, requests in conversations.items()}
        assert {text: len(requests) for text, requests in conversations.items()} == {
            text: end.requests for text, end in rules.items()
        }
        assert Counter(end.state for end in rules.values()) == Counter(ends)
        assert max(end.requests for end in rules.values()) <= 3 * ATTEMPTS
        asked += sum(end.requests for end in rules.values())
    assert asked == done.seen == len(done.script.log)


def _judgements(scores: Sequence[Score], judged: Sequence[Answer]) -> list[str]:
    """Return how each judgement that was asked for ended."""
    asked = {answer.question_id for answer in judged}
    words = "the judge's reply was "
    return [
        "ok" if score.status == "scored" else str(score.reason).removeprefix(words).partition(":")[0]
        for score in scores
        if score.question_id in asked
    ]


def test_two_hundred_calls_with_a_fifth_faulty_end_as_the_rules_predict(command: Command, tmp_path: Path) -> None:
    done = finished(command, tmp_path, questions=90)

    check(done, questions=90)
    assert len(done.script.log) >= 200


def test_the_same_seed_ends_the_same_however_many_calls_are_made_at_once(command: Command, tmp_path: Path) -> None:
    one = finished(command, tmp_path / "one", questions=25, seed=3, concurrency=64)
    two = finished(command, tmp_path / "two", questions=25, seed=3, concurrency=4)
    other = finished(command, tmp_path / "other", questions=25, seed=4, concurrency=64)

    assert one.ends == two.ends
    assert one.seen == two.seen
    assert one.ends != other.ends


# D26
def test_a_server_that_asks_to_wait_a_day_is_exit_code_three_and_the_same_command_asks_for_the_rest(
    command: Command, tmp_path: Path
) -> None:
    def script(seen: Seen) -> Behaviour:
        return Status(429, headers={"Retry-After": "86400"}) if seen.number == 30 else Says(says(seen))

    with serving(script) as server, stamina.set_testing(True, attempts=ATTEMPTS, cap=True):
        small_study(tmp_path, answer=model_at(server.url), concurrency=4, asked=many_questions(60))
        words = ("run", "--method", "llm_only", "--study", tmp_path)
        stopped = command(*words)
        resumed = command(*words)

    assert (stopped.code, resumed.code) == (3, 0)
    assert "86400 seconds" in stopped.err
    assert "60 ok" in resumed.err
    assert len(server.seen) == 60 + 1


@pytest.mark.slow
def test_two_thousand_calls_with_a_fifth_faulty_end_as_the_rules_predict(command: Command, tmp_path: Path) -> None:
    done = finished(command, tmp_path, questions=1000)

    check(done, questions=1000)
    faulty = sum(bool(one.fate) for one in done.script.log)
    assert len(done.script.log) >= 2000
    assert faulty >= len(done.script.log) / 5
    assert {one.fate for one in done.script.log} == {"", *ALL}
    assert {answer.status for answer in done.answers} == {"ok", "empty", "refused", "truncated", "failed"}
