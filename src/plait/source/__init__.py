"""From a folder to source files: which files there are, and their decoded text. Whatever cannot be read is Skipped."""

from __future__ import annotations

from plait.source.decode import decode
from plait.source.languages import LANGUAGES, language
from plait.source.listing import Listing, discover
from plait.source.reading import made, read, settle

__all__ = ["LANGUAGES", "Listing", "decode", "discover", "language", "made", "read", "settle"]
