"""What holds for every command: help, names, streams, exit codes, speed of the start."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import astrolabe
from astrolabe.cli.group import COMMANDS
from tests.commands import Command, ended, started
from tests.small_study import small_study

HEAVY = (
    *("numpy", "pydantic", "scipy", "sklearn", "rich", "aiohttp", "tokenizers", "onnxruntime", "asyncio"),
    *("trafilatura", "pypdfium2", "bm25s", "jinja2", "lxml", "mammoth", "py3langid", "stamina", "xllamacpp"),
    *("astrolabe.core.records", "astrolabe.study"),
)
COMMON = ("--study", "--json", "--seed", "--limit", "--calls", "--budget", "--version")


@pytest.mark.parametrize("words", [["--help"], ["--version"], []], ids=["help", "version", "nothing"])
def test_the_first_screen_loads_nothing_heavy(words: list[str]) -> None:
    look = f"""
import sys
import astrolabe.cli
try:
    astrolabe.cli.main({words!r})
except SystemExit:
    pass
print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)

    assert done.stderr.splitlines()[-1] == ""
    assert done.stdout or not words


def test_the_list_of_commands_names_each_with_what_it_does(command: Command) -> None:
    shown = command("--help")

    assert shown.code == 0
    for name, about in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(about[:40])}", shown.out, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(command: Command, name: str) -> None:
    shown = command(name, "--help")

    assert (shown.code, shown.err) == (0, "")
    assert f"Usage: astrolabe {name}" in shown.out


@pytest.mark.parametrize("name", [*COMMANDS, "models fetch"])
def test_every_command_has_the_common_options(command: Command, name: str) -> None:
    shown = command(*name.split(), "--help")

    assert [option for option in COMMON if option not in shown.out] == []


def test_an_unknown_command_is_told_which_there_are(command: Command) -> None:
    ended = command("runn")

    assert (ended.code, ended.out) == (2, "")
    assert "no command 'runn'" in ended.err
    assert all(name in ended.err for name in COMMANDS)


def test_the_version_is_the_packages(command: Command) -> None:
    assert command("--version").out == f"astrolabe, version {astrolabe.__version__}\n"
    assert command("run", "--version").out == f"astrolabe, version {astrolabe.__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--nonsense"],
        ["run", "--limit", "0"],
        ["run", "--seed", "-1"],
        ["run", "--calls", "never"],
        ["ingest"],
        ["compare", "--confidence", "2"],
        ["import", "pdf", "x"],
    ],
    ids=" ".join,
)
def test_a_wrong_option_is_the_users_and_says_so_on_stderr(command: Command, words: list[str]) -> None:
    ended = command(*words)

    assert (ended.code, ended.out) == (2, "")
    assert "Error:" in ended.err


@pytest.mark.parametrize("budget", ["5", "many usd", "0usd", "1usd|2usd"])
def test_a_budget_that_cannot_be_read_is_refused_before_anything_runs(
    command: Command, tmp_path: Path, budget: str
) -> None:
    small_study(tmp_path / "s")

    ended = command("run", "--method", "extractive", "--budget", budget, "--study", tmp_path / "s")

    assert (ended.code, ended.out) == (2, "")
    assert "budget" in ended.err
    assert not (tmp_path / "s" / "answers").exists()


@pytest.mark.parametrize(
    "name", ["ingest x", "run --method extractive", "score", "compare", "report", "status", "stats"]
)
def test_a_study_that_is_not_there_is_named(command: Command, tmp_path: Path, name: str) -> None:
    ended = command(*name.split(), "--study", tmp_path / "gone")

    assert (ended.code, ended.out) == (2, "")
    assert "gone" in ended.err
    assert "astrolabe new" in ended.err


def test_every_fault_of_the_settings_is_named_at_once(command: Command, tmp_path: Path) -> None:
    root = tmp_path / "s"
    small_study(root)
    (root / "study.toml").write_text('[models]\nanser = "x"\n[answers]\nmax_tokens = 0\n', "utf-8")

    ended = command("run", "--method", "extractive", "--study", root)

    assert ended.code == 2
    assert "2 settings" in ended.err
    assert "models.anser" in ended.err
    assert "answers.max_tokens = 0" in ended.err


@pytest.mark.parametrize("words", ["run --method extractive --json", "stats", "methods"])
def test_a_reader_that_has_seen_enough_causes_no_traceback(tmp_path: Path, words: str) -> None:
    small_study(tmp_path)
    process = started(*words.split(), "--study", tmp_path)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None

    done = ended(process)

    assert done.code == 0
    assert not re.search("Traceback|Exception|BrokenPipe", done.err)


def test_an_old_locale_stops_no_text(tmp_path: Path) -> None:
    small_study(tmp_path / "s")
    (tmp_path / "übung.txt").write_text("Die Übung beginnt um neun Uhr. Sie dauert zwei Stunden.", "utf-8")

    done = ended(started("ingest", tmp_path / "übung.txt", "--study", tmp_path / "s", PYTHONIOENCODING="ascii"))

    assert done.code == 0
    assert "übung.txt" in done.out


def test_click_is_told_every_command_that_there_is() -> None:
    from astrolabe.cli.group import astrolabe as group

    context = click.Context(group)

    assert [name for name in group.list_commands(context) if group.get_command(context, name) is None] == []
    assert group.get_command(context, "nonsense") is None


def test_an_old_locale_stops_no_path_and_no_question(tmp_path: Path) -> None:
    folder = tmp_path / "größe ☀"
    folder.mkdir()
    (folder / "übung.txt").write_text("Die Übung beginnt um neun Uhr. Sie dauert zwei Stunden.", "utf-8")

    made = ended(started("new", folder / "s", LC_ALL="C", PYTHONUTF8="0"))
    asked = ended(
        started(
            *("ask", "Wann beginnt die Übung?", folder, "--embed", "hashed"),
            LC_ALL="C",
            PYTHONUTF8="0",
            ASTROLABE_CACHE=str(tmp_path / "cache"),
        )
    )

    assert (made.code, asked.code) == (0, 0)
    assert "beginnt um neun Uhr" in asked.out


def test_a_folder_in_place_of_the_settings_is_the_users_to_mend(tmp_path: Path) -> None:
    small_study(tmp_path)
    (tmp_path / "study.toml").unlink(missing_ok=True)
    (tmp_path / "study.toml").mkdir()

    done = ended(started("run", "--method", "extractive", "--study", tmp_path))

    assert done.code == 2
    assert "study.toml: cannot be read" in done.err


@pytest.mark.parametrize("name", ["run", "score", "plan", "quickstart"])
def test_the_help_says_what_a_limit_limits(command: Command, name: str) -> None:
    said = " ".join(command(name, "--help").out.split())

    assert "At most N questions of each scope (run, quickstart, plan run)" in said
    assert "N answers in all (score, plan score)" in said


def test_a_command_ends_without_looking_through_all_it_has_for_garbage() -> None:
    told = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count()))"
    whole = f"{told}; import astrolabe.cli; astrolabe.cli.main(['--version'])"

    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=True)

    assert int(done.stdout.splitlines()[-1]) > 1_000
