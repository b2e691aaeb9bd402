import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from astrolabe.core.ids import document_id
from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.corpus import cut_document

ROWS = [f"| Day {n} | Port number {n} | {n} metres |" for n in range(200)]
TABLE = "\n".join(["| Day | Port | Height |", "| --- | --- | --- |", *ROWS])
PIECES = [
    "One short sentence. ",
    "A clause, and another one; then the end of it all. ",
    "\n\n",
    "\n\n## Section\n\n",
    "\n\n### A deeper section with a long name that goes on\n\n",
    "\n\n| Day | Hours |\n| --- | --- |\n| Monday | 9 |\n| Tuesday | 10. Then 11 |\n\n",
    "\n\nTable: Hours of all days\n| Day |\n| --- |\n| Monday |\n\n",
    "\n\n- item one\n- item. Two\n\n",
    "数据，很多。",
    "x" * 120,
    "word " * 30,
    "🚀",
]


def page(text: str) -> Document:
    whole = f"# Page\n\n{text}"
    return Document(
        id=document_id(whole),
        title="Page",
        text=whole,
        source="d.xml#Page",
        media_type="text/x-wiki",
        sha256="0",
        extra={"in_context": True},
    )


def cut(text: str, *, size: int = 512, overlap: int = 0) -> list[Passage]:
    return cut_document(page(text), Cut(size=size, overlap=overlap))


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=40).map("".join),
    st.integers(min_value=3, max_value=60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1))),
)
def test_no_passage_is_over_the_size_and_all_text_below_headings_lies_in_one(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    document = page(text)

    passages = cut_document(document, Cut(size=size, overlap=overlap))

    covered = [False] * len(document.text)
    for passage in passages:
        stretch = document.text[passage.start : passage.end]
        assert passage.text.endswith(stretch)
        assert passage.tokens == count_tokens(passage.text)
        assert passage.tokens <= size
        covered[passage.start : passage.end] = [True] * len(stretch)
    left = "".join(c for c, inside in zip(document.text, covered, strict=True) if not inside)
    assert all(not line.strip() or line.startswith("#") for line in left.split("\n"))
    assert len({passage.id for passage in passages}) == len(passages)


def test_title_and_headings_stand_in_front_of_every_piece_and_count() -> None:
    passages = cut("## History\n\n### Middle Ages\n\n" + "The walls stood. " * 400)

    assert len(passages) > 3
    for passage in passages:
        assert passage.text.startswith("# Page\n## History\n### Middle Ages\n\nThe walls stood.")
        assert passage.section == ("Page", "History", "Middle Ages")
        assert passage.text.rstrip().endswith("stood.")
        assert passage.tokens == count_tokens(passage.text) <= 512


def test_a_table_repeats_its_caption_and_header_row_and_no_row_is_cut() -> None:
    passages = cut(f"## Heights\n\nTable: Tides\n{TABLE}")

    above = "# Page\n## Heights\n\nTable: Tides\n| Day | Port | Height |\n| --- | --- | --- |\n"
    assert len(passages) > 3
    assert all(passage.text.startswith(above) and passage.kind == "table" for passage in passages)
    rows = [row for passage in passages for row in passage.text.removeprefix(above).rstrip().split("\n")]
    assert rows == ROWS


def test_a_passage_holds_one_section_and_one_kind() -> None:
    passages = cut("Lead.\n\n- key: value\n- other: one\n\nMore.\n\n## Next\n\nText.\n\n| a |\n| --- |\n| b |")

    assert [(one.kind, one.section) for one in passages] == [
        ("text", ("Page",)),
        ("list", ("Page",)),
        ("text", ("Page",)),
        ("text", ("Page", "Next")),
        ("table", ("Page", "Next")),
    ]


def test_a_section_without_text_of_its_own_stands_above_those_below_it() -> None:
    passages = cut("## First\n\nA.\n\n## Parent\n\n### Child\n\nB.")

    assert [one.section for one in passages] == [("Page", "First"), ("Page", "Parent", "Child")]


def test_a_sentence_longer_than_a_passage_is_cut_at_clauses_and_says_that_it_goes_on() -> None:
    sentence = "The survey of " + ", ".join(f"the river mouth {n} in the north" for n in range(120)) + " ended."

    passages = cut(f"Before it. {sentence} After it.")

    goes_on = [one for one in passages if one.text.startswith("# Page\n\n… ")]
    assert len(passages) == len(goes_on) + 2
    assert goes_on
    assert all(one.text.rstrip().endswith((",", ".")) for one in passages)
    assert all(one.tokens <= 512 for one in passages)


def test_numbers_and_abbreviations_end_no_sentence() -> None:
    passages = cut("It cost 3.14 francs in the U.S. then and there. " * 60, size=64)

    assert all(one.text.rstrip().endswith("there.") for one in passages)


def test_a_row_longer_than_a_passage_is_cut_at_its_cells() -> None:
    header = "| " + " | ".join(f"Column number {n} of it" for n in range(200)) + " |"

    passages = cut(f"{header}\n|{' --- |' * 200}")

    assert len(passages) > 1
    assert all(one.tokens <= 512 and one.kind == "table" for one in passages)
    assert all(re.search(r"(\| |-+ ?\|?)\s*$", one.text) for one in passages)


def test_passages_share_whole_sentences_only() -> None:
    passages = cut("".join(f"Sentence number {n} is here. " for n in range(200)), size=100, overlap=30)

    assert len(passages) > 5
    assert all(re.match(r"# Page\n\nSentence number", one.text) for one in passages)
    assert all(one.start < before.end for before, one in pairwise(passages))


def test_a_title_longer_than_half_a_passage_is_cut_and_the_text_is_there() -> None:
    long = page("One fact.")
    whole = f"# {'Name ' * 40}\n\nOne fact."
    document = long.model_copy(update={"text": whole})

    passages = cut_document(document, Cut(size=16))

    assert [one.text.split("\n\n")[-1] for one in passages] == ["One fact."]
    assert all(one.tokens <= 16 for one in passages)


def test_a_page_of_headings_alone_has_no_passages() -> None:
    assert cut("## One\n\n## Two") == []
