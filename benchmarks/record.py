"""Measures the record of calls: how fast replies are kept and found, how large its file is, how soon it opens.

    python benchmarks/record.py [--entries 10000 100000 1000000]

Replies are those of a judge, some 600 characters of JSON each with a reason of its own. They are put as a run puts
them, 64 at a time, each burst waited for until it is on the disk. Look-ups are single ones at random, as a run makes
them: the reply is unpacked and read. What a row costs must not grow with their number.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from astrolabe.core.records import Usage
from astrolabe.store.calls import Caller, CallRecord, StoredReply

AT_ONCE: Final = 64
LOOK_UPS: Final = 20_000
SHOWN: Final = "{:>9} {:>11} {:>11} {:>9} {:>9} {:>8} {:>9} {:>8} {:>9} {:>9}\n"
HEAD: Final = (
    "entries",
    "inserts/s",
    "cpu us/ins",
    "hits/s",
    "misses/s",
    "hit us",
    "miss us",
    "MB",
    "bytes/row",
    "open ms",
)
CALLER: Final = Caller(
    model="openai:judge@http://127.0.0.1:8000/v1 chat", prompt="judge_topics.v1", stage="judge.topics"
)
WORDS: Final = ("the", "vessel", "changes", "what", "is", "made", "tide", "moon", "salt", "lamp", "harbour", "silver")


class Rate(NamedTuple):
    """Work done a second of wall clock, and microseconds of processor each."""

    a_second: float
    cpu_us: float


def key(number: int) -> bytes:
    """Return a key that looks like a hash."""
    return random.Random(number).randbytes(32)  # noqa: S311 - a key in a benchmark


def reply(number: int) -> StoredReply:
    """Return a judge's reply to three topics, with words of its own."""
    words = random.Random(number)  # noqa: S311 - likewise
    topics = [
        {
            "label": " ".join(words.choices(WORDS, k=4)),
            "reference": f"T{place}",
            "stretch": " ".join(words.choices(WORDS, k=20)),
        }
        for place in range(3)
    ]
    usage = Usage(calls=1, prompt_tokens=900 + number % 100, completion_tokens=120, usd=None, seconds=words.random())
    return StoredReply(text=json.dumps({"topics": topics}), usage=usage)


def fill(path: Path, first: int, last: int) -> Rate:
    """Put replies in bursts, each on the disk before the next; making them is not counted."""
    wall = cpu = 0.0
    with CallRecord(path) as record:
        for start in range(first, last, AT_ONCE):
            burst = [(key(number), reply(number)) for number in range(start, min(start + AT_ONCE, last))]
            began, used = time.perf_counter(), time.process_time()
            futures = {record.put(*one, CALLER) for one in burst}
            for future in futures:
                future.result()
            wall += time.perf_counter() - began
            cpu += time.process_time() - used
    return Rate((last - first) / wall, 1e6 * cpu / (last - first))


def look_up(path: Path, numbers: list[int], *, there: bool) -> Rate:
    """Look up one key after the other."""
    keys = [key(number) for number in numbers]
    with CallRecord(path) as record:
        began, used = time.perf_counter(), time.process_time()
        found = sum(record.get(one) is not None for one in keys)
        wall, cpu = time.perf_counter() - began, time.process_time() - used
    if found != (len(keys) if there else 0):
        raise SystemExit(f"{found} of {len(keys)} were found")
    return Rate(len(keys) / wall, 1e6 * cpu / len(keys))


def open_milliseconds(path: Path) -> float:
    """Return the median time to open and close the file."""
    times: list[float] = []
    for _ in range(9):
        began = time.perf_counter()
        CallRecord(path).close()
        times.append(1000 * (time.perf_counter() - began))
    return sorted(times)[len(times) // 2]


def main() -> None:
    """Fill one file further and further, and print a line at each size."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--entries", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    sizes: list[int] = sorted(options.parse_args().entries)
    chance = random.Random(1)  # noqa: S311 - a sample
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores at the start\n")
    sys.stdout.write(SHOWN.format(*HEAD))
    with tempfile.TemporaryDirectory() as folder:
        path, filled = Path(folder) / "calls.sqlite", 0
        for size in sizes:
            kept = fill(path, filled, size)
            filled = size
            hit = look_up(path, chance.choices(range(size), k=LOOK_UPS), there=True)
            miss = look_up(path, chance.choices(range(10**9, 2 * 10**9), k=LOOK_UPS), there=False)
            megabytes = path.stat().st_size / 1e6
            values = (kept.a_second, kept.cpu_us, hit.a_second, miss.a_second, hit.cpu_us, miss.cpu_us)
            shown = [f"{value:.1f}" if value < 1000 else f"{value:,.0f}" for value in values]  # noqa: PLR2004 - digits
            opened = open_milliseconds(path)
            sys.stdout.write(
                SHOWN.format(f"{size:,}", *shown, f"{megabytes:,.0f}", f"{1e6 * megabytes / size:.0f}", f"{opened:.1f}")
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
