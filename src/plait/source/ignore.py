"""Ignore files (`.gitignore`, `.plaitignore`) as git reads them, without git.

Names are bytes and `?` is one byte, as in git's `wildmatch`; case counts. A property test compares with git. One thing
is as git documents it and not as it does it: in `foo**/bar` the stars are one star (git cuts `foo` off first and then
takes `**/` for any folders).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NEVER = rb"(?!)"

_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb"\t-\r ",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}
"""POSIX classes in the C locale, as the inside of a class of `re`."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file."""

    brings_back: bool
    """it began with `!`"""
    folders_only: bool
    """it ended in `/`"""
    anywhere: bool
    """no `/` in it: only the last name of a path is compared, however deep the path is"""
    segments: tuple[re.Pattern[bytes] | None, ...]
    """one for each name; None is `**`, which stands for any number of names"""

    def matches(self, names: Sequence[bytes], is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        return self._matches(names[-1:] if self.anywhere else names)

    def reaches_below(self, names: Sequence[bytes]) -> bool:
        """Whether the pattern has a `/` and could match something in that folder."""
        if self.anywhere:
            return False
        # As many segments as the folder has names, or those up to a `**`, which takes the others.
        for place, segment in enumerate(self.segments):
            if segment is None or place == len(names):
                return True
            if segment.fullmatch(names[place]) is None:
                return False
        return False

    def _matches(self, names: Sequence[bytes]) -> bool:
        """Walk both in step. After a failure only the last `**` needs to take one more name: it is the freest one."""
        name = place = 0
        retry: tuple[int, int] | None = None
        while name < len(names) or place < len(self.segments):
            if place < len(self.segments):
                segment = self.segments[place]
                if segment is None and name < len(names):
                    retry = (name + 1, place)
                    # At the end it stands for one name at least: `a/**` is what is in `a`, not `a`.
                    name += place + 1 == len(self.segments)
                    place += 1
                    continue
                if segment is not None and name < len(names) and segment.fullmatch(names[name]):
                    name, place = name + 1, place + 1
                    continue
            if retry is None or retry[0] >= len(names):
                return False
            name, place = retry
        return True


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of one ignore file. Paths are given as the names below the folder that the file lies in."""

    patterns: tuple[Pattern, ...]

    @classmethod
    def read(cls, content: bytes) -> IgnoreFile:
        """Read an ignore file; every content is one."""
        lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        return cls(tuple(pattern for line in lines if (pattern := _pattern(line)) is not None))

    def ignores(self, names: Sequence[bytes], is_folder: bool) -> bool | None:
        """Whether the last pattern that matches ignores the path (True) or brings it back; None if none matches."""
        for pattern in reversed(self.patterns):
            if pattern.matches(names, is_folder):
                return not pattern.brings_back
        return None

    def reaches_below(self, names: Sequence[bytes]) -> bool:
        """Whether a `!` pattern with a `/` in it could bring back something in that folder."""
        return any(pattern.brings_back and pattern.reaches_below(names) for pattern in self.patterns)


def _pattern(line: bytes) -> Pattern | None:
    """Return the pattern of a line; None for a comment or a blank line."""
    line = line.removesuffix(b"\r").partition(b"\0")[0]
    if not line or line.startswith(b"#"):
        return None
    bare = line.rstrip(b" ")
    escaped = (len(bare) - len(bare.rstrip(b"\\"))) % 2
    line = line[: len(bare) + escaped]  # spaces at the end do not count, but for an escaped one
    brings_back = line.startswith(b"!")
    line = line.removeprefix(b"!")
    folders_only = line.endswith(b"/")
    line = line.removesuffix(b"/")
    anywhere = b"/" not in line
    pieces = _segments(line.removeprefix(b"/"))
    segments = tuple(None if piece is None else re.compile(piece, re.DOTALL) for piece in pieces)
    return Pattern(brings_back, folders_only, anywhere, segments) if line else None


def _segments(glob: bytes) -> list[bytes | None]:
    """Return a regular expression for each name of a pattern, None for `**` between slashes."""
    segments: list[bytes | None] = []
    fixed = [b""]
    """the expressions between the stars of a segment"""
    stars = 0
    """how many stars the segment consists of, if it consists of stars"""
    place = 0
    while place <= len(glob):
        byte = glob[place : place + 1]
        after = place + 1
        if byte == b"\\":
            byte, after = glob[after : after + 1], after + 1
            if not byte:
                return [_NEVER]
            piece = re.escape(byte)
        elif byte == b"[":
            found = _class(glob, after)
            if found is None:
                return [_NEVER]
            piece, after = found
        else:
            piece = b"." if byte == b"?" else re.escape(byte)
        if byte == b"/" or not byte:
            segments.append(None if stars > 1 else _joined(fixed))
            fixed, stars = [b""], 0
        elif byte == b"*" and glob[place : place + 1] == b"*":
            stars += fixed == [b""] or stars > 0
            fixed.append(b"")
        else:
            fixed[-1] += piece
            stars = 0
        place = after
    return segments


def _joined(fixed: Sequence[bytes]) -> bytes:
    """Join what stands between stars. Each piece but the last may be taken where it is first found, for good: atomic
    groups keep a name from being tried in exponentially many ways.
    """
    first, *others = fixed
    if not others:
        return first
    *middle, last = others
    return first + b"".join(b"(?>.*?%b)" % piece for piece in middle) + b".*" + last


def _class(glob: bytes, place: int) -> tuple[bytes, int] | None:
    """Read a class from behind its `[`. Return the expression and the place behind the `]`; None if it is malformed."""
    negated = glob[place : place + 1] in (b"!", b"^")
    place += negated
    inside: list[bytes] = []
    before = -1
    """the byte that a range could begin with"""
    start = place
    while place < len(glob):
        byte = glob[place]
        if byte == 0x5D and place > start:
            one_of = b"(?:%b)" % (b"|".join(b"[%b]" % one for one in inside) or _NEVER)
            # A slash is in no class, also not in a negated one.
            return b"(?!/)" + (b"(?!%b)." % one_of if negated else one_of), place + 1
        place += 1
        if byte == 0x5C:
            if place >= len(glob):
                return None
            before = glob[place]
            inside.append(re.escape(glob[place : place + 1]))
            place += 1
        elif byte == 0x2D and before >= 0 and glob[place : place + 1] not in (b"", b"]"):
            if glob[place : place + 1] == b"\\":
                place += 1
                if place >= len(glob):
                    return None
            end = glob[place]
            if before <= end:
                inside.append(re.escape(bytes([before])) + b"-" + re.escape(bytes([end])))
            before = -1
            place += 1
        elif byte == 0x5B and glob[place : place + 1] == b":":
            close = glob.find(b"]", place + 1)
            if close < 0:
                return None
            if glob[close - 1 : close] == b":" and close - 1 > place:
                name = glob[place + 1 : close - 1]
                if name not in _CLASSES:
                    return None
                inside.append(_CLASSES[name])
                before = -1
                place = close + 1
            else:
                before = byte
                inside.append(rb"\[")
        else:
            before = byte
            inside.append(re.escape(bytes([byte])))
    return None
