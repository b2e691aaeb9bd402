"""The calls of a study, carried elsewhere and brought here: for replays, and so that nobody pays again."""

import asyncio
from pathlib import Path

from astrolabe.store import carried
from astrolabe.store.carried import Carried
from astrolabe.study.arguments import Place, Where, study_at


async def export_calls(study: Where, file: Place, *, vectors: bool = True) -> Carried:
    """Write a study's recorded calls to one file: replies, failures, vectors, and what answers and scores took.

    Args:
        study: The study, or its folder.
        file: The file; one that is there is replaced.
        vectors: Whether embedded texts go along; they take most of the room.

    Raises:
        UserError: The study has no recorded calls, or the file cannot be written.
    """
    return await asyncio.to_thread(carried.export_calls, study_at(study).folder.calls, Path(file), vectors=vectors)


async def import_calls(study: Where, file: Place) -> Carried:
    """Add the calls of an exported file to those of a study; what the study has already stays as it is.

    Args:
        study: The study, or its folder.
        file: A file that `export_calls` wrote.

    Raises:
        UserError: The file is no such file, is torn or was changed; then nothing of it was taken.
    """
    return await asyncio.to_thread(carried.import_calls, study_at(study).folder.calls, Path(file))
