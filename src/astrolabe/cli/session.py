"""From the options of a command to what the study needs."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import click

from astrolabe.cli.options import Common
from astrolabe.study.models import Asking, asking_with
from astrolabe.study.study import Study, open_study

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine on the one loop of this process; Ctrl-C cancels it cleanly."""
    return asyncio.run(work)


def asking_of(common: Common, **spelled: str | None) -> Asking:
    """Return how models are asked: the options, and the spelled models that replace those of the settings."""
    return asking_with(calls=common.calls, budget=common.budget, **spelled)


def study_of(common: Common) -> Study:
    """Return the study that the options name, with the seed that they may replace."""
    return open_study(common.study, seed=common.seed)


def split_names(names: Sequence[str]) -> list[str]:
    """Return names given by repeated options or with commas between them (outside brackets)."""
    found: list[str] = []
    for text in names:
        depth, start = 0, 0
        for place, character in enumerate(f"{text},"):
            depth += (character == "(") - (character == ")")
            if character == "," and depth == 0:
                found.append(text[start:place].strip())
                start = place + 1
    return [name for name in found if name]


answer_option = click.option("--answer", metavar="MODEL", help="The model that answers, spelled provider:name.")
judge_option = click.option("--judge", metavar="MODEL", help="The model that judges, spelled provider:name.")
embed_option = click.option("--embed", metavar="MODEL", help="The embedding model, spelled provider:name.")
