"""Taking a benchmark into a study, with its scopes computed."""

from collections.abc import Sequence

import numpy as np

from astrolabe.benchmark import CLUSTER_SIZE, compute_scopes
from astrolabe.core.errors import Problem
from astrolabe.core.protocols import Embedder
from astrolabe.core.records import Question
from astrolabe.study.study import Study, save_benchmark


async def take_questions(
    study: Study, questions: Sequence[Question], embedder: Embedder, *, cluster_size: int = CLUSTER_SIZE
) -> list[Problem]:
    """Give the questions their scopes and write both into the study; return what there is to say about them.

    Raises:
        UserError: Evidence names documents that the study does not hold.
    """
    vectors = await embedder.embed([question.text for question in questions], side="query")
    scoped = compute_scopes(
        questions,
        study.documents,
        vectors=vectors,
        rng=np.random.default_rng(study.settings.seed),
        cluster_size=cluster_size,
    )
    save_benchmark(study, scoped.questions, scoped.scopes)
    return list(scoped.problems)
