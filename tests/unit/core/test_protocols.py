import pytest

from astrolabe.core.errors import ConfigError
from astrolabe.core.ids import content_id, document_id
from astrolabe.core.protocols import Cut
from astrolabe.core.tokens import count_tokens, token_offsets


@pytest.mark.parametrize(("size", "overlap"), [(100, 100), (100, 150), (0, 0), (-5, 0), (100, -1)])
def test_a_cut_that_would_not_advance_is_refused_with_both_names_and_values(size: int, overlap: int) -> None:
    with pytest.raises(ConfigError, match=rf"size={size}, overlap={overlap}"):
        Cut(size=size, overlap=overlap)


def test_an_overlap_one_below_the_size_is_allowed() -> None:
    assert Cut(size=100, overlap=99).overlap == 99


def test_an_id_depends_on_the_borders_of_its_parts() -> None:
    assert content_id("x", "ab", "c") != content_id("x", "a", "bc")
    assert document_id("text") == content_id("d", "text")


def test_the_markers_of_other_tokenizers_count_as_ordinary_text() -> None:
    text = "The marker <|endoftext|> ends a sample; [SEP] and <|im_start|> open a turn."

    offsets = token_offsets(text)

    assert count_tokens(text) == len(offsets) > len(text.split())
    assert "".join(text[start:end] for start, end in offsets) == text.replace(" ", "")


def test_no_text_has_no_tokens() -> None:
    assert count_tokens("") == count_tokens(" \n") == 0
