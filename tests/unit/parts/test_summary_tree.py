import asyncio
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM
from astrolabe.core.records import Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted
from astrolabe.parts.summary_tree import SummaryTree, Tree
from tests.six_passages import TracedKit, passage

SEA = ("tide", "moon", "salt", "harbour", "net", "lamp", "oil", "wave", "sand", "rope")


def texts(number: int) -> list[str]:
    return [f"The {SEA[place % 10]} of {SEA[place % 7]} no. {place} is {SEA[place % 3]}." for place in range(number)]


def passages(written: Sequence[str]) -> list[Passage]:
    return [passage(f"p{place}", text) for place, text in enumerate(written)]


def says(prompt: AnyPrompt) -> Line:
    """Sum up as the first words of each text."""
    shown = prompt.messages[-1].content.partition("\n\nWrite one")[0].removeprefix("Texts:")
    return " ".join(re.findall(r"The \w+ of \w+ no\. \d+", shown))[:300] or "Something."


async def tree_over(written: Sequence[str], spec: SummaryTree | None = None) -> tuple[Tree, TracedKit]:
    kit = TracedKit(says, held=passages(written))
    return await kit.open(spec or SummaryTree(size=40, overlap=0, cluster_tokens=120, summary_tokens=60)), kit


def below(tree: Tree) -> set[str]:
    """Return the passages below the last layer."""
    return {leaf.id for place in tree.layers[-1] for leaf in tree.leaves(place)}


# D30
@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 11, 12, 50])
@pytest.mark.parametrize("equal", [False, True], ids=["different", "equal"])
async def test_every_leaf_is_below_the_top_and_layers_shrink(number: int, equal: bool) -> None:  # noqa: FBT001
    written = texts(1) * number if equal else texts(number)

    tree, kit = await tree_over(written)

    sizes = [len(layer) for layer in tree.layers]
    assert below(tree) == {held.id for held in kit.held}
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[-1] <= 11
    assert (len(kit.scripted.asked) == 0) == (number <= 11)
    assert tree.gaps.asked == len(tree.summaries) == len(kit.scripted.asked) <= max(0, number - 1)


# D30
async def test_one_passage_makes_a_tree_of_that_leaf_and_no_call() -> None:
    tree, kit = await tree_over(texts(1), SummaryTree(top=1))

    assert (tree.layers, tree.summaries, kit.scripted.asked) == ([(0,)], (), [])


async def test_no_text_above_the_limit_goes_to_a_summary() -> None:
    _, kit = await tree_over(texts(60))

    blocks = [re.search(r">\n(.*)\n</block", prompt.messages[-1].content, re.DOTALL) for prompt in kit.scripted.asked]
    shown = [block[1] for block in blocks if block]
    assert len(shown) == len(kit.scripted.asked) > 20
    assert max(map(count_tokens, shown)) <= 120
    assert all("\n\n" in text for text in shown)


async def test_a_tree_has_at_most_so_many_layers_of_summaries() -> None:
    spec = SummaryTree(size=40, overlap=0, cluster_tokens=120, summary_tokens=60, layers=2, top=1)

    tree, _ = await tree_over(texts(60), spec)

    assert len(tree.layers) == 3


async def test_twenty_one_short_passages_make_one_layer_of_summaries() -> None:
    tree, _ = await tree_over(texts(21), SummaryTree())

    assert {summary.level for summary in tree.summaries} == {1}


async def test_a_summary_that_fails_is_a_gap_and_no_node() -> None:
    failing: list[str] = []

    def fails_once(prompt: AnyPrompt) -> Line:
        failing.append(prompt.name)
        return ModelError("failed", "HTTP 500") if len(failing) == 1 else says(prompt)

    kit = TracedKit(fails_once, held=passages(texts(40)))
    tree = await kit.open(SummaryTree(size=40, overlap=0, cluster_tokens=120, summary_tokens=60))

    ((what, reason),) = tree.gaps.failed.items()
    assert (what.startswith("summary of level 1 over p"), reason) == (True, "HTTP 500")
    assert len(tree.summaries) == tree.gaps.asked - 1
    assert below(tree) == {held.id for held in kit.held}


async def test_where_every_summary_fails_the_tree_is_its_leaves() -> None:
    kit = TracedKit(lambda prompt: ModelError("failed", prompt.name), held=passages(texts(12)))

    tree = await kit.open(SummaryTree())

    assert (len(tree.layers), tree.summaries, tree.gaps.share) == (1, (), 0.0)


class _Shuffled:
    """A model whose replies arrive in another order each time."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - no secret
        self._inner = Scripted(says)
        self.id = "scripted"

    async def ask(self, prompt: Prompt[str]) -> Reply[str]:
        await asyncio.sleep(self._random.random() / 200)
        return await self._inner.ask(prompt)


class _Kit(TracedKit):
    model: LLM

    @property
    def llm(self) -> LLM:
        return self.model


async def test_the_order_in_which_replies_arrive_does_not_matter() -> None:
    trees: list[Tree] = []
    for seed in range(3):
        kit = _Kit(held=passages(texts(40)))
        kit.model = _Shuffled(seed)  # pyright: ignore[reportAttributeAccessIssue] - it is asked for text alone
        spec = SummaryTree(size=40, overlap=0, cluster_tokens=120, summary_tokens=60)
        trees.append(await spec.build(kit.held, kit))

    assert trees[0].summaries == trees[1].summaries == trees[2].summaries
    assert trees[0].layers == trees[1].layers == trees[2].layers


async def test_a_saved_tree_is_the_same(tmp_path: Path) -> None:
    spec = SummaryTree(size=40, overlap=0, cluster_tokens=120, summary_tokens=60)
    tree, kit = await tree_over(texts(30), spec)

    spec.save(tree, tmp_path)
    loaded = spec.load(tmp_path, kit.held, kit)

    query = "What is the harbour?"
    assert await loaded.nearest(query, k=7) == await tree.nearest(query, k=7)
    assert [loaded.id(place) for place in loaded.layers[-1]] == [tree.id(place) for place in tree.layers[-1]]
    assert (loaded.gaps, loaded.parents) == (tree.gaps, tree.parents)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cluster_tokens": 2000}, "cluster_tokens=2000 must hold two passages of size=1200"),
        ({"layers": 0}, "layers, top and summary_tokens of at least 1"),
        ({"dimensions": 0}, "clustering needs"),
        ({"size": 0}, "size >= 1"),
    ],
)
def test_what_makes_no_tree_is_refused(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SummaryTree(**wrong)  # pyright: ignore[reportArgumentType] - each is one of the fields
