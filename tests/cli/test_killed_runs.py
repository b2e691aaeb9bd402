"""Runs that are killed again and again, while an index is built and while questions are answered.

What is proved of each kill: no reply and no vector that was on the disk is asked for again, and in the end all is as
if nobody had killed anything. What is lost is what was under way, and replies on their way to the disk.
"""

import hashlib
import json
import random
import sqlite3
import time
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from astrolabe.core.ids import document_id
from astrolabe.core.records import Answer, Document, Scope
from astrolabe.embed.served import WINDOW_TOKENS
from astrolabe.embed.windows import windowing
from astrolabe.store.lines import read_records, write_records
from astrolabe.study.study import open_study
from tests.commands import ended, started
from tests.servers import Behaviour, Body, Seen, Server, serving
from tests.small_study import many_questions, model_at, small_study, speaks

QUESTIONS = 24
DOCUMENTS = 160
AT_ONCE = 4
EMBEDDED_AT_ONCE = 4 * 32
"""Texts in the batches that are under way at once while an index is built."""
ON_THEIR_WAY = 8
"""Replies that may have come in the moment before a kill, and are not on the disk yet."""


def embeds_and_speaks(seen: Seen) -> Behaviour:
    """Embed each text and answer each conversation in a way of its own, always the same."""
    if not seen.path.endswith("/embeddings"):
        return speaks(seconds=0.03)(seen)
    rows = [
        {"index": place, "embedding": [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()]}
        for place, text in enumerate(texts_of(seen))
    ]
    return Body(json.dumps({"data": rows}), seconds=0.03)


def texts_of(seen: Seen) -> list[str]:
    texts = seen.body["input"]
    assert isinstance(texts, list)
    return [str(text) for text in texts]


def digits(seen: Seen) -> str:
    return hashlib.sha256(json.dumps(seen.messages).encode()).hexdigest()[:12]


def study_at(root: Path, server: Server) -> Path:
    """Write a study of many documents whose passages and questions a server embeds."""
    study = small_study(root, answer=model_at(server.url), concurrency=AT_ONCE, asked=many_questions(QUESTIONS))
    settings = study.folder.settings
    settings.write_text(settings.read_text("utf-8").replace('"hashed"', f'"openai:embeds@{server.url}"'), "utf-8")
    texts = [
        f"Harbour {number} keeps a tide table. The keeper of harbour {number} reads it." for number in range(DOCUMENTS)
    ]
    documents = [
        Document(
            id=document_id(text),
            title=f"Harbour {number}",
            text=text,
            source=f"{number}.txt",
            media_type="text/plain",
            sha256=hashlib.sha256(text.encode()).hexdigest(),
        )
        for number, text in enumerate(texts)
    ]
    write_records(study.folder.documents, documents)
    scope = Scope(id="s-all", name="hard", documents=tuple(document.id for document in documents))
    write_records(study.folder.scopes, [scope])
    return root


def answers(root: Path) -> dict[str, Answer]:
    """Return the answers by question, without costs and times."""
    found = read_records(root / "answers" / "vanilla.jsonl", Answer)
    kept = {"usage", "stages", "trace", "started_at", "duration_seconds"}
    return {answer.question_id: Answer.model_validate(answer.model_dump(exclude=kept)) for answer in found}


def recorded(root: Path) -> tuple[set[str], set[bytes]]:
    """Return what is on the disk: the digits of the replies, and the keys of the vectors."""
    if not (root / "calls.sqlite").exists():
        return set(), set()
    with closing(sqlite3.connect(root / "calls.sqlite")) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if not {"calls", "vectors"} <= names:
            return set(), set()
        bodies = [json.loads(zlib.decompress(body)) for (body,) in connection.execute("SELECT body FROM calls")]
        keys = {key for (key,) in connection.execute("SELECT key FROM vectors")}
    return {body["text"].removeprefix("The material says ").removesuffix(".") for body in bodies}, keys


