import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from astrolabe.core.errors import UserError
from astrolabe.core.ids import document_id
from astrolabe.core.records import Document
from astrolabe.documents import RecordFields, merge_documents, read_documents
from tests.made_files import Printed, make_pdf

GOOD = "The harbour floods twice a day and ships wait outside.\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def read(*paths: Path, known: list[Document] | None = None) -> dict[str, Document]:
    return {document.source: document for document in read_documents(paths, known=known or [])}


def states(documents: dict[str, Document]) -> dict[str, str]:
    return {source: document.status for source, document in documents.items()}


# D01
def test_an_empty_pdf_is_named_empty_not_indexed(tmp_path: Path) -> None:
    documents = read(write(tmp_path, {"blank.pdf": make_pdf([[]]), "good.txt": GOOD}))

    assert states(documents) == {"blank.pdf": "empty", "good.txt": "ok"}
    assert "no extractable text" in (documents["blank.pdf"].reason or "")
    assert documents["blank.pdf"].text == ""


# D02
def test_a_damaged_pdf_between_two_good_files_fails_alone(tmp_path: Path) -> None:
    truncated = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R"

    documents = read(write(tmp_path, {"a.txt": GOOD, "b.pdf": truncated, "c.txt": "Clay drains slowly.\n"}))

    assert states(documents) == {"a.txt": "ok", "b.pdf": "failed", "c.txt": "ok"}
    assert "PDFium" in (documents["b.pdf"].reason or "")


# D02
def test_a_file_that_takes_longer_than_the_limit_fails_alone(tmp_path: Path) -> None:
    slow = "<html><body>" + "<p>some words in a paragraph</p>" * 400_000
    folder = write(tmp_path, {"a.txt": GOOD, "b.html": slow, "c.txt": "Clay drains slowly.\n"})

    documents = list(read_documents([folder], seconds_per_file=0.7))

    assert [document.status for document in documents] == ["ok", "failed", "ok"]
    assert "time limit" in (documents[1].reason or "")


# D03
def test_stored_text_has_no_zeros_and_a_warning_counts_them(tmp_path: Path) -> None:
    document = read(write(tmp_path, {"nul.txt": b"Row F\x0013 and total\x00 end\n"}))["nul.txt"]

    assert "\0" not in document.text
    assert document.warnings == ("2 NUL character(s) replaced by U+FFFD",)


