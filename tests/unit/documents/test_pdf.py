import pytest

from astrolabe.documents.extract import Unreadable
from astrolabe.documents.pdf import read_pdf
from tests.made_files import Printed, make_pdf

BODY = [
    "The harbour floods twice a day and the ships have to wait outside of it",
    "until the water is low enough for the locks to be opened by the keeper.",
    "He lives in the tower.",
]


def lines(texts: list[str], top: float = 700.0) -> list[Printed]:
    return [Printed(text, 72, top - 12 * number) for number, text in enumerate(texts)]


def test_lines_become_paragraphs_under_their_headings() -> None:
    page = [Printed("Tides of the North", 72, 760, 20), Printed("When it floods", 72, 725, 14), *lines(BODY)]
    page += lines(["A second paragraph begins after a gap and goes on for one line more."], top=640)

    extract = read_pdf(make_pdf([page]))

    assert extract.title == "Tides of the North"
    assert extract.text == (
        "# Tides of the North\n\n## When it floods\n\n"
        + " ".join(BODY)
        + "\n\nA second paragraph begins after a gap and goes on for one line more."
    )


# D01
def test_a_blank_page_has_no_extractable_text() -> None:
    extract = read_pdf(make_pdf([[]]))

    assert extract.text == ""
    assert "no extractable text" in extract.emptiness
    assert "OCR" in extract.emptiness


def test_a_page_with_a_picture_and_no_text_is_a_warning() -> None:
    extract = read_pdf(make_pdf([lines(BODY), []], pictures=[1]))

    assert extract.warnings == ("1 of 2 page(s) hold pictures and no text (page 2); run OCR to read them",)


def test_an_encrypted_file_says_so() -> None:
    with pytest.raises(Unreadable, match="encrypted"):
        read_pdf(make_pdf([lines(BODY)], encrypted=True))


# D02
def test_a_damaged_file_gives_the_parsers_message() -> None:
    with pytest.raises(Unreadable, match="PDFium"):
        read_pdf(b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R")


def test_the_files_own_title_is_taken_unless_it_is_a_programs() -> None:
    page = [Printed("Tides", 72, 760, 20), *lines(BODY)]

    assert read_pdf(make_pdf([page], title="On Tides")).title == "On Tides"
    assert read_pdf(make_pdf([page], title="Microsoft Word - tides.doc")).title == "Tides"


def test_running_heads_and_feet_are_kept_once_and_counted() -> None:
    pages = [[*lines(BODY), Printed(f"Harbour Board, page {n}", 72, 40, 8)] for n in range(1, 5)]

    extract = read_pdf(make_pdf(pages))

    assert extract.text.count("Harbour Board") == 1
    assert extract.extra == {"pages": 4, "running_lines_left_out": 3}
