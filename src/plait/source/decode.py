"""From bytes to text."""

from __future__ import annotations

import codecs
import io

_SNIFFED = 8_192


def decode(content: bytes) -> str | None:
    """Return the text without byte order mark and with its own line ends; None for binary content.

    In this order: a UTF-8 or UTF-16 mark, a coding cookie (PEP 263), UTF-8, and for anything else Latin-1, in which
    every byte is a character.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decoded(content, "utf-16")
    if b"\0" in content[:_SNIFFED]:
        return None
    import tokenize  # by those who read files; who only lists them does without its patterns

    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except SyntaxError:  # an unknown cookie, or a cookie that contradicts the mark
        encoding = "utf-8"
    text = _decoded(content, encoding)
    return _decoded(content, "latin-1") if text is None else text


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except (UnicodeError, LookupError):
        return None
