"""The searches over passages that a method can name as its retriever."""

from typing import Literal

from astrolabe.core.protocols import Index, IndexSpec
from astrolabe.parts.bm25 import BM25
from astrolabe.parts.dense import Dense
from astrolabe.parts.fuse import Fused

Retriever = Literal["dense", "bm25", "fused"]


def retriever_spec(retriever: Retriever, *, size: int, overlap: int) -> IndexSpec[Index]:
    """Return the index that a retriever's name stands for, over passages of `size` tokens."""
    kinds: dict[Retriever, type[Dense | BM25 | Fused]] = {"dense": Dense, "bm25": BM25, "fused": Fused}
    return kinds[retriever](size=size, overlap=overlap)
