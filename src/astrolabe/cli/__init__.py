"""The command line: thin doors that parse, call the study and print."""

import atexit
import gc
import sys
from collections.abc import Sequence
from io import TextIOWrapper


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command `astrolabe` and leave with its exit code.

    Args:
        arguments: The words after `astrolabe`; null takes those of this process.

    Raises:
        SystemExit: Always, with the exit code.
    """
    # What is still there ends with the process: to look through all of it for garbage first takes longer than that.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # What documents say must not fail at an old locale's letters, nor a path at bytes that are no text.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    from astrolabe.cli.group import astrolabe
    from astrolabe.cli.talk import exit_code_of

    sys.exit(exit_code_of(lambda: astrolabe.main(arguments, standalone_mode=False, prog_name="astrolabe")))
