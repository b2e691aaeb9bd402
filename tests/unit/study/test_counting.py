from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.tokens import count_tokens
from astrolabe.study.counting import tokens_by_line

ODD = st.sampled_from(["\n", "\r\n", "\u2028", "a" * 101, "e\u0301", "\u0301", "\u6f6e", " ", "[SEP]", "well-known."])


@given(st.lists(st.one_of(st.text(max_size=30), ODD), max_size=12).map("".join))
def test_counting_by_line_counts_what_the_whole_text_has(text: str) -> None:
    assert tokens_by_line(text) == count_tokens(text)
