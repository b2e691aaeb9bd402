"""What `argkp.py`, `summhay.py` and `calibrate.py` share: people's labels, features, and an honest split."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Vectors
from astrolabe.embed.minilm import MiniLM
from astrolabe.embed.whole import Whole
from astrolabe.parts.match import WITH_MINILM, WORDS_ALONE, Calibration, apart, features
from astrolabe.parts.statements import statements

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FOLDS = 7
USED = {WITH_MINILM.name: [0, 1, 2], WORDS_ALONE.name: [1, 2]}
"""The features that each calibration has weights for."""
MEANING = {"fully_covered": 1.0, "partially_covered": 0.5, "not_covered": 0.0}

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Labelled(NamedTuple):
    """Features of pairs, which item each pair belongs to, and each item's label and group (split by group)."""

    features: Floats
    item: Ints
    label: Floats
    group: Ints

    def best(self, weights: Floats) -> Floats:
        """Return each item's highest weighted sum."""
        sums = np.full(len(self.label), -np.inf)
        np.maximum.at(sums, self.item, self.features @ weights)
        return sums

    def best_rows(self, weights: Floats) -> Ints:
        """Return for each item the row that has its highest weighted sum."""
        order = np.argsort(self.features @ weights, kind="stable")
        rows = np.zeros(len(self.label), dtype=np.int64)
        rows[self.item[order]] = order
        return rows

    def folds(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield the items to fit on and those to test on; no question is in both."""
        from sklearn.model_selection import GroupKFold

        yield from GroupKFold(FOLDS).split(self.label, self.label, self.group)


def argkp() -> Labelled:
    """Return an item a pair of argument and key point: 1 where the argument expresses it."""
    rows = [json.loads(line) for part in (1, 2) for line in _lines("argkp", f"pairs.part{part}.jsonl")]
    vectors = _Vectors([row[field] for row in rows for field in ("argument", "key_point", "topic")])
    table = [_features([row["key_point"]], [row["argument"]], row["topic"], vectors)[0] for row in rows]
    return Labelled(
        np.concatenate(table),
        np.arange(len(rows)),
        np.array([float(row["match"]) for row in rows]),
        _numbered([row["topic"] for row in rows]),
    )


def summhay() -> Labelled:
    """Return an item an insight and summary: 1, 0.5 or 0 as it is covered; a row for each statement."""
    items = [json.loads(line) for line in _lines("summhay_coverage", "coverage.jsonl")]
    said = [[statement.read_as for statement in statements("\n".join(item["bullets"]))] for item in items]
    insights = [[insight["insight"] for insight in item["insights"]] for item in items]
    asked = [item["subtopic"] for item in items]
    vectors = _Vectors([*asked, *(text for texts in (*said, *insights) for text in texts)])
    tables = [
        _features(topics, texts, question, vectors)
        for topics, texts, question in zip(insights, said, asked, strict=True)
    ]
    rows = [row for table in tables for row in table]
    return Labelled(
        np.concatenate(rows),
        np.repeat(np.arange(len(rows)), [len(row) for row in rows]),
        np.array([MEANING[insight["human_coverage"]] for item in items for insight in item["insights"]]),
        _numbered([item["subtopic_id"] for item in items for _ in item["insights"]]),
    )


def fit(pairs: Labelled, covered: Labelled, pairs_in: Ints, covered_in: Ints, used: Sequence[int]) -> Floats:
    """Return the weights of all features (0 for those not used) by logistic regression on some items of both sets.

    Both sets weigh alike and have an intercept each, which is thrown away: how often a topic is expressed is the
    data's, not the matcher's. Which statement covers an insight is not labelled: it is the best by the last weights.
    """
    from sklearn.linear_model import LogisticRegression

    weights = np.ones(3) * np.isin(np.arange(3), used)
    for _ in range(5):
        chosen = covered.best_rows(weights)[covered_in]
        table = np.concatenate([pairs.features[pairs_in], covered.features[chosen]])[:, list(used)]
        label = np.concatenate([pairs.label[pairs_in], covered.label[covered_in]])
        own = np.repeat([[1.0, 0.0], [0.0, 1.0]], [len(pairs_in), len(covered_in)], axis=0)
        weigh = np.repeat([1000 / len(pairs_in), 1000 / len(covered_in)], [len(pairs_in), len(covered_in)])
        # A half covered insight counts half as covered and half as not.
        doubled = np.tile(np.hstack([table, own]), (2, 1))
        model = LogisticRegression(C=100, max_iter=2000, fit_intercept=False)
        model.fit(
            doubled, np.repeat([1, 0], len(label)), sample_weight=np.concatenate([weigh * label, weigh * (1 - label)])
        )
        weights = np.zeros(3)
        weights[list(used)] = model.coef_[0][: len(used)]
    return weights


def held_out(pairs: Labelled, covered: Labelled, used: Sequence[int]) -> tuple[Floats, Floats]:
    """Return each item's best weighted sum, with weights fitted on other questions only."""
    sums = np.zeros(len(pairs.label)), np.zeros(len(covered.label))
    for (pairs_in, pairs_out), (covered_in, covered_out) in zip(pairs.folds(), covered.folds(), strict=True):
        weights = fit(pairs, covered, pairs_in, covered_in, used)
        sums[0][pairs_out] = pairs.best(weights)[pairs_out]
        sums[1][covered_out] = covered.best(weights)[covered_out]
    return sums


def calibrations() -> tuple[Calibration, ...]:
    """Return the calibrations that the package has."""
    return WITH_MINILM, WORDS_ALONE


class _Vectors:
    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = sorted(set(texts))
        self._row = {text: row for row, text in enumerate(self._texts)}
        self._vectors = asyncio.run(Whole(MiniLM()).embed(self._texts, side="passage"))

    def of(self, texts: Sequence[str]) -> Vectors:
        return self._vectors[[self._row[text] for text in texts]]


def _features(topics: Sequence[str], said: Sequence[str], question: str, vectors: _Vectors) -> Floats:
    asked = vectors.of([question])[0]
    return features(topics, said, question, vectors=(apart(vectors.of(topics), asked), apart(vectors.of(said), asked)))


def _numbered(names: Sequence[str]) -> Ints:
    return np.unique(names, return_inverse=True)[1]


def _lines(folder: str, name: str) -> list[str]:
    return (DATA / folder / name).read_text("utf-8").split("\n")[:-1]
