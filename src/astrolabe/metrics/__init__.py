"""Answer -> Score, one file each; `METRICS` names them all."""

from typing import Final

from astrolabe.core.protocols import Metric
from astrolabe.metrics.agreement import MATCHED, agreement_note
from astrolabe.metrics.cost import Cost
from astrolabe.metrics.evidence_recall import EvidenceRecall
from astrolabe.metrics.miss_cause import MissCause
from astrolabe.metrics.set_f1 import SetF1
from astrolabe.metrics.set_f1_judged import SetF1Judged
from astrolabe.metrics.topics import Topics
from astrolabe.metrics.topics_astra import TopicsAstra
from astrolabe.metrics.topics_local import TopicsLocal

__all__ = ["MATCHED", "METRICS", "agreement_note"]

METRICS: Final[dict[str, type[Metric]]] = {
    Cost.name: Cost,
    EvidenceRecall.name: EvidenceRecall,
    MissCause.name: MissCause,
    SetF1.name: SetF1,
    SetF1Judged.name: SetF1Judged,
    Topics.name: Topics,
    TopicsAstra.name: TopicsAstra,
    TopicsLocal.name: TopicsLocal,
}
"""To add a metric: its file, its prompt files, one line here."""
