import json

from astrolabe.llm.scripted import Scripted
from astrolabe.metrics.topics_astra import TopicsAstra
from astrolabe.parts.topic_scores import NO_TOPICS
from tests.scoring_kit import ScoringKit, answered, question


def judge(*labels: str) -> Scripted:
    return Scripted({"judge_labels": [json.dumps({"topics": labels})]})


async def test_labels_are_compared_as_strings_apart_from_case_spacing_and_punctuation() -> None:
    kit = ScoringKit(judge("copy  MECHANISM.", "limited knowledge", "Beam search"))

    score = await TopicsAstra().score(
        question(["Copy mechanism", "Limited PL knowledge"], ["Beam search"]), answered("Text."), kit
    )

    assert score.parts == {"t_prec": 1 / 3, "t_rec": 0.5, "t_f1": 0.4, "h_topic": 1.0, "h_resp": 1.0}


async def test_repeated_labels_are_one_topic() -> None:
    score = await TopicsAstra().score(question(["a", "b"]), answered("Text."), ScoringKit(judge("a", "A", "a.")))

    assert (score.parts["t_prec"], score.parts["t_rec"]) == (1.0, 0.5)


async def test_a_topic_on_both_lists_counts_on_both() -> None:
    score = await TopicsAstra().score(question(["a", "b"], ["A"]), answered("Text."), ScoringKit(judge("a")))

    assert (score.parts["t_rec"], score.parts["h_topic"]) == (0.5, 1.0)


async def test_a_question_without_topics_is_not_asked() -> None:
    score = await TopicsAstra().score(question([], ["h"]), answered("Text."), ScoringKit())

    assert (score.value, score.reason) == (None, NO_TOPICS)
