import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ConfigError
from astrolabe.core.ids import document_id
from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.corpus import cut_document

TABLE = "| Day | Hours |\n| --- | --- |\n" + "\n".join(f"| Day {n} | {n} to {n + 8} |" for n in range(60))
PIECES = [
    "word",
    " ",
    "\n\n",
    ". ",
    "数据。",
    "각",
    "🚀",
    "e\u0301",
    "<|endoftext|>",
    "| a | b |\n",
    "# Head\n",
    "- item\n",
    "x" * 120,
]


def document(text: str) -> Document:
    return Document(id=document_id(text), title="t", text=text, source="t.md", media_type="text/markdown", sha256="0")


def cut(text: str, *, size: int = 512, overlap: int = 0) -> list[Passage]:
    return cut_document(document(text), Cut(size=size, overlap=overlap))


def without_overlaps(passages: list[Passage]) -> str:
    end = 0
    pieces: list[str] = []
    for passage in passages:
        pieces.append(passage.text[end - passage.start :])
        end = passage.end
    return "".join(pieces)


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=60).map("".join),
    st.integers(min_value=1, max_value=40).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1))),
)
def test_passages_are_exact_stretches_that_give_the_text_back(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes

    passages = cut(text, size=size, overlap=overlap)

    assert without_overlaps(passages) == (text if text.strip() else "")
    for passage in passages:
        assert passage.text == text[passage.start : passage.end] != ""
        assert passage.tokens == count_tokens(passage.text)
        assert passage.tokens <= size or len(passage.text.strip()) == 1 or passage.text.strip() == "e\u0301"
    for one, other in pairwise(passages):
        assert one.start < other.start <= one.end < other.end
        assert overlap > 0 or other.start == one.end


@given(st.text(max_size=200), st.integers(min_value=1, max_value=12))
def test_any_text_at_all_is_cut_exactly(text: str, size: int) -> None:
    storable = text.replace("\0", "")

    passages = cut(storable, size=size)

    assert without_overlaps(passages) == (storable if storable.strip() else "")


def test_the_same_document_is_always_cut_the_same() -> None:
    text = "A sentence here. " * 500

    assert cut(text, size=64, overlap=8) == cut(text, size=64, overlap=8)


# D07
def test_a_long_run_without_spaces_ends_and_stays_within_the_size() -> None:
    passages = cut("Header " + "a" * 200 + " Footer", size=30, overlap=10)

    assert all(0 < passage.tokens <= 30 for passage in passages)
    assert [a.start < b.start for a, b in pairwise(passages)] == [True] * (len(passages) - 1)
    assert without_overlaps(passages) == "Header " + "a" * 200 + " Footer"


# D07
def test_a_million_characters_on_one_line_take_seconds() -> None:
    began = time.process_time()

    passages = cut("x" * 1_000_000, size=512, overlap=64)

    assert time.process_time() - began < 10
    assert all(0 < passage.tokens <= 512 for passage in passages)
    assert without_overlaps(passages) == "x" * 1_000_000


# D08
@pytest.mark.parametrize(("size", "overlap"), [(100, 100), (100, 150), (0, 0), (-5, 0), (100, -1)])
def test_a_cut_that_would_not_advance_is_refused_with_both_values(size: int, overlap: int) -> None:
    with pytest.raises(ConfigError, match=f"size={size}, overlap={overlap}"):
        Cut(size=size, overlap=overlap)


# D08
def test_an_overlap_just_below_the_size_works_and_ends() -> None:
    text = "one two three four five " * 60

    passages = cut(text, size=100, overlap=99)

    assert without_overlaps(passages) == text
    assert max(passage.tokens for passage in passages) == 100


# D09
def test_no_border_lies_inside_a_character() -> None:
    text = "äöü🚀数据。" * 60

    passages = cut(text, size=7, overlap=2)

    assert all("\N{REPLACEMENT CHARACTER}" not in passage.text != "" for passage in passages)
    assert all(text[passage.start : passage.end] == passage.text for passage in passages)
    assert {passage.text[-1] for passage in passages} == {"。"}


# D09
def test_a_character_of_more_tokens_than_the_size_is_a_passage_alone() -> None:
    assert count_tokens("각") == 3

    passages = cut("각각", size=2)

    assert [(passage.text, passage.tokens) for passage in passages] == [("각", 3), ("각", 3)]


# D10
def test_a_special_token_in_a_document_is_ordinary_text() -> None:
    text = "The marker <|endoftext|> ends a sample; <|im_start|> opens a turn."

    passages = cut(text)

    assert [passage.text for passage in passages] == [text]
    assert passages[0].tokens == count_tokens(text) > 20
    assert without_overlaps(cut(text, size=5)) == text


def test_a_document_without_text_has_no_passages() -> None:
    assert cut("") == []
    assert cut(" \n\n ") == []


def test_characters_that_are_no_token_are_kept_in_one_passage() -> None:
    passages = cut("\u200b\u200b")

    assert [(passage.text, passage.tokens) for passage in passages] == [("\u200b\u200b", 0)]


def test_passages_end_where_sentences_end() -> None:
    text = "The harbour floods twice a day. Ships wait outside. " * 40

    passages = cut(text, size=50)

    assert all(passage.text.rstrip().endswith(".") for passage in passages)


def test_a_new_section_begins_a_new_passage_when_the_old_one_is_half_full() -> None:
    text = "# One\n\n" + "alpha beta gamma. " * 10 + "\n\n## Two\n\n" + "delta epsilon. " * 10

    passages = cut(text, size=60)

    assert [passage.section for passage in passages if passage.text.startswith("## Two")] == [("One", "Two")]


def test_a_heading_stays_with_the_text_below_it() -> None:
    text = "\n\n".join(f"## Part {n}\n\n" + "Some words stand here. " * 6 for n in range(30))

    passages = cut(text, size=50)

    assert not [passage.text for passage in passages if passage.text.rstrip().split("\n")[-1].startswith("##")]


def test_sections_are_the_headings_above_the_first_character() -> None:
    words = "Some words stand here. " * 3
    text = f"# A\n\n{words}\n\n### C\n\n{words}\n\n## B\n\n{words}\n\n```\n# no heading\n```\n\n{words}"

    sections = [passage.section for passage in cut(text, size=20)]

    assert list(dict.fromkeys(sections)) == [("A",), ("A", "C"), ("A", "B")]


def test_a_table_is_cut_between_rows_and_its_header_row_ends_the_section() -> None:
    passages = cut(f"# Hours\n\n{TABLE}\n", size=64)

    assert {passage.kind for passage in passages} == {"table"}
    assert all(passage.text.rstrip().endswith("|") for passage in passages)
    assert passages[0].section == ("Hours",)
    assert {passage.section for passage in passages[1:]} == {("Hours", "| Day | Hours |")}


def test_a_passage_is_of_the_kind_that_most_of_it_is() -> None:
    code = "```python\n" + "value = compute(value)\n" * 20 + "```\n"
    items = "\n".join(f"- item {n} of the list" for n in range(20))

    assert [passage.kind for passage in cut(f"Short text.\n\n{code}")] == ["code"]
    assert [passage.kind for passage in cut(f"Short text.\n\n{items}")] == ["list"]
    assert [passage.kind for passage in cut("Plain words.")] == ["text"]


def test_an_overlap_begins_with_a_sentence_where_there_is_one() -> None:
    text = "The harbour floods twice a day. Ships wait outside. " * 40

    passages = cut(text, size=60, overlap=20)

    assert all(passage.text.startswith(("The harbour", "Ships wait")) for passage in passages)
    assert all(other.start < one.end for one, other in pairwise(passages))


def test_many_short_sections_are_cut_in_linear_time() -> None:
    rng = random.Random(7)  # noqa: S311 - a test's text, not a secret
    words = ["harbour", "tide", "ship", "wait", "flood", "twice"]
    text = "\n\n".join(f"## {n}\n\n" + " ".join(rng.choices(words, k=8)) + "." for n in range(5_000))

    began = time.process_time()
    passages = cut(text, size=512)

    assert time.process_time() - began < 5
    assert without_overlaps(passages) == text
