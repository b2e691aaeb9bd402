"""Files -> documents."""

from astrolabe.documents.fields import RecordFields
from astrolabe.documents.merge import Merged, merge_documents
from astrolabe.documents.read import read_documents

__all__ = ["Merged", "RecordFields", "merge_documents", "read_documents"]
