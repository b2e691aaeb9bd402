from astrolabe.metrics import MATCHED, METRICS, agreement_note
from astrolabe.metrics.agreement import FIGURES
from astrolabe.parts.match import WITH_MINILM, WORDS_ALONE


def test_every_matcher_has_its_agreement_with_people() -> None:
    assert {WITH_MINILM.name, WORDS_ALONE.name} == set(FIGURES)


def test_the_text_for_a_table_names_data_sets_and_figures() -> None:
    text = agreement_note({"minilm"})

    assert "average precision 0.60" in text
    assert "argkp" in text
    assert "summhay_coverage" in text
    assert "words alone" not in text
    assert set(MATCHED) <= set(METRICS)
    assert not agreement_note(())


def test_every_matcher_beats_counting_common_words() -> None:
    for figures in FIGURES.values():
        assert figures.average_precision > 0.32
        assert figures.correlation > 0.66