def keys_of(texts: Sequence[str], server: Server) -> set[bytes]:
    """Return the keys that the vectors of some texts have in the record."""
    embedder = f"openai:embeds@{server.url} embeddings;{windowing(WINDOW_TOKENS)}"
    return {sha256(f"{embedder}\0{side}\0{text}".encode()).digest() for text in texts for side in ("query", "passage")}


@dataclass
class Asked:
    """What the server was asked between two moments."""

    conversations: list[str] = field(default_factory=list[str])
    texts: list[str] = field(default_factory=list[str])


def asked_since(server: Server, first: int) -> Asked:
    asked = Asked()
    for seen in server.seen[first:]:
        if seen.path.endswith("/embeddings"):
            asked.texts += texts_of(seen)
        else:
            asked.conversations.append(digits(seen))
    return asked


def kill_after(root: Path, server: Server, moments: random.Random) -> None:
    """Start the run and kill it at a random moment: before its first call, or some calls later."""
    process = started("run", "--method", "vanilla", "--study", root)
    calls = moments.randint(0, 15)
    wanted = len(server.seen) + calls
    limit = time.monotonic() + 60
    while len(server.seen) < wanted and process.poll() is None:
        assert time.monotonic() < limit
        time.sleep(0.002)
    time.sleep(moments.random() * (0.06 if calls else 1.5))
    process.kill()
    ended(process)
    time.sleep(0.2)  # what it had sent arrives


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """The answers where nobody kills the run."""
    with serving(embeds_and_speaks) as server:
        root = study_at(tmp_path_factory.mktemp("calm"), server)
        assert ended(started("run", "--method", "vanilla", "--study", root)).code == 0
    return answers(root)


def check_kills(root: Path, seed: int, kills: int, undisturbed: dict[str, Answer]) -> None:
    """Kill a run several times, then let it end; prove what the head of this file says."""
    moments = random.Random(seed)  # noqa: S311 - moments, not secrets
    with serving(embeds_and_speaks) as server:
        study_at(root, server)
        for _ in range(kills):
            replies, vectors = recorded(root)
            first = len(server.seen)
            kill_after(root, server, moments)
            asked = asked_since(server, first)
            after, vectors_after = recorded(root)

            assert not replies & set(asked.conversations)
            assert not vectors & keys_of(asked.texts, server)
            assert len(asked.conversations) - len(after - replies) <= AT_ONCE + ON_THEIR_WAY
            assert len(asked.texts) - len(vectors_after - vectors) <= EMBEDDED_AT_ONCE + ON_THEIR_WAY
        replies, vectors = recorded(root)
        first = len(server.seen)
        finished = ended(started("run", "--method", "vanilla", "--study", root))
        asked = asked_since(server, first)
        questions = open_study(root).questions

    assert finished.code == 0, finished.err
    assert answers(root) == undisturbed
    assert len(asked.conversations) == len(set(asked.conversations)) == QUESTIONS - len(replies)
    assert not replies & set(asked.conversations)
    assert len(asked.texts) == len(set(asked.texts)) == DOCUMENTS + len(questions) - len(vectors)


def test_a_run_killed_at_five_moments_ends_as_if_undisturbed_and_repeats_no_call(
    tmp_path: Path, undisturbed: dict[str, Answer]
) -> None:
    check_kills(tmp_path / "s", 1, 5, undisturbed)


def test_two_processes_at_once_embed_each_text_and_ask_each_question_once(
    tmp_path: Path, undisturbed: dict[str, Answer]
) -> None:
    with serving(embeds_and_speaks) as server:
        root = study_at(tmp_path / "s", server)
        both = [started("run", "--method", "vanilla", "--study", root) for _ in range(2)]
        codes = [ended(process).code for process in both]
        asked = asked_since(server, 0)

    assert codes == [0, 0]
    assert answers(root) == undisturbed
    assert len(asked.texts) == len(set(asked.texts)) == DOCUMENTS + QUESTIONS
    assert len(asked.conversations) == len(set(asked.conversations)) == QUESTIONS


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_fifty_kills(tmp_path: Path, seed: int, undisturbed: dict[str, Answer]) -> None:
    check_kills(tmp_path / "s", seed, 5, undisturbed)
