"""`astrolabe score`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from astrolabe.cli.drawing import TerminalProgress
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.result_page import print_results
from astrolabe.cli.session import asking_of, embed_option, judge_option, run_loop, split_names, study_of
from astrolabe.cli.talk import Exit, give, give_records, say
from astrolabe.core.errors import ConfigError
from astrolabe.core.records import Score
from astrolabe.study.loose import score_file
from astrolabe.study.reporting import Surroundings, material_of
from astrolabe.study.study_scores import score_and_show

_GAPS_SHOWN: Final = 20


@click.command("score")
@click.argument("answers", required=False, type=click.Path(path_type=Path))
@click.option(
    "--metric",
    "metrics",
    metavar="SPEC",
    multiple=True,
    help="A metric; repeat. Default: topics_local; set_f1 for questions that have gold answers and no topics.",
)
@click.option(
    "--benchmark",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The questions of an ANSWERS file; no study is needed.",
)
@click.option(
    "--method", "methods", metavar="SPEC", multiple=True, help="In a study: only these methods' answers; repeat."
)
@judge_option
@embed_option
@common_options
def command(
    common: Common,
    *,
    answers: Path | None,
    metrics: tuple[str, ...],
    benchmark: Path | None,
    methods: tuple[str, ...],
    judge: str | None,
    embed: str | None,
) -> int:
    """Score the study's answers, or those of the file ANSWERS against --benchmark.

    The smallest line of ANSWERS is {"question_id": "...", "text": "..."}; a CSV file with the same columns works
    too. Neither default metric needs a judge, a key or a network: topics_local matches topics by a calibrated
    matcher, set_f1 the items of a list by their names.
    """
    files = files_of({"answers": answers, "benchmark": benchmark})
    asking = asking_of(common, judge=judge, embed=embed)
    names = split_names(metrics)
    with TerminalProgress() as progress:
        if files is not None:
            shown = run_loop(score_file(*files, names, asking, progress=progress, seed=common.seed, limit=common.limit))
        else:
            own = split_names(methods)
            shown = run_loop(score_and_show(study_of(common), names, asking, progress, methods=own, limit=common.limit))
    if common.as_json:
        give_records(shown.results.scores)
    elif shown.results.scores:
        around = Surroundings(title="", study=None if answers else study_of(common))
        print_results(material_of(shown, around))
        for path in shown.written:
            give(str(path))
    _say_gaps(shown.results.scores)
    if shown.stopped:
        say(f"stopped: {shown.stopped}; the same command goes on from here")
        return Exit.STOPPED
    return Exit.GAPS if any(score.status == "unscored" for score in shown.results.scores) else Exit.DONE


def files_of(given: Mapping[str, Any]) -> tuple[Path, Path] | None:
    """Return the files of answers and questions that the options name; null inside a study.

    Raises:
        ConfigError: They name one of the two.
    """
    if (given["answers"] is None) != (given["benchmark"] is None):
        raise ConfigError("ANSWERS and --benchmark FILE go together; inside a study leave both out")
    return None if given["answers"] is None else (given["answers"], given["benchmark"])


def _say_gaps(scores: Sequence[Score]) -> None:
    gaps = [score for score in scores if score.status == "unscored"]
    for score in gaps[:_GAPS_SHOWN]:
        place = f"{score.method}, {score.scope}" if score.scope else score.method
        say(f"unscored: {score.metric}, {place}, {score.question_id}: {score.reason}")
    if len(gaps) > _GAPS_SHOWN:
        say(f"... and {len(gaps) - _GAPS_SHOWN} more unscored; --json prints all")
