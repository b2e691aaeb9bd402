import pytest

from astrolabe.core.errors import FileError, Problem
from astrolabe.core.plural import plural
from astrolabe.study.index_records import lacks


@pytest.mark.parametrize(("number", "word"), [(0, "replies"), (1, "reply"), (2, "replies")])
def test_only_one_thing_is_called_by_the_singular(number: int, word: str) -> None:
    assert plural(number, "reply", "replies") == word


def test_a_message_about_one_thing_is_in_the_singular() -> None:
    problem = Problem(line=1, field="id", value="", problem="is missing", fix="give it")

    assert "f: 1 problem\n" in str(FileError("f", [problem]))
    assert "f: 2 problems\n" in str(FileError("f", [problem, problem]))
    assert lacks("tree", 1, {"p1": "HTTP 500"}) == "tree lacks 1 of 1 reply: p1: HTTP 500"
