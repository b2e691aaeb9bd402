"""What a door says: results on stdout, talk on stderr, and one exit code for each way to end."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING

import click

from astrolabe.core.errors import Stopped, UserError

if TYPE_CHECKING:
    # Not at run time: `--help` needs no records.
    from pydantic import BaseModel, JsonValue


class Exit(IntEnum):
    """How a command can end."""

    DONE = 0
    GAPS = 1
    USER = 2
    STOPPED = 3
    INTERRUPTED = 130


def exit_code_of(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; an error is said on stderr."""
    try:
        ended = command()
    except UserError as error:
        say(f"astrolabe: {error}")
        return Exit.USER
    except click.ClickException as error:
        error.show(sys.stderr)
        return Exit.USER
    except Stopped as error:
        say(f"astrolabe: stopped: {error}; the same command goes on from here")
        return Exit.STOPPED
    except (KeyboardInterrupt, click.Abort):
        say("astrolabe: interrupted; what was finished is kept, the same command goes on from here")
        return Exit.INTERRUPTED
    return ended if isinstance(ended, int) else Exit.DONE


def unread(command: Callable[[], object]) -> object:
    """Run a command; where its reader has seen enough (`| head`), end it without a word, as done."""
    try:
        return command()
    except BrokenPipeError:
        _hush()
    except SystemExit as left:
        if not isinstance(left.__context__, BrokenPipeError):  # so rich ends where nobody reads
            raise
        _hush()
    return Exit.DONE


def _hush() -> None:
    """Send what is still to be written nowhere: Python writes it as it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def say(text: str) -> None:
    """Talk to the person: stderr."""
    print(text, file=sys.stderr, flush=True)


def give(text: str) -> None:
    """Give the result: stdout."""
    print(text, flush=True)


def give_records(records: "Iterable[BaseModel]") -> None:
    """Give records as JSON lines."""
    for record in records:
        print(record.model_dump_json())
    sys.stdout.flush()


def give_object(content: "Mapping[str, JsonValue]") -> None:
    """Give one JSON object."""
    give(json.dumps(content, ensure_ascii=False, allow_nan=False))
