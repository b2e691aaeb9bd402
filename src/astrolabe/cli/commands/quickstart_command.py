"""`astrolabe quickstart`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from astrolabe.cli.drawing import TerminalProgress
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.result_page import print_results
from astrolabe.cli.session import answer_option, asking_of, embed_option, run_loop
from astrolabe.cli.talk import Exit, give, give_object, say
from astrolabe.core.plural import plural
from astrolabe.report import main_table
from astrolabe.study.answers import count_states
from astrolabe.study.quickstart import quickstart
from astrolabe.study.reporting import Surroundings, material_of
from astrolabe.study.study import open_study

if TYPE_CHECKING:
    from pydantic import JsonValue


@click.command("quickstart")
@click.argument("folder", metavar="[DIR]", default="astrolabe-quickstart", type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Let the methods that ask a model answer every question.")
@answer_option
@embed_option
@common_options
def command(common: Common, *, folder: Path, everything: bool, answer: str | None, embed: str | None) -> int:
    """Do the main job on bundled real documents, in the folder DIR: no key, no network.

    Ingest, answer in three scopes, score without a judge, compare, report. Run it again: what is recorded is
    not asked again.
    """
    asking = asking_of(common, answer=answer, embed=embed)
    with TerminalProgress() as progress:
        result = run_loop(
            quickstart(folder, asking, progress, everything=everything, seed=common.seed, limit=common.limit)
        )
    shown = result.shown
    material = material_of(shown, Surroundings(title="", study=open_study(folder)))
    states = count_states([answered for run in result.runs for answered in run.answers])
    if common.as_json:
        table = main_table(material)
        rows: list[JsonValue] = [dict(zip(table.header, row, strict=True)) for row in table.texts]
        counts: dict[str, JsonValue] = {str(state): number for state, number in states.items()}
        give_object(
            {
                "table": rows,
                "report": str(result.report),
                "calls": result.calls,
                "seconds": round(result.seconds, 3),
                "counts": counts,
            }
        )
    else:
        print_results(material)
        total = sum(states.values())
        say(
            f"{total} {plural(total, 'answer')} "
            f"({', '.join(f'{number} {state}' for state, number in states.items())}), "
            f"{result.calls} {plural(result.calls, 'call')} to a model, "
            f"{result.recorded} from the record, {result.seconds:.0f} s"
        )
        give(str(result.report))
    if shown.stopped:
        say(f"stopped: {shown.stopped}; the same command goes on from here")
        return Exit.STOPPED
    return Exit.GAPS if set(states) - {"ok"} else Exit.DONE
