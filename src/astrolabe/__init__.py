"""Astrolabe: answers hard questions about a set of documents and proves how good the answers are.

Importing it loads nothing else; each name below is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from astrolabe.core.errors import AstrolabeError, ConfigError, FileError, Stopped, UserError
    from astrolabe.core.records import Answer, Comparison, Document, Estimate, Question, Score, Span, Topic
    from astrolabe.methods import METHODS
    from astrolabe.metrics import METRICS
    from astrolabe.study.api import (
        compare_study,
        import_benchmark,
        ingest,
        new_study,
        open_study,
        plan_run,
        plan_score,
        run,
        score,
        score_answers,
        study_status,
        take_benchmark,
        write_report,
    )
    from astrolabe.study.calls import export_calls, import_calls
    from astrolabe.study.study import Study
    from astrolabe.study.sync import (
        ask_sync,
        compare_study_sync,
        export_calls_sync,
        import_benchmark_sync,
        import_calls_sync,
        ingest_sync,
        new_study_sync,
        open_study_sync,
        plan_run_sync,
        plan_score_sync,
        quickstart_sync,
        run_sync,
        score_answers_sync,
        score_sync,
        study_status_sync,
        take_benchmark_sync,
        write_report_sync,
    )
    from astrolabe.study.whole_jobs import ask, quickstart

__version__ = "0.1.0"

__all__ = [
    "METHODS",
    "METRICS",
    "Answer",
    "AstrolabeError",
    "Comparison",
    "ConfigError",
    "Document",
    "Estimate",
    "FileError",
    "Question",
    "Score",
    "Span",
    "Stopped",
    "Study",
    "Topic",
    "UserError",
    "ask",
    "ask_sync",
    "compare_study",
    "compare_study_sync",
    "export_calls",
    "export_calls_sync",
    "import_benchmark",
    "import_benchmark_sync",
    "import_calls",
    "import_calls_sync",
    "ingest",
    "ingest_sync",
    "new_study",
    "new_study_sync",
    "open_study",
    "open_study_sync",
    "plan_run",
    "plan_run_sync",
    "plan_score",
    "plan_score_sync",
    "quickstart",
    "quickstart_sync",
    "run",
    "run_sync",
    "score",
    "score_answers",
    "score_answers_sync",
    "score_sync",
    "study_status",
    "study_status_sync",
    "take_benchmark",
    "take_benchmark_sync",
    "write_report",
    "write_report_sync",
]

_HOMES = {
    "METHODS": "methods",
    "METRICS": "metrics",
    "Study": "study.study",
    "ask": "study.whole_jobs",
    "export_calls": "study.calls",
    "import_calls": "study.calls",
    "quickstart": "study.whole_jobs",
    **dict.fromkeys(("AstrolabeError", "ConfigError", "FileError", "Stopped", "UserError"), "core.errors"),
    **dict.fromkeys(
        ("Answer", "Comparison", "Document", "Estimate", "Question", "Score", "Span", "Topic"), "core.records"
    ),
}

if not TYPE_CHECKING:  # a checker that sees this function takes every misspelled name for granted

    def __getattr__(name: str) -> object:
        if name not in __all__:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        home = _HOMES.get(name, "study.sync" if name.endswith("_sync") else "study.api")
        found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
        return found


def __dir__() -> list[str]:
    return [*globals(), *__all__]
