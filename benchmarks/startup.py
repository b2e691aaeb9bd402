"""How quickly the command starts beside a bare interpreter, and how much an installation weighs.

python benchmarks/startup.py [--rounds 30]

Starts are taken in turns, so that what else the machine does falls on both alike; the ratio is that of the
medians. Sizes are those of the files that the installed distributions list, for the core and for `[embedded]`.
"""

import argparse
import re
import statistics
import subprocess
import sys
import time
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

PACKAGE: Final = "astrolabe-qa"
MEGABYTE: Final = 1_000_000
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9._-]+")


def median_start(command: list[str], bare: list[str], rounds: int) -> tuple[float, float]:
    """Return the median seconds of both commands, started in turns; the first start of each is not counted."""
    seconds: dict[str, list[float]] = {"command": [], "bare": []}
    for _ in range(rounds + 1):
        for name, words in (("command", command), ("bare", bare)):
            started = time.perf_counter()
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
            seconds[name].append(time.perf_counter() - started)
    return statistics.median(seconds["command"][1:]), statistics.median(seconds["bare"][1:])


def closure(name: str, extra: str) -> dict[str, Distribution]:
    """Return the installed distributions that a distribution with an extra needs, itself included."""
    found: dict[str, Distribution] = {}
    queue = [(name, extra)]
    while queue:
        wanted, with_extra = queue.pop()
        key = re.sub(r"[-_.]+", "-", wanted).lower()
        try:
            held = distribution(wanted)
        except PackageNotFoundError:
            continue  # for another platform or Python
        if key in found and not with_extra:
            continue
        found[key] = held
        for requirement in held.requires or []:
            text, _, marker = requirement.partition(";")
            named = re.search(r"""extra\s*==\s*['"]([^'"]+)""", marker)
            match = _REQUIREMENT.match(text.strip())
            if match and (named is None or named[1] == with_extra) and match[0].lower() not in found:
                queue.append((match[0], ""))
    return found


def megabytes(held: dict[str, Distribution]) -> float:
    """Return the size of the files that the distributions list, in megabytes."""
    paths = {str(file.locate()) for one in held.values() for file in one.files or []}
    return sum(Path(path).stat().st_size for path in paths if Path(path).is_file()) / MEGABYTE


def main() -> None:
    """Print the ratio and the sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30, help="starts of each")
    rounds: int = parser.parse_args().rounds
    command = str(Path(sys.executable).with_name("astrolabe"))
    helped, bare = median_start([command, "--help"], [sys.executable, "-c", "pass"], rounds)
    sys.stdout.write(
        f"astrolabe --help {helped * 1000:.0f} ms, bare interpreter {bare * 1000:.0f} ms: {helped / bare:.1f} times\n"
    )
    for label, extra in (("core", ""), ("with [embedded]", "embedded")):
        held = closure(PACKAGE, extra)
        sys.stdout.write(f"{label}: {len(held)} distributions, {megabytes(held):.0f} MB\n")


if __name__ == "__main__":
    main()
