"""RAPTOR: passages and summaries of clusters of them in one tree, all levels searched alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Hit, Question, Step
from astrolabe.core.spelling import Scalar
from astrolabe.parts.look import Edge, Node, look
from astrolabe.parts.rank import check_k
from astrolabe.parts.sections import Row, Section, packed
from astrolabe.parts.soft_clusters import Reducer
from astrolabe.parts.summary_tree import SummaryTree, Tree
from astrolabe.parts.vectors import Near
from astrolabe.parts.write import Shown, write_from

TITLE: Final = "Texts and summaries of several texts, the nearest to the question first"
_LABEL: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Raptor:
    """Collapsed-tree retrieval (Sarthi et al. 2024): every level of the tree competes for the same `k` places.

    Passages are clustered, softly; each cluster is summarised in one call, and so are clusters of the summaries, layer
    by layer. The `k` nodes nearest to the question, passages and summaries alike, are what the answer is written from.

    `published` is the run of ASTRA-QA's framework: five nodes, UMAP and raw BIC, summaries of 100 tokens. That
    framework passes up to 11 passages of 1,200 tokens to a summary, whatever its limit of 3,500 says, so the limit is
    13,200 here.

    Attributes:
        k: How many nodes; the paper's code takes 10, ASTRA-QA's framework 5.
        size: Tokens a passage; the framework's 1,200 (the paper's code: 100).
        overlap: Tokens that neighbouring passages share; the framework's.
        reducer: `umap` as published (extra `[raptor]`), `pca`, or `neighbours`, which needs the core libraries alone:
            see `SoftClusters` for why it is the default.
        dimensions: What `pca` and `umap` reduce to; the paper's code has 10.
        threshold: How probably a node must belong to a cluster to be in it; the paper's code has 0.1.
        component_rows: A mixture has at most one component for so many nodes: 1 as published, 3 so that small layers
            do not fall apart (ours).
        floor: Added to a mixture's covariances, as a share of the mean variance: 0 as published, 0.05 ours.
        cluster_tokens: The most tokens that one summary is made from; the paper's code has 3,500.
        layers: The most layers of summaries; the paper's code has 5.
        top: A layer of at most so many nodes is the last; the paper's code has 11.
        summary_tokens: The most tokens of a summary: 100 in the paper's code, where longer ones end within a sentence;
            200 here, asked for as a number of sentences.
    """

    name: ClassVar[str] = "raptor"
    paper: ClassVar[str] = "Sarthi et al. 2024 (RAPTOR)"
    index_calls: ClassVar[str] = "about 0.5 a passage, at most 1; none up to 11 passages"
    question_calls: ClassVar[str] = "1"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {
            "k": 5,
            "reducer": "umap",
            "component_rows": 1,
            "floor": 0.0,
            "cluster_tokens": 13_200,
            "summary_tokens": 100,
        }
    }

    k: int = 10
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
        check_k(self.k)
        _ = self.tree

    @property
    def tree(self) -> SummaryTree:
        """What is searched."""
        return SummaryTree(
            size=self.size,
            overlap=self.overlap,
            reducer=self.reducer,
            dimensions=self.dimensions,
            threshold=self.threshold,
            component_rows=self.component_rows,
            floor=self.floor,
            cluster_tokens=self.cluster_tokens,
            layers=self.layers,
            top=self.top,
            summary_tokens=self.summary_tokens,
        )

    @property
    def calls(self) -> Calls:
        """One a question; each summary leaves at least one node less in its layer, so there are fewer than passages."""
        return Calls(question_low=1, question_high=1, passage_low=0, passage_high=1, cut=self.tree.cut)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Search the collapsed tree once, write from the nodes' texts."""
        tree = await kit.open(self.tree)
        near = await tree.nearest(question.text, k=self.k)
        rows = [Row(tree.text(place), (tree.id(place),)) for place, _ in near]
        shown = packed([Section(title=TITLE, rows=rows, tokens=kit.context_tokens)], kit.context_tokens)
        own = [one for one in near[: len(shown.rows[0])] if tree.summary(one.place) is None]
        found = Shown(
            text=shown.text,
            contexts=_hits(tree, own),
            retrieved=_hits(tree, near),
            trace=[_look(tree, near, question.text)],
        )
        return await write_from(question, found, kit)


def _hits(tree: Tree, near: Sequence[Near]) -> list[Hit]:
    """Return the passages that nodes are or sum up, each where it is first reached."""
    reached: dict[str, tuple[float, str]] = {}
    for place, score in near:
        source = "summary" if tree.summary(place) else "passage"
        for leaf in tree.leaves(place):
            reached.setdefault(leaf.id, (score, source))
    return [
        Hit(passage_id=passage, rank=rank, score=score, source=source)
        for rank, (passage, (score, source)) in enumerate(reached.items(), 1)
    ]


def _look(tree: Tree, near: Sequence[Near], asked: str) -> Step:
    """Return the nodes that were found, and the summaries that they went into."""
    scores = dict(near)
    edges = [(parent, place) for place in scores for parent in tree.parents.get(place, ())]
    drawn = dict.fromkeys([*scores, *(parent for parent, _ in edges)])
    return look(
        "search.tree",
        [_node(tree, place, scores.get(place)) for place in drawn],
        [Edge(source=tree.id(parent), target=tree.id(place), label="sums up") for parent, place in edges],
        asked=asked,
    )


def _node(tree: Tree, place: int, score: float | None) -> Node:
    return Node(
        id=tree.id(place),
        kind="summary" if tree.summary(place) else "passage",
        label=" ".join(tree.text(place).split())[:_LABEL],
        score=score,
        passages=[leaf.id for leaf in tree.leaves(place)],
    )
