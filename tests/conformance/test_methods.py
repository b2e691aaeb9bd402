"""What every method promises."""

import dataclasses
import re

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Method
from astrolabe.core.records import Answer
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.methods import METHODS
from astrolabe.methods.llm_only import LLMOnly
from astrolabe.parts.write import STAGE
from tests.sensible import sensible
from tests.six_passages import QUESTION, TEXTS, TracedKit, passage

EVERY = pytest.mark.parametrize("kind", METHODS.values(), ids=METHODS)
BLOCK = re.compile(r'<block-(?P<id>\w+) name="(?P<hole>\w+)">\n(?P<text>.*?)\n</block-(?P=id)>', re.DOTALL)
ASKING = pytest.mark.parametrize("kind", [kind for name, kind in METHODS.items() if name != "extractive"])


async def answered(kind: type[Method], kit: TracedKit | None = None) -> Answer:
    return await kind().answer(QUESTION, kit or TracedKit(sensible))


@EVERY
async def test_an_answer_cites_only_passages_of_its_scope(kind: type[Method]) -> None:
    kit = TracedKit(sensible)

    answer = await answered(kind, kit)

    known = {held.id for held in kit.held}
    claimed = {name for claim in answer.claims for name in claim.passages}
    assert {hit.passage_id for hit in (*answer.contexts, *answer.retrieved)} | claimed <= known
    assert claimed <= {hit.passage_id for hit in answer.contexts}


@EVERY
async def test_an_answer_is_to_its_question_and_leaves_the_rest_to_the_study(kind: type[Method]) -> None:
    answer = await answered(kind)

    assert (answer.question_id, answer.status) == (QUESTION.id, "ok")
    assert (answer.method, answer.scope) == ("", None)
    assert Answer.model_validate_json(answer.model_dump_json()) == answer


@EVERY
async def test_claims_cut_the_text_that_they_name(kind: type[Method]) -> None:
    answer = await answered(kind)

    assert all(answer.text[claim.start : claim.end] == claim.text for claim in answer.claims)


@EVERY
async def test_answering_twice_gives_the_same(kind: type[Method]) -> None:
    first, second = TracedKit(sensible), TracedKit(sensible)

    assert await answered(kind, first) == await answered(kind, second)
    assert first.trace == second.trace


@EVERY
async def test_a_scope_without_documents_ends_in_a_named_state(kind: type[Method]) -> None:
    kit = TracedKit(sensible, held=())

    answer = await answered(kind, kit)

    if kind is not LLMOnly:
        assert answer.status == "empty"
        assert "found no passage in this scope" in str(answer.reason)
        assert kit.scripted.asked == []
    else:
        assert answer.status == "ok"


@EVERY
async def test_passages_without_a_word_end_in_a_named_state_or_an_answer(kind: type[Method]) -> None:
    kit = TracedKit(sensible, held=[passage("p-dots", "... ... ..."), passage("p-dashes", "----")])

    answer = await answered(kind, kit)

    assert answer.status == "ok" or answer.reason


@EVERY
async def test_a_question_without_a_word_is_no_crash(kind: type[Method]) -> None:
    question = QUESTION.model_copy(update={"text": "???"})

    answer = await kind().answer(question, TracedKit(sensible))

    assert answer.status == "ok" or answer.reason


@ASKING
@pytest.mark.parametrize("status", ["empty", "refused", "truncated", "unparsed", "failed"])
async def test_a_model_error_becomes_the_answers_state(kind: type[Method], status: str) -> None:
    error = ModelError(status, "the model's own reason", text="Half a")  # pyright: ignore[reportArgumentType] - each

    answer = await answered(kind, TracedKit(lambda prompt: error if prompt.stage == STAGE else sensible(prompt)))

    assert (answer.status, answer.reason) == (status, "the model's own reason")


@ASKING
async def test_without_a_model_the_role_is_named(kind: type[Method]) -> None:
    with pytest.raises(ConfigError, match="role 'answer'"):
        await answered(kind, TracedKit())


@EVERY
def test_a_method_is_frozen_documented_and_spelled(kind: type[Method]) -> None:
    method = kind()

    assert dataclasses.is_dataclass(method)
    assert type(method).__doc__
    assert parse_spelled(spell(method), METHODS, what="method") == method
    assert METHODS[kind.name] is kind


@EVERY
def test_a_method_says_where_it_comes_from_and_what_it_costs(kind: type[Method]) -> None:
    for fact in ("paper", "index_calls", "question_calls"):
        assert getattr(kind, fact)


@EVERY
def test_what_a_method_says_it_costs_agrees_with_the_numbers_that_plan_counts_with(kind: type[Method]) -> None:
    calls = kind().calls
    said = str(getattr(kind, "question_calls", ""))

    if said.isdecimal():
        assert (calls.question_low, calls.question_high) == (int(said), int(said))
    assert (str(getattr(kind, "index_calls", "")) == "0") == (calls.passage_high == 0)


@EVERY
def test_every_parameter_is_explained(kind: type[Method]) -> None:
    text = str(kind.__doc__)

    for field in dataclasses.fields(kind):  # pyright: ignore[reportArgumentType] - each is a dataclass
        assert f"{field.name}:" in text


# Acceptance of methods.md 15.2: an answer lists its passages.
@EVERY
async def test_an_answer_names_the_passages_that_were_shown_among_those_that_were_reached(kind: type[Method]) -> None:
    answer = await answered(kind)

    reached = [hit.passage_id for hit in answer.retrieved]
    assert bool(reached) == (kind is not LLMOnly)
    assert len(reached) == len(set(reached))
    assert {hit.passage_id for hit in answer.contexts} <= set(reached)


# Acceptance of methods.md 15.2: no context over its budget.
@EVERY
async def test_nothing_that_a_model_is_shown_is_over_the_budget(kind: type[Method]) -> None:
    held = [passage(name, text * (40 if name == "p2" else 1)) for name, text in TEXTS.items()]
    kit = TracedKit(sensible, held=held, context_tokens=120)

    await answered(kind, kit)

    for prompt in kit.scripted.asked:
        for found in BLOCK.finditer(prompt.messages[-1].content):
            if found["hole"] not in {"question", "passage"}:  # these are read whole, whatever their size
                assert count_tokens(found["text"]) <= 120, f"{prompt.name}: {found['text']!r}"


# Acceptance of methods.md 15.2: one passage, fifty alike.
@EVERY
@pytest.mark.parametrize("number", [1, 50])
async def test_one_passage_and_fifty_alike_are_answered_from(kind: type[Method], number: int) -> None:
    held = [passage(f"p{place}", TEXTS["p1"]) for place in range(number)]

    answer = await answered(kind, TracedKit(sensible, held=held))

    assert answer.status == "ok"


# D32
@EVERY
@pytest.mark.parametrize("k", [0, -1])
def test_a_k_below_one_is_refused_before_anything_runs(kind: type[Method], k: int) -> None:
    if "k" not in kind.__dataclass_fields__:
        pytest.skip("it retrieves nothing")
    with pytest.raises(ConfigError, match="k >= 1"):
        parse_spelled(f"{kind.name}(k={k})", METHODS, what="method")


# D32
@EVERY
async def test_a_k_above_the_corpus_is_no_error(kind: type[Method]) -> None:
    if "k" not in kind.__dataclass_fields__:
        pytest.skip("it retrieves nothing")
    method = parse_spelled(f"{kind.name}(k=1000)", METHODS, what="method")

    answer = await method.answer(QUESTION, TracedKit(sensible))

    names = [hit.passage_id for hit in answer.contexts]
    assert answer.status == "ok"
    assert len(names) == len(set(names)) <= 6
