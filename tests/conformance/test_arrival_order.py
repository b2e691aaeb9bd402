"""Neither the order in which replies arrive nor the seed of hashes changes what a method does or an index holds."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue, TypeAdapter

from astrolabe.methods import METHODS

ROOT = Path(__file__).resolve().parents[2]
EVERY = pytest.mark.parametrize("name", METHODS)


@pytest.fixture(scope="module")
def made() -> Sequence[Mapping[str, Mapping[str, JsonValue]]]:
    """Every method's answer and index, made three times, each time in a process of its own."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.arrivals", str(seed)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for seed in range(3)
    ]
    said = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    return [TypeAdapter(dict[str, dict[str, JsonValue]]).validate_json(text) for text in said]


@EVERY
def test_replies_in_any_order_and_hashes_by_any_seed_make_the_same_answer_context_and_trace(
    name: str, made: Sequence[Mapping[str, Mapping[str, JsonValue]]]
) -> None:
    at_once, *by_chance = (run["answers"][name] for run in made)

    assert isinstance(at_once, dict)
    assert at_once["status"] == "ok"
    assert at_once["text"]
    assert by_chance == [at_once, at_once]


# Acceptance of methods.md 15.2: two builds are equal byte for byte.
def test_indexes_are_saved_byte_for_byte_alike(made: Sequence[Mapping[str, Mapping[str, JsonValue]]]) -> None:
    at_once, *by_chance = (run["indexes"] for run in made)

    assert '"kind": "summary"' in json.dumps(made[0]["answers"]["raptor"])
    assert {"described_graph", "fact_graph", "summary_tree", "layered_reports", "passage_skeleton"} <= at_once.keys()
    assert by_chance == [at_once, at_once]
