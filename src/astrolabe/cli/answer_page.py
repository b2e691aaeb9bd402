"""An answer in the terminal: the text, what it leans on, and how it was made."""

import textwrap
from typing import Final

from astrolabe.cli.talk import give, say
from astrolabe.core.plural import plural
from astrolabe.core.records import Passage
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
    cited = list(dict.fromkeys(passage for claim in answer.claims for passage in claim.passages))
    shown = cited or [hit.passage_id for hit in answer.contexts]
    numbers = {passage: number for number, passage in enumerate(shown, start=1)}
    if answer.claims:
        for claim in answer.claims:
            marks = "".join(f"[{numbers[passage]}]" for passage in claim.passages)
            give(_wrapped(f"{claim.text} {marks}", first="- "))
    elif answer.text:
        give(_wrapped(answer.text))
    if shown:
        give("\nEvidence")
    for passage in shown:
        give(_evidence(numbers[passage], result.passages[passage], result))
    give("")
    give(_how(result))


def _evidence(number: int, passage: Passage, result: AskResult) -> str:
    title = result.titles[passage.document_id]
    place = " > ".join((title, *(heading for heading in passage.section if heading != title)))
    quote = " ".join(line for line in passage.text.splitlines() if not line.startswith("#")).split()
    words = " ".join(quote)
    shown = words if len(words) <= QUOTE else f"{words[:QUOTE]}..."
    source = result.sources[passage.document_id]
    return f"[{number}] {_wrapped(place, first='    ').strip()} ({source})\n{_wrapped(shown, first='    ')}"


def _how(result: AskResult) -> str:
    answer = result.answer
    if not answer.text:
        how = "No answer was written."
    elif answer.method.startswith(Extractive.name):
        how = "Extractive: these are sentences of the documents, chosen without a language model."
    else:
        how = "Written by a language model; check it against the evidence."
    calls = answer.usage.calls
    cost = f"{calls} {plural(calls, 'call')} ({answer.usage.recorded} recorded)" if calls else "no calls"
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
