"""An answer in the terminal: the text, what it leans on, and how it was made."""

import textwrap
from typing import Final

from astrolabe.cli.talk import give, say
from astrolabe.methods.extractive import Extractive
from astrolabe.study.asking import AskResult

WIDTH: Final = 96
QUOTE: Final = 280


def print_answer(result: AskResult) -> None:
    """Print an answer with numbered evidence; a failed one with its state and reason."""
    answer = result.answer
    for banner in result.banners:
        say(f"note: {banner}")
    if answer.status != "ok":
        say(f"{answer.status}: {answer.reason}")
    numbers = {hit.passage_id: number for number, hit in enumerate(answer.contexts, start=1)}
    if answer.claims:
        for claim in answer.claims:
            marks = "".join(f"[{numbers[passage]}]" for passage in claim.passages if passage in numbers)
            give(_wrapped(f"{claim.text} {marks}", first="- "))
    elif answer.text:
        give(_wrapped(answer.text))
    used = {passage for claim in answer.claims for passage in claim.passages}
    shown = [hit for hit in answer.contexts if hit.passage_id in used or not used]
    if shown:
        give("\nEvidence")
    for hit in shown:
        passage = result.passages[hit.passage_id]
        place = " > ".join((result.titles[passage.document_id], *passage.section[-2:]))
        give(f"[{numbers[hit.passage_id]}] {place}  ({result.sources[passage.document_id]})")
        quote = " ".join(passage.text.split())
        give(_wrapped(quote if len(quote) <= QUOTE else f"{quote[:QUOTE]}...", first="    "))
    give("")
    give(_how(result))


def _how(result: AskResult) -> str:
    answer = result.answer
    if answer.method.startswith(Extractive.name):
        how = "Extractive: these are sentences of the documents, chosen without a language model."
    else:
        how = "Written by a language model; check it against the evidence."
    calls = answer.usage.calls
    cost = f"{calls} call{'s' * (calls != 1)} ({answer.usage.recorded} recorded)" if calls else "no calls"
    return f"{how}  Method: {answer.method}, {cost}, {answer.duration_seconds:.1f} s."


def _wrapped(text: str, *, first: str = "") -> str:
    return "\n".join(
        textwrap.fill(
            line,
            WIDTH,
            initial_indent=first,
            subsequent_indent=" " * len(first),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )
