"""The named state of a question over a scope in which nothing was found to make a graph of."""

from collections.abc import Sequence

from astrolabe.core.records import Answer, Passage, Question
from astrolabe.parts.look import look, numbered
from astrolabe.parts.pack import no_context


def no_graph(question: Question, passages: Sequence[Passage]) -> Answer:
    """Return the answer where a scope's graph has no entity: it has no passage, or nothing was found in any."""
    if not passages:
        return no_context(question, [])
    reason = f"no graph: the extraction found nothing in {len(passages)} of {len(passages)} passages"
    trace = numbered([look("search.entities", [], reason=reason, asked=question.text)])
    return Answer(question_id=question.id, trace=trace, status="empty", reason=reason)
