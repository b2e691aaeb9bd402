from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.corpus import cut_document
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.parts.layered_reports import LayeredReports
from astrolabe.study.bundle import bundled
from tests.scoring_kit import bare_document
from tests.sensible import sensible
from tests.six_passages import TracedKit


async def test_what_is_saved_is_the_same(tmp_path: Path) -> None:
    kit, spec = TracedKit(sensible), LayeredReports(max_size=4)
    index = await kit.open(spec)

    spec.save(index, tmp_path)
    loaded = spec.load(tmp_path, kit.held, kit)

    assert (loaded.graph.entities, loaded.graph.relations) == (index.graph.entities, index.graph.relations)
    assert (loaded.reports.of, loaded.reports.forest.communities) == (
        index.reports.of,
        index.reports.forest.communities,
    )
    assert await loaded.texts.nearest("tides", k=5) == await index.texts.nearest("tides", k=5)
    assert loaded.gaps == index.gaps


async def test_layers_and_reports_count_into_the_gaps_of_the_whole() -> None:
    def fails(prompt: AnyPrompt) -> Line:
        if prompt.name in ("attribute_entities.v1", "report.v1"):
            return ModelError("failed", "HTTP 500")
        return sensible(prompt)

    kit = TracedKit(fails)
    index = await kit.open(LayeredReports(max_size=4))

    asked = [prompt.name for prompt in kit.scripted.asked]
    assert index.gaps.asked == len(asked)
    assert len(index.gaps.failed) == len(asked) - 6
    assert any(what.startswith("layer 1 above ") for what in index.gaps.failed)


async def test_an_index_asks_no_more_than_it_says() -> None:
    for spec in (LayeredReports(), LayeredReports(extraction="in_steps", gleanings=1)):
        kit = TracedKit(sensible)
        await kit.open(spec)

        assert spec.least_calls * 6 <= len(kit.scripted.asked) <= spec.most_calls * 6 + spec.most_calls_above


async def test_the_most_calls_are_within_a_small_factor_of_what_is_asked_about_real_documents() -> None:
    spec = LayeredReports()
    with bundled() as bundle:
        texts = {file.stem: file.read_text("utf-8") for file in sorted(bundle.documents.iterdir())}
    held = [
        passage
        for name, text in texts.items()
        for passage in cut_document(bare_document(name).model_copy(update={"text": text}), spec.cut)
    ]
    kit = TracedKit(sensible, held=held, context_tokens=12_000)

    await kit.open(spec)

    made, most = len(kit.scripted.asked), spec.most_calls * len(held) + spec.most_calls_above
    assert len(held) == 45
    assert spec.least_calls * 45 < made <= most <= 20 * made


@pytest.mark.parametrize("wrong", [{"sparse": 1.5}, {"layers": -1}, {"broader_types": ""}, {"dimensions": 0}])
def test_what_cannot_be_built_is_refused(wrong: dict[str, float | str]) -> None:
    with pytest.raises(ConfigError, match=str(next(iter(wrong)))):
        LayeredReports(**wrong)  # pyright: ignore[reportArgumentType] - each is one of the fields
