"""How many tokens a text is to a language model, without any model's vocabulary."""

from __future__ import annotations

BYTES = 3
"""of UTF-8 to a token. With Llama 2's vocabulary (32,000 pieces, in the package wordllama) a file of flask or fastapi
has 3.5 and 3.6 on average, 3.1 at the least; one of eslint 2.6 and of hugo 2.7, as that vocabulary has no piece for a
run of blanks or tabs. So for Python this counts about a sixth too many, and for deeply indented code a seventh too few.
"""


def tokens(text: str) -> int:
    """Return an estimate, rounded up; 0 only for an empty text."""
    return -(-len(text.encode(errors="replace")) // BYTES)
