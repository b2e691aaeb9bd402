"""`astrolabe ingest`."""

from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Final

import click

from astrolabe.cli.drawing import TerminalProgress
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import study_of
from astrolabe.cli.talk import Exit, give, give_records, say
from astrolabe.core.plural import plural
from astrolabe.core.records import Document
from astrolabe.documents import RecordFields
from astrolabe.study.dumps import DumpRead
from astrolabe.study.ingesting import ingest
from astrolabe.study.sampling import Sample

_SHOWN: Final = 10
"""So many missing gold pages are named."""


@click.command("ingest")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--text-field", metavar="NAME", help="JSON lines: the field that holds the text.")
@click.option(
    "--title-field",
    metavar="NAME",
    default="title",
    show_default=True,
    help="JSON lines: the field that holds the title.",
)
@click.option(
    "--date-field", metavar="NAME", default="date", show_default=True, help="JSON lines: the field that holds the date."
)
@click.option(
    "--seconds-per-file",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    help="A file that takes longer is failed; the others are read.",
)
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(min=0),
    help="Dumps: keep the gold pages of the study's benchmark and N other articles, drawn by the seed.",
)
@common_options
def command(
    common: Common,
    *,
    paths: tuple[Path, ...],
    text_field: str | None,
    title_field: str,
    date_field: str,
    seconds_per_file: float,
    sample: int | None,
) -> int:
    """Read files and folders (PATH...) into the study: text, Markdown, HTML, PDF, DOCX, JSON lines, JATS XML, dumps.

    Every file ends as done, empty, failed or duplicate, with the reason. Run it again: a file that has not
    changed is not read again, and one that has changed replaces what was there. A MediaWiki dump (XML, plain or in
    bz2 or gzip) becomes a document for each of its articles; where it was stopped, the same command goes on. With
    --sample it becomes the pages that the study's benchmark needs and N others, the same ones for the same seed.
    """
    fields = RecordFields(text=text_field, title=title_field, date=date_field)
    with TerminalProgress() as progress:
        result = ingest(
            study_of(common), paths, progress, fields=fields, seconds_per_file=seconds_per_file, sample=sample
        )
    if common.as_json:
        every = chain(result.documents, result.pages())
        give_records(document.model_copy(update={"text": ""}) for document in every)
    else:
        for document in chain(result.documents, (page for page in result.pages() if page.status != "ok")):
            give(_line(document))
        for name in result.unchanged_dumps:
            give(f"{'done':<9}  {name}  (unchanged since it was read)")
        for read in result.dumps:
            give(_dump_line(read))
    if result.sample and result.dumps:
        say(_sample_line(result.sample))
    merged = result.merged
    counts = Counter(document.status for document in result.documents)
    for read in result.dumps:
        counts.update(read.pages)
    say(
        f"{counts['ok']} done, {counts['empty']} empty, {counts['failed']} failed, {counts['duplicate']} duplicate; "
        f"{len(merged.added)} added, {len(merged.replaced)} replaced, {len(merged.removed)} removed, "
        f"{len(merged.unchanged)} unchanged"
    )
    return Exit.GAPS if counts["failed"] or counts["empty"] else Exit.DONE


def _dump_line(read: DumpRead) -> str:
    states = ", ".join(f"{number:,} {state}" for state, number in sorted(read.pages.items()))
    total = read.pages.total()
    redirects = f"{read.redirects:,} {plural(read.redirects, 'redirect kept as a title', 'redirects kept as titles')}"
    others = f"{read.left_out:,} {plural(read.left_out, 'page')} of other namespaces left out"
    if read.not_drawn:
        others += f", {read.not_drawn:,} {plural(read.not_drawn, 'article')} not in the sample"
    return f"{'done':<9}  {read.source}  ({total:,} {plural(total, 'page')}: {states}; {redirects}, {others})"


def _sample_line(sample: Sample) -> str:
    drawn = f"the sample: {sample.others:,} {plural(sample.others, 'article')} drawn with seed {sample.seed}"
    if not sample.gold:
        return f"{drawn}, no gold pages: the study's benchmark names none; import one first to keep its pages"
    found = len(sample.gold) - len(sample.missing)
    missing = f"; not in the dumps: {', '.join(map(repr, sample.missing[:_SHOWN]))}" if sample.missing else ""
    more = f" and {len(sample.missing) - _SHOWN:,} more" if len(sample.missing) > _SHOWN else ""
    return f"{drawn}, and {found:,} of {len(sample.gold):,} gold pages{missing}{more}"


def _line(document: Document) -> str:
    word = "done" if document.status == "ok" else document.status
    notes = "; ".join([document.reason] if document.reason else document.warnings)
    return f"{word:<9}  {document.source}{f'  ({notes})' if notes else ''}"
