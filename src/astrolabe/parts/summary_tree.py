"""A tree of summaries over a scope's passages: near ones are summarised, the summaries again, and all are searched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from pydantic import BaseModel

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.ids import content_id
from astrolabe.core.protocols import Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.ask_all import ask_all
from astrolabe.parts.soft_clusters import Reducer, SoftClusters
from astrolabe.parts.tree_layers import grouped
from astrolabe.parts.vectors import Near, TextVectors
from astrolabe.prompts import render
from astrolabe.store.files import write_whole

STAGE: Final = "index.summarise"
_TOKENS_A_SENTENCE: Final = 40


class Summary(BaseModel, frozen=True):
    """What was written about some nodes of lower levels: their places, and the text; `level` is at least 1."""

    level: int
    kids: tuple[int, ...]
    text: str


class _Kept(BaseModel, frozen=True):
    """A tree as it stands on disk; it lacked nothing."""

    summaries: tuple[Summary, ...]
    layers: tuple[tuple[int, ...], ...]
    asked: int


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Passages and summaries as nodes, named by their places: first the passages, then the summaries by level.

    Attributes:
        passages: The leaves, by document and place.
        summaries: The nodes above.
        layers: The nodes of each layer, the passages first. A node that nothing was summarised with stands in the
            next layer, too; every passage is below or in the last one, and each layer is smaller than the one before.
        vectors: Of all nodes' texts.
        gaps: Which summaries are missing, and why; their kids stand in the next layer themselves.
    """

    passages: Sequence[Passage]
    summaries: Sequence[Summary]
    layers: Sequence[Sequence[int]]
    vectors: TextVectors
    gaps: Gaps = field(default_factory=Gaps)

    @cached_property
    def parents(self) -> dict[int, list[int]]:
        """The summaries that each node went into, by its place; a node at the top is missing."""
        found: dict[int, list[int]] = {}
        for place, summary in enumerate(self.summaries, len(self.passages)):
            for kid in summary.kids:
                found.setdefault(kid, []).append(place)
        return found

    async def nearest(self, query: str, *, k: int) -> list[Near]:
        """Return the `k` nodes nearest to a query, of all levels alike (the collapsed tree), best first, ties by place.

        Raises:
            ConfigError: `k` is below 1.
        """
        return await self.vectors.nearest(query, k=k)

    def summary(self, place: int) -> Summary | None:
        """Return a node's summary; null for a passage."""
        return None if place < len(self.passages) else self.summaries[place - len(self.passages)]

    def text(self, place: int) -> str:
        """Return a node's text."""
        summary = self.summary(place)
        return summary.text if summary else self.passages[place].text

    def tokens(self, place: int) -> int:
        """Return how long a node's text is."""
        summary = self.summary(place)
        return count_tokens(summary.text) if summary else self.passages[place].tokens

    def id(self, place: int) -> str:
        """Return a passage's id, or for a summary an id made of its passages and its level."""
        summary = self.summary(place)
        if summary is None:
            return self.passages[place].id
        return content_id("s", str(summary.level), *(passage.id for passage in self.leaves(place)))

    def leaves(self, place: int) -> list[Passage]:
        """Return the passages below a node, or the passage that it is, in their order, each once."""
        seen, found = {place}, list[int]()
        open_places = [place]
        while open_places:
            node = open_places.pop()
            summary = self.summary(node)
            if summary is None:
                found.append(node)
            else:
                fresh = [kid for kid in summary.kids if kid not in seen]
                seen.update(fresh)
                open_places.extend(fresh)
        return [self.passages[leaf] for leaf in sorted(found)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryTree:
    """How a tree is built.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        reducer: How nodes are clustered; see `SoftClusters`.
        dimensions: What `pca` and `umap` reduce to; a cluster of at most one more is not clustered once more.
        threshold: How probably a node must belong to a cluster to be in it.
        component_rows: A mixture has at most a component for so many nodes.
        floor: What is added to a mixture's covariances, as a share of the mean variance.
        cluster_tokens: The most tokens that one summary is made from.
        layers: The most layers of summaries.
        top: A layer of at most so many nodes is the last.
        summary_tokens: The most tokens of a summary; one that is cut there is asked for again and never kept cut.
    """

    name: ClassVar[str] = "summary_tree"
    prompts: ClassVar[tuple[str, ...]] = ("summarise.v1",)

    size: int = 1200
    overlap: int = 100
    reducer: Reducer = "neighbours"
    dimensions: int = 10
    threshold: float = 0.1
    component_rows: int = 3
    floor: float = 0.05
    cluster_tokens: int = 3500
    layers: int = 5
    top: int = 11
    summary_tokens: int = 200

    def __post_init__(self) -> None:
        """Refuse what makes no tree, before anything runs."""
        _ = self.cut, self.clusters
        if self.cluster_tokens < 2 * max(self.size, self.summary_tokens):
            msg = (
                f"cluster_tokens={self.cluster_tokens!r} must hold two passages of size={self.size!r} and two "
                f"summaries of summary_tokens={self.summary_tokens!r}; choose for example "
                f"cluster_tokens={2 * max(self.size, self.summary_tokens)}"
            )
            raise ConfigError(msg)
        if min(self.layers, self.top, self.summary_tokens) < 1:
            msg = (
                f"a tree needs layers, top and summary_tokens of at least 1, got layers={self.layers!r}, "
                f"top={self.top!r}, summary_tokens={self.summary_tokens!r}"
            )
            raise ConfigError(msg)

    @property
    def cut(self) -> Cut:
        """The passages that are the leaves."""
        return Cut(size=self.size, overlap=self.overlap)

    @property
    def clusters(self) -> SoftClusters:
        """How nodes are clustered."""
        return SoftClusters(
            reducer=self.reducer,
            dimensions=self.dimensions,
            threshold=self.threshold,
            component_rows=self.component_rows,
            floor=self.floor,
        )

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Tree:
        """Cluster, summarise, embed the summaries; again with the new layer, until it is small."""
        vectors = await TextVectors.over([passage.text for passage in passages], kit.embedder)
        layers = [tuple(range(len(passages)))]
        tree = Tree(passages=passages, summaries=(), layers=layers, vectors=vectors)
        for level in range(1, self.layers + 1):
            if len(tree.layers[-1]) <= self.top:
                break
            grown = await self._grown(tree, level, kit)
            if len(grown.layers[-1]) >= len(tree.layers[-1]):
                return replace(tree, gaps=grown.gaps)
            tree = grown
        return tree

    def save(self, index: Tree, folder: Path) -> None:
        """Write the summaries and all vectors."""
        layers = tuple(tuple(layer) for layer in index.layers)
        kept = _Kept(summaries=tuple(index.summaries), layers=layers, asked=index.gaps.asked)
        write_whole(folder / "tree.json", kept.model_dump_json())
        index.vectors.save(folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Tree:
        """Read what `save` wrote."""
        kept = _Kept.model_validate_json((folder / "tree.json").read_bytes())
        return Tree(
            passages=passages,
            summaries=kept.summaries,
            layers=kept.layers,
            vectors=TextVectors.load(folder, kit.embedder),
            gaps=Gaps(asked=kept.asked),
        )

    async def _grown(self, tree: Tree, level: int, kit: Kit) -> Tree:
        """Return the tree with one more layer."""
        layer = tree.layers[-1]
        tokens = [tree.tokens(place) for place in layer]
        rows = tree.vectors.pooled[list(layer)]
        groups = [
            tuple(layer[row] for row in group)
            for group in await grouped(rows, tokens, self.clusters, limit=self.cluster_tokens)
        ]
        several = [group for group in groups if len(group) > 1]
        outcomes = await ask_all(several, lambda group: self._summarise([tree.text(place) for place in group], kit))
        written = dict(zip(several, outcomes, strict=True))
        return await _joined(tree, groups, written, level=level, kit=kit)

    async def _summarise(self, texts: Sequence[str], kit: Kit) -> str:
        """Return a summary in one line.

        Raises:
            ModelError: The model gave no usable reply.
        """
        prompt = render(
            "summarise.v1",
            stage=STAGE,
            reply=str,
            max_tokens=self.summary_tokens,
            holes={
                "texts": "\n\n".join(text.strip() for text in texts),
                "sentences": str(max(1, self.summary_tokens // _TOKENS_A_SENTENCE)),
            },
        )
        return " ".join((await kit.llm.ask(prompt)).value.split())


async def _joined(
    tree: Tree,
    groups: Sequence[tuple[int, ...]],
    written: dict[tuple[int, ...], str | ModelError],
    *,
    level: int,
    kit: Kit,
) -> Tree:
    """Return the tree with what was written about some groups, and the layer that all groups make."""
    texts = {group: text for group, text in written.items() if isinstance(text, str)}
    above = {group: place for place, group in enumerate(texts, len(tree.passages) + len(tree.summaries))}
    failed = {
        f"summary of level {level} over {', '.join(tree.id(kid) for kid in group)}": text.reason
        for group, text in written.items()
        if isinstance(text, ModelError)
    }
    return Tree(
        passages=tree.passages,
        summaries=(
            *tree.summaries,
            *(Summary(level=level, kids=group, text=text) for group, text in texts.items()),
        ),
        layers=(*tree.layers, tuple(_layer(groups, above))),
        vectors=await _with(tree.vectors, list(texts.values()), kit),
        gaps=tree.gaps + Gaps(asked=len(written), failed=failed),
    )


async def _with(vectors: TextVectors, texts: Sequence[str], kit: Kit) -> TextVectors:
    """Return the vectors of more texts."""
    if not texts:
        return vectors
    more = await TextVectors.over(texts, kit.embedder)
    return TextVectors(
        rows=np.concatenate([vectors.rows, more.rows]),
        starts=np.concatenate([vectors.starts, more.starts + len(vectors.rows)]),
        embedder=kit.embedder,
    )


def _layer(groups: Sequence[tuple[int, ...]], above: dict[tuple[int, ...], int]) -> Iterator[int]:
    """Yield the nodes of the next layer: summaries, and what is in no summary."""
    held = {kid for group in above for kid in group}
    risen: set[int] = set()
    for group in groups:
        if group in above:
            yield above[group]
            continue
        for kid in group:
            if kid not in held and kid not in risen:
                risen.add(kid)
                yield kid
