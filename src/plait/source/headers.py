"""Whether a `.h` is C or C++, by what stands in it: the suffix is that of both."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_FOR_BOTH = re.compile(
    r"^[ \t]*#[ \t]*if[^\n]*__cplusplus[^\n]*\n(?:(?![ \t]*#[ \t]*(?:if|endif|else))[^\n]*\n)*", re.MULTILINE
)
"""What a header that C and C++ share keeps for C++ alone, up to the next directive."""

_CPP = re.compile(
    r"""
      \bclass\s+\w+\s*[:{;<]
    | \bnamespace(?:\s+\w+)?\s*\{
    | \b(?:virtual|explicit|friend|mutable)\s+\w+\s*[\w(*&<:~]
    | \b(?:noexcept|decltype)\b
    | \btemplate\s*<
    | \b(?:public|private|protected)\s*:
    | \boperator\s*[^\w\s]
    | \b(?:static|dynamic|const|reinterpret)_cast\s*<
    | \busing\s+\w+
    | \w\s*::\s*[\w~]
    | =\s*(?:default|delete)\s*;
    | ^[ \t]*\#[ \t]*include[ \t]*<[\w/]+>
    """,
    re.VERBOSE | re.MULTILINE,
)


def spoken_in(text: str) -> str:
    """Return `cpp` if the text has what only C++ has, else `c`; a header without anything of either is `c`."""
    bare = _FOR_BOTH.sub("", _COMMENT.sub(" ", text))
    return "cpp" if _CPP.search(bare) else "c"
