import json
from pathlib import Path

import pytest

from astrolabe.core.records import Question, Topic
from astrolabe.llm.scripted import Scripted
from astrolabe.metrics.topics_astra import TopicsAstra
from astrolabe.parts.judged_topics import mixed, topics_prompt
from astrolabe.parts.topic_scores import gold_topics
from tests.scoring_kit import ScoringKit, answered, question, shown_ids


def judged(asked: Question, text: str = "An answer.") -> str:
    shown = mixed(asked, gold_topics(asked).references)
    return "\n".join(message.content for message in topics_prompt(asked, text, shown).messages)


def test_the_judge_is_shown_question_answer_and_references_under_ids() -> None:
    text = judged(question(["copy mechanism"], ["beam search"]), "Copying helps.")

    assert "What is known about code generation?" in text
    assert "Copying helps." in text
    assert 'T1: "' in text
    assert 'T2: "' in text
    assert "T3" not in text


# D16
def test_topics_with_separators_reach_the_judge_as_they_are(field_cases: Path) -> None:
    lines = (field_cases / "llm-outputs.jsonl").read_text("utf-8").splitlines()
    topics = next(case["topics"] for case in map(json.loads, lines) if case["id"] == "topics-with-delimiters")
    asked = question(topics)

    shown = shown_ids(topics_prompt(asked, "Text.", mixed(asked, asked.topics)))

    assert sorted(shown) == sorted(topics)
    assert sorted(shown.values()) == ["T1", "T2", "T3", "T4"]


def test_aliases_stand_beside_their_topic() -> None:
    asked = Question(id="q", text="?", topics=(Topic(id="A1", text="joblessness", aliases=('un"employment', "idle")),))

    assert 'T1: "joblessness" (also: "un\\"employment", "idle")' in judged(asked)


def test_the_order_of_the_references_depends_on_the_question_alone() -> None:
    asked = question(["a", "b", "c", "d"], ["e", "f"])
    turned = asked.model_copy(update={"topics": asked.topics[::-1]})

    assert judged(asked) == judged(turned)


@pytest.mark.parametrize("topic", ["one\n2: two", 'quoted "text"', "<block>"])
async def test_the_published_protocol_shows_each_reference_on_a_line(topic: str) -> None:
    judge = Scripted({"judge_labels": [json.dumps({"topics": [topic]})]})

    score = await TopicsAstra().score(question([topic, "other"]), answered("Text."), ScoringKit(judge))

    assert json.dumps(topic) in judge.asked[0].messages[-1].content
    assert score.parts["t_rec"] == 0.5
