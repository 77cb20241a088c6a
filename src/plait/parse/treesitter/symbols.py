"""Symbols of a file from what the walk has seen: their lines, their own text, signatures and documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from plait.model import SourceFile, Span, Symbol, SymbolId, SymbolKind
from plait.parse.lines import Lines
from plait.parse.treesitter.table import Language, Node

LONGEST_SIGNATURE = 300
"""Characters."""

_WORD = re.compile(r"\w")
_COMMENT = re.compile(r"//|\*(?!/)|/\*(?!.*\*/\s*\w)|--|;;|#(?!\s*(include|import)\b|\w+\??\s*[=:;(])")
"""A line without code: includes and private fields begin like comments of other languages."""


@dataclass(slots=True)
class Draft:
    id: SymbolId
    name: str
    kind: SymbolKind
    names: tuple[str, ...]
    space: tuple[str, ...]
    first: int
    last: int
    signature: str
    docstring: str
    parent: SymbolId
    adopted: SymbolId | None
    """the id of the class that it is a member of, which may be in another file"""


class Drafts:
    def __init__(self, file: SourceFile, language: Language, lines: Lines) -> None:
        self._file = file
        self._language = language
        self._lines = lines
        self.found: list[Draft] = []
        self._leading: dict[int, tuple[int, bool]] = {}
        """last line of what can stand before a definition -> its first line, and whether it is a comment"""

    def lead(self, first: int, last: int, kind: str) -> None:
        """Note a comment or attribute; those without a gap between them are one."""
        before = self._leading.get(first - 1)
        start = before[0] if before is not None else first
        is_comment = kind == "comment" or (before is not None and before[1])
        self._leading[last] = (start, is_comment)

    def add(
        self,
        made: SymbolId,
        name: str,
        kind: SymbolKind,
        *,
        names: tuple[str, ...],
        space: tuple[str, ...],
        first: int,
        last: int,
        node: Node,
        body: Node | None,
        parent: SymbolId,
        adopted: SymbolId | None,
    ) -> None:
        lead = self._leading.get(first - 1)
        docstring = self._documentation(lead[0], first - 1) if lead is not None and lead[1] else ""
        self.found.append(
            Draft(
                made,
                name,
                kind,
                names,
                space,
                lead[0] if lead is not None else first,
                last,
                _signature(node, body),
                docstring,
                parent,
                adopted,
            )
        )

    def _documentation(self, first: int, last: int) -> str:
        lines = self._lines.text(first, last)
        written = [line for line in lines if not line.lstrip().startswith(("#[", "@", "["))]
        return "\n".join(line.strip(self._language.comment_marks) for line in written).strip()

    def symbols(self, package: str, path: str, root: SymbolId, is_test: bool) -> list[Symbol]:
        """All symbols in source order, the module first.

        Names begin with what the file declares, its package and namespaces, or else with what follows from its path.
        """
        module = package or path
        ids = {draft.id for draft in self.found}
        file = self._file
        whole = self._lines.span(1, len(self._lines))
        name = file.path.rpartition("/")[2]
        spans = [self._lines.span(draft.first, max(draft.first, draft.last)) for draft in self.found]
        own = self._own(
            [(whole, True), *((s, d.kind is SymbolKind.CLASS) for s, d in zip(spans, self.found, strict=True))]
        )
        made = [
            Symbol(
                id=root,
                name=name,
                kind=SymbolKind.MODULE,
                path=file.path,
                language=file.language,
                module=module,
                qualified_name=f"{package}.{name}"
                if package
                else f"{path}{name[name.find('.') :] if '.' in name else ''}",
                span=whole,
                own=own[0],
                is_test=is_test,
            )
        ]
        for place, draft in enumerate(self.found):
            inside = module
            begin = [module]
            if not self._language.by_path and (draft.space or draft.kind is SymbolKind.CLASS or len(draft.names) > 1):
                # Types have one name everywhere, whatever the file.
                begin = [package] if package else []
                inside = ".".join((*begin, *draft.space)) or module
            made.append(
                Symbol(
                    id=draft.id,
                    name=draft.name,
                    kind=draft.kind,
                    path=file.path,
                    language=file.language,
                    module=inside,
                    qualified_name=".".join((*begin, *draft.names)),
                    span=spans[place],
                    own=own[place + 1],
                    signature=draft.signature,
                    docstring=draft.docstring,
                    parent=draft.adopted if draft.adopted in ids else draft.parent,
                    is_test=is_test,
                )
            )
        return made

    def _own(self, spans: list[tuple[Span, bool]]) -> list[tuple[Span, ...]]:
        """For each span, in source order, its own lines: those of no definition in it if it is a class or module."""
        inside: list[list[Span]] = [[] for _ in spans]
        around: list[int] = []
        for place, (span, _) in enumerate(spans):
            while around and spans[around[-1]][0].end_line < span.start_line:
                around.pop()
            if around:
                inside[around[-1]].append(span)
            around.append(place)
        found: list[tuple[Span, ...]] = []
        for place, (span, is_container) in enumerate(spans):
            own = self._runs(span, inside[place]) if is_container else (span,)
            # A type on one line with its members still has its header.
            found.append(own or ((self._lines.span(span.start_line, span.start_line),) if place else ()))
        return found

    def _runs(self, span: Span, covered: list[Span]) -> tuple[Span, ...]:
        """The stretches that no definition covers, those without anything but comments and brackets left out."""
        found: list[Span] = []
        begin = span.start_line
        for one in [*covered, None]:
            end = one.start_line - 1 if one is not None else span.end_line
            lines = [(number, line.strip()) for number, line in enumerate(self._lines.text(begin, end), start=begin)]
            filled = [number for number, line in lines if line]
            if any(_WORD.search(line) and not _COMMENT.match(line) for _, line in lines):
                found.append(self._lines.span(filled[0], filled[-1]))
            if one is not None:
                begin = max(begin, one.end_line + 1)
        return tuple(found)


def _signature(node: Node, body: Node | None) -> str:
    """What stands before the body, on one line."""
    end = body.start_byte if body is not None else node.end_byte
    size = min(max(end - node.start_byte, 0), 4 * LONGEST_SIGNATURE)
    written = node.text[:size] if node.end_byte - node.start_byte < 1_000_000 else b""
    text = " ".join(written.decode(errors="ignore").split()).rstrip("{=:; ")
    return text if len(text) <= LONGEST_SIGNATURE else f"{text[: LONGEST_SIGNATURE - 3]}..."
