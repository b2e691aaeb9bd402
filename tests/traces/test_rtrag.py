"""`rtrag` on six passages: plans and answers that are voted on, and other words where no answer is found."""

import json
from collections import Counter
from collections.abc import Callable

import pytest
from inline_snapshot import snapshot

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.records import Answer
from astrolabe.core.spelling import parse_spelled
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods import METHODS
from astrolabe.methods.rtrag import RTRAG
from tests.late_kit import Late
from tests.six_passages import QUESTION, TracedKit

NONE = {"kind": "none"}
WAITS = {"kind": "sequential", "first": "What pulls the water?", "second": "When is what <Q1> pulls high?"}
APART = {"kind": "parallel", "first": "What do lamps burn?", "second": "When do nets rot?"}
TABLE = {"kind": "parallel", "first": "When do spring tides come?", "second": "What tells when water is high?"}
PLANS = {QUESTION.text: [NONE, WAITS, APART, APART, NONE], "When does the moon pull the water high?": [TABLE, NONE]}
"""By question, what the draws say: three of five first plans have two halves, and the first of them is followed."""
VOTES = {
    "What pulls the water?": ["the sun", "the moon", "", "the  moon", None],
    "When do spring tides come?": ["", "", "", "", ""],
}
"""By question, what the draws find; null for a reply that cannot be read. All others find `high`."""


def asked(shown: str) -> str:
    """Return the question of a prompt."""
    return shown.partition('name="question">\n')[2].partition("\n")[0]


def drawn(prompt: AnyPrompt) -> Line:
    """Find what `VOTES` says, after other words were tried as well."""
    shown = prompt.messages[-1].content
    said = VOTES.get(asked(shown), ["high"] * 5)[prompt.repetition]
    if "hemp" in shown and not said:
        said = "when sun and moon pull together"
    return "perhaps" if said is None else json.dumps({"found": bool(said), "answer": said})


def halved(prompt: AnyPrompt) -> Line:
    """Draw what `PLANS` says."""
    said = PLANS.get(asked(prompt.messages[-1].content), [NONE] * 5)
    return json.dumps(said[prompt.repetition])


REPLIES: dict[str, Callable[[AnyPrompt], Line]] = {
    "analyse.v1": lambda prompt: json.dumps({"asks": "why", "known": [prompt.stage], "unknown": []}),
    "another_query.v1": lambda prompt: "nets hemp" if prompt.temperature else "",
    "answer_or_none.v1": drawn,
    "contextualize.v1": lambda prompt: json.dumps({"items": [], "question": moved(prompt)}),
    "halve.v1": halved,
    "restate.v1": lambda prompt: "What pulls at the sea?" if prompt.repetition else "",
}


def moved(prompt: AnyPrompt) -> str:
    """Put the answer in place of the mark."""
    return "When does the moon pull the water high?" if "A1: the moon" in prompt.messages[-1].content else "Whose?"


def script(prompt: AnyPrompt) -> Line:
    """Play the tree of `PLANS`."""
    reply = REPLIES.get(prompt.name)
    return reply(prompt) if reply else f"Said by {prompt.name}."


def but(name: str, line: Line) -> Callable[[AnyPrompt], Line]:
    """Return the script with another reply to one prompt."""
    return lambda prompt: line if prompt.name == name else script(prompt)


NOTHING = but("answer_or_none.v1", json.dumps({"found": False, "answer": "I do not know"}))


def nodes(answer: Answer) -> list[str]:
    """Return the nodes of a trace, a line each."""
    return [
        f"{step.id} < {step.parent}: {step.input} {step.mode} ({step.reason}) {found(answer, step.id)}"
        for step in answer.trace
    ]


def found(answer: Answer, name: str, what: str = "answer") -> object:
    """Return what a node's output says."""
    (output,) = [step.output for step in answer.trace if step.id == name]
    assert isinstance(output, dict)
    return output[what]


