import re
from dataclasses import dataclass
from typing import ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ConfigError
from astrolabe.core.spelling import Scalar, Spelled, parse_spelled, slug, spell, spell_defaults
from astrolabe.methods import METHODS
from astrolabe.metrics import METRICS


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    name: ClassVar[str] = "toy"

    k: int = 10
    share: float = 0.5
    deep: bool = False
    retriever: Literal["dense", "bm25"] = "dense"
    note: str = ""


TOYS = {"toy": Toy}


def test_a_name_leaves_out_what_is_at_its_default() -> None:
    assert spell(Toy()) == "toy"
    assert spell(Toy(k=3, retriever="bm25")) == "toy(k=3, retriever=bm25)"


@given(
    st.builds(
        Toy,
        k=st.integers(-5, 500),
        share=st.floats(0, 1),
        deep=st.booleans(),
        retriever=st.sampled_from(["dense", "bm25"]),
        note=st.one_of(st.text(max_size=20), st.sampled_from(["true", "false", "if", "none", "None", "in", "a, b"])),
    )
)
def test_a_spelled_name_parses_back_to_the_same_object(toy: Toy) -> None:
    assert parse_spelled(spell(toy), TOYS, what="toy") == toy


@pytest.mark.parametrize("kind", [*METHODS.values(), *METRICS.values()])
def test_a_name_with_all_its_defaults_parses_to_the_defaults(kind: type[Spelled]) -> None:
    written_out = spell_defaults(kind)

    assert parse_spelled(written_out, {kind.name: kind}, what="method") == kind()
    assert not re.search(r"=(True|False|None)\b", written_out)


def test_a_value_of_the_wrong_type_is_told_as_it_was_typed() -> None:
    with pytest.raises(ConfigError, match=r"'toy\(retriever=true\)': retriever=true: "):
        parse_spelled("toy(retriever=true)", TOYS, what="method")


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(ConfigError, match=r"no method 'zebra'; choose one of toy"):
        parse_spelled("zebra", TOYS, what="method")


def test_an_unknown_name_that_is_nearly_known_names_what_was_probably_meant() -> None:
    with pytest.raises(ConfigError, match=r"no method 'toi'; did you mean toy\? Else choose one of toy"):
        parse_spelled("toi", TOYS, what="method")


def test_an_unknown_parameter_lists_what_there_is() -> None:
    with pytest.raises(ConfigError, match=r"toy has no parameter 'kk'; it has k, share, deep, retriever, note"):
        parse_spelled("toy(kk=3)", TOYS, what="method")


@pytest.mark.parametrize("text", ["toy(k='three')", "toy(retriever=sparse)", "toy(share=dense)", "toy(deep=3)"])
def test_a_value_of_the_wrong_type_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=text.partition("(")[2].partition("=")[0]):
        parse_spelled(text, TOYS, what="method")


@pytest.mark.parametrize(
    "text", ["toy(3)", "toy(k=3", "toy(k=__import__('os'))", "toy(**x)", "toy.k", "1", "", "toy(k=-'3')"]
)
def test_what_is_no_name_with_parameters_is_refused_and_never_run(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a spelled method"):
        parse_spelled(text, TOYS, what="method")


@pytest.mark.parametrize(
    "name", ["../../evil", "..\\evil", "/abs", "a/../../b", "con", "nul", "x\0", "a" * 300, ".", "", "é"]
)
def test_a_slug_is_a_safe_file_name(name: str) -> None:
    made = slug(name)

    assert 0 < len(made) <= 80
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")
    assert made not in {"con", "nul"}


@given(st.text(), st.text())
def test_different_texts_have_different_slugs(one: str, two: str) -> None:
    assert (slug(one) == slug(two)) == (one == two)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    name: ClassVar[str] = "preset"
    presets: ClassVar[dict[str, dict[str, Scalar]]] = {"published": {"k": 5, "size": 100, "mode": "old"}}

    k: int = 20
    size: int = 1200
    mode: str = "new"
    overlap: int = 0


REGISTRY = {"preset": Preset}


@pytest.mark.parametrize(
    ("written", "fields"),
    [
        ("preset", (20, 1200, "new", 0)),
        ("preset(k=3)", (3, 1200, "new", 0)),
        ("preset@published", (5, 100, "old", 0)),
        ("preset@published(k=3)", (3, 100, "old", 0)),
        ("preset@published(overlap=7)", (5, 100, "old", 7)),
    ],
)
def test_a_preset_is_a_table_of_parameters_and_each_can_still_be_set(
    written: str, fields: tuple[int, int, str, int]
) -> None:
    parsed = parse_spelled(written, REGISTRY, what="method")

    assert (parsed.k, parsed.size, parsed.mode, parsed.overlap) == fields
    assert spell(parsed) == written


def test_the_common_preset_is_the_default() -> None:
    assert parse_spelled("preset@common(k=3)", REGISTRY, what="method") == Preset(k=3)


def test_a_preset_is_named_however_its_parameters_were_given() -> None:
    assert spell(Preset(k=5, size=100, mode="old")) == "preset@published"


def test_a_preset_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(ConfigError, match="no preset 'fast'; choose one of common, published"):
        parse_spelled("preset@fast", REGISTRY, what="method")


@pytest.mark.parametrize("written", ["preset@", "@published", "preset@1", "preset@published@x", "(preset)@(a.b)"])
def test_what_spells_no_preset_is_refused(written: str) -> None:
    with pytest.raises(ConfigError, match="is not a spelled method"):
        parse_spelled(written, REGISTRY, what="method")
