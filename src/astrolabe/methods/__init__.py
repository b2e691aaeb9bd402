"""Ways to answer a question, a file a paper; `METHODS` names them all."""

from typing import Final

from astrolabe.core.protocols import Method
from astrolabe.methods.apt import APT
from astrolabe.methods.archrag import ArchRAG
from astrolabe.methods.extractive import Extractive
from astrolabe.methods.graphrag import GraphRAGGlobal, GraphRAGLocal
from astrolabe.methods.hipporag import HippoRAG, HippoRAG2
from astrolabe.methods.hirag import HiRAG
from astrolabe.methods.ketrag import KETRAG
from astrolabe.methods.lightrag import LightRAGHigh, LightRAGHybrid, LightRAGLow
from astrolabe.methods.llm_only import LLMOnly
from astrolabe.methods.logicrag import LogicRAG
from astrolabe.methods.planrag import PlanRAG
from astrolabe.methods.raptor import Raptor
from astrolabe.methods.rtrag import RTRAG
from astrolabe.methods.tree_of_question import TreeOfQuestion
from astrolabe.methods.vanilla import Vanilla

METHODS: Final[dict[str, type[Method]]] = {
    APT.name: APT,
    ArchRAG.name: ArchRAG,
    Extractive.name: Extractive,
    GraphRAGGlobal.name: GraphRAGGlobal,
    GraphRAGLocal.name: GraphRAGLocal,
    HippoRAG.name: HippoRAG,
    HippoRAG2.name: HippoRAG2,
    HiRAG.name: HiRAG,
    KETRAG.name: KETRAG,
    LightRAGHigh.name: LightRAGHigh,
    LightRAGHybrid.name: LightRAGHybrid,
    LightRAGLow.name: LightRAGLow,
    LLMOnly.name: LLMOnly,
    LogicRAG.name: LogicRAG,
    PlanRAG.name: PlanRAG,
    Raptor.name: Raptor,
    RTRAG.name: RTRAG,
    TreeOfQuestion.name: TreeOfQuestion,
    Vanilla.name: Vanilla,
}
"""To add a method: its file, its prompt files, one line here, one trace test."""
