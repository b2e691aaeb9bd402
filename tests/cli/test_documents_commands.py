"""`new`, `ingest`, `import`, `methods`, `metrics`, `plan`: from files to a study that can be run."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from astrolabe.core.records import Document, Question
from astrolabe.core.spelling import Spelled, parse_spelled
from astrolabe.methods import METHODS
from astrolabe.metrics import METRICS
from astrolabe.study.study import open_study, save_benchmark
from tests.commands import Command
from tests.servers import serving
from tests.small_study import TEXTS, model_at, questions, small_study, speaks
from tests.wiki_dump import write_dump


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder of four texts, one empty file and one copy."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, "utf-8")
    (folder / "zz-copy.txt").write_text(TEXTS["salt"], "utf-8")
    (folder / "zz-empty.txt").write_text("", "utf-8")
    return folder


@pytest.fixture
def root(command: Command, tmp_path: Path) -> Path:
    """A new study."""
    assert command("new", tmp_path / "s").code == 0
    return tmp_path / "s"


def test_new_makes_a_study_once_and_says_what_comes_next(command: Command, tmp_path: Path) -> None:
    first = command("new", tmp_path / "n")
    again = command("new", tmp_path / "n")
    as_json = command("new", tmp_path / "m", "--json")

    assert first.code == 0
    assert first.out == f"{tmp_path / 'n' / 'study.toml'}\n"
    assert "astrolabe ingest" in first.err
    assert (again.code, again.out) == (2, "")
    assert "exists already" in again.err
    assert json.loads(as_json.out)["study"] == str(tmp_path / "m")


def test_a_folder_that_cannot_be_made_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")

    ended = command("new", tmp_path / "file" / "s")

    assert (ended.code, ended.out) == (2, "")
    assert "cannot write" in ended.err


def test_ingest_says_what_became_of_every_file(command: Command, root: Path, files: Path) -> None:
    ended = command("ingest", files, "--study", root)

    assert ended.code == 1
    lines = ended.out.splitlines()
    assert len(lines) == 6
    assert sum(line.startswith("done") for line in lines) == 4
    assert any(line.startswith("duplicate") and "zz-copy.txt" in line for line in lines)
    assert any(line.startswith("empty") and "zz-empty.txt" in line for line in lines)
    assert "4 done, 1 empty, 0 failed, 1 duplicate" in ended.err


def test_duplicates_alone_are_all_done(command: Command, root: Path, files: Path) -> None:
    (files / "zz-empty.txt").unlink()

    assert command("ingest", files, "--study", root).code == 0


def test_ingest_with_json_prints_documents_without_their_text(command: Command, root: Path, files: Path) -> None:
    ended = command("ingest", files, "--study", root, "--json")

    read = [Document.model_validate_json(line) for line in ended.out.splitlines()]
    assert {document.text for document in read} == {""}
    assert len([document for document in open_study(root).documents if document.text]) >= 4


def test_ingest_again_reads_only_what_changed(command: Command, root: Path, files: Path) -> None:
    command("ingest", files, "--study", root)
    (files / "tides.txt").write_text("Tides also turn mills.", "utf-8")

    ended = command("ingest", files, "--study", root)

    assert "0 added, 1 replaced, 0 removed, 5 unchanged" in ended.err
    assert "Tides also turn mills." in {document.text for document in open_study(root).documents}


def test_nothing_usable_is_the_users_and_nothing_is_written(command: Command, root: Path, files: Path) -> None:
    ended = command("ingest", files / "zz-empty.txt", "--study", root)

    assert (ended.code, ended.out) == (2, "")
    assert "zz-empty.txt: empty" in ended.err
    assert not (root / "documents").exists()


def test_a_path_that_is_not_there_is_named_before_anything_is_read(command: Command, root: Path, files: Path) -> None:
    ended = command("ingest", files, files / "gone.pdf", "--study", root)

    assert (ended.code, ended.out) == (2, "")
    assert "gone.pdf" in ended.err
    assert not (root / "documents").exists()


def test_json_lines_are_read_by_the_fields_that_are_named(command: Command, root: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"body": "Salt pans dry sea water in the sun.", "name": "Salt"}\n', "utf-8")

    ended = command("ingest", path, "--text-field", "body", "--title-field", "name", "--study", root)

    assert ended.code == 0
    assert [document.title for document in open_study(root).documents] == ["Salt"]


def test_a_benchmark_and_its_documents_are_imported_and_can_be_run(
    command: Command, root: Path, files: Path, tmp_path: Path
) -> None:
    command("ingest", files, "--study", root)
    bench = tmp_path / "bench.jsonl"
    bare = [question.model_copy(update={"scopes": {}}) for question in questions()]
    bench.write_text("".join(f"{question.model_dump_json()}\n" for question in bare), "utf-8")

    ended = command("import", "jsonl", bench, "--embed", "hashed", "--study", root)
    ran = command("run", "--method", "extractive", "--embed", "hashed", "--study", root)

    assert ended.code == 0
    assert "4 questions" in ended.err
    assert ended.out.splitlines() == [
        str(root / "benchmark" / "questions.jsonl"),
        str(root / "benchmark" / "scopes.jsonl"),
    ]
    assert {"simple", "middle", "hard"} == {name for one in open_study(root).questions for name in one.scopes}
    assert ran.code == 0
    assert "12 ok" in ran.err


def test_an_import_whose_evidence_is_nowhere_is_refused(command: Command, root: Path, files: Path) -> None:
    command("ingest", files / "tides.txt", "--study", root)
    bench = files.parent / "bench.jsonl"
    bench.write_text("".join(f"{question.model_dump_json()}\n" for question in questions()), "utf-8")

    ended = command("import", "jsonl", bench, "--embed", "hashed", "--study", root)

    assert (ended.code, ended.out) == (2, "")
    assert "q-salt" in ended.err
    assert not (root / "benchmark").exists()


def test_scopes_that_questions_name_already_stay_the_studys_own(command: Command, tmp_path: Path) -> None:
    study = small_study(tmp_path / "s")
    bench = tmp_path / "bench.jsonl"
    bench.write_bytes(study.folder.questions.read_bytes())

    ended = command("import", "jsonl", bench, "--study", tmp_path / "s")
    ran = command("run", "--method", "extractive", "--scope", "simple", "--study", tmp_path / "s")

    assert ended.code == 0
    assert {"s-all", "s-salt"} <= set(open_study(tmp_path / "s").scopes)
    assert (ran.code, "4 ok" in ran.err) == (0, True)


def test_a_scope_that_is_nowhere_is_computed_anew(command: Command, tmp_path: Path) -> None:
    study = small_study(tmp_path / "s")
    bench = tmp_path / "bench.jsonl"
    bench.write_text(study.folder.questions.read_text("utf-8").replace("s-salt", "s-gone"), "utf-8")

    ended = command("import", "jsonl", bench, "--study", tmp_path / "s")
    ran = command("run", "--method", "extractive", "--scope", "simple", "--study", tmp_path / "s")

    assert (ended.code, ran.code) == (0, 0)
    assert "s-gone" not in {scope for one in open_study(tmp_path / "s").questions for scope in one.scopes.values()}


def test_import_to_a_folder_needs_no_study(command: Command, tmp_path: Path, shared: Path) -> None:
    ended = command("import", "scholarqa", shared / "scholarqa_cs", "--to", tmp_path / "plain", "--json")

    counts = json.loads(ended.out)
    assert ended.code == 0
    assert (counts["questions"], counts["answers"]) == (66, 264)
    assert all(Path(name).exists() for name in counts["written"])
    assert "topics: stands 2 times" in ended.err


def test_an_import_of_answers_makes_them_part_of_the_study(command: Command, root: Path, shared: Path) -> None:
    ended = command("import", "scholarqa", shared / "scholarqa_cs", "--embed", "hashed", "--study", root)

    states = json.loads(command("status", "--study", root, "--json").out)["answers"]
    assert ended.code == 0
    assert set(states) == {"claude", "gpt", "nora", "perplexity"}


def test_a_file_that_is_not_in_the_format_is_named(command: Command, root: Path, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n', "utf-8")

    ended = command("import", "jsonl", tmp_path / "x.jsonl", "--study", root)
    gone = command("import", "jsonl", tmp_path / "gone.jsonl", "--study", root)

    assert (ended.code, ended.out) == (2, "")
    assert "x.jsonl" in ended.err
    assert (gone.code, gone.out) == (2, "")


@pytest.mark.parametrize(("words", "known"), [("methods", METHODS), ("metrics", METRICS)])
def test_catalogues_print_every_entry_with_parameters_and_defaults(
    command: Command, words: str, known: dict[str, type]
) -> None:
    shown = command(words)
    entries = [json.loads(line) for line in command(words, "--json").out.splitlines()]

    assert [entry["name"] for entry in entries] == list(known)
    assert all(entry["about"] for entry in entries)
    assert all(name in shown.out for name in known)


@pytest.mark.parametrize(("words", "known"), [("methods", METHODS), ("metrics", METRICS)])
def test_what_the_catalogue_prints_can_be_typed(
    command: Command, words: str, known: Mapping[str, type[Spelled]]
) -> None:
    lines = command(words).out.splitlines()

    heads = [line for line in lines if line and not line.startswith(" ")]
    assert [parse_spelled(line, known, what=words) for line in heads] == [kind() for kind in known.values()]


def test_the_catalogue_of_methods_tells_sources_and_costs(command: Command) -> None:
    shown = command("methods").out

    assert "vanilla(retriever=dense, k=10, size=512, overlap=0)" in shown
    assert "paper: Lewis et al. 2020; run as in ASTRA-QA; index calls: 0; question calls: 1" in shown


def test_the_catalogue_of_metrics_tells_the_worst_and_the_best(command: Command) -> None:
    by_name = {entry["name"]: entry for entry in map(json.loads, command("metrics", "--json").out.splitlines())}

    assert (by_name["topics_local"]["worst"], by_name["topics_local"]["best"]) == (0, 1)
    assert (by_name["miss_cause"]["worst"], by_name["miss_cause"]["best"]) == (1, 0)


@pytest.mark.parametrize(
    "name",
    [
        "new",
        "ingest",
        "import",
        "check",
        "compare",
        "report",
        "status",
        "stats",
        "methods",
        "metrics",
        "models",
        "doctor",
    ],
)
def test_a_command_that_asks_no_model_has_an_empty_plan(command: Command, name: str) -> None:
    shown = command("plan", name, "whatever")
    as_json = command("plan", name, "--json")

    assert (shown.code, shown.out) == (0, "")
    assert f"{name} asks no model" in shown.err
    assert json.loads(as_json.out) == {"stages": []}


def test_a_plan_of_nothing_that_there_is_names_what_can_be_planned(command: Command) -> None:
    ended = command("plan", "walk")

    assert (ended.code, ended.out) == (2, "")
    assert "'walk'" in ended.err
    assert "run, score" in ended.err


def test_a_plan_takes_the_commands_own_arguments(command: Command, tmp_path: Path) -> None:
    small_study(tmp_path / "s")
    with serving(speaks()) as server:
        words = ("run", "--method", "vanilla", "--scope", "hard", "--answer", model_at(server.url))
        shown = command("plan", *words, "--study", tmp_path / "s", "--limit", "3")
        as_json = command("plan", *words, "--study", tmp_path / "s", "--json")

    assert shown.code == 0
    assert "answer.write" in shown.out
    (stage,) = json.loads(as_json.out)["stages"]
    assert stage["calls"] == 4
    assert set(stage) == {
        *("stage", "calls", "calls_low", "calls_high", "recorded"),
        *("prompt_tokens", "completion_tokens", "usd", "seconds"),
    }
    assert server.seen == []


def test_a_plan_of_scoring_takes_metric_and_judge(command: Command, tmp_path: Path) -> None:
    small_study(tmp_path / "s")
    command("run", "--method", "extractive", "--study", tmp_path / "s")
    words = ("plan", "score", "--metric", "topics", "--judge", model_at("http://127.0.0.1:9/v1"))

    shown = command(*words, "--study", tmp_path / "s")
    free = command("plan", "score", "--study", tmp_path / "s")

    assert "judge.topics" in shown.out
    assert "score asks no model" in free.err


def test_a_plan_with_a_wrong_option_is_refused_like_the_command(command: Command) -> None:
    ended = command("plan", "run", "--nonsense")

    assert (ended.code, ended.out) == (2, "")
    assert "--nonsense" in ended.err


def test_ingest_with_a_sample_says_what_was_drawn_and_what_is_not_in_it(command: Command, root: Path) -> None:
    dump = write_dump(root.parent / "d.xml")

    ended = command("ingest", dump, "--sample", "2", "--seed", "3", "--study", root)

    assert "the sample: 2 articles drawn with seed 3, no gold pages: the study's benchmark names none" in ended.err
    assert " articles not in the sample)" in ended.out
    assert len(open_study(root).documents) == 2


def test_gold_pages_that_no_dump_has_are_named_ten_of_them_at_most(command: Command, root: Path) -> None:
    dump = write_dump(root.parent / "d.xml")
    gold = ["Paris", *(f"Nowhere {n}" for n in range(13))]
    save_benchmark(open_study(root), [Question(id="q", text="?", extra={"gold_pages": [*gold]})], [])

    ended = command("ingest", dump, "--sample", "1", "--study", root)

    assert "1 article drawn with seed 1, and 1 of 14 gold pages; not in the dumps: 'Nowhere 0'" in ended.err
    assert "'Nowhere 9' and 3 more" in ended.err


@pytest.mark.parametrize(
    ("sample", "name", "says"),
    [("-1", "d.xml", "--sample"), ("x", "d.xml", "--sample"), ("0", "d.xml", "names none"), ("5", "n.txt", "no dump")],
)
def test_a_senseless_sample_ends_with_code_2_and_says_why(
    command: Command, root: Path, sample: str, name: str, says: str
) -> None:
    write_dump(root.parent / "d.xml")
    (root.parent / "n.txt").write_text("A note.")

    ended = command("ingest", root.parent / name, "--sample", sample, "--study", root)

    assert ended.code == 2
    assert says in ended.err
