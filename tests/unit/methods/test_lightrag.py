"""LightRAG's three ways of searching over one small graph that is given."""

import json
from pathlib import Path
from typing import TypeVar

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.records import Answer, Passage, Question
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted
from astrolabe.methods import METHODS
from astrolabe.methods.lightrag import LightRAGHigh, LightRAGHybrid, LightRAGLow
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.extract import FOUR_TYPES
from astrolabe.study.kit import ScopeKit
from tests.sensible import sensible
from tests.six_passages import TracedKit, passage
from tests.small_study import small_study
from tests.study_kits import bench

T = TypeVar("T", LightRAGLow, LightRAGHigh, LightRAGHybrid)
WAYS = (LightRAGLow, LightRAGHigh, LightRAGHybrid)
EVERY = pytest.mark.parametrize("kind", WAYS, ids=lambda kind: kind.name)
QUESTION = Question(id="q", text="How does the moon move the sea?")

TEXTS = {
    "p1": "The moon pulls the sea.\nSo it rises,\n\nand, in commas, it falls.",
    "p2": "Salt is dried from the sea; 3.5 % of it is salt.",
    "p3": "Lamps burn oil.",
    "p4": "The sun, too, pulls.",
}


def entity(name: str, description: str, *passages: str, kind: str = "thing") -> Entity:
    return Entity(name=name, type=kind, description=description, passages=passages)


def relation(source: int, target: int, about: tuple[str, str], weight: float, *passages: str) -> Relation:
    keyword, description = about
    return Relation(
        source=source, target=target, description=description, keywords=(keyword,), weight=weight, passages=passages
    )


GRAPH = EntityGraph(
    entities=(
        entity("Moon", "It pulls the sea.", "p1", kind="body"),
        entity("Sea", "It rises.\nIt is salty.", "p1", "p2"),
        entity("Salt", "It is 3.5 % of the sea.", "p2"),
        entity("Lamp", "It burns oil.", "p3"),
        entity("Sun", "It pulls, too.", "p4", kind="body"),
    ),
    relations=(
        relation(0, 1, ("gravity", "The moon pulls the sea."), 9, "p1"),
        relation(0, 4, ("gravity", "Both pull."), 3, "p4"),
        relation(1, 2, ("trade", "Salt is dried from the sea."), 4, "p2"),
    ),
)


def held() -> list[Passage]:
    return [passage(name, text) for name, text in TEXTS.items()]


def kit_over(
    graph: EntityGraph = GRAPH, *, high: list[str] | str = "gravity", low: list[str] | str = "moon", tokens: int = 1_000
) -> TracedKit:
    found = {
        "high_level": [high] if isinstance(high, str) else high,
        "low_level": [low] if isinstance(low, str) else low,
    }

    def script(prompt: AnyPrompt) -> Line:
        return json.dumps(found) if prompt.name == "keywords.v1" else "It pulls."

    return TracedKit(script, held=held(), context_tokens=tokens, opened={spell(DescribedGraph()): graph})


def shown(kit: TracedKit) -> str:
    """Return what the answer was asked with."""
    return kit.scripted.asked[-1].messages[-1].content


def names(hits: object) -> list[str]:
    return [hit.passage_id for hit in hits]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownMemberType, reportUnknownVariableType] - hits


def material(kit: TracedKit) -> str:
    """Return the context alone."""
    inside = shown(kit).split('name="context">\n', 1)[1]
    return inside[: inside.index("\n</")]


def section(context: str, title: str) -> list[str]:
    """Return a section's lines."""
    rest = context.split(f"{title}:\n\n", 1)[1]
    for other in ("Entities", "Relations", "Sources"):
        rest = rest.split(f"\n\n{other}:\n\n", 1)[0]
    return rest.splitlines()


