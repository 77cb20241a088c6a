"""Types, from their text: what of them says which class a value is of.

`const std::unique_ptr<Db>&` becomes `std.unique_ptr[Db]`, `[]*Item` and `Item[]` become `Array[Item]`, alternatives are
joined by `|`. What is no name (a function type, a shape) becomes `?`.
"""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST = 200
"""Characters; a longer type is a shape, not a name."""

_WORDS = re.compile(
    r"\b(?:const|constexpr|volatile|struct|class|enum|union|typename|readonly|final|mut|dyn|impl|ref|out|in|inout|some|any"
    r"|unowned|weak|lateinit|suspend|override|register|restrict|inline|static|extern|mutable|noalias|comptime|nonnull"
    r"|sealed|asserts|keyof|typeof|infer|unique|params|this|virtual|scoped|async|consuming|borrowing|__block|unsigned"
    r"|signed)\b(?!\s*[.\]>,)|\[])\s*"
)
_LIFETIME = re.compile(r"'[a-z_]\w*\b\s*")
_ANNOTATION = re.compile(r"@[\w.]+(?:\([^()]*\))?\s*")
_FUNCTION = re.compile(r"=>|->|\bfn\s*\(|\bfunc\s*\(|\bfun\s*\(|\(\s*\*|[{\"'`]")
_MAP = re.compile(r"^map\[")
_CHANNEL = re.compile(r"^(?:<-)?chan(?:<-)?\s+")
_SUFFIX = re.compile(r"(?:\[[\d,\s]*\])+$")
_NAMED = re.compile(r"[^\W\d][\w.]*(?:\[[\w.,\[\]]*\])?(?:\|[^\W\d][\w.]*(?:\[[\w.,\[\]]*\])?)*")
_NOTHING = frozenset(("null", "undefined", "None", "nil", "void", "Nothing"))


@lru_cache(maxsize=4096)
def type_text(written: str) -> str:
    """Return the type as described above; `?` if it names nothing."""
    if len(written) > LONGEST:
        return "?"
    text = _LIFETIME.sub("", written.strip().lstrip(":")).strip()
    if _FUNCTION.search(text) and not text.startswith(("[", "map[")):
        return "?"
    text = _ANNOTATION.sub("", text)
    text = _WORDS.sub("", text).replace("\\", ".").replace("::", ".").lstrip(".")
    text = text.replace("&&", "").replace("&", " & " if " & " in text else "")
    before, _, after = text.rpartition("!")
    text = (after or before).replace("*", "").replace("?", "").replace("...", "").replace("^", "").strip()
    text = _array(text)
    text = text.partition(" & ")[0].partition(" + ")[0].partition(" with ")[0]
    text = text.replace("<", "[").replace(">", "]").strip("() ")
    alternatives = [one.strip() for one in text.split("|")] if "[" not in text else [text]
    text = "|".join(one for one in alternatives if one not in _NOTHING)
    text = re.sub(r"\s+", "", text)
    return text if _NAMED.fullmatch(text) else "?"


def _array(text: str) -> str:
    """Arrays are written before (`[]T`, `[N]T`), after (`T[]`) or around (`[T]`, `[T; N]`, `[K: V]`) their elements."""
    wraps = 0
    while True:
        if channel := _CHANNEL.match(text):
            text = text[channel.end() :]
        elif _MAP.match(text):
            key, _, value = text[4:].partition("]")
            return "Array[" * wraps + f"Map[{key},{_array(value)}]" + "]" * wraps
        elif text.startswith("["):
            end = _closing(text)
            inside, behind = text[1:end], text[end + 1 :]
            if behind and (not inside or inside.isalnum() or inside in ("_", ":0", ":")):
                text = behind
            elif ":" in inside and not behind:
                key, _, value = inside.partition(":")
                return "Array[" * wraps + f"Map[{key},{_array(value.strip())}]" + "]" * wraps
            else:
                text = inside.partition(";")[0]
            text = text.strip()
        elif found := _SUFFIX.search(text):
            text = text[: found.start()].strip()
        else:
            return "Array[" * wraps + text + "]" * wraps
        wraps += 1
        if wraps > 8:
            return "?"


def _closing(text: str) -> int:
    """Where the bracket that the text begins with is closed; its end if nowhere."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        if not depth:
            return place
    return len(text)


def bare(type_: str) -> str:
    """The type without its arguments."""
    return type_.partition("[")[0]
