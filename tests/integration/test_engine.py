from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plait import Engine
from plait.errors import (
    AmbiguousSymbol,
    BadParameter,
    EmptyQuery,
    NoSuchPath,
    NothingToIndex,
    RequestError,
    UnknownPlugin,
    UnknownSymbol,
)
from plait.model import Filter, SymbolKind
from plait.store.embedded import EmbeddedSnapshot


def engine(root: Path, **settings: str) -> Engine:
    return Engine.open(root, **{"embedder": "hashing", **settings})


def listing(root: Path) -> set[str]:
    return {str(path) for path in root.rglob("*")}


def test_search_builds_the_index_on_first_use_and_writes_nothing_into_the_repository(repository: Path) -> None:
    before = listing(repository)
    answer = engine(repository).search("prices, discounts and taxes", k=3)
    assert answer[0].symbol.qualified_name == "shop.money.total"
    assert (answer[0].rank, len(answer), answer.total >= 3) == (1, 3, True)
    assert listing(repository) == before


def test_a_hit_is_the_lines_of_its_file(repository: Path) -> None:
    for hit in engine(repository).search("cart item connect", k=50):
        lines = (repository / hit.symbol.path).read_text(encoding="utf-8").split("\n")
        assert hit.text == "\n".join(lines[hit.span.start_line - 1 : hit.span.end_line])


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_text_with_line_ends_tabs_and_a_mark(tmp_path: Path, end: str) -> None:
    lines = ["# größe", "@decorated", "def fläche(a):", "\t'''Maß × Zahl \u2028 \f'''", "\treturn a", "", "x = 1"]
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbf" + end.join(lines).encode())
    (hit,) = engine(tmp_path).search("fläche", k=1, where=Filter(kinds=frozenset({SymbolKind.FUNCTION})))
    assert (hit.span.start_line, hit.span.end_line) == (2, 5)
    assert hit.text == end.join(lines[1:5])


def test_an_edit_is_seen_and_only_what_changed_is_embedded_again(repository: Path) -> None:
    first = engine(repository)
    built = first.index()
    assert (built.parsed, built.reused) == (4, 0)
    again = first.index()
    assert (again.embedded, again.info.state) == (0, built.info.state)

    money = repository / "shop" / "money.py"
    money.write_text(money.read_text(encoding="utf-8").replace("def total", "def grand_total"), encoding="utf-8")
    found = first.search("grand_total", k=1)
    assert found[0].symbol.name == "grand_total"
    assert found.state != built.info.state
    report = first.index()
    assert report.embedded == 0, "the search has already brought the index up to date"


