"""The study's folder, its settings, its passages, and the kit over them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from astrolabe.core.errors import ConfigError, FileError, UserError
from astrolabe.core.protocols import Cut, Index, IndexSpec, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.bm25 import BM25
from astrolabe.parts.dense import Dense
from astrolabe.study.kit import Kits, ScopeKit
from astrolabe.study.passages import Shelf
from astrolabe.study.results import metric_of
from astrolabe.study.settings import AnswerSettings, read_settings, settings_template
from astrolabe.study.study import new_study, open_study, save_benchmark, save_documents
from tests.small_study import IDS, TEXTS, documents, questions, scopes, small_study
from tests.study_kits import bench, kit_of


def test_a_new_studys_settings_are_the_defaults_but_for_the_model(tmp_path: Path) -> None:
    settings = new_study(tmp_path / "s").settings

    defaults = read_settings(tmp_path / "gone.toml")
    assert settings.models.answer.startswith("embedded:")
    assert settings.model_copy(update={"models": defaults.models}) == defaults


def test_a_study_is_not_made_over_another(tmp_path: Path) -> None:
    new_study(tmp_path)

    with pytest.raises(UserError, match="exists already"):
        new_study(tmp_path)


def test_settings_that_are_no_toml_are_named(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text("[models\n", "utf-8")

    with pytest.raises(ConfigError, match="not readable as TOML"):
        read_settings(path)


def test_settings_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigError, match="not readable as TOML"):
        read_settings(path)


def test_every_wrong_setting_is_named_with_its_value(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        "seed = -1\n[limits]\nconcurrency = 0\nrequests_per_minute = nan\n[prices.x]\nprompt = 1\n", "utf-8"
    )

    with pytest.raises(ConfigError) as caught:
        read_settings(path)

    said = str(caught.value)
    assert "4 settings" in said
    for fault in ("seed = -1", "limits.concurrency = 0", "limits.requests_per_minute = nan", "prices.x.completion"):
        assert fault in said


def test_the_template_explains_every_part_of_the_settings() -> None:
    text = settings_template()

    assert all(f"{name}" in text for name in ("seed", "[models]", "[answers]", "[limits]", "[prices."))


def test_what_is_saved_is_what_is_read_next(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    assert (study.documents, study.questions, study.scopes) == ([], [], {})

    save_documents(study, documents())
    save_benchmark(study, questions(), scopes())

    assert study.documents == documents()
    assert study.questions == questions()
    assert list(study.scopes.values()) == scopes()
    assert open_study(tmp_path).fingerprint() == study.fingerprint()


def test_a_record_that_is_torn_in_the_middle_is_named_by_its_line(tmp_path: Path) -> None:
    study = small_study(tmp_path)
    lines = study.folder.documents.read_text("utf-8").splitlines()
    study.folder.documents.write_text("\n".join([lines[0], lines[1][:30], *lines[2:]]) + "\n", "utf-8")

    with pytest.raises(FileError, match=r"line 2"):
        _ = open_study(tmp_path).documents


def test_passages_are_cut_once_and_kept_for_the_next_process(tmp_path: Path) -> None:
    small_study(tmp_path)
    first = Shelf(documents(), tmp_path / "corpus").passages(Cut(size=20), list(IDS.values()))
    kept = tmp_path / "corpus" / "20-0" / "passages.jsonl"
    stamp = kept.stat().st_mtime_ns
    again = Shelf(documents(), tmp_path / "corpus")

    assert again.passages(Cut(size=20), list(IDS.values())) == first
    assert kept.stat().st_mtime_ns == stamp
    assert all(TEXTS["salt"][one.start : one.end] == one.text for one in again.passages(Cut(size=20), [IDS["salt"]]))


def test_passages_of_other_documents_are_cut_again(tmp_path: Path) -> None:
    Shelf(documents(), tmp_path).passages(Cut(size=20), list(IDS.values()))

    fewer = Shelf(documents()[:1], tmp_path).passages(Cut(size=20), list(IDS.values()))

    assert {passage.document_id for passage in fewer} == {IDS["tides"]}


def test_a_passage_of_an_earlier_command_is_found_by_its_id(tmp_path: Path) -> None:
    first, *_ = Shelf(documents(), tmp_path).passages(Cut(size=20), [IDS["salt"]])
    later = Shelf(documents(), tmp_path)

    assert later.read(first.id) == first
    assert later.find("p-gone") is None
    with pytest.raises(KeyError, match="p-gone"):
        later.read("p-gone")
    assert Shelf(documents()).find(first.id) is None


def test_passages_that_a_system_showed_are_kept_once(tmp_path: Path) -> None:
    shelf = Shelf(documents(), tmp_path)
    shown = Passage(id="p-x", document_id="", text="abc", start=0, end=3, tokens=1)
    shelf.add([shown])
    shelf.add([shown])

    assert Shelf(documents(), tmp_path).read("p-x") == shown
    assert len((tmp_path / "system" / "passages.jsonl").read_text("utf-8").splitlines()) == 1


async def test_a_kit_reads_its_scopes_passages_and_no_others(tmp_path: Path) -> None:
    shelf_bench = bench(small_study(tmp_path))
    everything = ScopeKit(bench=shelf_bench, documents=tuple(IDS.values()))
    salt = ScopeKit(bench=shelf_bench, documents=(IDS["salt"],))
    other = everything.passages(Cut())[0]

    assert [passage.document_id for passage in salt.passages(Cut())] == [IDS["salt"]]
    assert everything.read(other.id) == other
    with pytest.raises(KeyError):
        salt.read(other.id)


async def test_a_kit_says_how_long_answers_and_contexts_may_be(tmp_path: Path) -> None:
    kit = kit_of(small_study(tmp_path), answers=AnswerSettings(max_tokens=7, context_tokens=70))

    assert (kit.answer_tokens, kit.context_tokens, kit.scope) == (7, 70, "hard")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    """An index that counts how often it is built."""

    name: ClassVar[str] = "slow"
    prompts: ClassVar[tuple[str, ...]] = ()
    built: ClassVar[list[int]] = []

    @property
    def cut(self) -> Cut:
        return Cut()

    async def build(self, passages: Sequence[Passage], kit: Kit) -> str:  # noqa: ARG002 - it counts
        self.built.append(len(passages))
        await asyncio.sleep(0.05)
        return "an index"

    def save(self, index: str, folder: Path) -> None:
        (folder / "index").write_text(index, "utf-8")

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> str:  # noqa: ARG002 - it reads
        return (folder / "index").read_text("utf-8")


async def test_an_index_is_built_once_however_many_ask_for_it(tmp_path: Path) -> None:
    Slow.built.clear()
    kit = kit_of(small_study(tmp_path))
    async with asyncio.TaskGroup() as group:
        opened = [group.create_task(kit.open(Slow())) for _ in range(5)]

    assert {task.result() for task in opened} == {"an index"}
    assert Slow.built == [4]


async def test_who_gives_up_leaves_the_index_to_the_others(tmp_path: Path) -> None:
    Slow.built.clear()
    kit = kit_of(small_study(tmp_path))
    first = asyncio.create_task(kit.open(Slow()))
    second = asyncio.create_task(kit.open(Slow()))
    await asyncio.sleep(0.01)
    first.cancel()

    assert await second == "an index"
    assert Slow.built == [4]


async def test_a_kept_index_is_opened_by_the_next_process(tmp_path: Path) -> None:
    Slow.built.clear()
    study = small_study(tmp_path)
    for _ in range(2):
        await ScopeKit(bench=bench(study, kept=True), documents=tuple(IDS.values())).open(Slow())

    assert Slow.built == [4]
    assert not [path for path in (tmp_path / "indexes").iterdir() if path.name.startswith(".draft")]


async def test_two_processes_that_build_the_same_index_keep_one(tmp_path: Path) -> None:
    study = small_study(tmp_path)
    kits = [ScopeKit(bench=bench(study, kept=True), documents=tuple(IDS.values())) for _ in range(2)]
    async with asyncio.TaskGroup() as group:
        opened = [group.create_task(kit.open(Slow())) for kit in kits]

    assert [task.result() for task in opened] == ["an index", "an index"]
    assert len(list((tmp_path / "indexes").iterdir())) == 1


async def test_a_kept_index_answers_as_the_built_one(tmp_path: Path) -> None:
    study = small_study(tmp_path)
    found: list[list[str]] = []
    specs: list[IndexSpec[Index]] = [Dense(size=20), BM25(size=20)]
    for spec in [*specs, *specs]:
        index = await ScopeKit(bench=bench(study, kept=True), documents=tuple(IDS.values())).open(spec)
        found.append([hit.passage_id for hit in await index.search("salt pans in the sun", k=3)])

    assert found[:2] == found[2:]


def test_the_least_recently_used_kit_is_let_go(tmp_path: Path) -> None:
    kits = Kits(bench(small_study(tmp_path)))
    first = kits.of("a", ())
    second = kits.of("b", ())
    for number in range(62):
        kits.of(f"s-{number}", ())
    assert kits.of("a", ()) is first

    kits.of("one more", ())

    assert kits.of("a", ()) is first
    assert kits.of("b", ()) is not second


def test_scores_of_a_metric_that_is_gone_are_named() -> None:
    with pytest.raises(ConfigError, match="'faithful' come from a metric that is not here any more"):
        metric_of("faithful")