async def test_the_commonest_shape_is_followed_and_its_leaves_are_voted_on() -> None:
    answer = await RTRAG(k=2).answer(QUESTION, TracedKit(script))

    assert nodes(answer) == snapshot(
        [
            "0 < None: What moves the tides of the oceans? vertical (split) Said by write_from_answers.v1.",
            "1 < 0: What pulls the water? external (atomic) the moon",
            "2 < 0: When does the moon pull the water high? vertical (split) high",
            "2.1 < 2: When do spring tides come? external (atomic) when sun and moon pull together",
            "2.2 < 2: What tells when water is high? external (atomic) high",
        ]
    )
    assert (answer.status, answer.text) == ("ok", "Said by write_from_answers.v1.")


async def test_every_call_and_search_is_made_once() -> None:
    kit = TracedKit(script)

    await RTRAG(k=2).answer(QUESTION, kit)

    assert dict(sorted(Counter(kit.trace).items())) == snapshot(
        {
            "ask analyse.v1 (answer.plan) with no passage": 9,
            "ask another_query.v1 (answer.query) with no passage": 1,
            "ask answer_or_none.v1 (answer.merge) with no passage": 2,
            "ask answer_or_none.v1 (answer.node) with p1, p2": 5,
            "ask answer_or_none.v1 (answer.node) with p2, p1": 3,
            "ask answer_or_none.v1 (answer.node) with p5, p1": 3,
            "ask answer_or_none.v1 (answer.node) with p6, p1": 3,
            "ask contextualize.v1 (answer.context) with no passage": 1,
            "ask halve.v1 (answer.plan) with no passage": 14,
            "ask write_from_answers.v1 (answer.write) with no passage": 1,
            "open dense": 1,
            "search 'nets hemp' k=2: p5, p1": 1,
            "search 'pulls water' k=2: p1, p2": 1,
            "search 'spring tides come' k=2: p2, p1": 1,
            "search 'tells water high' k=2: p6, p1": 1,
        }
    )


async def test_every_draw_is_a_record_of_its_own() -> None:
    kit = TracedKit(script)

    await RTRAG(k=2).answer(QUESTION, kit)

    of = {
        name: [
            (prompt.repetition, prompt.temperature)
            for prompt in kit.scripted.asked
            if prompt.name == name and asked(prompt.messages[-1].content) == question
        ]
        for name, question in (("halve.v1", QUESTION.text), ("answer_or_none.v1", "What pulls the water?"))
    }
    assert [sorted(draws) for draws in of.values()] == [[(number, 0.3) for number in range(5)]] * 2


# D8
async def test_draws_that_must_be_alike_are_made_once() -> None:
    kit = TracedKit(script)

    await RTRAG(k=2, tree_temperature=0.0, answer_temperature=0.0).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open dense",
            "ask analyse.v1 (answer.plan) with no passage",
            "ask halve.v1 (answer.plan) with no passage",
            "search 'moves tides oceans' k=2: p1, p2",
            "ask answer_or_none.v1 (answer.node) with p1, p2",
            "ask write_from_answers.v1 (answer.write) with no passage",
        ]
    )


# D8
async def test_the_second_attempt_asks_the_question_in_other_words() -> None:
    def second(prompt: AnyPrompt) -> Line:
        other = "What pulls at the sea?" in prompt.messages[-1].content
        return script(prompt) if other else NOTHING(prompt)

    answer = await RTRAG(k=2).answer(QUESTION, TracedKit(second))

    assert [(step.id, step.parent) for step in answer.trace] == [
        ("0", None),
        ("1", "0"),
        ("2", "0"),
        ("again1", "0"),
    ]
    assert answer.trace[-1].input == "What pulls at the sea?"
    assert (found(answer, "again1"), answer.text) == ("high", "Said by write_from_answers.v1.")


