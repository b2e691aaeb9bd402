"""Words as bricks use them; they are cut in the core, because embedders below need them too."""

from astrolabe.core.words import STOP_WORDS, stems, words

__all__ = ["STOP_WORDS", "stems", "words"]
