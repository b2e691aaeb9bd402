"""Searching for one question until most drawn answers agree on one, each time with other words."""

from dataclasses import dataclass

from astrolabe.core.errors import ModelError
from astrolabe.parts.pack import fit, material
from astrolabe.parts.sampled_answers import another_query, found_in, keywords
from astrolabe.parts.tree_answer import each_once
from astrolabe.parts.tree_gathering import Gathering
from astrolabe.parts.tree_node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedSearch(Gathering):
    """Gathering where a node's answer is the one that most draws find.

    Attributes:
        samples: Answers that are drawn a search.
        temperature: Of the draws.
        rounds: The most searches for a node.
    """

    samples: int
    temperature: float
    rounds: int

    async def look_up(self, node: Node) -> None:
        """Search with the question's words, then with others, until an answer is found; what fails ends it."""
        tried: list[str] = []
        query: str | None = keywords(node.question)
        try:
            while query and node.answer is None:
                tried.append(query)
                node.query = "; ".join(tried)
                with node.paying():
                    node.answer = await self._found(node, query)
                    more = node.answer is None and len(tried) < self.rounds
                    query = await another_query(node.question, tried, self.kit) if more else None
        except ModelError as error:
            node.fail(error)
            return
        node.status = "ok"
        if node.answer is None:
            node.status, node.why = "empty", "nothing that was found answers it"

    async def _found(self, node: Node, query: str) -> str | None:
        """Search once; what was found before stays with the node."""
        found = await self.index.search(query, k=self.k)
        shown = fit(found, self.kit)
        node.hits, node.shown = each_once([*node.hits, *found]), each_once([*node.shown, *shown])
        text = material(shown, self.kit)
        if not text.strip():
            return None
        return await found_in(
            text, node.question, self.kit, stage="answer.node", count=self.samples, temperature=self.temperature
        )
