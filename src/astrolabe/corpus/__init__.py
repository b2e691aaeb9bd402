"""Documents -> passages, with exact places."""

from astrolabe.corpus.cut import cut_document

__all__ = ["cut_document"]
