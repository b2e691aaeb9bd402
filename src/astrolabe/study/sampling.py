"""A sample of the pages of dumps: the gold pages of the study's benchmark, and others drawn by a seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from astrolabe.core.errors import ConfigError, UserError
from astrolabe.core.ids import content_id, text_hash
from astrolabe.core.records import Document
from astrolabe.documents.dump import is_dump, open_dump, raw_pages
from astrolabe.documents.find import FoundFile, find_files
from astrolabe.documents.read import file_hash
from astrolabe.parts.gold_evidence import GoldPage, named_pages
from astrolabe.parts.page_names import page_name
from astrolabe.store.page_table import Kept, Listed, PageTable
from astrolabe.study.progress import Progress
from astrolabe.study.study import Study

if TYPE_CHECKING:
    from pydantic import JsonValue

SAMPLE: Final = "sample"
"""Under this key of a page's `extra` stands why it is in the sample (`kept_as`: gold or drawn), and of which one."""
_NOTHING: Final = Kept()
_LOT_DIGITS: Final = 15
"""Hexadecimal digits of a lot: as many as a whole number of SQLite's holds."""
_SIGN_OF_LIFE: Final = 1000


class ReadAs(NamedTuple):
    """Which file a dump's pages were read from, by its SHA-256, and which sample of it they are, if they are one."""

    sha256: str
    sample: str | None


def read_as(page: Document) -> ReadAs:
    """Return what a page of a dump was read from."""
    given = page.extra.get(SAMPLE)
    key = given.get("key") if isinstance(given, dict) else None
    return ReadAs(page.sha256, key if isinstance(key, str) else None)


@dataclass(slots=True)
class DrawnDump:
    """What of a dump is in a sample.

    Attributes:
        kept: The numbers of its pages there, redirects to them too.
        articles: How many articles the dump holds.
        left_out: How many pages of other namespaces it holds.
    """

    kept: Kept = _NOTHING
    articles: int = 0
    left_out: int = 0


@dataclass(slots=True, kw_only=True)
class Sample:
    """A sample of the pages of some dumps.

    Attributes:
        others: How many pages beside the gold ones were asked for.
        seed: What they were drawn by.
        gold: The gold pages that the benchmark names.
        key: Stands for all that it depends on: the numbers above, the gold pages' names, the dumps' content.
        missing: The labels of the gold pages that no dump has.
        dumps: What of each dump is in it, by its file's key.
    """

    others: int
    seed: int
    gold: Sequence[GoldPage]
    key: str
    missing: Sequence[str] = ()
    dumps: Mapping[str, DrawnDump] = field(default_factory=dict[str, DrawnDump])

    def said_of(self, dump: str, number: int) -> "dict[str, JsonValue]":
        """Return what the record of a page says about the sample."""
        kept_as = "gold" if number in self.dumps[dump].kept.named else "drawn"
        return {SAMPLE: {"kept_as": kept_as, "others": self.others, "seed": self.seed, "key": self.key}}


def draw_sample(
    study: Study, paths: Sequence[Path], others: int, *, finished: Mapping[str, ReadAs], progress: Progress
) -> Sample:
    """Choose pages from all dumps among the paths: the gold pages of the study's benchmark, and `others` more.

    Gold pages are found by title, address and redirects, as `evidence_recall` finds them. The others are the articles
    with the smallest hash of the study's seed and their title: neither the order of pages nor how they are divided
    among dumps matters, and a larger sample holds every smaller one. The dumps are read through once, without parsing
    pages; memory grows with the sample alone. Dumps that the study holds as this sample already are not read.

    Raises:
        ConfigError: `others` is below 0.
        UserError: There is no dump among the paths, or the sample would be empty by what it asks for.
    """
    if others < 0:
        msg = f"sample {others!r}: how many pages to keep beside the gold ones is a whole number of at least 0"
        raise ConfigError(msg)
    files = [file for file in find_files(paths) if is_dump(file.path)]
    if not files:
        msg = f"there is no dump to draw a sample from in {', '.join(map(repr, map(str, paths)))}; leave --sample out"
        raise UserError(msg)
    gold = named_pages(study.questions)
    if not others and not gold:
        msg = "a sample of 0 keeps gold pages alone, and the study's benchmark names none; import it, or draw more"
        raise UserError(msg)
    seed = study.settings.seed
    hashes = {file.file_key: file_hash(file.path) for file in files}
    names = sorted(name for page in gold for name in page.names)
    sample = Sample(
        others=others,
        seed=seed,
        gold=gold,
        key=content_id("s", str(others), str(seed), "\n".join(names), *sorted(hashes.values())),
    )
    if any(finished.get(key) != ReadAs(sha256, sample.key) for key, sha256 in hashes.items()):
        _choose(sample, files, progress)
    return sample


def _choose(sample: Sample, files: Sequence[FoundFile], progress: Progress) -> None:
    """Fill in which pages of which dump the sample holds."""
    dumps = [DrawnDump() for _ in files]
    sample.dumps = {file.file_key: dump for file, dump in zip(files, dumps, strict=True)}
    progress.begin("choosing pages", 0)
    with PageTable() as table:
        for place, file in enumerate(files):
            for page in _listed(place, file, dumps[place], sample.seed):
                table.add(page)
                if page.number % _SIGN_OF_LIFE == 0:
                    progress.step(f"{file.source}: page {page.number}")
        found = table.choose([page.names for page in sample.gold], sample.others)
        for place, dump in enumerate(dumps):
            dump.kept = table.kept(place)
    progress.end()
    sample.missing = [page.label for place, page in enumerate(sample.gold) if place not in found]


def _listed(place: int, file: FoundFile, dump: DrawnDump, seed: int) -> Iterator[Listed]:
    """Yield a dump's articles and redirects, and count."""
    with open_dump(file.path) as stream:
        for page in raw_pages(stream):
            if page.fault is not None:
                continue
            if page.namespace:
                dump.left_out += 1
                continue
            sends = page.redirect
            dump.articles += sends is None
            yield Listed(
                dump=place,
                number=page.number,
                title=page.title,
                name=page_name(page.title),
                sends=None if sends is None else page_name(sends),
                draw=int(text_hash(f"{seed}\n{page.title}")[:_LOT_DIGITS], 16),
            )