async def test_low_shows_the_nearest_entities_their_relations_and_their_passages_field_by_field() -> None:
    kit = kit_over(low="moon")

    answer = await LightRAGLow(k=1).answer(QUESTION, kit)

    assert material(kit) == (
        "Entities:\n\n"
        "Moon (body, 2 relations): It pulls the sea.\n\n"
        "Relations:\n\n"
        "Moon - Sea (themes: gravity; weight 9, rank 4): The moon pulls the sea.\n"
        "Moon - Sun (themes: gravity; weight 3, rank 3): Both pull.\n\n"
        "Sources:\n\n" + TEXTS["p1"]
    )
    assert names(answer.contexts) == ["p1"]
    assert names(answer.retrieved) == ["p1", "p4"]


async def test_high_shows_the_nearest_relations_all_their_ends_and_their_passages_field_by_field() -> None:
    kit = kit_over(high="gravity")

    answer = await LightRAGHigh(k=2).answer(QUESTION, kit)

    assert material(kit) == (
        "Entities:\n\n"
        "Moon (body, 2 relations): It pulls the sea.\n"
        "Sea (thing, 2 relations): It rises. It is salty.\n"
        "Sun (body, 1 relation): It pulls, too.\n\n"
        "Relations:\n\n"
        "Moon - Sea (themes: gravity; weight 9, rank 4): The moon pulls the sea.\n"
        "Moon - Sun (themes: gravity; weight 3, rank 3): Both pull.\n\n"
        "Sources:\n\n" + TEXTS["p1"] + "\n\n" + TEXTS["p4"]
    )
    assert names(answer.contexts) == ["p1", "p4"]
    assert names(answer.retrieved) == ["p1", "p4", "p2"]


# U8
@pytest.mark.parametrize("kind", [LightRAGHigh, LightRAGHybrid])
async def test_every_end_of_the_relations_that_high_finds_is_shown(kind: type[LightRAGHigh]) -> None:
    kit = kit_over(high="gravity, trade", low="moon")

    await kind(k=3).answer(QUESTION, kit)

    shown_entities = section(material(kit), "Entities")
    assert {line.split(" (")[0] for line in shown_entities} >= {"Moon", "Sea", "Salt", "Sun"}


# U9
async def test_a_relation_is_written_alike_by_all_three_with_one_heading_a_section() -> None:
    lines: list[set[str]] = []
    for kind in WAYS:
        kit = kit_over()
        await kind(k=4).answer(QUESTION, kit)
        context = material(kit)
        assert all(context.count(f"{title}:\n") == 1 for title in ("Entities", "Relations", "Sources"))
        lines.append(set(section(context, "Relations")))

    assert lines[0] & lines[1] & lines[2]
    assert lines[2] == lines[0] | lines[1]


# U10
@EVERY
async def test_a_passage_of_several_lines_and_commas_stays_whole(kind: type[LightRAGHybrid]) -> None:
    kit = kit_over()

    answer = await kind(k=3).answer(QUESTION, kit)

    assert all(kit.read(name).text in material(kit) for name in names(answer.contexts))
    assert "p1" in names(answer.contexts)


# U10
async def test_hybrid_shows_the_heads_of_low_and_of_high() -> None:
    contexts: dict[str, str] = {}
    for kind in WAYS:
        kit = kit_over(low="lamp", high="trade")
        await kind(k=1).answer(QUESTION, kit)
        contexts[kind.name] = material(kit)

    for title in ("Entities", "Relations", "Sources"):
        both = set(section(contexts["lightrag_hybrid"], title))
        for other in ("lightrag_low", "lightrag_high"):
            if f"{title}:" in contexts[other]:
                assert set(section(contexts[other], title)) <= both


async def test_hybrid_takes_turns_so_that_a_small_budget_holds_the_best_of_both() -> None:
    kit = kit_over(low=["lamp", "salt"], high="gravity")

    await LightRAGHybrid(k=3, entity_tokens=40).answer(QUESTION, kit)

    assert [line.split(" (")[0] for line in section(material(kit), "Entities")] == ["Salt", "Moon"]


