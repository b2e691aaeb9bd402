from pathlib import Path

import pytest

from astrolabe.benchmark import Imported
from astrolabe.core.errors import FileError, Problem, UserError
from astrolabe.core.records import Answer, Comment, Label
from astrolabe.study.answers import all_answers, load_answers
from astrolabe.study.importing import take_imported
from astrolabe.study.models import Asking
from astrolabe.study.study import Study, new_study, open_study
from tests.small_study import documents, questions

HASHED = Asking(embed="hashed")
ANSWERS = tuple(Answer(question_id=one.id, method="theirs", text="Salt.") for one in questions())
LABEL = Label(question_id="q-salt", method="theirs", rater="r", scale="0-1", value=1)
COMMENT = Comment(id="c", author_label="reader", type="review", text="Salty.", source="x")
BARE = tuple(question.model_copy(update={"scopes": {}}) for question in questions())


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """An empty study."""
    return new_study(tmp_path)


async def test_everything_that_an_import_brings_is_written(study: Study) -> None:
    imported = Imported(
        questions=BARE, documents=tuple(documents()), answers=ANSWERS, labels=(LABEL,), comments=(COMMENT,)
    )

    taken = await take_imported(study, imported, HASHED)

    assert [path.name for path in taken.written] == [
        *("documents.jsonl", "questions.jsonl", "scopes.jsonl", "theirs.jsonl", "labels.jsonl", "comments.jsonl"),
    ]
    assert all(path.exists() for path in taken.written)
    again = open_study(study.folder.root)
    assert len(again.documents) == len(again.questions) == 4
    assert set(all_answers(again)) == {"theirs"}


async def test_the_same_import_twice_changes_nothing(study: Study) -> None:
    imported = Imported(questions=BARE, documents=tuple(documents()), answers=ANSWERS)
    first = await take_imported(study, imported, HASHED)
    before = [path.read_bytes() for path in first.written]

    await take_imported(open_study(study.folder.root), imported, HASHED)

    assert [path.read_bytes() for path in first.written] == before


async def test_an_answer_that_changed_replaces_the_one_before(study: Study) -> None:
    await take_imported(study, Imported(questions=BARE, documents=tuple(documents()), answers=ANSWERS), HASHED)
    other = ANSWERS[0].model_copy(update={"text": "Pepper."})
    await take_imported(study, Imported(answers=(other,)), HASHED)

    assert sorted(answer.text for answer in load_answers(study, "theirs").values()) == ["Pepper.", *["Salt."] * 3]


async def test_an_import_with_errors_writes_nothing(study: Study) -> None:
    fault = Problem(line=3, field="topics", value="x", problem="is wrong", fix="Mend it", file="b.jsonl")

    with pytest.raises(FileError, match="is wrong"):
        await take_imported(study, Imported(questions=BARE, documents=tuple(documents()), problems=(fault,)), HASHED)

    assert not study.folder.documents.exists()


async def test_evidence_that_is_nowhere_is_named(study: Study) -> None:
    with pytest.raises(UserError, match="q-"):
        await take_imported(study, Imported(questions=BARE, documents=tuple(documents()[:1])), HASHED)

    assert not study.folder.questions.exists()
