"""The command line: thin doors that parse, call the study and print."""

import sys


def main() -> None:
    """Run the command `astrolabe` and leave with its exit code."""
    from astrolabe.cli.group import astrolabe

    sys.exit(astrolabe.main(standalone_mode=False, prog_name="astrolabe"))
