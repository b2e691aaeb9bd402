"""Astrolabe: answers hard questions about a set of documents and proves how good the answers are."""

__version__ = "0.1.0"
