"""Questions with their gold: the own format, its checks, foreign formats, scopes and figures."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from astrolabe.benchmark.answers import read_answers
from astrolabe.benchmark.check import (
    check_answers,
    check_benchmark,
    check_comments,
    check_file,
    question_schema,
    read_benchmark,
)
from astrolabe.benchmark.imported import Imported, write_imported
from astrolabe.benchmark.importers.astra import import_astra
from astrolabe.benchmark.importers.fanoutqa import import_fanoutqa
from astrolabe.benchmark.importers.hotpotqa import import_hotpotqa
from astrolabe.benchmark.importers.monaco import import_monaco
from astrolabe.benchmark.importers.musique import import_musique
from astrolabe.benchmark.importers.plain import import_jsonl
from astrolabe.benchmark.importers.qampari import import_qampari
from astrolabe.benchmark.importers.qmsum import import_qmsum
from astrolabe.benchmark.importers.scholarqa import import_scholarqa
from astrolabe.benchmark.importers.squality import import_squality
from astrolabe.benchmark.importers.two_wiki import import_two_wiki
from astrolabe.benchmark.scopes import CLUSTER_SIZE, SCOPES, ScopedBenchmark, compute_scopes
from astrolabe.benchmark.stats import BenchmarkStats, KindStats, ScopeStats, benchmark_stats
from astrolabe.benchmark.topic_table import write_topic_table

IMPORTERS: Final[dict[str, Callable[[Path], Imported]]] = {
    "astra": import_astra,
    "scholarqa": import_scholarqa,
    "squality": import_squality,
    "qmsum": import_qmsum,
    "fanoutqa": import_fanoutqa,
    "monaco": import_monaco,
    "qampari": import_qampari,
    "hotpotqa": import_hotpotqa,
    "musique": import_musique,
    "2wiki": import_two_wiki,
    "jsonl": import_jsonl,
}
"""Format names, as `astrolabe import` takes them, and what reads each."""

__all__ = [
    "CLUSTER_SIZE",
    "IMPORTERS",
    "SCOPES",
    "BenchmarkStats",
    "Imported",
    "KindStats",
    "ScopeStats",
    "ScopedBenchmark",
    "benchmark_stats",
    "check_answers",
    "check_benchmark",
    "check_comments",
    "check_file",
    "compute_scopes",
    "import_astra",
    "import_fanoutqa",
    "import_hotpotqa",
    "import_jsonl",
    "import_monaco",
    "import_musique",
    "import_qampari",
    "import_qmsum",
    "import_scholarqa",
    "import_squality",
    "import_two_wiki",
    "question_schema",
    "read_answers",
    "read_benchmark",
    "write_imported",
    "write_topic_table",
]
