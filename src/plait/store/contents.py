"""Everything that is in a snapshot of several segments, from one end to the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from plait.model import Span, SymbolId
from plait.store.segment import Segment


def postings(segments: Sequence[Segment], masked: Collection[int]) -> Iterator[tuple[str, list[tuple[SymbolId, int]]]]:
    """As Snapshot.postings; `masked` are the numbers of the first segment's symbols that do not count."""
    names = [_names(segment, () if place else masked) for place, segment in enumerate(segments)]
    terms = sorted({term for segment in segments for (term,) in segment.all("SELECT term FROM postings")})
    for term in terms:
        found = [
            (known[number], occurrences)
            for segment, known in zip(segments, names, strict=True)
            for number, occurrences in segment.postings(term).tolist()
            if number in known
        ]
        if found:
            yield term, sorted(found)


def passages(
    segments: Sequence[Segment], masked: Collection[int], template: str
) -> Iterator[tuple[SymbolId, Span, bytes]]:
    """As Snapshot.passages; `masked` as for postings."""
    matrices = [segment.matrix(template) for segment in segments]
    rows: list[tuple[SymbolId, int, int]] = []
    for place, (segment, matrix) in enumerate(zip(segments, matrices, strict=True)):
        known = _names(segment, () if place else masked)
        rows += [(known[owner], place, row) for row, owner in enumerate(matrix.owners.tolist()) if owner in known]
    spans = [
        segment.spans(template, range(len(matrix.owners))) for segment, matrix in zip(segments, matrices, strict=True)
    ]
    for symbol, place, row in sorted(rows):
        yield symbol, spans[place][row], matrices[place].codes[row].tobytes()


def _names(segment: Segment, masked: Collection[int]) -> dict[int, SymbolId]:
    """Return the segment's own symbols that count."""
    names = segment.ids(range(segment.count))
    return {number: names[number] for number in range(segment.count) if number not in masked}