def test_an_edit_of_the_same_size_and_time_is_seen(repository: Path) -> None:
    opened = engine(repository)
    opened.index()
    path = repository / "shop" / "db.py"
    status = path.stat()
    path.write_text(path.read_text().replace("def run", "def ran"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert opened.find("ran").name == "ran"


def test_deleted_and_new_files_are_seen(repository: Path) -> None:
    opened = engine(repository)
    opened.index()
    (repository / "shop" / "db.py").unlink()
    (repository / "extra.py").write_text("def extra(): pass\n")
    assert opened.find("extra").path == "extra.py"
    with pytest.raises(UnknownSymbol):
        opened.find("connect")


def test_the_index_after_edits_equals_a_fresh_one(repository: Path, tmp_path: Path) -> None:
    edited = engine(repository)
    edited.index()
    (repository / "shop" / "cart.py").write_text("from shop.db import run\n\n\ndef add(x):\n    run('a', x)\n")
    (repository / "new.py").write_text("from shop.cart import add\n\nadd(1)\n")
    edited.index()
    fresh = engine(repository, cache=str(tmp_path / "other"))
    fresh.index()

    def content(snapshot: EmbeddedSnapshot) -> list[str]:
        token = snapshot.base.token
        return [line.replace(token, "") for line in snapshot.base._database.iterdump()]

    assert content(EmbeddedSnapshot(edited.path)) == content(EmbeddedSnapshot(fresh.path))


def test_a_broken_index_is_built_again(repository: Path) -> None:
    opened = engine(repository)
    opened.index()
    opened.path.write_bytes(b"this is no database")
    assert engine(repository).search("connect", k=1)[0].symbol.name == "connect"


def test_embedders_and_graphs_never_share_an_index(repository: Path) -> None:
    paths = {engine(repository, embedder=e, graph=g).path for e in ("hashing", "static") for g in ("names", "scoped")}
    assert len(paths) == 4


def test_bad_files_are_reported_and_never_raised(repository: Path) -> None:
    (repository / "broken.py").write_text("def broken(:\n")
    (repository / "binary.py").write_bytes(b"\0\0\0")
    (repository / "prose.py").write_text("This is prose. It's long (and so on.\n" * 9)
    (repository / "latin.py").write_bytes("def caf\xe9(): pass\n".encode("latin-1"))
    opened = engine(repository)
    report = opened.index()
    assert {str(reason): count for reason, count in report.skipped.items()} == {"syntax error": 1, "binary": 1}
    assert [skip.path for skip in opened.snapshot().skipped()] == ["binary.py", "prose.py"]
    assert [one.path for one in report.recovered] == ["broken.py"]
    assert opened.snapshot().recovered() == list(report.recovered)
    assert opened.find("broken").path == "broken.py"
    assert opened.find("café").path == "latin.py"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("total", "shop.money.total"),
        ("money.total", "shop.money.total"),
        ("shop.cart.Cart.add", "shop.cart.Cart.add"),
        ("Cart.add", "shop.cart.Cart.add"),
        ("Cart", "shop.cart.Cart"),
        ("shop.cart", "shop.cart"),
        ("checkout()", "shop.cart.checkout"),
        ("shop/money.py:3", "shop.money.total"),
        ("money.py:1", "shop.money.total"),
        ("cart.py:16", "shop.cart.Cart.add"),
        ("cart.py:13", "shop.cart.Cart"),
        ("cart.py:6", "shop.cart"),
        ("shop/cart.py:Cart#add().", "shop.cart.Cart.add"),
    ],
)
def test_how_a_symbol_can_be_named(repository: Path, name: str, expected: str) -> None:
    assert engine(repository).find(name).qualified_name == expected


def test_a_name_that_could_be_several_lists_them(repository: Path) -> None:
    (repository / "other.py").write_text("def total(): pass\n")
    with pytest.raises(AmbiguousSymbol) as caught:
        engine(repository).find("total")
    assert caught.value.choices == ("other.total", "shop.money.total")
    assert engine(repository).find("other.total").path == "other.py"


def test_a_second_definition_is_told_apart_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): pass\n\n\ndef f(): pass\n")
    with pytest.raises(AmbiguousSymbol, match=r"a\.py:1, a\.py:4"):
        engine(tmp_path).find("f")
    assert engine(tmp_path).find("a.py:4").id == "a.py:f(+1)."


def test_an_unknown_name_suggests_near_ones(repository: Path) -> None:
    with pytest.raises(UnknownSymbol) as caught:
        engine(repository).find("chekout")
    assert caught.value.near[0] == "shop.cart.checkout"
    with pytest.raises(UnknownSymbol, match=r"did you mean shop/cart\.py"):
        engine(repository).find("shop/kart.py:3")


def test_callers_and_callees(repository: Path) -> None:
    opened = engine(repository)
    callers = opened.callers("connect")
    assert [(end.name, edge.path, edge.line) for edge, end in callers.edges] == [("run", "shop/db.py", 2)]
    callees = opened.callees("checkout")
    assert [end.qualified_name for _, end in callees.edges] == ["shop.cart.Cart.check", "shop.money.total"]
    unknown = opened.callees("recount")
    assert [site.reference.name for site in unknown.unresolved] == ["unknown"]


