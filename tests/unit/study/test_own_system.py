import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from astrolabe.core.errors import ConfigError
from astrolabe.core.records import Answer
from astrolabe.metrics import METRICS
from astrolabe.study.bench import kits_of_answers
from astrolabe.study.models import Asking
from astrolabe.study.progress import Silent
from astrolabe.study.running import RunRequest, run
from astrolabe.study.study import Study, open_study
from astrolabe.study.study_scores import score_and_show
from tests.servers import Behaviour, Body, Resets, Seen, Status, serving
from tests.small_study import IDS, TEXTS, many_questions, small_study
from tests.study_kits import bench

if TYPE_CHECKING:
    from pydantic import JsonValue


def reply(text: str, **more: "JsonValue") -> Body:
    return Body(json.dumps({"text": text, **more}))


async def asked(
    root: Path, target: str, *, seconds: float = 20.0, scopes: Sequence[str] = ("hard",)
) -> dict[str, Answer]:
    """Run the system of a small study and return its answers by question."""
    study = open_study(root) if (root / "study.toml").exists() else small_study(root)
    request = RunRequest(system=target, system_timeout_seconds=seconds, scopes=scopes)
    result = await run(study, request, Asking(), Silent())
    return {answer.question_id: answer for answer in result.answers}


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_the_system_is_given_the_question_its_scope_and_its_documents(tmp_path: Path) -> None:
    with serving([reply("Yes.")]) as server:
        await asked(tmp_path, server.address, scopes=["simple"])

    bodies = {str(seen.body["question_id"]): seen.body for seen in server.seen}
    assert bodies["q-salt"] == {
        "question_id": "q-salt",
        "question": "How is salt made and traded?",
        "scope": "simple",
        "documents": [IDS["salt"]],
    }


async def test_its_answers_carry_its_name_and_what_it_says_they_cost(tmp_path: Path) -> None:
    usage: JsonValue = {"calls": 2, "prompt_tokens": 30, "completion_tokens": 4, "usd": 0.5, "model": "theirs"}
    with serving([reply("Yes.", usage=usage, confidence=0.3)]) as server:
        answers = await asked(tmp_path, f"{server.address}/ask")

    answer = answers["q-salt"]
    assert answer.method == f"system(target='{server.address}/ask')"
    assert (answer.status, answer.text) == ("ok", "Yes.")
    assert (answer.usage.calls, answer.usage.prompt_tokens, answer.usage.usd) == (2, 30, 0.5)


async def test_its_timeout_is_no_part_of_its_name(tmp_path: Path) -> None:
    with serving([reply("Yes.")]) as server:
        await asked(tmp_path, server.address, seconds=20)
        await asked(tmp_path, server.address, seconds=30)

    assert len(server.seen) == 4


# D38
async def test_a_key_in_its_address_stands_in_no_file(tmp_path: Path) -> None:
    with serving([Status(401, "no entry for sk-field-CANARY-0001")]) as server:
        target = server.address.replace("http://", "http://me:sk-field-CANARY-0001@")
        answers = await asked(tmp_path, target)

    assert "Authorization" in server.seen[0].headers
    assert {answer.status for answer in answers.values()} == {"failed"}
    assert b"CANARY" not in everything_in(tmp_path)