# U11
@EVERY
async def test_a_question_takes_two_calls_and_the_first_is_the_same_in_all_three(kind: type[LightRAGLow]) -> None:
    kit, other = kit_over(), kit_over()

    await kind().answer(QUESTION, kit)
    await LightRAGLow().answer(QUESTION, other)

    assert [prompt.name for prompt in kit.scripted.asked] == ["keywords.v1", "write.v1"]
    assert kit.scripted.asked[0] == other.scripted.asked[0]


# U12
@EVERY
@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"high_level": [], "low_level": []}),
        json.dumps({"high_level": list("gravity"), "low_level": list("moon")}),
        json.dumps({"high_level": "gravity", "low_level": "moon"}),
        "gravity; moon",
        ModelError("refused", "no"),
    ],
)
async def test_without_keywords_the_whole_question_is_searched_for_and_the_trace_says_so(
    kind: type[LightRAGLow], line: Line
) -> None:
    kit = kit_over()
    kit.scripted = type(kit.scripted)(lambda prompt: line if prompt.name == "keywords.v1" else "It pulls.")

    answer = await kind().answer(QUESTION, kit)

    searches = [step for step in answer.trace if step.stage.startswith("search.")]
    assert answer.status == "ok"
    assert all(step.input == QUESTION.text for step in searches)
    assert all("the whole question is searched for" in step.reason for step in searches)


# U13
async def test_numbers_and_signs_reach_the_model_as_they_were_read() -> None:
    kit = kit_over(low="salt")

    await LightRAGLow(k=1).answer(QUESTION, kit)

    assert "It is 3.5 % of the sea." in material(kit)


@EVERY
async def test_no_section_is_over_its_budget_nor_all_over_the_kits(kind: type[LightRAGHybrid]) -> None:
    budgets = {"entity_tokens": 20, "relation_tokens": 18, "passage_tokens": 16}
    kit = kit_over(tokens=40)

    await kind(**budgets).answer(QUESTION, kit)  # pyright: ignore[reportArgumentType] - each is a number

    tokens = [count_tokens("\n".join(section(material(kit), title))) for title in ("Entities", "Relations", "Sources")]
    assert all(spent <= most for spent, most in zip(tokens, budgets.values(), strict=True))
    assert sum(tokens) <= 40


async def test_by_similarity_relations_stand_in_the_order_of_the_keywords_not_of_their_ends() -> None:
    kit = kit_over(low=["sea", "salt"])

    await LightRAGLow(k=3, order="similarity").answer(QUESTION, kit)

    assert section(material(kit), "Relations")[0].startswith("Sea - Salt")
    assert "open relation_vectors" in kit.trace


async def test_low_embeds_no_relation_and_high_no_entity() -> None:
    for kind, other in ((LightRAGLow, "relation_vectors"), (LightRAGHigh, "entity_vectors")):
        kit = kit_over()
        await kind().answer(QUESTION, kit)
        assert f"open {other}" not in kit.trace


async def answered(kind: type[T], graph: EntityGraph) -> Answer:
    return await kind().answer(QUESTION, kit_over(graph))


# D29
@EVERY
async def test_over_a_graph_without_entities_the_answer_says_that_there_is_no_graph(kind: type[LightRAGLow]) -> None:
    kit = kit_over(EntityGraph(entities=(), relations=()))

    answer = await kind().answer(QUESTION, kit)

    assert (answer.status, kit.scripted.asked) == ("empty", [])
    assert "no graph" in str(answer.reason)


# D29
@EVERY
async def test_over_a_graph_without_relations_entities_are_searched_and_high_says_so(kind: type[LightRAGLow]) -> None:
    answer = await answered(kind, EntityGraph(entities=GRAPH.entities, relations=()))

    reasons = " ".join(step.reason for step in answer.trace)
    assert answer.status == "ok"
    assert ("no relation: entities are searched" in reasons) == (kind is LightRAGHigh)


