"""Dumps into a study: streamed, restartable, redirects kept, bad pages named."""

from pathlib import Path

import pytest

from astrolabe.core.errors import UserError
from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Question
from astrolabe.core.tokens import count_tokens
from astrolabe.documents import RecordFields
from astrolabe.parts.gold_evidence import gold_pages
from astrolabe.study.dumps import DumpJournals
from astrolabe.study.ingesting import IngestResult, ingest
from astrolabe.study.passages import Shelf
from astrolabe.study.progress import SILENT, Progress
from astrolabe.study.study import Study, new_study, open_study
from tests.progresses import Heard, Stopping
from tests.wiki_dump import HEAD, PAGES, TAIL, WikiPage, write_dump

OK = [page.title for page in PAGES if not page.redirect and not page.namespace and not page.raw]


def read(study: Study, *paths: Path, progress: Progress = SILENT) -> IngestResult:
    return ingest(study, list(paths), progress, fields=RecordFields(), seconds_per_file=60.0)


def held(study: Study) -> dict[str, Document]:
    return {document.title: document for document in open_study(study.folder.root).documents}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return new_study(tmp_path / "study")


@pytest.mark.parametrize("name", ["d.xml", "d.xml.bz2", "d.xml.gz", "d-multistream.xml.bz2"])
def test_a_dump_becomes_a_document_for_each_article(study: Study, tmp_path: Path, name: str) -> None:
    result = read(study, write_dump(tmp_path / name))

    documents = held(study)
    assert [title for title, one in documents.items() if one.status == "ok"] == OK
    (dump,) = result.dumps
    assert dump.pages == {"ok": len(OK), "failed": 1}
    assert (dump.redirects, dump.left_out) == (1, 1)
    assert documents["AC/DC"].extra["url"] == "https://wiki.example/wiki/AC/DC"
    assert documents["AC/DC"].source == f"{name}#AC/DC"


def test_one_bad_page_is_named_and_stops_no_other(study: Study, tmp_path: Path) -> None:
    read(study, write_dump(tmp_path / "d.xml"))

    documents = held(study)
    assert documents["Bad XML"].status == "failed"
    assert "page 14 'Bad XML': not well-formed XML" in (documents["Bad XML"].reason or "")
    assert documents["Last"].status == "ok"


def test_redirects_are_no_documents_but_names_of_their_pages(study: Study, tmp_path: Path) -> None:
    pages = [
        WikiPage("Bey", redirect="Queen B"),
        WikiPage("Queen B", redirect="Beyoncé#Life"),
        WikiPage("Beyoncé", "A singer."),
    ]

    read(study, write_dump(tmp_path / "d.xml", pages))

    assert {title: one.extra["aliases"] for title, one in held(study).items()} == {"Beyoncé": ["Bey", "Queen B"]}


@pytest.mark.parametrize(
    ("gold", "title"),
    [
        ("https://wiki.example/wiki/AC/DC", "AC/DC"),
        ("https://wiki.example/wiki/Star_Trek:_Picard#Cast", "Star Trek: Picard"),
        ("https://wiki.example/wiki/Beyonc%C3%A9", "Beyoncé"),
        ("Queen B", "Beyoncé"),
        ("https://wiki.example/wiki/Queen_B", "Beyoncé"),
        ("https://wiki.example/wiki/C-sharp_(C%23-like)_%26_more", "C-sharp (C#-like) & more"),
        ("https://wiki.example/wiki/%E6%9D%B1%E4%BA%AC", "東京"),
        ("paris", "Paris"),
    ],
)
def test_gold_pages_meet_the_pages_of_the_dump(study: Study, tmp_path: Path, gold: str, title: str) -> None:
    read(study, write_dump(tmp_path / "d.xml"))

    (page,) = gold_pages(Question(id="q", text="?", extra={"gold_pages": [{"url": gold}]}), ())

    assert [one.title for one in held(study).values() if page.is_page(one)] == [title]


def test_no_passage_of_the_dump_has_more_than_512_tokens_and_each_begins_with_its_title(
    study: Study, tmp_path: Path
) -> None:
    read(study, write_dump(tmp_path / "d.xml"))
    documents = {one.id: one for one in study.need_documents()}

    passages = Shelf(list(documents.values())).passages(Cut(size=512), list(documents))

    assert len(passages) > len(documents)
    for passage in passages:
        assert count_tokens(passage.text) == passage.tokens <= 512
        assert passage.text.startswith(f"# {documents[passage.document_id].title}\n")


