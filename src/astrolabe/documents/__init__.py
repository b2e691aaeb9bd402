"""Files -> documents.

The parsing process imports its own module from this package, for every read anew; what reads and merges
is therefore loaded only when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from astrolabe.documents.fields import RecordFields
    from astrolabe.documents.merge import Merged, merge_documents
    from astrolabe.documents.read import is_page, read_documents

__all__ = ["Merged", "RecordFields", "is_page", "merge_documents", "read_documents"]

_HOMES: Final = {
    "RecordFields": "fields",
    "Merged": "merge",
    "merge_documents": "merge",
    "read_documents": "read",
    "is_page": "read",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found