async def test_without_any_answer_it_is_written_from_what_was_found_for_the_question() -> None:
    kit = TracedKit(NOTHING)

    answer = await RTRAG(k=2).answer(QUESTION, kit)

    assert (answer.status, answer.text) == ("ok", "Said by write.v1.")
    assert kit.trace[-1] == "ask write.v1 (answer.write) with p1, p2, p5"
    assert found(answer, "again1", "why") == "nothing that was found answers it"


async def test_no_other_words_end_the_attempts_and_the_searches() -> None:
    def mute(prompt: AnyPrompt) -> Line:
        silent = prompt.name in {"restate.v1", "another_query.v1"}
        return ModelError("refused", "no") if silent else NOTHING(prompt)

    kit = TracedKit(mute)

    answer = await RTRAG(k=2, depth=1).answer(QUESTION, kit)

    assert Counter(step.split(" (")[0].split("'")[0] for step in kit.trace) == snapshot(
        Counter(
            {
                "open dense": 1,
                "search ": 1,
                "ask answer_or_none.v1": 3,
                "ask another_query.v1": 1,
                "ask restate.v1": 1,
                "ask write.v1": 1,
            }
        )
    )
    assert len(answer.trace) == 1


async def test_a_half_whose_other_half_has_no_answer_stays_whole_and_says_so() -> None:
    def sunless(prompt: AnyPrompt) -> Line:
        first = "What pulls the water?" in asked(prompt.messages[-1].content)
        return NOTHING(prompt) if first else script(prompt)

    kit = TracedKit(sunless)

    answer = await RTRAG(k=2).answer(QUESTION, kit)

    assert answer.trace[2].input == "When is what (unknown) pulls high?"
    assert not any("contextualize" in step for step in kit.trace)
    assert found(answer, "1", "status") == "empty"


async def test_draws_that_cannot_be_read_have_no_vote_and_none_at_all_is_the_nodes_state() -> None:
    answer = await RTRAG(k=2).answer(QUESTION, TracedKit(but("answer_or_none.v1", "perhaps")))

    assert found(answer, "1", "status") == "unparsed"
    assert found(answer, "1") is None
    assert answer.text == "Said by write.v1."


async def test_plans_that_cannot_be_read_leave_the_question_whole_and_say_so() -> None:
    answer = await RTRAG(k=2).answer(QUESTION, TracedKit(but("halve.v1", json.dumps({"kind": "both"}))))

    assert nodes(answer) == snapshot(
        ["0 < None: What moves the tides of the oceans? external (parse_fallback) Said by write_from_answers.v1."]
    )
    assert found(answer, "0", "why")


async def test_answers_that_cannot_be_put_together_are_followed_by_a_search_for_the_whole() -> None:
    def says(prompt: AnyPrompt) -> Line:
        return ModelError("refused", "no") if prompt.stage == "answer.merge" else script(prompt)

    kit = TracedKit(says)

    answer = await RTRAG(k=2).answer(QUESTION, kit)

    assert (found(answer, "0", "query"), found(answer, "2", "query")) == (
        "moves tides oceans",
        "moon pull water high",
    )
    assert (found(answer, "2"), found(answer, "2", "status")) == ("high", "ok")


async def test_a_search_that_finds_nothing_asks_for_no_answer() -> None:
    kit = TracedKit(but("halve.v1", json.dumps(NONE)))
    question = QUESTION.model_copy(update={"text": "Wer baute die Mole?"})

    answer = await RTRAG(retriever="bm25").answer(question, kit)

    assert not any("answer_or_none" in step for step in kit.trace if "with no passage" in step)
    assert found(answer, "0", "query") == "Wer baute die Mole; nets hemp"


