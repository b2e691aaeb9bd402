"""Runs that are killed, interrupted or doubled: real processes against a real server."""

import asyncio
import collections
import json
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from astrolabe.core.records import Answer, Score
from astrolabe.store.lines import read_records
from astrolabe.study.answers import all_answers
from astrolabe.study.models import Asking
from astrolabe.study.progress import Silent
from astrolabe.study.running import RunRequest, run
from astrolabe.study.study import open_study
from tests.commands import Ended, ended, started
from tests.servers import Behaviour, Body, Seen, Server, serving
from tests.small_study import finds, many_questions, model_at, small_study, speaks

if TYPE_CHECKING:
    import subprocess

QUESTIONS = 24


def study_at(root: Path, server: Server) -> Path:
    small_study(root, answer=model_at(server.url), concurrency=4, asked=many_questions(QUESTIONS))
    return root


def texts(root: Path) -> dict[str, str]:
    books = all_answers(open_study(root))
    return {job.question_id: answer.text for job, answer in books["vanilla"].items()}


def wait_for(server: Server, calls: int) -> None:
    limit = time.monotonic() + 60
    while len(server.seen) < calls:
        assert time.monotonic() < limit, f"only {len(server.seen)} calls came"
        time.sleep(0.005)


class _Interrupted(NamedTuple):
    """How a process ended after Ctrl-C, and how long it took until it was gone."""

    how: Ended
    seconds: float


def interrupted(process: "subprocess.Popen[str]") -> _Interrupted:
    """Press Ctrl-C and wait until the process is gone."""
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    how = ended(process, seconds=30)
    return _Interrupted(how, time.monotonic() - sent)


def quickest(press: Callable[[Path], _Interrupted], folder: Path) -> _Interrupted:
    """Return the quickest of three ends, the first within two seconds: other work on the machine takes time, too."""
    ends: list[_Interrupted] = []
    while len(ends) < 3 and not any(end.seconds < 2 for end in ends):
        ends.append(press(folder / str(len(ends))))
    return min(ends, key=lambda end: end.seconds)


