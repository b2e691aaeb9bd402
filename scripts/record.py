#!/usr/bin/env python3
"""Asks the embedded model what the quickstart shows from the record, and bundles its replies.

    python scripts/record.py [--work .record]

Takes more than half an hour on two cores; stopped, it goes on from where it was. Replies are kept in the study of the
`--work` folder: remove it after a prompt, a document or a question changed, so that the file holds nothing that
is asked for no longer.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Final

from astrolabe.cli.drawing import TerminalProgress
from astrolabe.core.errors import AstrolabeError
from astrolabe.study.models import Asking
from astrolabe.study.recorded_methods import make_record

ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = ROOT / "src" / "astrolabe" / "bundled" / "replies.jsonl.gz"


def main() -> int:
    """Ask and write; exit with 1 where the model cannot be asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / ".record", help="where it is asked")
    chosen = parser.parse_args()
    try:
        with TerminalProgress() as progress:
            made = asyncio.run(make_record(chosen.work, FILE, Asking(), progress))
    except AstrolabeError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{FILE.name}: {made.replies} replies, {made.failures} cut short, {FILE.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