def test_callers_of_a_class_are_those_who_make_one(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "class A:\n    def __init__(self): pass\n\n\nclass B: pass\n\n\ndef make():\n    A()\n    B()\n"
    )
    opened = engine(tmp_path)
    assert [end.name for _, end in opened.callers("A").edges] == ["make"]
    assert [end.name for _, end in opened.callers("B").edges] == ["make"]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (lambda root: engine(root).search("  "), EmptyQuery),
        (lambda root: engine(root).search("x", k=0), BadParameter),
        (lambda root: engine(root).search("x", strategy="best"), UnknownPlugin),
        (lambda root: engine(root, embedder="best").search("x"), UnknownPlugin),
        (lambda root: engine(root, graph="best").search("x"), UnknownPlugin),
        (lambda root: engine(root / "nowhere"), NoSuchPath),
        (lambda root: engine(root / "shop" / "db.py"), BadParameter),
    ],
)
def test_a_bad_request_is_one_clear_line(repository: Path, request_: object, error: type[RequestError]) -> None:
    with pytest.raises(error) as caught:
        request_(repository)  # type: ignore[operator]
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_nothing_to_index(tmp_path: Path) -> None:
    with pytest.raises(NothingToIndex, match="the folder is empty"):
        engine(tmp_path).index()
    (tmp_path / "notes.md").write_text("# notes")
    with pytest.raises(NothingToIndex, match="skipped: other content 1"):
        engine(tmp_path).index()


def test_importing_plait_loads_no_numerical_library() -> None:
    unwanted = {"numpy", "tokenizers", "rich", "matplotlib", "importlib.metadata", "xml.sax"}
    loaded = f"import sys, plait.engine, plait.doors.search; print({unwanted!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_callers_of_a_class_that_inherits_its_constructor(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "class A:\n    def __init__(self): pass\n\n\nclass B(A): pass\n\n\ndef make():\n    B()\n"
    )
    opened = engine(tmp_path)
    assert [end.name for _, end in opened.callers("B").edges] == ["make"]
    assert [end.name for _, end in opened.callers("A.__init__").edges] == ["make"]


def test_an_index_that_is_damaged_inside_is_built_again(repository: Path) -> None:
    opened = engine(repository)
    opened.index()
    content = opened.path.read_bytes()
    opened.path.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    assert engine(repository).search("connect", k=1)[0].symbol.name == "connect"
    opened.path.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    assert engine(repository).index().embedded > 0


def test_threads_that_index_at_once_agree(repository: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: engine(repository).search("connect", k=3).hits, range(4)))
    assert answers == [answers[0]] * 4


def test_what_plait_does_not_read_does_not_renew_the_index(repository: Path) -> None:
    opened = engine(repository)
    built = opened.index()
    (repository / "notes.txt").write_text("nothing")
    before = opened.path.stat().st_mtime_ns
    opened.search("connect")
    assert (opened.path.stat().st_mtime_ns, built.info.state) == (before, opened.snapshot().info.state)


def test_a_module_without_a_line_of_its_own_is_no_hit(tmp_path: Path) -> None:
    (tmp_path / "lonely.py").write_text("def f(): return 1")
    for strategy in ("hybrid", "lexical", "vector", "structural"):
        found = engine(tmp_path).search("lonely", strategy=strategy)
        assert [hit.symbol.name for hit in found] in (["f"], [])


def test_a_root_with_a_long_or_odd_name(tmp_path: Path) -> None:
    for name in ("n" * 250, "a\nb", "größe"):
        root = tmp_path / name
        root.mkdir()
        (root / "a.py").write_text("def f(): pass\n")
        assert engine(root).find("f").path == "a.py"


def test_another_plait_builds_its_own_index_and_removes_the_old_one(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = engine(repository)
    old.index()
    before = old.path
    before.with_name(f"{before.name}.0123456789ab.changes").write_bytes(b"")
    monkeypatch.setattr("plait.kept._own_state", lambda: "newer")
    new = engine(repository)
    assert new.path != before
    new.search("connect")
    assert [path.name for path in new.path.parent.iterdir() if path.suffix != ".lock"] == [new.path.name]
