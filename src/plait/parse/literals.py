"""Literals from their text, as Python 2 and 3 write them."""

from __future__ import annotations

import ast
import re

_PREFIX = re.compile(r"[A-Za-z]*")
_LONG = 4_000
"""Digits that any Python converts to a number."""


def number(text: str) -> int | float | complex:
    """Return the value; 0 for a number that Python refuses (too many digits)."""
    written = text.rstrip("lL")
    if written.isdecimal() and (written[0] != "0" or written == "0") and len(written) < _LONG:
        return int(written)
    if written.isdigit() and written.startswith("0") and written.strip("0"):
        written = f"0o{written}"
    try:
        value = ast.literal_eval(written)
    except (SyntaxError, ValueError):
        return 0
    return value if isinstance(value, (int, float, complex)) else 0


def string(text: str) -> str | bytes:
    """Return the value of one literal with its prefix and quotes; escapes that Python refuses stay as written."""
    match = _PREFIX.match(text)
    prefix = match[0] if match else ""
    quotes = 3 if text[len(prefix) :].startswith(('"""', "'''")) else 1
    content = text[len(prefix) + quotes : -quotes]
    is_bytes = "b" in prefix.lower()
    if not is_bytes and ("\\" not in content or "r" in prefix.lower()):
        return content
    written = prefix.lower().replace("ur", "r")
    try:
        value = ast.literal_eval(f"{written}{text[len(prefix) :]}")
    except (SyntaxError, ValueError):
        return content
    return value if isinstance(value, (str, bytes)) else content


def piece(text: str, *, raw: bool) -> str:
    """Return the value of what stands between the replacements of an f-string."""
    text = text.replace("{{", "{").replace("}}", "}")
    if raw or "\\" not in text:
        return text
    for quotes in ('"""', "'''"):
        if quotes not in text and not text.endswith(quotes[0]):
            found = string(f"{quotes}{text}{quotes}")
            return found if isinstance(found, str) else text
    return text
