"""`astrolabe stats`."""

import dataclasses
from pathlib import Path

import click

from astrolabe.benchmark import benchmark_stats, read_benchmark
from astrolabe.cli.drawing import print_rows
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import study_of
from astrolabe.cli.talk import Exit, give, give_object


@click.command("stats")
@click.argument("benchmark", required=False, type=click.Path(path_type=Path))
@common_options
def command(common: Common, *, benchmark: Path | None) -> int:
    """Show what a benchmark holds: the study's, or that of the file BENCHMARK."""
    if benchmark is not None:
        stats = benchmark_stats(read_benchmark(benchmark), [], [])
    else:
        study = study_of(common)
        stats = benchmark_stats(study.need_questions(), study.documents, list(study.scopes.values()))
    if common.as_json:
        give_object(dataclasses.asdict(stats))
        return Exit.DONE
    print_rows(
        ("kind", "questions", "topics", "a question", "H topics", "with H", "evidence documents", "a question"),
        [
            (
                row.kind or "all",
                row.questions,
                row.topics,
                row.topics_mean,
                row.hallucinations,
                row.questions_with_hallucinations,
                row.evidence_documents,
                row.evidence_documents_mean,
            )
            for row in (*stats.kinds, stats.total)
        ],
    )
    if stats.scopes:
        give("")
        print_rows(
            ("scope", "different", "questions", "documents each", "tokens each"),
            [
                (scope.name, scope.scopes, scope.questions, scope.documents_mean, scope.tokens_mean)
                for scope in stats.scopes
            ],
        )
    return Exit.DONE