@EVERY
@pytest.mark.parametrize(
    "texts",
    [
        ["The moon pulls the water of the oceans."],
        ["The moon pulls the water of the oceans."] * 12,
        ["The moon pulls the water.", "Anna Berg met Olaf Lund in Bergen."],
        ["moon"],
    ],
    ids=["one passage", "identical passages", "two parts that do not touch", "one name"],
)
async def test_odd_scopes_are_answered(kind: type[LightRAGLow], texts: list[str]) -> None:
    kit = TracedKit(sensible, held=[passage(f"p{place}", text) for place, text in enumerate(texts)])

    answer = await kind().answer(QUESTION, kit)

    assert answer.status == "ok"
    assert answer.contexts
    assert len({hit.passage_id for hit in answer.retrieved}) == len(answer.retrieved)


@EVERY
async def test_a_later_run_opens_what_an_earlier_one_built_and_asks_two_questions(
    kind: type[LightRAGLow], tmp_path: Path
) -> None:
    study = small_study(tmp_path)
    documents = tuple(document.id for document in study.documents)
    first = ScopeKit(bench=bench(study, Scripted(sensible), kept=True), documents=documents)
    later = Scripted(sensible)

    once = await kind().answer(QUESTION, first)
    again = await kind().answer(QUESTION, ScopeKit(bench=bench(study, later, kept=True), documents=documents))

    assert again == once
    assert [prompt.name for prompt in later.asked] == ["keywords.v1", "write.v1"]


@EVERY
async def test_a_question_in_another_script_is_answered(kind: type[LightRAGLow]) -> None:
    kit = kit_over(low="月亮", high="引力")

    answer = await kind().answer(Question(id="q", text="月亮如何引起潮汐？"), kit)

    assert answer.status == "ok"
    assert answer.trace[1].input in ("月亮", "引力")


@EVERY
async def test_the_trace_shows_keywords_what_was_near_and_what_lies_around_it(kind: type[LightRAGLow]) -> None:
    answer = await kind(k=2).answer(QUESTION, kit_over())

    stages = [step.stage for step in answer.trace]
    assert stages[0] == "ask.keywords"
    assert stages[-1] == "walk.neighbours"
    assert set(stages[1:-1]) <= {"search.entities", "search.relations"}
    assert answer.trace[-1].hits == answer.contexts
    drawn = json.loads(answer.model_dump_json())["trace"][-1]["output"]
    assert {node["kind"] for node in drawn["nodes"]} == {"entity"}
    assert {edge["label"] for edge in drawn["edges"]} <= {"gravity", "trade"}


@EVERY
def test_published_is_the_run_of_the_paper(kind: type[LightRAGLow]) -> None:
    method = parse_spelled(f"{kind.name}@published", METHODS, what="method")

    assert isinstance(method, kind)
    assert (method.k, method.types, method.gleanings, method.describe_at) == (5, FOUR_TYPES, 1, 500)
    assert (method.entity_tokens, method.relation_tokens, method.passage_tokens) == (4_800, 4_800, 4_000)
    assert spell(kind(k=60)) == kind.name


@EVERY
@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"entity_tokens": 0}, {"passage_tokens": -1}, {"gleanings": -1}, {"describe_at": 0}]
)
def test_what_cannot_be_asked_is_refused_before_anything_runs(kind: type[LightRAGLow], wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        kind(**wrong)  # pyright: ignore[reportArgumentType] - each is a number


@EVERY
def test_what_it_costs_follows_its_parameters(kind: type[LightRAGLow]) -> None:
    common, published = kind().calls, kind(gleanings=1).calls

    assert (common.question_low, common.question_high, common.passage_low) == (2, 2, 1)
    assert (published.passage_low, published.passage_high) == (2, 2 * common.passage_high)
