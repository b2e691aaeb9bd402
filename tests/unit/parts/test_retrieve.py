import pytest

from astrolabe.core.errors import ConfigError
from astrolabe.core.spelling import spell
from astrolabe.parts.retrieve import Retriever, retriever_spec


@pytest.mark.parametrize("name", ["dense", "bm25", "fused"])
def test_a_retrievers_name_is_its_indexs(name: Retriever) -> None:
    assert spell(retriever_spec(name, size=512, overlap=0)) == name
    assert spell(retriever_spec(name, size=256, overlap=32)) == f"{name}(size=256, overlap=32)"


def test_a_cut_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(ConfigError, match="overlap"):
        retriever_spec("dense", size=10, overlap=10)
