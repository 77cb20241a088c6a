from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.document import Neighbours, passages, smooth
from plait.embed.hashing import HashingEmbedder
from plait.model import Direction, Edge, EdgeKind, Evidence, Passage, Span, SymbolId, Via
from plait.testing import SOURCES, snapshot_of

A, B, C, D = (SymbolId(f"m.py:{name}().") for name in "abcd")


def edge(source: SymbolId, target: SymbolId) -> Edge:
    return Edge(source, target, EdgeKind.CALLS, Via.CALL, Evidence.SCOPED, 1.0, "m.py", 1)


def run(text: str) -> Passage:
    return Passage(Span(10, 10 + text.count("\n"), 100, 100 + len(text.encode())), text)


@given(st.text(alphabet="ab \nä", max_size=60), st.sampled_from(["", "name: x\n"]))
def test_passages_hold_every_line_and_fit_the_window(text: str, header: str) -> None:
    embedder = HashingEmbedder(window=5)
    (found,) = passages([(header, [run(text)])], embedder)
    assert all(passage.text.startswith(header) for passage in found)
    visible = "".join(passage.text[len(header) :] for passage in found)
    assert "".join(visible.split()) == "".join(text.split())
    for passage in found:
        own, span = passage.text[len(header) :], passage.span
        assert embedder.count([passage.text])[0] <= 5 or len(own.strip()) == 1
        assert own in "\n".join(text.split("\n")[span.start_line - 10 : span.end_line - 9])
        assert text.encode()[span.start_byte - 100 : span.end_byte - 100].decode() == own


def test_a_long_function_is_split_between_lines() -> None:
    text = "\n".join(f"line {n}" for n in range(6))
    (found,) = passages([("", [run(text)])], HashingEmbedder(window=5))
    assert [passage.text for passage in found] == ["line 0\nline 1", "line 2\nline 3", "line 4\nline 5"]
    assert [(p.span.start_line, p.span.end_line) for p in found] == [(10, 11), (12, 13), (14, 15)]
    assert found[1].span.start_byte == 100 + len("line 0\nline 1\n")


def test_a_long_line_is_split_between_characters() -> None:
    (found,) = passages([("", [run("a b c d e f g h")])], HashingEmbedder(window=4))
    assert "".join(passage.text for passage in found) == "a b c d e f g h"
    assert len(found) > 1
    assert len({(passage.span.start_line, passage.span.end_line) for passage in found}) == 1


def test_the_structural_header_is_the_articles() -> None:
    snapshot = snapshot_of(SOURCES)
    (symbol,) = snapshot.named("checkout")
    from plait.document import structure_header

    edges = snapshot.edges([s.id for s in snapshot.symbols()], [EdgeKind.CALLS], Direction.OUT)
    names = {s.id: s.name for s in snapshot.symbols()}
    assert structure_header(symbol, Neighbours(edges), names) == (
        "module: shop.cart\nname: checkout\ncalls: check, total\ncalled_by: test_checkout\n"
    )


def test_smoothing_pulls_towards_the_mean_neighbour() -> None:
    plain = np.array([[1, 0], [0, 1], [0, 1], [0, 0]], dtype=np.float32)
    (moved,) = smooth(plain, [A, B, C, C], Neighbours([edge(A, B)]))
    assert moved[0] == pytest.approx(np.array([1, 0.3]) / np.hypot(1, 0.3))
    assert moved[1] == pytest.approx(np.array([0.3, 1]) / np.hypot(1, 0.3))
    assert moved[2] == pytest.approx([0, 1]), "no neighbour, nothing moves"
    assert moved[3] == pytest.approx([0, 0]), "a text without a known token stays without a direction"


def test_neighbours_are_each_once_and_never_oneself() -> None:
    neighbours = Neighbours([edge(A, B), edge(A, B), edge(A, A), edge(C, B)])
    assert neighbours.of(A, Direction.OUT) == [B]
    assert neighbours.of(B, Direction.IN) == [A, C]
    assert neighbours.of(A, Direction.IN) == []
    assert neighbours.of(D, Direction.IN) == ()
    neighbours.add([edge(D, B), edge(A, D)])
    assert neighbours.of(B, Direction.IN) == [A, C, D]
    assert neighbours.of(A, Direction.OUT) == [B, D]


def test_rows_are_smoothed_alike_however_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = np.array([[90, 0], [0, 127], [5, 80], [0, 0], [127, 1]], dtype=np.int8)
    owners, neighbours = [A, B, B, C, D], Neighbours([edge(A, B), edge(C, A), edge(D, B)])
    (whole,) = smooth(plain, owners, neighbours)
    monkeypatch.setattr("plait.document.GATHERED", 1)
    parts = list(smooth(plain, owners, neighbours))
    assert [len(part) for part in parts] == [1, 2, 1, 1]
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert np.concatenate(list(smooth(plain, owners, neighbours, 3))).tobytes() == whole[:3].tobytes()