# D04
@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "C.UTF-8"}])
def test_texts_and_names_are_the_same_under_any_locale(tmp_path: Path, locale: dict[str, str]) -> None:
    line = "naïve café — 数据"
    write(tmp_path, {"größe.txt": line, "utf16.txt": b"\xff\xfe" + (line + " ").encode("utf-16-le")})
    program = (
        "import sys; from pathlib import Path; from astrolabe.documents import read_documents\n"
        "for d in read_documents([Path(sys.argv[1])]): print(ascii((d.source, d.text.strip(), d.warnings)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path], env=os.environ | locale, capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == [ascii(("größe.txt", line, ())), ascii(("utf16.txt", line, ()))]


# D05
def test_an_empty_page_is_empty_and_no_exception(tmp_path: Path) -> None:
    documents = read(write(tmp_path, {"a.html": "<html><body></body></html>", "b.txt": "", "c.md": " \n"}))

    assert states(documents) == {"a.html": "empty", "b.txt": "empty", "c.md": "empty"}
    assert documents["b.txt"].reason == "the file is empty: 0 bytes"


# D06
def test_same_names_are_two_documents_and_same_texts_are_one(tmp_path: Path) -> None:
    tides = "# Tides\nThe harbour floods twice a day.\n"
    folder = write(tmp_path, {"a/readme.md": tides, "b/readme.md": "# Soil\nClay drains slowly.\n", "c/copy.md": tides})

    documents = read(folder)

    assert states(documents) == {"a/readme.md": "ok", "b/readme.md": "ok", "c/copy.md": "duplicate"}
    assert documents["c/copy.md"].reason == "the same text as 'a/readme.md'"
    assert documents["c/copy.md"].text == ""
    assert len({document.id for document in documents.values()}) == 3


# D06
def test_reading_again_adds_nothing_and_an_edit_replaces_its_document_alone(tmp_path: Path) -> None:
    tides = "# Tides\nThe harbour floods twice a day.\n"
    folder = write(tmp_path, {"a/readme.md": tides, "b/readme.md": "# Soil\nClay.\n", "c/copy.md": tides})
    first = list(read(folder).values())

    again = merge_documents(first, list(read_documents([folder], known=first)))
    write(tmp_path, {"a/readme.md": "# Tides\nIt floods no more.\n"})
    edited = merge_documents(first, list(read_documents([folder], known=first)))

    assert (again.added, again.replaced, again.removed) == ((), (), ())
    assert again.unchanged == ("a/readme.md", "b/readme.md", "c/copy.md")
    assert again.documents == tuple(first)
    # The copy repeats nothing any more.
    assert edited.replaced == ("a/readme.md", "c/copy.md")
    assert edited.unchanged == ("b/readme.md",)
    assert {document.id for document in edited.documents} == {
        document_id("# Tides\nIt floods no more.\n"),
        document_id("# Soil\nClay.\n"),
        document_id(tides),
    }


def test_a_file_that_has_not_changed_is_not_parsed_again(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a.txt": GOOD, "blank.pdf": make_pdf([[]]), "broken.pdf": b"%PDF-1.4 nothing"})
    first = list(read_documents([folder]))

    again = list(read_documents([folder], known=first))

    assert [one is other for one, other in zip(first, again, strict=True)] == [True, True, False]
    assert again == first


def test_a_text_that_a_staying_document_has_is_a_duplicate(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.txt": GOOD, "two/b.txt": GOOD})
    known = list(read_documents([tmp_path / "one"]))

    (copy,) = read_documents([tmp_path / "two"], known=known)

    assert (copy.status, copy.reason) == ("duplicate", "the same text as 'a.txt'")


def test_every_document_says_what_it_is(tmp_path: Path) -> None:
    text = f"# Tides\n\nDate: 2020-02-03\n\n{GOOD}"
    (document,) = read_documents([write(tmp_path, {"sub/tides.md": text})])

    assert document.id == document_id(text)
    assert (document.title, document.date, document.language) == ("Tides", "2020-02-03", "en")
    assert (document.source, document.media_type) == ("sub/tides.md", "text/markdown")
    assert len(document.sha256) == 64


def test_each_record_of_a_file_is_a_document_and_ids_used_twice_are_told_apart(tmp_path: Path) -> None:
    lines = '{"id": "x", "body": "one"}\n{"id": "x", "body": "two"}\nno json\n{"body": "one"}\n'
    folder = write(tmp_path, {"r.jsonl": lines})

    documents = list(read_documents([folder]))
    merged = merge_documents(documents, list(read_documents([folder], known=documents)))

    assert [(document.source, document.status) for document in documents] == [
        ("r.jsonl#x", "ok"),
        ("r.jsonl#x (2)", "ok"),
        ("r.jsonl#3", "failed"),
        ("r.jsonl#4", "duplicate"),
    ]
    assert documents[1].warnings == ("the id 'x' stands in the file before",)
    assert len(merged.unchanged) == len(merged.documents) == 4


def test_records_are_read_again_when_their_fields_are_named_otherwise(tmp_path: Path) -> None:
    folder = write(tmp_path, {"r.jsonl": '{"text": "one", "note": "two"}\n'})
    known = list(read_documents([folder]))

    (document,) = read_documents([folder], known=known, fields=RecordFields(text="note"))

    assert document.text == "two"


def test_a_file_of_no_records_is_empty(tmp_path: Path) -> None:
    (document,) = read_documents([write(tmp_path, {"r.jsonl": "\n\n"})])

    assert (document.status, document.reason) == ("empty", "no records in the file")


def test_what_is_no_document_fails_by_its_media_type(tmp_path: Path) -> None:
    (document,) = read_documents([write(tmp_path, {"a.txt": b"\x89PNG\r\n\x1a\n" + bytes(50)})])

    assert document.status == "failed"
    assert "image/png is not supported; supported are text, Markdown" in (document.reason or "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_fails_alone(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a.txt": GOOD, "b.txt": "Clay.\n"})
    (folder / "a.txt").chmod(0)

    assert states(read(folder)) == {"a.txt": "failed", "b.txt": "ok"}


def test_a_path_that_does_not_exist_is_an_error_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_documents([tmp_path / "nothing"])


def test_a_read_that_is_given_up_leaves_no_process_behind(tmp_path: Path) -> None:
    folder = write(tmp_path, {f"{n}.txt": f"{GOOD}{n}" for n in range(20)})
    reading = read_documents([folder])
    next(reading)

    began = time.perf_counter()
    reading.close()  # pyright: ignore[reportAttributeAccessIssue] - it is a generator

    assert time.perf_counter() - began < 2


def test_the_order_is_that_of_the_names_whatever_takes_longest(tmp_path: Path) -> None:
    page = [Printed(f"Line {n} of the page", 72, 700 - n * 12) for n in range(50)]
    files: dict[str, str | bytes] = {f"{n:02}.txt": f"{GOOD}{n}" for n in range(0, 20, 2)}
    files |= {f"{n:02}.pdf": make_pdf([page] * n) for n in range(1, 20, 6)}

    sources = [document.source for document in read_documents([write(tmp_path, files)])]

    assert sources == sorted(files)


def test_a_file_that_is_gone_is_removed_and_files_elsewhere_stay(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.txt": GOOD, "one/b.txt": "Clay.\n", "two/c.txt": "Sand.\n"})
    known = [*read_documents([tmp_path / "one"]), *read_documents([tmp_path / "two"])]
    (tmp_path / "one" / "b.txt").unlink()

    merged = merge_documents(known, list(read_documents([tmp_path / "one"], known=known)))

    assert merged.removed == ("b.txt",)
    assert {document.source for document in merged.documents} == {"a.txt", "c.txt"}


def test_a_file_named_by_itself_replaces_what_its_folder_gave(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.txt": GOOD, "one/b.txt": "Clay.\n"})
    known = list(read_documents([tmp_path / "one"]))
    write(tmp_path, {"one/b.txt": "Sand.\n"})

    merged = merge_documents(known, list(read_documents([tmp_path / "one" / "b.txt"], known=known)))

    assert (merged.replaced, merged.removed, len(merged.documents)) == (("b.txt",), (), 2)


def test_another_folder_of_the_same_names_replaces_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"x/readme.md": GOOD, "y/readme.md": "Clay.\n"})
    known = list(read_documents([tmp_path / "x"]))

    merged = merge_documents(known, list(read_documents([tmp_path / "y"], known=known)))

    assert (merged.added, merged.replaced, len(merged.documents)) == (("readme.md",), (), 2)


def test_documents_from_no_file_are_known_by_their_text(tmp_path: Path) -> None:
    known = list(read_documents([write(tmp_path, {"a.txt": GOOD})]))
    copy, other = (
        Document(id=document_id(text), title="", text=text, source="set", media_type="text/plain", sha256="")
        for text in (GOOD, "Clay drains slowly.\n")
    )

    once = merge_documents(known, [copy, other])
    twice = merge_documents(once.documents, [copy, other])

    assert [document.source for document in once.documents] == ["a.txt", "set"]
    assert (once.added, once.unchanged, once.removed) == (("set",), ("a.txt",), ())
    assert (twice.documents, twice.added) == (once.documents, ())


def test_the_field_cases_of_ingestion_end_as_they_should(field_cases: Path, tmp_path: Path) -> None:
    for name in ("encodings", "same-names"):
        shutil.copytree(field_cases / name, tmp_path / name)
    for name in ("blank-page.pdf", "truncated.pdf", "hours-table.html"):
        shutil.copy(field_cases / name, tmp_path)

    documents = read(tmp_path)

    assert states(documents) == {
        "blank-page.pdf": "empty",
        "encodings/cp1252.txt": "ok",
        "encodings/nul.txt": "ok",
        "encodings/utf16le-bom.txt": "ok",
        "encodings/utf8-bom.txt": "duplicate",
        "hours-table.html": "ok",
        "same-names/a/readme.md": "ok",
        "same-names/b/readme.md": "ok",
        "same-names/c/copy.md": "duplicate",
        "truncated.pdf": "failed",
    }
    assert documents["encodings/utf16le-bom.txt"].text == "naïve café — 数据\n"
    assert documents["encodings/cp1252.txt"].text == "café — naïve\n"
