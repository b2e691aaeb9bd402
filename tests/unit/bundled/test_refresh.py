"""`scripts/bundle.py` keeps the bundled benchmark in step with its documents."""

import shutil
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import pytest

from astrolabe.core.ids import document_id
from astrolabe.core.records import Question

SCRIPT: Final = Path(__file__).parents[3] / "scripts" / "bundle.py"
EDITED: Final = "documents/news-mecca-crane.md"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts")
    copy = tmp_path / "src" / "astrolabe" / "bundled"
    with as_file(files("astrolabe") / "bundled") as original:
        shutil.copytree(original, copy)
    return copy


def _run(bundle: Path) -> subprocess.CompletedProcess[str]:
    script = bundle.parents[2] / "scripts" / "bundle.py"
    return subprocess.run([sys.executable, script], capture_output=True, text=True, encoding="utf-8", check=False)


def test_nothing_changes_while_documents_and_quotes_are_in_step(bundle: Path) -> None:
    names = ("benchmark.jsonl", "sources.json")
    before = [(bundle / name).read_bytes() for name in names]

    assert _run(bundle).returncode == 0
    assert [(bundle / name).read_bytes() for name in names] == before


def test_ids_and_offsets_follow_an_edited_document(bundle: Path) -> None:
    path = bundle / EDITED
    old = path.read_text(encoding="utf-8")
    new = old.replace("\n\n", "\n\nA line that was not there.\n\n", 1)
    path.write_text(new, encoding="utf-8", newline="\n")

    result = _run(bundle)

    assert result.returncode == 0, result.stderr
    lines = (bundle / "benchmark.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [Question.model_validate_json(line) for line in lines]
    topics = [topic for question in questions for topic in question.topics]
    spans = [span for topic in topics for span in topic.evidence]
    moved = [span for span in spans if span.document_id == document_id(new)]
    assert moved
    assert all(new[span.start : span.end] == span.quote for span in moved)
    assert document_id(old) not in {span.document_id for span in spans}


def test_a_lost_quote_is_named_and_nothing_is_written(bundle: Path) -> None:
    path = bundle / EDITED
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("relatively uncrowded", "rather empty"), encoding="utf-8")
    before = (bundle / "benchmark.jsonl").read_bytes()

    result = _run(bundle)

    assert result.returncode == 1
    assert "three-emergencies, A4" in result.stderr
    assert "quote found 0 times" in result.stderr
    assert (bundle / "benchmark.jsonl").read_bytes() == before
