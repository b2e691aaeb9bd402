"""`scripts/readme_table.py` shows a finished quickstart and nothing else."""

import runpy
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPT: Final = Path(__file__).parents[2] / "scripts" / "readme_table.py"


def test_a_folder_that_is_no_finished_quickstart_changes_nothing(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("<!-- made: table -->\nas it was\n<!-- end -->\n", "utf-8")
    command = [sys.executable, str(SCRIPT), str(tmp_path), "--readme", str(readme)]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "is no finished quickstart; run: astrolabe quickstart" in done.stderr
    assert "as it was" in readme.read_text("utf-8")


def test_notes_stand_on_top_and_long_lines_are_wrapped() -> None:
    functions = runpy.run_path(str(SCRIPT))
    tidy = cast("Callable[[subprocess.CompletedProcess[str]], str]", functions["tidy"])
    printed = subprocess.CompletedProcess(
        args=[], returncode=0, stdout=f"  Table   \n\n  {'word ' * 40}\n", stderr="answering: 1 of 2\nnote: no model\n"
    )

    lines = tidy(printed).splitlines()

    assert lines[:3] == ["note: no model", "  Table", ""]
    assert len(lines) > 4
    assert all(len(line) <= functions["WIDTH"] and line == line.rstrip() for line in lines)
