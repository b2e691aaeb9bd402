import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError
from astrolabe.llm.provider import RawReply
from astrolabe.llm.reading import complete_items, read
from tests.providers import Topics

TWO = ["Alpha", "Beta"]
OBJECT = '{"topics": ["Alpha", "Beta"]}'


class Covered(BaseModel):
    covered: list[str]


class Verdict(BaseModel):
    id: str
    found: bool


class Verdicts(BaseModel):
    verdicts: list[Verdict]
    summary: str


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        (OBJECT, TWO),
        (f'<think>{{"topics": ["Wrong"]}} hmm</think>\n{OBJECT}', TWO),
        (f"I should list two.\n</think>\n{OBJECT}", TWO),
        (f"<think>a</think><think>b</think>{OBJECT}", TWO),
        (f"Sure, here it is:\n```json\n{OBJECT}\n```\nHope that helps.", TWO),
        ('```\n["Alpha", "Beta"]\n```', TWO),
        ('["Alpha", "Beta"]', TWO),
        (f"Of the {{two}} topics [1]: {OBJECT} (see [2])", TWO),
        (f'First try: {{"topics": ["Wrong"]}}. Better: {OBJECT}', TWO),
        (f'{OBJECT}\n\nMy notes: {{"confidence": 0.9}}', TWO),
        (r'{"topics": ["Line one\nline two", "a, b; c: d | e"]}', ["Line one\nline two", "a, b; c: d | e"]),
        ('{"topics": ["what\'s new", "it\'s late"]}', ["what's new", "it's late"]),
        ('{"topics": ["the <think> tag", "and </think>"]}', ["the <think> tag", "and </think>"]),
        ('{"topics": []}', []),
    ],
)
def test_a_reply_is_read_without_repair(text: str, topics: list[str]) -> None:
    reply = read(RawReply(text=text), Topics)

    assert reply.value.topics == topics
    assert not reply.repaired
    assert not reply.dropped


# D12, D13
@pytest.mark.parametrize(
    ("text", "topics", "reason", "dropped"),
    [
        ('{"reason": "lists A, ] and B, } too", "topics": ["Alpha", "Beta",],}', TWO, "lists A, ] and B, } too", 0),
        ("{'topics': [\"driver's licence\", 'tax', None]}", ["driver's licence", "tax"], "", 1),
        ('{"topics": ["Alpha", null, "Beta", null]}', TWO, "", 2),
        ('Here:\n{"topics": ["Alpha" "Beta"]}\nDone.', TWO, "", 0),
        ("```json\n{topics: ['Alpha', 'Beta']}\n```", TWO, "", 0),
        ('{"topics": ["Alpha", "Beta"]', TWO, "", 0),
    ],
)
def test_a_repair_is_recorded_and_changes_no_text(text: str, topics: list[str], reason: str, dropped: int) -> None:
    reply = read(RawReply(text=text), Topics)

    assert (reply.value.topics, reply.value.reason) == (topics, reason)
    assert reply.repaired
    assert reply.dropped == dropped