@pytest.mark.parametrize("after", [1, 40, 65, 99])
def test_a_stopped_read_goes_on_and_ends_the_same_without_reading_finished_pages_again(
    study: Study, tmp_path: Path, after: int
) -> None:
    pages = [WikiPage(f"Page {n}", f"Text {n}.", redirect="Page 1" if n % 7 == 0 else "") for n in range(100)]
    dump = write_dump(tmp_path / "d.xml.bz2", pages)
    whole = new_study(tmp_path / "whole")
    read(whole, dump)

    with pytest.raises(KeyboardInterrupt):
        read(study, dump, progress=Stopping(after))
    (journal,) = [*study.folder.documents.parent.glob(".reading-*"), None][:1]
    if journal:
        with journal.open("ab") as file:
            file.write(b'{"id": "torn')
    heard = Heard()
    result = read(study, dump, progress=heard)

    assert study.folder.documents.read_bytes() == whole.folder.documents.read_bytes()
    assert len(heard.steps) == 100 - after // 32 * 32
    assert result.dumps[0].pages == {"ok": 85}
    assert [path.name for path in study.folder.documents.parent.glob(".reading-*")] == []


def test_a_dump_that_has_not_changed_is_not_read_again_and_one_that_has_is_replaced(
    study: Study, tmp_path: Path
) -> None:
    dump = write_dump(tmp_path / "d.xml", [WikiPage("A", "One."), WikiPage("B", "Two.")])
    read(study, dump)

    again = read(study, dump)
    write_dump(dump, [WikiPage("A", "Other.")])
    changed = read(study, dump)

    assert (again.dumps, again.unchanged_dumps) == ([], ["d.xml"])
    assert changed.dumps[0].pages == {"ok": 1}
    assert {title: one.text for title, one in held(study).items()} == {"A": "# A\n\nOther."}


def test_other_files_and_other_dumps_stay_when_a_dump_is_read(study: Study, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("A note about tides.")
    read(study, tmp_path / "note.txt")
    read(study, write_dump(tmp_path / "one.xml", [WikiPage("A", "One.")]))

    read(study, write_dump(tmp_path / "two.xml.gz", [WikiPage("B", "Two."), WikiPage("A", "One.")]))

    states = [(one.source, one.status) for one in open_study(study.folder.root).documents]
    assert states == [
        ("note.txt", "ok"),
        ("one.xml#A", "ok"),
        ("two.xml.gz#B", "ok"),
        ("two.xml.gz#A", "duplicate"),
    ]


def test_a_dump_that_is_gone_from_a_folder_that_is_read_again_goes(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "note.txt").write_text("A note.")
    dump = write_dump(folder / "d.xml", [WikiPage("A", "One.")])
    read(study, folder)

    dump.unlink()
    read(study, folder)

    assert [one.source for one in open_study(study.folder.root).documents] == ["note.txt"]


def test_a_torn_dump_keeps_its_whole_pages_and_names_where_it_ends(study: Study, tmp_path: Path) -> None:
    dump = write_dump(
        tmp_path / "d.xml.gz",
        [WikiPage(f"P{n}", " ".join(f"Word{n * 7919 + k * k}" for k in range(3000))) for n in range(30)],
    )
    dump.write_bytes(dump.read_bytes()[:-400])

    result = read(study, dump)

    failed = [one for one in result.pages() if one.status == "failed"]
    assert len(failed) == 1
    assert "cut off" in (failed[0].reason or "")


def test_a_page_that_never_ends_does_not_swallow_the_next(study: Study, tmp_path: Path) -> None:
    torn = WikiPage("Torn", raw="  <page>\n    <title>Torn</title>\n")

    read(study, write_dump(tmp_path / "d.xml", [WikiPage("A", "One."), torn, WikiPage("B", "Two.")]))

    assert {title: one.status for title, one in held(study).items()} == {"A": "ok", "Torn": "failed", "B": "ok"}


def test_a_dump_without_any_article_writes_nothing(study: Study, tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text(HEAD + TAIL)

    with pytest.raises(UserError, match="nothing usable"):
        read(study, tmp_path / "d.xml")

    assert not study.folder.documents.exists()


def test_what_was_written_down_of_another_file_is_not_taken_over(tmp_path: Path, study: Study) -> None:
    dump = write_dump(tmp_path / "d.xml", [WikiPage(f"Old {n}", "Old.") for n in range(40)])
    with pytest.raises(KeyboardInterrupt):
        read(study, dump, progress=Stopping(39))
    write_dump(dump, [WikiPage("New", "New.")])

    read(study, dump)

    assert list(held(study)) == ["New"]
    assert DumpJournals(tmp_path, {}).reads == []
