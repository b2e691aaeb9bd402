"""What people see: progress with and without a terminal, tables, names that look like markup."""

import io
import os
import re
import sys
import time

import pytest

from astrolabe.cli.answer_page import print_answer
from astrolabe.cli.drawing import TerminalProgress, print_rows, print_table
from astrolabe.cli.session import split_names
from astrolabe.cli.talk import Exit, exit_code_of, unread
from astrolabe.core.errors import ConfigError, Stopped
from astrolabe.core.records import Answer, Hit, Passage
from astrolabe.report.table import Cell, Column, Table
from astrolabe.study.asking import AskResult


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_is_shown_a_bar_with_count_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with TerminalProgress() as progress:
        progress.begin("answering", 4)
        for _ in range(3):
            progress.step("ok: [/bold]strange[/].txt")
            time.sleep(0.15)

    drawn = screen.getvalue()
    assert "3/4" in drawn
    assert re.search(r"\d+\.\d/s", drawn)
    assert re.search(r"\d:\d\d:\d\d", drawn)
    assert "[/bold]strange[/]" in drawn


def test_a_step_that_begins_before_the_last_one_ended_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with TerminalProgress() as progress:
        progress.begin("reading", 0)
        progress.step("ok: a.txt")
        progress.begin("scoring", 2)
        progress.step()
        progress.end()

    assert "scoring" in screen.getvalue()


def test_without_a_terminal_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(float(second) for second in range(100))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    progress = TerminalProgress()
    progress.begin("answering", 40)
    for _ in range(25):
        progress.step()
    progress.end()

    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert 1 <= len(lines) <= 3
    assert re.fullmatch(r"answering: \d+ of 40, \d\.\d a second, about \d+ s left", lines[0])


def test_a_quick_step_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalProgress() as progress:
        progress.begin("reading", 0)
        progress.step("ok: a.txt")

    assert capsys.readouterr() == ("", "")


def test_rows_keep_names_as_they_are_and_show_null_as_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(("name", "count", "mean"), [("[bold]x[/bold]", 12_345, 1.25), ("y", 1, None)])

    shown = capsys.readouterr().out
    assert "[bold]x[/bold]" in shown
    assert "12,345" in shown
    assert re.search(r"y +1 +-", shown)


def test_a_table_keeps_names_that_look_like_markup(capsys: pytest.CaptureFixture[str]) -> None:
    name = "system(target='http://x/[/red]')"
    columns = (Column(title="Method [x]"), Column(title="[/y]"))
    print_table(Table(name="t", caption="A [caption]", columns=columns, rows=((Cell(text=name), Cell(number=0.5)),)))

    shown = capsys.readouterr().out
    assert all(text in shown for text in (name, "A [caption]", "Method [x]", "[/y]"))


def test_names_are_split_at_commas_outside_brackets() -> None:
    assert split_names(["vanilla(k=3, size=256),llm_only", " extractive ", ""]) == [
        "vanilla(k=3, size=256)",
        "llm_only",
        "extractive",
    ]


def raised(error: BaseException) -> int:
    def command() -> object:
        raise error

    return exit_code_of(command)


def test_every_end_has_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    codes = [raised(error) for error in (ConfigError("c"), Stopped("s"), KeyboardInterrupt())]

    assert codes == [Exit.USER, Exit.STOPPED, Exit.INTERRUPTED]
    assert exit_code_of(lambda: Exit.GAPS) == 1
    assert exit_code_of(lambda: None) == 0
    assert capsys.readouterr().err.count("the same command goes on from here") == 2


def test_a_command_that_leaves_by_itself_is_let_go() -> None:
    def command() -> object:
        raise SystemExit(7)

    with pytest.raises(SystemExit, match="7"):
        unread(command)


def test_a_reader_that_leaves_while_rich_draws_ends_the_command_as_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave() -> object:
        raise BrokenPipeError

    def command() -> object:
        try:
            return leave()
        except BrokenPipeError:
            raise SystemExit(1)  # noqa: B904 - as rich does

    with open(os.devnull, "w", encoding="utf-8") as stream:  # noqa: PTH123 - it has a file number
        monkeypatch.setattr(sys, "stdout", stream)
        assert unread(command) == Exit.DONE


def test_an_answer_without_claims_is_shown_whole_with_its_evidence_and_cost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "word " * 100
    held = Passage(id="p", document_id="d", text=text, start=0, end=len(text), section=("A", "B"), tokens=100)
    hit = Hit(passage_id="p", rank=1, score=1.0, source="dense")
    answer = Answer(question_id="q", method="vanilla", text="The moon.", contexts=(hit,), retrieved=(hit,))

    print_answer(
        AskResult(answer=answer, passages={"p": held}, titles={"d": "T"}, sources={"d": "t.txt"}, banners=("b",))
    )

    said = capsys.readouterr()
    assert said.out.startswith("The moon.\n")
    assert "T > A > B (t.txt)" in said.out
    assert "..." in said.out
    assert "Written by a language model" in said.out
    assert "no calls" in said.out
    assert "note: b" in said.err