# D13
@pytest.mark.parametrize(
    "text",
    [
        "{'topics': [__import__('os').getcwd()]}",
        "{'topics': [Alpha, Beta]}",
        '{"topics": ["solar", "wi',
        "There are two topics.",
        '{"topics": "Alpha"}',
        '{"topics": [1, 2]}',
        '{"topics": [NaN]}',
        '{"other": ["Alpha"]}',
        '{"topics": ["Wrong"]} No, I mean {"topics": 7}',
        '"Alpha"',
        "[" * 20_000,
        '{"a":' * 5_000,
    ],
)
def test_what_would_have_to_be_guessed_is_unparsed(text: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(RawReply(text=text), Topics)

    assert caught.value.status == "unparsed"
    assert caught.value.text == text
    assert len(caught.value.reason) < 1000


# D15
@pytest.mark.parametrize(
    ("raw", "status", "reason"),
    [
        (RawReply(text=""), "empty", "no text"),
        (RawReply(text="  \n"), "empty", "no text"),
        (RawReply(text="", finish="no choices"), "empty", "no choices"),
        (RawReply(text="", refusal="I cannot help with that."), "refused", "I cannot help with that."),
        (RawReply(text="", finish="content_filter"), "refused", "content filter"),
        (RawReply(text=OBJECT, finish="content_filter"), "refused", "content filter"),
        (RawReply(text=OBJECT, finish="length"), "truncated", "token limit"),
        (RawReply(text="", finish="length"), "truncated", "token limit"),
        (RawReply(text='<think>I was still planning {"topics": ["Wrong"]'), "truncated", "thoughts"),
    ],
)
def test_nothing_refused_and_cut_off_are_named(raw: RawReply, status: str, reason: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(raw, Topics)

    assert caught.value.status == status
    assert reason in caught.value.reason


# D14
def test_a_cut_reply_keeps_its_complete_items_and_no_half_one() -> None:
    with pytest.raises(ModelError) as caught:
        read(RawReply(text='{"topics": ["solar", "wind", "hyd', finish="length"), Topics)

    assert caught.value.partial == Topics(topics=["solar", "wind"])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"notes": [{"id": "a", "text": "x"}, {"id": "b", "te', ["a"]),
        ('{"notes": [{"id": "a", "text": "x"}, {"id": "b", "text": "y, } and ] \\', ["a"]),
        ('{"notes": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}', ["a", "b"]),
        ('{"notes": [{"id": "a", "text": "x"},', ["a"]),
        ('{"notes": [{"id": "a"', []),
        ('```json\n{"notes": [{"id": "a", "text": "{["}, {"id": "b", "tags": ["c", "d"], "te', ["a"]),
    ],
)
def test_an_object_that_was_cut_inside_is_no_whole_item_though_its_last_fields_have_defaults(
    text: str, names: list[str]
) -> None:
    class Note(BaseModel):
        id: str
        text: str = ""

    class Notes(BaseModel):
        notes: list[Note]

    kept = complete_items(text, Notes)

    assert kept is not None
    assert [note.id for note in kept.notes] == names


# D11
def test_a_cut_reply_takes_nothing_from_inside_its_thoughts() -> None:
    assert complete_items('<think>I was still planning {"topics": ["Wrong"]', Topics) is None


def test_a_cut_reply_that_lacks_a_required_field_has_no_items() -> None:
    assert complete_items('{"verdicts": [{"id": "A1", "found": true}', Verdicts) is None


# D23
def test_the_judges_own_last_object_counts_not_the_one_it_repeats() -> None:
    text = 'The response says: {"covered": ["A0","A1"]}\nMy verdict: {"covered": []}'

    assert read(RawReply(text=text), Covered).value.covered == []


def test_a_broken_verdict_does_not_fall_back_to_a_repeated_one() -> None:
    text = 'The response says: {"covered": ["A0","A1"]}\nMy verdict: {"covered": A1}'

    with pytest.raises(ModelError, match="unparsed"):
        read(RawReply(text=text), Covered)


def test_a_broken_array_of_objects_is_not_read_from_its_insides() -> None:
    text = '{"verdicts": [{"id": "A1", "found": true}, {"id": "A2", "found": false},], "summary": "one"}'

    reply = read(RawReply(text=text), Verdicts)

    assert [verdict.id for verdict in reply.value.verdicts] == ["A1", "A2"]
    assert reply.repaired


def test_a_bare_array_is_no_reply_where_more_is_required() -> None:
    with pytest.raises(ModelError, match="unparsed"):
        read(RawReply(text='[{"id": "A1", "found": true}]'), Verdicts)


def test_the_reason_says_which_field_is_wrong() -> None:
    class Bounded(BaseModel):
        score: int = Field(ge=0, le=4)

    with pytest.raises(ModelError, match="score: Input should be less than or equal to 4"):
        read(RawReply(text='{"score": 7}'), Bounded)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("  Yes.\n", "Yes."),
        ("<think>hm</think>\nYes.", "Yes."),
        ("hm\n</think>\n\nYes.", "Yes."),
        ("[1] says <b>so</b> {", "[1] says <b>so</b> {"),
    ],
)
def test_a_text_reply_is_the_text_after_the_thoughts(text: str, value: str) -> None:
    assert read(RawReply(text=text), str).value == value


def test_a_cut_text_reply_is_truncated_and_keeps_what_came() -> None:
    with pytest.raises(ModelError, match="truncated") as caught:
        read(RawReply(text="<think>hm</think>The answer is", finish="length"), str)

    assert caught.value.partial == "The answer is"


def test_half_a_surrogate_pair_and_a_nul_become_storable() -> None:
    reply = read(RawReply(text=r'{"topics": ["a\ud83d", "b\u0000", "\ud83d\ude80"]}'), Topics)

    assert reply.value.topics == ["a�", "b�", "🚀"]


@pytest.mark.parametrize("text", ["{" * 20_000, "[{" * 10_000, '{"a' * 7_000, "<think>" * 3_000, "{'" * 10_000])
def test_hostile_text_is_given_up_soon(text: str) -> None:
    started = time.perf_counter()

    with pytest.raises(ModelError):
        read(RawReply(text=text), Topics)

    assert time.perf_counter() - started < 2


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))), st.text())
def test_valid_json_reads_as_itself(topics: list[str], reason: str) -> None:
    reply = read(RawReply(text=json.dumps({"topics": topics, "reason": "r"})), Topics)

    assert reply.value == Topics(topics=topics, reason="r")
    assert not reply.repaired
    assert reason is not None


# D11, D12, D13, D14, D15, D16
def test_every_field_case_comes_out_as_it_should(field_cases: Path) -> None:
    named = {"filtered": "refused"}  # the records know no `filtered`; the reason names the filter
    for line in (field_cases / "llm-outputs.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        raw = RawReply(text=case["raw"] or "", finish=case["finish"], refusal=case.get("refusal"))

        try:
            reply = read(raw, Topics)
            came: tuple[str, object] = ("ok", reply.value.topics)
            dropped = reply.dropped
        except ModelError as error:
            came = (error.status, error.partial.topics if isinstance(error.partial, Topics) else None)
            dropped = 0

        assert came == (named.get(case["status"], case["status"]), case["topics"]), case["id"]
        assert dropped == case.get("dropped", 0)
