import gc
from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Gaps
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.parts.described_graph import DescribedGraph, described, load_graph, save_graph
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from tests.sensible import sensible
from tests.six_passages import TracedKit, passage

NOTE = "The moon pulls the water of the oceans and the tides follow it twice a day."


def entity(name: str, *notes: str) -> Entity:
    return Entity(name=name, type="body", description="\n".join(notes), passages=("p1",))


def relation(*notes: str) -> Relation:
    return Relation(source=0, target=1, description="\n".join(notes), keywords=("sea",), weight=2, passages=("p1",))


def graph(*entities: Entity, relations: tuple[Relation, ...] = ()) -> EntityGraph:
    return EntityGraph(
        entities=entities, relations=relations, gaps=Gaps(asked=3, failed={"p9": "lost"}), dropped={"a reason": 2}
    )


def notes(number: int) -> list[str]:
    return [f"{NOTE} It is note {place}." for place in range(number)]


async def test_what_is_described_at_length_is_written_into_one_description_and_the_rest_stays() -> None:
    kit = TracedKit({"describe": ["The moon,\nin short.", "How they hang together."]})

    after = await described(
        graph(entity("Moon", *notes(5)), entity("Tides", "Short.", "Shorter."), relations=(relation(*notes(5)),)),
        kit,
        at=50,
    )

    assert [one.description for one in after.entities] == ["The moon, in short.", "Short.\nShorter."]
    assert after.relations[0].description == "How they hang together."
    assert after.gaps == Gaps(asked=5, failed={"p9": "lost"})
    assert after.dropped == {"a reason": 2}
    first, second = (prompt.messages[-1].content for prompt in kit.scripted.asked)
    assert "Moon" in first
    assert all(note in first for note in notes(5))
    assert "Moon and Tides" in second


async def test_a_single_note_is_a_description_already_however_long() -> None:
    kit = TracedKit({})

    after = await described(graph(entity("Moon", NOTE * 40)), kit, at=50)

    assert after.entities[0].description == NOTE * 40
    assert kit.scripted.asked == []


async def test_the_limit_itself_is_reached_by_as_many_tokens() -> None:
    said = notes(2)
    tokens = count_tokens("\n".join(said))

    for at, calls in ((tokens, 1), (tokens + 1, 0)):
        kit = TracedKit(lambda _: "In short.")
        await described(graph(entity("Moon", *said)), kit, at=at)
        assert len(kit.scripted.asked) == calls


async def test_what_the_model_does_not_describe_keeps_its_notes_and_is_a_gap() -> None:
    def script(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "HTTP 500") if "Moon" in prompt.messages[-1].content else "In short."

    after = await described(
        graph(entity("Moon", *notes(5)), entity("Sun", "It shines.", NOTE * 5)), TracedKit(script), at=50
    )

    assert after.entities[0].description == "\n".join(notes(5))
    assert after.entities[1].description == "In short."
    assert after.gaps.failed == {"p9": "lost", "description of Moon": "HTTP 500"}
    assert after.gaps.asked == 5


async def test_more_notes_than_fit_one_call_are_taken_in_rounds_and_none_is_left_out() -> None:
    said = notes(300)
    kit = TracedKit(lambda _: "So far.")

    after = await described(graph(entity("Moon", *said)), kit, at=50)

    shown = [prompt.messages[-1].content for prompt in kit.scripted.asked]
    assert len(shown) > 1
    assert all(count_tokens(text) < 4_200 for text in shown)
    assert all("So far." in text for text in shown[1:])
    assert all(any(note in text for text in shown) for note in said)
    assert after.entities[0].description == "So far."


async def test_two_notes_are_always_taken_together_however_long() -> None:
    kit = TracedKit(lambda _: "So far.")

    await described(graph(entity("Moon", NOTE * 300, NOTE * 301, "End.")), kit, at=50)

    assert len(kit.scripted.asked) == 2


async def test_a_scope_is_extracted_merged_and_described_over_one_index_of_extractions() -> None:
    kit = TracedKit(sensible)

    built = await kit.open(DescribedGraph(describe_at=5))

    assert kit.trace[:2] == ["open described_graph(describe_at=5)", "open extract"]
    assert sum(step.startswith("ask extract.v1") for step in kit.trace) == 6
    assert built.gaps.asked >= 6
    assert {one.name for one in built.entities} >= {"moon", "water", "oceans"}


async def test_specs_that_read_alike_share_the_extraction() -> None:
    kit = TracedKit(sensible)

    await kit.open(DescribedGraph())
    await kit.open(DescribedGraph(describe_at=100))

    assert sum(step.startswith("ask extract.v1") for step in kit.trace) == 6


# D29
@pytest.mark.parametrize("texts", [[], ["..."], ["No name is in here."]])
async def test_a_scope_without_entities_has_a_graph_without_any(texts: list[str]) -> None:
    kit = TracedKit(sensible, held=[passage(f"p{place}", text) for place, text in enumerate(texts)])

    built = await kit.open(DescribedGraph())

    assert len(built.entities) <= 1
    assert built.relations == ()
    assert built.gaps.share == 1


async def test_what_was_saved_is_read_again(tmp_path: Path) -> None:
    kit = TracedKit(sensible)
    built = await kit.built(DescribedGraph())

    save_graph(built, tmp_path)
    again = load_graph(tmp_path)

    assert again == built
    assert DescribedGraph().load(tmp_path, kit.held, kit) == built


def test_garbage_is_collected_again_after_reading_even_a_damaged_graph(tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_text("{", "utf-8")

    with pytest.raises(ValueError, match="EOF"):
        load_graph(tmp_path)

    assert gc.isenabled()


@pytest.mark.parametrize("wrong", [{"describe_at": 0}, {"gleanings": -1}, {"size": 0}, {"overlap": 1200}])
def test_a_graph_that_cannot_be_built_is_refused_before_anything_runs(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        DescribedGraph(**wrong)  # pyright: ignore[reportArgumentType] - each is a number
