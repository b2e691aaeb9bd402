import pytest

from astrolabe.core.errors import ConfigError
from astrolabe.core.records import Question
from astrolabe.methods.extractive import Extractive
from tests.six_passages import QUESTION, TracedKit, passage

REFERENCES = (
    "# Tides of the oceans\n\n"
    "The tides of the oceans follow the moon. See https://example.org/tides of the oceans. "
    "Tides 12 34 56 78 90 12 34 56 78. Oceans.\n"
)


async def text_of(question: str, *texts: str, sentences: int = 8) -> str:
    held = [passage(f"p{number}", text) for number, text in enumerate(texts)]
    kit = TracedKit(held=held)
    answer = await Extractive(sentences=sentences).answer(Question(id="q", text=question), kit)
    return answer.text


async def test_every_sentence_stands_in_its_passage_word_for_word() -> None:
    kit = TracedKit()

    answer = await Extractive().answer(QUESTION, kit)

    assert answer.claims
    assert all(claim.text in kit.read(claim.passages[0]).text for claim in answer.claims)


async def test_headings_references_and_fragments_are_left_out() -> None:
    assert (
        await text_of("What moves the tides of the oceans?", REFERENCES) == "The tides of the oceans follow the moon."
    )


async def test_a_sentence_of_numbers_answers_where_there_is_no_other() -> None:
    text = "Revenue rose to $1,234,567 in 2020."

    assert await text_of("How much was the revenue?", text) == text


async def test_a_sentence_that_two_passages_hold_is_given_once() -> None:
    text = "The moon pulls the water of the oceans."

    assert await text_of("What pulls the oceans?", text, f"{text} It does so twice a day.", sentences=3) == (
        f"{text}\nIt does so twice a day."
    )


async def test_no_more_sentences_than_asked_for() -> None:
    kit = TracedKit()

    answer = await Extractive(sentences=2).answer(QUESTION, kit)

    assert len(answer.text.splitlines()) == len(answer.claims) == 2


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("月亮吸引什么?", "月亮吸引海洋的水并产生潮汐。"),
        ("चाँद क्या खींचता है?", "चाँद महासागरों का पानी अपनी ओर खींचता है।"),
        ("Was zieht der Mond an?", "Der Mond zieht das Wasser der Ozeane an."),
        ("달은 무엇을 당기는가?", "달은 바닷물을 자기 쪽으로 강하게 당긴다."),
    ],
    ids=["Chinese", "Hindi", "German", "Korean"],
)
async def test_sentences_of_other_scripts_count_as_sentences(question: str, text: str) -> None:
    assert await text_of(question, text) == text


async def test_passages_without_a_sentence_are_a_named_state() -> None:
    kit = TracedKit(held=[passage("p1", "tides oceans"), passage("p2", "# The tides of the oceans")])

    answer = await Extractive().answer(QUESTION, kit)

    assert answer.status == "empty"
    assert answer.reason == "the search found passages without sentences"
    assert [hit.passage_id for hit in answer.retrieved]


@pytest.mark.parametrize("parameters", [{"sentences": 0}, {"diversity": -0.1}, {"diversity": 1.1}, {"size": 0}])
def test_parameters_that_cannot_be_are_refused(parameters: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="choose for example"):
        Extractive(**parameters)  # pyright: ignore[reportArgumentType] - each is one parameter