@pytest.mark.parametrize(
    ("behaviour", "status", "reason"),
    [
        (Status(500, "it broke"), "failed", "it broke"),
        (Status(404, "nothing here"), "failed", "HTTP 404"),
        (Resets(), "failed", "broken"),
        (Body("<html>", "text/html"), "failed", "not a JSON object"),
        (Body("[1]"), "failed", "not a JSON object"),
        (reply(""), "empty", "empty text"),
        (reply("  \n"), "empty", "empty text"),
        (Body('{"answer": "x"}'), "unparsed", "text"),
        (Body('{"text": null}'), "unparsed", "text"),
        (Body('{"text": "x", "contexts": "y"}'), "unparsed", "contexts"),
        (Body('{"text": "x", "usage": {"calls": -1}}'), "unparsed", "usage.calls"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_one_bad_answer_is_a_named_state_and_stops_no_other(
    tmp_path: Path, behaviour: Behaviour, status: str, reason: str
) -> None:
    def script(seen: Seen) -> Behaviour:
        return behaviour if seen.body["question_id"] == "q-salt" else reply("Yes.")

    with serving(script) as server:
        answers = await asked(tmp_path, server.address)

    bad = answers.pop("q-salt")
    assert bad.status == status
    assert reason in str(bad.reason)
    assert {answer.status for answer in answers.values()} == {"ok"}


async def test_an_answer_that_takes_too_long_has_failed(tmp_path: Path) -> None:
    def script(seen: Seen) -> Behaviour:
        slow = seen.body["question_id"] == "q-salt"
        return Body('{"text": "late"}', seconds=5 if slow else 0)

    with serving(script) as server:
        answers = await asked(tmp_path, server.address, seconds=0.4)

    assert answers["q-salt"].reason == "no answer within 0.4 seconds"
    assert answers["q-nets"].status == "ok"


async def test_a_server_that_is_not_there_fails_every_answer_by_name(tmp_path: Path) -> None:
    answers = await asked(tmp_path, "http://127.0.0.1:9/ask")

    assert {answer.status for answer in answers.values()} == {"failed"}
    assert all("127.0.0.1:9" in str(answer.reason) for answer in answers.values())


CONTEXTS = {
    "word for word": "Salt pans along the coast dry sea water in the sun.",
    "other spaces": "Salt pans  along the coast\ndry sea water in the sun.",
    "with a heading": "[Salt]\n\nSalt pans along the coast dry sea water in the sun.",
}


async def shown(root: Path, contexts: "Sequence[JsonValue]") -> tuple[Study, Answer]:
    with serving([reply("Silver was dear.", contexts=list(contexts))]) as server:
        answers = await asked(root, server.address)
    return open_study(root), answers["q-salt"]


@pytest.mark.parametrize("text", CONTEXTS.values(), ids=CONTEXTS)
async def test_contexts_are_found_again_in_their_document(tmp_path: Path, text: str) -> None:
    study, answer = await shown(tmp_path, [{"text": text, "document_id": IDS["salt"]}])

    (hit,) = answer.contexts
    passage = bench(study, kept=True).shelf.read(hit.passage_id)
    assert passage.text in TEXTS["salt"]
    assert "dry sea water in the sun" in passage.text
    assert TEXTS["salt"][passage.start : passage.end] == passage.text


@pytest.mark.parametrize("text", CONTEXTS.values(), ids=CONTEXTS)
async def test_the_cause_of_a_miss_is_known_from_the_contexts(tmp_path: Path, text: str) -> None:
    study, answer = await shown(tmp_path, [{"text": text, "document_id": IDS["salt"]}])

    result = await score_and_show(study, ["miss_cause"], Asking(), Silent())

    (score,) = [score for score in result.results.scores if score.question_id == answer.question_id]
    missed = score.detail["missed"]
    assert isinstance(missed, list)
    causes = {str(one["topic"]): one["cause"] for one in missed if isinstance(one, dict)}
    assert causes == {"A1": "in context but not used", "A2": "not retrieved"}


async def test_a_context_that_its_document_does_not_hold_reaches_no_evidence(tmp_path: Path) -> None:
    study, answer = await shown(tmp_path, [{"text": "A summary in other words.", "document_id": IDS["salt"]}])

    result = await score_and_show(study, ["evidence_recall"], Asking(), Silent())

    (score,) = [score for score in result.results.scores if score.question_id == answer.question_id]
    assert score.parts["pages"] == 1.0
    assert score.parts["characters"] == 0.0


async def test_a_context_without_a_document_is_unreadable_not_wrong(tmp_path: Path) -> None:
    study, answer = await shown(tmp_path, [{"text": "From somewhere."}, {"text": " "}])
    kit = kits_of_answers(study, bench(study, kept=True), {one.id: one for one in study.questions})(answer)

    score = await METRICS["miss_cause"]().score(study.questions[1], answer, kit)

    assert len(answer.contexts) == 1
    assert score.status == "unscored"
    assert "no miss has a known cause" in str(score.reason)


async def test_a_context_that_is_shown_twice_is_one_hit(tmp_path: Path) -> None:
    context: JsonValue = {"text": CONTEXTS["word for word"], "document_id": IDS["salt"]}

    _, answer = await shown(tmp_path, [context, context])

    assert [hit.rank for hit in answer.contexts] == [1]


FUNCTIONS = """
import asyncio, sys, time

def sync(request):
    return {"text": f"sync {request['question_id']}"}

async def coroutine(request):
    await asyncio.sleep(0.01)
    return {"text": f"coroutine {request['question_id']}"}

class Callable:
    async def __call__(self, request):
        return {"text": f"object {request['question_id']}"}

instance = Callable()

def one_bad(request):
    if request["question_id"] == "q-salt":
        raise ValueError("salt in the works")
    return {"text": "fine"}

def leaves(request):
    sys.exit("goodbye")

def own_timeout(request):
    raise TimeoutError("their database is slow")

def nothing(request):
    return None

def never(request):
    time.sleep(30)
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of systems in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"my_rag_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(FUNCTIONS, "utf-8")
    return name


@pytest.mark.parametrize(("function", "says"), [("sync", "sync"), ("coroutine", "coroutine"), ("instance", "object")])
async def test_a_function_may_be_sync_async_or_an_object(
    tmp_path: Path, functions: str, function: str, says: str
) -> None:
    answers = await asked(tmp_path / "s", f"{functions}:{function}")

    assert {answer.text for answer in answers.values()} == {f"{says} {name}" for name in answers}


@pytest.mark.parametrize(
    ("function", "status", "reason"),
    [
        ("leaves", "failed", "SystemExit: goodbye"),
        ("own_timeout", "failed", "TimeoutError: their database is slow"),
        ("nothing", "unparsed", "reply = 'None'"),
    ],
)
async def test_what_a_function_does_wrong_is_its_answers_state(
    tmp_path: Path, functions: str, function: str, status: str, reason: str
) -> None:
    answers = await asked(tmp_path / "s", f"{functions}:{function}")

    assert {answer.status for answer in answers.values()} == {status}
    assert all(reason in str(answer.reason) for answer in answers.values())


async def test_a_function_that_raises_for_one_question_answers_the_others(tmp_path: Path, functions: str) -> None:
    answers = await asked(tmp_path / "s", f"{functions}:one_bad")

    assert answers["q-salt"].reason == "ValueError: salt in the works"
    assert answers["q-nets"].status == "ok"


def test_a_function_that_never_returns_holds_nobody_back(tmp_path: Path, functions: str) -> None:
    began = time.monotonic()
    answers = asyncio.run(asked(tmp_path / "s", f"{functions}:never", seconds=0.2))

    assert {answer.reason for answer in answers.values()} == {"no answer within 0.2 seconds"}
    assert time.monotonic() - began < 8


async def test_another_answer_model_does_not_make_the_systems_paid_answers_again(tmp_path: Path) -> None:
    with serving([reply("Yes.")]) as server:
        await asked(tmp_path, server.address)
        request = RunRequest(system=server.address, scopes=["hard"])
        result = await run(
            open_study(tmp_path), request, Asking(roles={"answer": "openai:other@http://127.0.0.1:9"}), Silent()
        )

    assert result.kept == 4
    assert len(server.seen) == 4


async def test_it_is_asked_no_more_at_once_than_the_settings_say(tmp_path: Path) -> None:
    small_study(tmp_path, asked=many_questions(30), concurrency=2)
    with serving(lambda _: Body('{"text": "Yes."}', seconds=0.02)) as server:
        answers = await asked(tmp_path, server.address)

    assert len(answers) == 30
    assert server.most_at_once == 2


@pytest.mark.parametrize("code", ["def answer(:", "raise ValueError('at import')"])
async def test_a_module_that_cannot_be_imported_is_named_with_its_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    module = f"faulty_{len(code)}"
    (tmp_path / f"{module}.py").write_text(code, "utf-8")

    with pytest.raises(ConfigError, match=f"'{module}' cannot be imported: (SyntaxError|ValueError)"):
        await asked(tmp_path / "s", f"{module}:answer")


@pytest.mark.parametrize("target", [":answer", "module:", ":"])
async def test_half_a_name_of_a_function_is_refused(tmp_path: Path, target: str) -> None:
    with pytest.raises(ConfigError, match="module:function such as"):
        await asked(tmp_path, target)
