"""What reading real files keeps, in which state each ends, and how long it takes.

    python benchmarks/ingest.py [FOLDER]

FOLDER holds `jose_papers` and `messy_files`; the default is the folder `shared/data` beside the repository.
Prints the share of the words of 21 papers' bodies that reading their PDFs keeps (letters only, two or
more, counted with repeats, against the publisher's XML), a table of the states of all messy files, and
seconds. Exit code 1 where the average is below 0.97 or a file ends in no state.
"""

import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document
from astrolabe.corpus import cut_document
from astrolabe.documents import read_documents

LEAST_RECALL = 0.97
WORD = re.compile(r"[^\W\d_]{2,}")


class Timed(NamedTuple):
    """What was read, and in how many seconds."""

    documents: list[Document]
    seconds: float


def main() -> int:
    """Print all figures; return the exit code."""
    given = sys.argv[1:]
    data = Path(given[0]) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not (data / "jose_papers").is_dir():
        sys.stderr.write(f"no folder {str(data / 'jose_papers')!r}: name the folder that holds the data\n")
        return 2
    recall = report_papers(data / "jose_papers")
    all_named = report_messy(data / "messy_files")
    report_cutting(data / "messy_files" / "big" / "musique_passages.txt")
    return 0 if recall >= LEAST_RECALL and all_named else 1


def timed(path: Path) -> Timed:
    """Read a folder and look at the clock."""
    began = time.perf_counter()
    documents = list(read_documents([path]))
    return Timed(documents, time.perf_counter() - began)


def report_papers(folder: Path) -> float:
    """Print each paper's recall and return the average."""
    papers = {paper["pdf"]: paper for paper in map(json.loads, (folder / "papers.jsonl").open(encoding="utf-8"))}
    documents, seconds = timed(folder / "pdf")
    recalls: list[float] = []
    titles = 0
    for document in documents:
        paper = papers[f"pdf/{document.source}"]
        body = " ".join(paragraph for section in paper["sections"] for paragraph in section["paragraphs"])
        recalls.append(share_of_words(document.text, body))
        titles += document.title == paper["title"]
        say(f"{document.source:<18} {recalls[-1]:.4f}  {document.status}")
    average = sum(recalls) / len(recalls)
    say(f"word recall on {len(recalls)} papers: {average:.4f} on average, {min(recalls):.4f} at worst")
    say(f"titles right: {titles} of {len(recalls)}; {seconds:.1f} s\n")
    return average


def share_of_words(text: str, truth: str) -> float:
    """Return the share of the truth's words that the text has too, counted with repeats."""
    found = Counter(word.lower() for word in WORD.findall(text))
    wanted = Counter(word.lower() for word in WORD.findall(truth))
    return (found & wanted).total() / wanted.total()


def report_messy(folder: Path) -> bool:
    """Print the states of all files, and return whether each has one and a reason where it is not ok."""
    documents, seconds = timed(folder)
    by_file: dict[str, list[Document]] = {}
    for document in documents:
        by_file.setdefault(document.source.partition("#")[0], []).append(document)
    for file, found in by_file.items():
        states = ", ".join(f"{count} {state}" for state, count in Counter(one.status for one in found).items())
        notes = "; ".join(dict.fromkeys(note for one in found[:1] for note in (one.reason, *one.warnings) if note))
        say(f"{file:<58} {states:<14} {sum(len(one.text) for one in found):>9,} characters  {notes[:90]}")
    files = [path for path in folder.rglob("*") if path.is_file()]
    named = all(one.status == "ok" or one.reason for one in documents)
    say(f"{len(by_file)} of {len(files)} files in a named state; {seconds:.1f} s\n")
    return named and len(by_file) == len(files)


def report_cutting(path: Path) -> None:
    """Print how fast one large text is cut into passages."""
    text = path.read_text("utf-8")
    document = Document(id="d", title="", text=text, source=path.name, media_type="text/plain", sha256="")
    for cut in (Cut(size=512), Cut(size=1200, overlap=100)):
        began = time.process_time()
        passages = cut_document(document, cut)
        seconds = time.process_time() - began
        mean = sum(passage.tokens for passage in passages) / len(passages)
        rate = len(text) / seconds / 1e6
        say(f"{len(text):,} characters, {cut}: {len(passages)} passages of {mean:.0f} tokens; {rate:.2f} MB/s CPU")


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
