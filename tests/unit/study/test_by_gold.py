import pytest

from astrolabe.core.records import Question, Topic
from astrolabe.core.spelling import spell
from astrolabe.study.by_gold import default_metrics, fits

MOON = (Topic(id="A1", text="the moon moves the tides"),)
TOPICAL = Question(id="topical", text="What moves the tides?", topics=MOON)
SET = Question(id="set", text="Which towns?", kind="set", answers=(("Bergen",), ("Oslo",)))
BOTH = Question(id="both", text="What moves the tides?", topics=MOON, answers=(("the moon",),))
NEITHER = Question(id="neither", text="What is known?")
BLANK = Question(id="blank", text="Which towns?", kind="set", answers=((" ",), ()))
REJECTED = SET.model_copy(update={"id": "rejected", "topics": (MOON[0].model_copy(update={"state": "rejected"}),)})


@pytest.mark.parametrize(
    ("questions", "metrics"),
    [
        ([TOPICAL], ["topics_local"]),
        ([SET], ["set_f1"]),
        ([BOTH], ["topics_local"]),
        ([REJECTED], ["set_f1"]),
        ([SET, NEITHER, BLANK], ["set_f1"]),
        ([SET, TOPICAL], ["topics_local", "set_f1"]),
        ([SET, BOTH], ["topics_local", "set_f1"]),
        ([NEITHER], ["topics_local"]),
        ([BLANK], ["topics_local"]),
        ([], ["topics_local"]),
    ],
)
def test_the_gold_of_the_questions_decides_which_metrics_there_are(questions: list[Question], metrics: str) -> None:
    assert [spell(metric) for metric in default_metrics(questions)] == metrics


@pytest.mark.parametrize("question", [TOPICAL, SET, BOTH, NEITHER, BLANK, REJECTED])
@pytest.mark.parametrize("others", [[TOPICAL], [SET], [TOPICAL, SET]])
def test_each_question_is_scored_by_one_metric(question: Question, others: list[Question]) -> None:
    metrics = default_metrics([question, *others])

    assert len([metric for metric in metrics if fits(metric, question, metrics)]) == 1
