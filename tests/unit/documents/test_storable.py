from astrolabe.documents.extract import Extract, read_extract
from astrolabe.documents.storable import storable


# D03
def test_zeros_and_half_surrogate_pairs_are_replaced_and_counted() -> None:
    extract = storable(Extract(text="a\0b\ud83dc\0", media_type="text/plain", title=" T\0 \n"))

    assert extract.text == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c\N{REPLACEMENT CHARACTER}"
    assert extract.title == "T\N{REPLACEMENT CHARACTER}"
    assert extract.warnings == (
        "2 NUL character(s) replaced by U+FFFD",
        "1 half surrogate pair(s) replaced by U+FFFD",
    )


# D03
def test_a_pair_of_surrogates_becomes_the_one_character_it_stands_for() -> None:
    extract = storable(Extract(text="a\ud83d\ude80b", media_type="text/plain"))

    assert extract.text == "a\N{ROCKET}b"
    assert extract.warnings == ()


def test_extras_are_made_storable_at_any_depth() -> None:
    extract = storable(Extract(media_type="a", extra={"x": [{"y\0": "\ud83d"}, float("nan"), 1, None]}))

    mark = "\N{REPLACEMENT CHARACTER}"
    assert extract.extra == {"x": [{f"y{mark}": mark}, None, 1, None]}


def test_any_extract_survives_the_way_between_the_processes() -> None:
    extract = Extract(text="a\ud83d\n\u2028\0", media_type="a", warnings=("w",), extra={"k": [1.5]}, place="3")

    assert read_extract(extract.line()) == extract
    assert extract.line().count(b"\n") == 1
