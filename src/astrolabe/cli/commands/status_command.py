"""`astrolabe status`."""

from typing import TYPE_CHECKING

import click

from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import study_of
from astrolabe.cli.talk import Exit, give, give_object
from astrolabe.core.plural import plural
from astrolabe.study.status import study_status

if TYPE_CHECKING:
    from pydantic import JsonValue


@click.command("status")
@common_options
def command(common: Common) -> int:
    """Show what is done, failed and missing in the study."""
    status = study_status(study_of(common))
    if common.as_json:
        content: dict[str, JsonValue] = status.model_dump(mode="json")
        give_object(content)
        return Exit.DONE
    give(f"documents   {_counts(status.documents) or 'none; run: astrolabe ingest PATH...'}")
    give(f"questions   {_counts(status.questions) or 'none; run: astrolabe import FORMAT PATH'}")
    for one in status.indexes:
        calls = (
            f"{one.total.calls} {plural(one.total.calls, 'call')} ({one.total.recorded} recorded), {one.seconds:.0f} s"
        )
        over = f"{one.passages} {plural(one.passages, 'passage')}"
        give(f"index       {one.index} over {over}: {one.lacks() or 'whole'}; {calls}")
    for method, states in status.answers.items():
        asked = status.asked
        missing = max(0, asked - sum(states.values()))
        give(f"answers     {method}: {_counts(states)}{f', {missing} of {asked} missing' if missing else ''}")
    for metric, states in status.scores.items():
        give(f"scores      {metric}: {_counts(states)}")
    return Exit.DONE


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {state}" for state, number in counts.items())
