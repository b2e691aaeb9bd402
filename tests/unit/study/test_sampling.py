"""A sample of a dump's pages: all gold pages, and others by their lots, in whatever order and however often stopped."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue

from astrolabe.core.errors import ConfigError, UserError
from astrolabe.core.records import Document, Question
from astrolabe.documents import RecordFields
from astrolabe.study.ingesting import IngestResult, ingest
from astrolabe.study.progress import SILENT, Progress
from astrolabe.study.study import Study, new_study, open_study, save_benchmark
from tests.progresses import Heard, Stopping
from tests.wiki_dump import BAD_XML, WikiPage, write_dump

PAGES = [
    WikiPage("Bey", redirect="Queen B"),
    *(WikiPage(f"Page {n}", f"Text {n}.") for n in range(40)),
    WikiPage("Talk:Page 1", "Sign.", namespace=1),
    WikiPage("Page one", redirect="Page 1"),
    WikiPage("Beyonc\u00e9", "A singer."),
    WikiPage("Queen B", redirect="Beyonc\u00e9#Life"),
    WikiPage("AC/DC", "A band."),
]
GOLD: list[JsonValue] = [
    {"url": "https://wiki.example/wiki/Bey"},
    {"title": "AC/DC"},
    {"title": "Nowhere"},
]


def study_with(root: Path, *gold: JsonValue, seed: int | None = None) -> Study:
    study = new_study(root)
    if gold:
        save_benchmark(study, [Question(id="q", text="?", extra={"gold_pages": list(gold)})], [])
    return open_study(root, seed=seed)


def read(study: Study, *paths: Path, sample: int | None, progress: Progress = SILENT) -> IngestResult:
    return ingest(study, list(paths), progress, fields=RecordFields(), seconds_per_file=60.0, sample=sample)


def held(study: Study) -> dict[str, Document]:
    return {document.title: document for document in open_study(study.folder.root).documents}


def drawn(tmp_path: Path, name: str, pages: Sequence[WikiPage], sample: int, seed: int = 0) -> set[str]:
    study = study_with(tmp_path / name, *GOLD, seed=seed)
    read(study, write_dump(tmp_path / f"{name}.xml", pages), sample=sample)
    return set(held(study))


def test_gold_pages_are_kept_by_title_address_and_redirect_and_so_many_others(tmp_path: Path) -> None:
    study = study_with(tmp_path / "s", *GOLD, seed=7)

    result = read(study, write_dump(tmp_path / "d.xml", PAGES), sample=5)

    documents = held(study)
    gold = {title for title, one in documents.items() if _sample_of(one)["kept_as"] == "gold"}
    assert gold == {"Beyonc\u00e9", "AC/DC"}
    assert len(documents) == 2 + 5
    assert documents["Beyonc\u00e9"].extra["aliases"] == ["Bey", "Queen B"]
    assert result.sample is not None
    assert {**_sample_of(documents["AC/DC"])} == {
        "kept_as": "gold",
        "others": 5,
        "seed": 7,
        "key": result.sample.key,
    }
    (dump,) = result.dumps
    assert result.sample.missing == ["Nowhere"]
    assert (dump.pages, dump.not_drawn, dump.left_out) == ({"ok": 7}, 42 - 7, 1)


def _sample_of(document: Document) -> dict[str, JsonValue]:
    given = document.extra["sample"]
    assert isinstance(given, dict)
    return given


def test_the_order_of_the_pages_does_not_matter_and_a_larger_sample_holds_a_smaller_one(tmp_path: Path) -> None:
    shuffled = random.Random(3).sample(PAGES, len(PAGES))  # noqa: S311 - an order

    first = drawn(tmp_path, "one", PAGES, 6)

    assert drawn(tmp_path, "two", shuffled, 6) == first
    assert drawn(tmp_path, "three", PAGES, 12) > first
    assert drawn(tmp_path, "four", PAGES, 6, seed=1) != first
    assert drawn(tmp_path, "five", PAGES, 0) == {"Beyonc\u00e9", "AC/DC"}
    assert len(drawn(tmp_path, "six", PAGES, 1000)) == 42


def test_a_sample_is_of_all_dumps_together(tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    folder.mkdir()
    write_dump(folder / "a.xml.bz2", PAGES[:20])
    write_dump(folder / "b.xml.gz", [*PAGES[20:], PAGES[3]])
    study = study_with(tmp_path / "s", *GOLD, seed=0)

    read(study, folder, sample=6)

    assert {title for title, one in held(study).items() if one.status == "ok"} == drawn(tmp_path, "one", PAGES, 6)


def test_a_stopped_sample_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    pages = [WikiPage(f"Page {n}", f"Text {n}.") for n in range(200)]
    dump = write_dump(tmp_path / "d.xml", pages)
    whole, study = (study_with(tmp_path / name, seed=0) for name in ("whole", "stopped"))
    read(whole, dump, sample=80)

    with pytest.raises(KeyboardInterrupt):
        read(study, dump, sample=80, progress=Stopping(50))
    heard = Heard()
    read(study, dump, sample=80, progress=heard)

    assert study.folder.documents.read_bytes() == whole.folder.documents.read_bytes()
    assert len(heard.steps) == 80 - 32


def test_the_same_sample_is_not_read_again_and_another_one_replaces_it(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "d.xml", PAGES)
    study = study_with(tmp_path / "s", *GOLD, seed=0)
    read(study, dump, sample=3)

    again = read(study, dump, sample=3)
    larger = read(study, dump, sample=4)
    sizes = [len(held(study))]
    read(study, dump, sample=None)
    sizes.append(len(held(study)))
    save_benchmark(study, [Question(id="q", text="?", extra={"gold_pages": ["Page 1"]})], [])
    read(open_study(study.folder.root, seed=0), dump, sample=0)

    assert (again.dumps, again.unchanged_dumps) == ([], ["d.xml"])
    assert larger.dumps[0].pages == {"ok": 6}
    assert sizes == [6, 42]
    assert held(study)["Page 1"].extra["aliases"] == ["Page one"]
    assert len(held(study)) == 1


def test_what_was_written_down_of_another_sample_is_not_taken_over(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "d.xml", [WikiPage(f"Page {n}", f"Text {n}.") for n in range(100)])
    study = study_with(tmp_path / "s", seed=0)
    with pytest.raises(KeyboardInterrupt):
        read(study, dump, sample=90, progress=Stopping(70))

    result = read(study, dump, sample=5)

    assert result.dumps[0].pages == {"ok": 5}
    assert len(held(study)) == 5


def test_a_page_that_is_chosen_and_cannot_be_read_and_one_that_breaks_off_are_named(tmp_path: Path) -> None:
    pages = [*PAGES[:9], WikiPage("Bad XML", raw=BAD_XML), WikiPage("Torn", raw="  <page><title>Torn</title>\n")]
    study = study_with(tmp_path / "s", "Bad XML", seed=0)

    read(study, write_dump(tmp_path / "d.xml", [*pages, *PAGES[9:]]), sample=1)

    states = {title: one.status for title, one in held(study).items()}
    assert (states.pop("Bad XML"), states.pop("Torn")) == ("failed", "failed")
    assert [*states.values()] == ["ok"]


@pytest.mark.parametrize(
    ("sample", "name", "kind", "says"),
    [
        (-1, "d.xml", ConfigError, "sample -1: how many pages to keep beside the gold ones is a whole number"),
        (0, "d.xml", UserError, "a sample of 0 keeps gold pages alone, and the study's benchmark names none"),
        (5, "note.txt", UserError, "there is no dump to draw a sample from in '"),
    ],
)
def test_a_sample_that_makes_no_sense_is_an_error_and_nothing_is_written(
    tmp_path: Path, sample: int, name: str, kind: type[UserError], says: str
) -> None:
    write_dump(tmp_path / "d.xml", PAGES)
    (tmp_path / "note.txt").write_text("A note about tides.")
    study = study_with(tmp_path / "s", seed=0)

    with pytest.raises(kind, match=says):
        read(study, tmp_path / name, sample=sample)

    assert not study.folder.documents.exists()


def test_gold_places_and_passages_name_pages_where_a_question_names_no_others(tmp_path: Path) -> None:
    study = new_study(tmp_path / "s")
    extras: list[dict[str, JsonValue]] = [
        {"gold_places": [{"page": "Page 3", "section": None, "kind": None}]},
        {"gold_passages": [{"title": "Page 4", "text": "Text 4."}]},
        {"gold_pages": [{"document": "d-1"}]},
    ]
    save_benchmark(study, [Question(id=str(n), text="?", extra=extra) for n, extra in enumerate(extras)], [])

    read(study, write_dump(tmp_path / "d.xml", PAGES), sample=0)

    assert list(held(study)) == ["Page 3", "Page 4"]
