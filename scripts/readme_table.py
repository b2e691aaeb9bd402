#!/usr/bin/env python3
"""Puts what a finished quickstart prints, and a picture of its report, into the README.

    python scripts/readme_table.py astrolabe-quickstart

Runs `astrolabe quickstart FOLDER` again (a finished one asks no model), writes its table between the markers
of `README.md`, and its page's first screen as `docs/images/report.png` where a Chromium is found.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PICTURE: Final = ROOT / "docs" / "images" / "report.png"
MOST_BYTES: Final = 300_000
WIDTH: Final = 96
WINDOW: Final = (1180, 745)
_BLOCK: Final = re.compile(r"(<!-- made: table -->\n).*?(<!-- end -->)", re.DOTALL)
_TERMS: Final = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars")
_QUIET: Final = ("--disable-background-networking", "--disable-component-update", "--disable-sync")


def main() -> int:
    """Refresh the README; exit with 1 where the quickstart or the picture failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a finished quickstart")
    parser.add_argument("--readme", type=Path, default=ROOT / "README.md")
    parser.add_argument("--picture", type=Path, default=PICTURE)
    chosen = parser.parse_args()
    folder: Path = chosen.folder.resolve()
    if not (folder / "scores").is_dir():
        sys.stderr.write(f"{chosen.folder} is no finished quickstart; run: astrolabe quickstart {chosen.folder}\n")
        return 1
    printed = run_again(folder)
    shown = f"{tidy(printed)}\n"
    readme: str = chosen.readme.read_text("utf-8")
    chosen.readme.write_text(
        _BLOCK.sub(lambda found: f"{found[1]}\n```text\n{shown}```\n\n{found[2]}", readme), "utf-8"
    )
    sys.stdout.write(shown)
    return take_picture(folder.parent / printed.stdout.rstrip().splitlines()[-1], chosen.picture)


def run_again(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Return what the command prints; the folder's own name is all that is seen of where it lies."""
    command = Path(sys.executable).with_name("astrolabe")
    done = subprocess.run(  # noqa: S603 - our own command
        [command, "quickstart", folder.name], cwd=folder.parent, capture_output=True, text=True, check=False
    )
    if done.returncode not in {0, 1}:
        raise SystemExit(done.stderr)
    return done


def tidy(printed: "subprocess.CompletedProcess[str]") -> str:
    """Return the notes and the table, long lines wrapped, spaces at line ends gone."""
    notes = [line for line in printed.stderr.splitlines() if line.startswith("note: ")]
    lines: list[str] = []
    for line in [*notes, *printed.stdout.splitlines()]:
        bare = line.rstrip()
        indent = bare[: len(bare) - len(bare.lstrip())]
        lines += textwrap.wrap(bare, WIDTH, subsequent_indent=f"{indent}  ", break_on_hyphens=False) or [""]
    return "\n".join(lines).strip("\n")


def take_picture(page: Path, picture: Path) -> int:
    """Take the first screen of a page; without a Chromium the picture stays as it is."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        sys.stderr.write("no Chromium found: the picture stays as it is\n")
        return 0
    with tempfile.TemporaryDirectory() as profile:
        options = (*_TERMS, *_QUIET, f"--user-data-dir={profile}", f"--window-size={WINDOW[0]},{WINDOW[1]}")
        subprocess.run(  # noqa: S603 - the system's browser, on a file of ours
            [browser, *options, "--virtual-time-budget=3000", f"--screenshot={picture}", page.as_uri()],
            check=True,
            capture_output=True,
        )
    size = picture.stat().st_size
    sys.stdout.write(f"{picture.name}: {size:,} bytes\n")
    return int(size > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
