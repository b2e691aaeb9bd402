"""What a door says: results on stdout, talk on stderr, and one exit code for each way to end."""

import json
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
    except SystemExit as left:
        # So click and rich end a command whose reader has seen enough (`| head`): no fault of the command.
        if isinstance(left.__context__, BrokenPipeError):
            return Exit.DONE
        raise
    return ended if isinstance(ended, int) else Exit.DONE


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