# G16
@pytest.mark.parametrize(("depth", "analysed"), [(1, 0), (2, 1), (3, 3)])
async def test_questions_of_the_last_level_are_not_looked_at(depth: int, analysed: int) -> None:
    splits = {question: [APART] * 5 for question in (QUESTION.text, APART["first"], APART["second"])}

    def apart(prompt: AnyPrompt) -> Line:
        split = splits.get(asked(prompt.messages[-1].content)) if prompt.name == "halve.v1" else None
        return json.dumps(split[0]) if split else script(prompt)

    kit = TracedKit(apart)

    answer = await RTRAG(k=2, depth=depth, trees=1).answer(QUESTION, kit)

    assert sum(step.startswith("ask analyse") for step in kit.trace) == analysed
    assert len(answer.trace) == 2**depth - 1


async def test_a_set_is_answered_with_its_items() -> None:
    kit = TracedKit(but("list_items.v1", json.dumps({"items": ["the moon", "the sun"]})))

    answer = await RTRAG(k=2).answer(QUESTION.model_copy(update={"kind": "set"}), kit)

    assert answer.items == ("the moon", "the sun")


@pytest.mark.parametrize("halves", [WAITS, APART, NONE])
@pytest.mark.parametrize("finds", [True, False])
@pytest.mark.parametrize("method", [RTRAG(k=2), RTRAG(k=2, depth=2, rounds=1), RTRAG(k=2, tree_temperature=0.0)])
async def test_no_more_and_no_fewer_calls_are_made_than_it_says(
    halves: dict[str, str], finds: object, method: RTRAG
) -> None:
    def says(prompt: AnyPrompt) -> Line:
        if prompt.name == "halve.v1":
            return json.dumps(halves)
        if prompt.name == "another_query.v1":
            return f"other words {prompt.messages[-1].content.count('other words')}"
        alone = prompt.name == "answer_or_none.v1" and "A1:" not in prompt.messages[-1].content
        return json.dumps({"found": finds, "answer": "the moon"}) if alone else NOTHING(prompt)

    kit = TracedKit(says)
    await method.answer(QUESTION, kit)

    calls = sum(step.startswith("ask") for step in kit.trace)
    assert method.calls.question_low <= calls <= method.calls.question_high


@pytest.mark.parametrize("method", [RTRAG(k=2), RTRAG(k=2, depth=2), RTRAG(k=2, tree_temperature=0.0)], ids=repr)
@pytest.mark.parametrize("reply", [script, NOTHING])
async def test_the_order_in_which_replies_arrive_changes_nothing(
    method: RTRAG, reply: Callable[[AnyPrompt], Line]
) -> None:
    serial = Late(reply, None)
    answer = await method.answer(QUESTION, serial)
    for seed in range(3):
        late = Late(reply, seed)

        assert await method.answer(QUESTION, late) == answer
        assert late.asked == serial.asked
    assert serial.asked.total() > 5


async def test_draws_and_halves_that_wait_for_nothing_run_at_the_same_time() -> None:
    apart = Late(but("halve.v1", json.dumps(APART)), 1, longest_seconds=0.1)

    await RTRAG(k=2, depth=2).answer(QUESTION, apart)

    assert apart.most_at_once > 3  # more than the draws that one leaf makes at once


async def test_every_plan_is_drawn_with_how_the_question_is_built() -> None:
    kit = TracedKit(but("analyse.v1", json.dumps({"asks": "the puller", "known": ["tides"], "unknown": ["who"]})))

    await RTRAG(k=2).answer(QUESTION, kit)

    told = [prompt.messages[-1].content for prompt in kit.scripted.asked if prompt.name == "halve.v1"]
    assert told
    assert all("It asks for: the puller\nIt names: tides\nTo be found first: who" in shown for shown in told)


def test_the_published_run_has_a_name() -> None:
    assert parse_spelled("rtrag@published", METHODS, what="method") == RTRAG(tree_temperature=0.0)


@pytest.mark.parametrize(
    "written", [{"depth": 0}, {"trees": 0}, {"samples": 0}, {"rounds": 0}, {"tree_temperature": -0.1}, {"k": 0}]
)
def test_parameters_that_make_no_tree_are_refused(written: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        RTRAG(**written)  # pyright: ignore[reportArgumentType] - each is a number
