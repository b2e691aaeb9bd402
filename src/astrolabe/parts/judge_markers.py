"""The marker form of MoNaCo's judge, read as its published scorer reads it, faults included.

Nothing here scores answers of ours: `set_f1_judged` asks for an object with ids. It is for judgements that were made
elsewhere, so that numbers from both can be compared.
"""

from typing import Final

from astrolabe.parts.set_scores import Shares

_LENGTH: Final = "\nfinal answer length:"
_OVERLAP: Final = "\noverlapping answers:"
_PRECISION: Final = "final precision:"
_UNDERSCORED: Final = ("final_answer_length", "overlapping_answers", "final_precision")
_PART: Final = "###"
_NONE: Final = "NULL"


def read_marked_single(judgement: str) -> float:
    r"""Return the score that a judgement of a single gold answer states: precision, recall and F1 at once.

    The number behind the first `final precision:`; 0 where it cannot be read. Not kept within [0, 1]: the published
    scorer does not, either, and takes `nan` and 10.

    Examples:
        >>> read_marked_single("Yes.\nfinal precision: 0.9"), read_marked_single("**final precision**: 1")
        (0.9, 0.0)
    """
    _, marker, rest = _plain(judgement).partition(_PRECISION)
    if not marker:
        return 0.0
    try:
        return float(rest.split("\n", 1)[0].split(_PRECISION, 1)[0].replace("...", ""))
    except ValueError:
        return 0.0


def read_marked_multi(judgement: str, gold: int) -> Shares | None:
    r"""Return what a judgement of several gold answers stands for; null where a marker is missing.

    The published scorer counts a missing marker as 0. It counts an empty list of overlaps, and "NULL.", as one right
    answer, and an answer listed twice as two.

    Args:
        judgement: What the judge wrote.
        gold: How many gold answers there are, at least 2.

    Raises:
        ValueError: The stated length is no whole number ("3.", "None"); the published scorer ends its run there.

    Examples:
        >>> read_marked_multi("x\nfinal answer length: 4\noverlapping answers: a###b", 3)
        Shares(precision=0.5, recall=0.6666666666666666)
    """
    text = _plain(judgement)
    if _LENGTH not in text:
        return None
    length = _length(text)
    if _OVERLAP not in text:
        return None
    listed = text.split(_OVERLAP)[1].replace(_PART + _NONE, _PART).strip().removesuffix(_PART).split(_PART)
    right = 0 if listed == [_NONE] else len(listed)
    if not length or not right:
        return Shares(0.0, 0.0)
    return Shares(right / max(length, right), min(right, gold) / gold)


def _length(text: str) -> int:
    counted = text.replace("final answer length: None ", "final answer length: 0 ").replace(
        "The response lists over", ""
    )
    return int(counted.split(_LENGTH)[1].strip().split("\n")[0].strip().split(" ")[0])


def _plain(judgement: str) -> str:
    text = judgement
    for marker in _UNDERSCORED:
        text = text.replace(marker, marker.replace("_", " "))
    return text