def conversations(server: Server) -> collections.Counter[str]:
    return collections.Counter(json.dumps(seen.messages) for seen in server.seen)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the answers say where nobody disturbs the run."""
    with serving(speaks()) as server:
        root = study_at(tmp_path_factory.mktemp("calm"), server)
        asyncio.run(run(open_study(root), RunRequest(methods=["vanilla"]), Asking(), Silent()))
    return texts(root)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_run_killed_at_any_moment_finishes_later_as_if_undisturbed(
    tmp_path: Path, seed: int, undisturbed: dict[str, str]
) -> None:
    moments = random.Random(seed)  # noqa: S311 - moments, not secrets
    with serving(speaks(seconds=0.05)) as server:
        root = study_at(tmp_path / "killed", server)
        process = started("run", "--method", "vanilla", "--study", root)
        wait_for(server, moments.randint(1, QUESTIONS - 4))
        time.sleep(moments.random() * 0.1)
        process.kill()
        ended(process)
        before = len(server.seen)
        finished = ended(started("run", "--method", "vanilla", "--study", root))
        calls = conversations(server)

    assert finished.code == 0
    assert texts(root) == undisturbed
    assert before < len(server.seen)
    # Four calls may be under way as the process dies, and one reply on its way to the disk: nobody has those
    # replies, so they are asked again.
    assert len(calls) == QUESTIONS
    assert sum(calls.values()) <= QUESTIONS + 4 + 1


def test_a_call_whose_reply_was_kept_is_not_asked_again_after_a_kill(tmp_path: Path) -> None:
    with serving(speaks(seconds=0.05)) as server:
        root = study_at(tmp_path / "killed", server)
        process = started("run", "--method", "vanilla", "--study", root)
        wait_for(server, 14)
        process.kill()
        ended(process)
        kept = (root / "answers" / "vanilla.jsonl").read_bytes()
        answered = {Answer.model_validate_json(line).question_id for line in kept.splitlines(keepends=True)[:-1]}
        first = len(server.seen)
        ended(started("run", "--method", "vanilla", "--study", root))
        again = "".join(json.dumps(seen.messages) for seen in server.seen[first:])

    assert answered
    numbers = [name.removeprefix("q-") for name in answered]
    assert not [number for number in numbers if f"tide {number}?" in again]


def test_ctrl_c_ends_within_two_seconds_with_exit_code_130(tmp_path: Path) -> None:
    def press(root: Path) -> _Interrupted:
        with serving(speaks(seconds=30)) as server:
            process = started("run", "--method", "vanilla", "--study", study_at(root, server))
            wait_for(server, 1)
            return interrupted(process)

    stopped = quickest(press, tmp_path)

    assert stopped.how.code == 130
    assert stopped.seconds < 2
    assert "the same command goes on from here" in stopped.how.err
    assert "Traceback" not in stopped.how.err


def test_replies_that_come_soon_after_ctrl_c_are_recorded_and_nothing_new_is_asked(
    tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    with serving(speaks(seconds=0.5)) as server:
        root = study_at(tmp_path, server)
        process = started("run", "--method", "vanilla", "--study", root)
        wait_for(server, 4)
        process.send_signal(signal.SIGINT)
        stopped = ended(process, seconds=30)
        paid = len(server.seen)
        finished = ended(started("run", "--method", "vanilla", "--study", root))
        calls = conversations(server)

    assert (stopped.code, finished.code) == (130, 0)
    assert "the same command goes on from here" in stopped.err
    assert "Traceback" not in stopped.err
    assert paid < QUESTIONS
    assert set(calls.values()) == {1}
    assert texts(root) == undisturbed


def test_an_answer_of_a_system_of_the_users_that_comes_soon_after_ctrl_c_is_kept(tmp_path: Path) -> None:
    def plays(seen: Seen) -> Behaviour:
        return Body(json.dumps({"text": f"It says {seen.body['question_id']}."}), seconds=0.5)

    with serving(plays) as server:
        root = tmp_path / "s"
        small_study(root, concurrency=4, asked=many_questions(QUESTIONS))
        words = ("run", "--system", f"{server.address}/ask", "--study", root)
        process = started(*words)
        wait_for(server, 4)
        process.send_signal(signal.SIGINT)
        stopped = ended(process, seconds=30)
        paid = len(server.seen)
        finished = ended(started(*words))

    assert (stopped.code, finished.code) == (130, 0)
    assert paid < QUESTIONS
    assert len(server.seen) == QUESTIONS


def test_a_second_ctrl_c_does_not_wait_for_replies(tmp_path: Path) -> None:
    with serving(speaks(seconds=30)) as server:
        root = study_at(tmp_path, server)
        process = started("run", "--method", "vanilla", "--study", root)
        wait_for(server, 1)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        stopped = ended(process, seconds=30)

    assert stopped.code == 130
    assert "Traceback" not in stopped.err


def test_ctrl_c_does_not_wait_for_a_slow_function_of_the_users(tmp_path: Path) -> None:
    def press(root: Path) -> _Interrupted:
        small_study(root)
        (root / "slow_rag.py").write_text(
            "import time\ndef answer(request):\n    open('called', 'w').close()\n    time.sleep(60)\n", "utf-8"
        )
        process = started("run", "--system", "slow_rag:answer", cwd=root)
        limit = time.monotonic() + 60
        while not (root / "called").exists():
            assert time.monotonic() < limit
            time.sleep(0.01)
        return interrupted(process)

    stopped = quickest(press, tmp_path)

    assert stopped.how.code == 130
    assert stopped.seconds < 2
    assert "the same command goes on from here" in stopped.how.err


def test_two_processes_that_run_the_same_study_at_once_ask_once(tmp_path: Path) -> None:
    with serving(speaks(seconds=0.05)) as server:
        root = study_at(tmp_path, server)
        both = [started("run", "--method", "vanilla", "--study", root) for _ in range(2)]
        codes = [ended(process).code for process in both]
        calls = conversations(server)
        settled = ended(started("run", "--method", "vanilla", "--study", root, "--json"))
    answers = read_records(root / "answers" / "vanilla.jsonl", Answer)

    assert codes == [0, 0]
    assert settled.code == 0
    assert len(calls) == len(server.seen) == QUESTIONS
    assert len(settled.out.splitlines()) == len(texts(root)) == QUESTIONS
    # No answer stands twice, and each says what was paid for it.
    assert len(answers) == QUESTIONS
    assert {answer.usage.prompt_tokens for answer in answers} == {100}


def test_two_processes_call_a_system_of_the_users_once_a_question_and_judge_each_answer_once(tmp_path: Path) -> None:
    def plays(seen: Seen) -> Behaviour:
        if "question_id" in seen.body:
            return Body(json.dumps({"text": f"The material says {seen.body['question_id']}."}), seconds=0.05)
        return finds(seconds=0.05)(seen)

    with serving(plays) as server:
        root = tmp_path / "s"
        small_study(root, judge=model_at(server.url), concurrency=4, asked=many_questions(QUESTIONS))
        system = ("run", "--system", f"{server.address}/ask", "--study", root)
        codes = [ended(process).code for process in [started(*system) for _ in range(2)]]
        asked = len(server.seen)
        judging = ("score", "--metric", "topics", "--study", root)
        codes += [ended(process).code for process in [started(*judging) for _ in range(2)]]
        judged = len(server.seen) - asked
    (scores,) = (root / "scores" / "topics").glob("*.jsonl")

    assert codes == [0] * 4
    assert (asked, judged) == (QUESTIONS, QUESTIONS)
    assert {score.usage.recorded for score in read_records(scores, Score)} == {0}
    assert len(scores.read_text("utf-8").splitlines()) == QUESTIONS


def test_when_one_of_two_processes_is_killed_the_other_finishes_all(
    tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    with serving(speaks(seconds=0.1)) as server:
        root = study_at(tmp_path, server)
        killed, other = (started("run", "--method", "vanilla", "--study", root) for _ in range(2))
        wait_for(server, QUESTIONS // 3)
        killed.kill()
        ended(killed)
        finished = ended(other)
        calls = conversations(server)

    assert finished.code == 0
    assert texts(root) == undisturbed
    # What the killed one had under way (four calls, and five replies on their way to the disk) is asked again.
    assert len(calls) == QUESTIONS
    assert len(server.seen) <= QUESTIONS + 4 + 5


def test_two_processes_with_different_methods_keep_each_others_answers(tmp_path: Path) -> None:
    with serving(speaks(seconds=0.02)) as server:
        root = study_at(tmp_path, server)
        methods = ("vanilla", "llm_only", "vanilla(k=1)")
        codes = [ended(one).code for one in [started("run", "--method", name, "--study", root) for name in methods]]
        settled = ended(started("run", "--method", ",".join(methods), "--study", root))

    assert codes == [0, 0, 0]
    assert f"{3 * QUESTIONS} stood already" in settled.err
