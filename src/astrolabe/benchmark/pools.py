"""Questions that come with paragraphs: each paragraph a document, and three scopes that say which are searched."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from astrolabe.benchmark.gold import first_line, imported_document
from astrolabe.benchmark.gold_rules import keep_first
from astrolabe.benchmark.imported import Imported
from astrolabe.core.errors import Problem
from astrolabe.core.ids import content_id
from astrolabe.core.records import Document, Extra, Question, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph that a question comes with; `is_gold` where its answer rests on it."""

    title: str
    text: str
    is_gold: bool
    extra: Extra


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """A question with its gold items and the paragraphs that it comes with; `line` is where it stands."""

    line: int
    id: str
    text: str
    answers: tuple[tuple[str, ...], ...]
    paragraphs: Sequence[Paragraph]
    extra: Extra


def pooled(posed: Sequence[Posed], source: str, problems: Iterable[Problem] = ()) -> Imported:
    """Return the questions with their documents and scopes.

    Every paragraph becomes a document `# title` and text, each once; the gold ones are the question's evidence. Scope
    `simple` holds those, `middle` all paragraphs of the question, `hard` those of all questions.

    Args:
        posed: The questions; one that stands twice with the same content counts once.
        source: The format's name, the first part of the documents' `source`.
        problems: What was found wrong while reading, without line or file.
    """
    numbered = [(one.line, _question(one, source)) for one in posed]
    unique = keep_first(numbered, key=lambda question: question.id, content=lambda question: question, field="id")
    given: dict[str, list[str]] = {}
    made: dict[str, Document] = {}
    for one in posed:
        documents = [_document(paragraph, source) for paragraph in one.paragraphs]
        given.setdefault(one.id, [document.id for document in documents])
        made |= {document.id: document for document in documents}
    hard = scope_of("hard", made)
    scopes = {hard.id: hard}
    questions: list[Question] = []
    for _, question in unique.records:
        own = (scope_of("simple", question.evidence), scope_of("middle", given[question.id]), hard)
        scopes |= {scope.id: scope for scope in own if scope.documents}
        named = {scope.name: scope.id for scope in own if scope.documents}
        questions.append(question.model_copy(update={"scopes": named}))
    return Imported(
        questions=tuple(questions),
        documents=tuple(made.values()),
        scopes=tuple(scopes.values()) if made else (),
        problems=(*problems, *unique.problems),
    )


def scope_of(name: str, documents: Iterable[str]) -> Scope:
    """Return the scope of this name with these documents, under the id that its content gives it."""
    held = tuple(sorted(set(documents)))
    return Scope(id=content_id("s", name, *held), name=name, kind="set", documents=held)


def paragraph_text(title: str, text: str) -> str:
    """Return a paragraph as a document holds it: its title as a heading above it."""
    return f"# {title.strip()}\n\n{text.strip()}" if title.strip() else text.strip()


def joined(sentences: Sequence[str]) -> str:
    """Return sentences as one text, a space between two where neither brings one.

    Examples:
        >>> joined(["One.", " Two.", "Three."])
        'One. Two. Three.'
    """
    text = ""
    for sentence in sentences:
        apart = not text or text[-1].isspace() or sentence[:1].isspace()
        text += sentence if apart else f" {sentence}"
    return text


def _document(paragraph: Paragraph, source: str) -> Document:
    title = paragraph.title.strip() or first_line(paragraph.text)
    text = paragraph_text(paragraph.title, paragraph.text)
    return imported_document(text, title=title, source=f"{source}/{title}", extra=paragraph.extra)


def _question(one: Posed, source: str) -> Question:
    gold = (_document(paragraph, source).id for paragraph in one.paragraphs if paragraph.is_gold)
    return Question(
        id=one.id,
        text=one.text,
        kind="set",
        evidence=tuple(dict.fromkeys(gold)),
        answers=one.answers,
        extra=one.extra,
    )
