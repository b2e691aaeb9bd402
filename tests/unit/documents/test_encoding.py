import codecs

import pytest

from astrolabe.documents.encoding import decode

LINE = "naïve café — 数据"


# D04
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"", "utf-8"),
    ],
)
def test_a_marked_or_utf8_text_is_read_without_its_mark_and_without_a_warning(mark: bytes, encoding: str) -> None:
    assert decode(mark + LINE.encode(encoding)) == (LINE, None)


# D04
def test_a_short_windows_text_is_read_and_its_encoding_named() -> None:
    text, warning = decode("café — naïve\n".encode("cp1252"))

    assert text == "café — naïve\n"
    assert warning == "not UTF-8 at byte 3; decoded as cp1252, a guess from its bytes"


def test_a_text_cut_inside_a_character_loses_that_one_and_says_so() -> None:
    text, warning = decode("Das Wörterbuch der Brüder".encode()[:-4])

    assert text == "Das Wörterbuch der Br\N{REPLACEMENT CHARACTER}"
    assert warning is not None
    assert "1 place(s) became U+FFFD" in warning


def test_utf16_without_a_mark_is_known_by_its_zeros() -> None:
    assert decode("A plain line".encode("utf-16-le"))[0] == "A plain line"
    assert decode("A plain line".encode("utf-16-be"))[0] == "A plain line"


def test_seven_bit_encodings_are_known_by_their_shift_marks() -> None:
    assert decode("世界人权宣言 and more".encode("hz"))[0] == "世界人权宣言 and more"
    assert decode("東京の天気".encode("iso2022_jp"))[0] == "東京の天気"
    assert decode(b"a shell's ~{ and ~} alone")[0] == "a shell's ~{ and ~} alone"


def test_a_declared_encoding_is_taken_where_it_fits() -> None:
    content = "Żółć i gęś".encode("iso8859-2")

    assert decode(content, declared="iso-8859-2") == ("Żółć i gęś", None)
    assert decode(content, declared="no-such-encoding")[1] is not None


def test_line_ends_become_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n")[0] == "a\nb\nc\n"
