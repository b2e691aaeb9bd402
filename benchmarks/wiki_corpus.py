"""How fast a MediaWiki dump becomes a corpus of passages, and in how much memory.

    python benchmarks/wiki_corpus.py [MEGABYTES...]

Writes a synthetic dump (bz2) of each size in megabytes of XML (default 2 20 200) from a fixed seed, ingests it into a
study of its own, cuts all pages into passages of at most 512 tokens, one page at a time, and prints for each: pages and
passages a second of CPU time, and the peak memory of the reading and of the parsing process. Exit code 1 where a
passage has more than 512 tokens.
"""

import bz2
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document
from astrolabe.corpus import cut_document
from astrolabe.documents import RecordFields
from astrolabe.store.lines import stream_records
from astrolabe.study.ingesting import ingest
from astrolabe.study.progress import SILENT
from astrolabe.study.study import new_study

SIZES = (2, 20, 200)
LIMIT = 512
WORDS = (
    "river",
    "harbour",
    "tide",
    "survey",
    "village",
    "north",
    "stone",
    "council",
    "bridge",
    "market",
    "season",
    "record",
    "winter",
    "school",
    "train",
)
HEAD = "<mediawiki><siteinfo><base>https://wiki.example/wiki/Main_Page</base></siteinfo>\n"


def main() -> int:
    """Measure each size in a process of its own, for peak memory never falls; return the exit code."""
    sizes = [float(size) for size in sys.argv[1:]] or list(SIZES)
    if len(sizes) == 1:
        return measure(sizes[0])
    import subprocess

    return max(subprocess.run([sys.executable, __file__, str(size)], check=False).returncode for size in sizes)  # noqa: S603 - this script


def measure(size: float) -> int:
    """Print the figures of one size."""
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder, "dump.xml.bz2")
        written = write(dump, size)
        study = new_study(Path(folder, "study"))
        began = time.process_time() + children()
        result = ingest(study, [dump], SILENT, fields=RecordFields(), seconds_per_file=600.0)
        reading = time.process_time() + children() - began
        began = time.process_time()
        passages = over = 0
        for page in stream_records(study.folder.documents, Document):
            tokens = [passage.tokens for passage in cut_document(page, Cut(size=LIMIT))]
            passages += len(tokens)
            over += sum(one > LIMIT for one in tokens)
        cutting = time.process_time() - began
    pages = result.dumps[0].pages.total()
    own, child = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    sys.stdout.write(
        f"{size:g} MB ({written} pages): {pages} read at {pages / reading:.0f} pages/s CPU; {passages} passages at "
        f"{passages / cutting:.0f}/s CPU, {over} over {LIMIT} tokens; peak memory {own:.0f} MB, parser {child:.0f} MB\n"
    )
    return int(over > 0)


def children() -> float:
    """Return the CPU seconds of child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write(path: Path, size: float) -> int:
    """Write a dump of about so many megabytes and return the number of its pages."""
    chance = random.Random(0)  # noqa: S311 - a synthetic text
    left = size * 1e6
    number = 0
    with bz2.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        file.write(HEAD)
        while left > 0:
            number += 1
            page = f"<page><title>Page {number}</title><ns>0</ns><id>{number}</id>{body(chance, number)}</page>\n"
            left -= len(page)
            file.write(page)
        file.write("</mediawiki>\n")
    return number


def body(chance: random.Random, number: int) -> str:
    """Return what a page says; every tenth one redirects."""
    if number % 10 == 0:
        return f'<redirect title="Page {number - 1}" /><revision><text>#REDIRECT</text></revision>'
    return f"<revision><id>{number}</id><text>{''.join(pieces(chance, number))}</text></revision>"


def pieces(chance: random.Random, number: int) -> Iterator[str]:
    """Yield an infobox, sections of prose with links and templates, a list and a table."""
    yield f"{{{{Infobox place\n| name = Page {number}\n| area = {{{{convert|{number}|km2}}}}\n}}}}\n"
    for section in range(chance.randint(1, 6)):
        yield f"\n== Section {section} ==\n"
        for _ in range(chance.randint(3, 25)):
            words = chance.choices(WORDS, k=chance.randint(6, 30))
            yield f"The [[{words[0]}]] of {' '.join(words)}, {{{{convert|{len(words)}|km}}}} long. "
        yield f"\n* {words[1]}\n* [[{words[2]}|{words[3]}]]\n"
    rows = "".join(f"|-\n| {year} || {chance.choice(WORDS)}\n" for year in range(1900, 1900 + chance.randint(2, 60)))
    yield f"\n{{| class=wikitable\n! Year !! Place\n{rows}|}}\n"


if __name__ == "__main__":
    sys.exit(main())
