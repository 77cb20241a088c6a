from __future__ import annotations

import sys

import pytest

from plait.facts import Binding, ParsedFile
from plait.model import Receiver, Reference, ReferenceKind, SourceFile
from plait.parse.python import PythonParser


def parse(text: str) -> ParsedFile:
    parsed = PythonParser().parse(SourceFile("a.py", "python", text, ""))
    assert isinstance(parsed, ParsedFile), parsed
    return parsed


def calls(text: str) -> list[Reference]:
    return [one for one in parse(text).references if one.kind is ReferenceKind.CALL]


def bindings(text: str) -> list[tuple[str, str, str, str]]:
    def short(one: Binding) -> tuple[str, str, str, str]:
        return one.scope.partition(":")[2], one.target, one.kind.value, one.expression

    return [short(one) for one in parse(text).bindings]


@pytest.mark.parametrize(
    ("expression", "written", "name", "receiver"),
    [
        ("f()", "f", "f", Receiver.NONE),
        ("a.b.f()", "a.b.f", "f", Receiver.NAME),
        ("a.b().f()", "a.b().f", "f", Receiver.CALL),
        ("super().f()", "super().f", "f", Receiver.SUPER),
        ("a[0].f()", "?.f", "f", Receiver.OTHER),
        ("a[0]()", "?", "", Receiver.OTHER),
        ("'x'.f()", "<str>.f", "f", Receiver.OTHER),
        ("f'{x}'.f()", "<str>.f", "f", Receiver.OTHER),
        ("[].f()", "<list>.f", "f", Receiver.OTHER),
        ("a()()", "a()", "", Receiver.OTHER),
        ("(a or b).f()", "?.f", "f", Receiver.OTHER),
    ],
)
def test_expressions(expression: str, written: str, name: str, receiver: Receiver) -> None:
    found = calls(expression)[-1]
    assert (found.expression, found.name, found.receiver) == (written, name, receiver)


def test_receivers_in_methods() -> None:
    text = (
        "class A:\n"
        "    def f(this):\n"
        "        this.a.x()\n"
        "        def inner(this2): this.y(); this2.z()\n"
        "        def other(this): this.q()\n"
        "        lambda this: this.r()\n"
        "    @classmethod\n"
        "    def g(cls): cls.x()\n"
        "    @staticmethod\n"
        "    def h(self): self.x()\n"
        "    def __new__(cls): cls.y()\n"
        "def k(self): self.x()\n"
    )
    found = {(one.expression, one.line): one.receiver for one in calls(text)}
    assert found == {
        ("this.a.x", 3): Receiver.SELF,
        ("this.y", 4): Receiver.SELF,
        ("this2.z", 4): Receiver.NAME,
        ("this.q", 5): Receiver.NAME,
        ("?.r", 6): Receiver.NAME,
        ("cls.x", 8): Receiver.CLS,
        ("self.x", 10): Receiver.NAME,
        ("cls.y", 11): Receiver.CLS,
        ("self.x", 12): Receiver.NAME,
    }


def test_positions_are_those_of_the_called_name_in_characters() -> None:
    text = "'é'.f(); (a\n  .b\n  .c())\ng(h(1), *x)\n"
    found = [(one.name, one.line, one.column, one.arity) for one in calls(text)]
    assert found == [("f", 1, 4, 0), ("c", 3, 3, 0), ("g", 4, 0, -1), ("h", 4, 2, 1)]


def test_sources() -> None:
    text = (
        "@deco(arg())\n"
        "class A(base()):\n"
        "    x = attr()\n"
        "    @other\n"
        "    def f(self, a=default()) -> annotated():\n"
        "        [comp() for x in y]\n"
        "        lambda: inner()\n"
    )
    found = [(one.kind.value, one.expression, one.source.partition(":")[2]) for one in parse(text).references]
    assert found == [
        ("decorator", "deco", "/"),
        ("call", "arg", "/"),
        ("call", "base", "/"),
        ("base", "base()", "A#"),
        ("call", "attr", "A#"),
        ("decorator", "other", "A#"),
        ("call", "default", "A#"),
        ("call", "annotated", "A#"),
        ("call", "comp", "A#f()."),
        ("call", "inner", "A#f()."),
    ]


def test_imports() -> None:
    text = (
        "import a.b, c.d as e\n"
        "def f():\n"
        "    from ..g import h as i, j\n"
        "class A:\n"
        "    from . import k\n"
        "from l import *\n"
    )
    found = [(one.scope.partition(":")[2], one.module, one.name, one.alias, one.level) for one in parse(text).imports]
    assert found == [
        ("/", "a.b", None, "a", 0),
        ("/", "c.d", None, "e", 0),
        ("f().", "g", "h", "i", 2),
        ("f().", "g", "j", "j", 2),
        ("A#", "", "k", "k", 1),
        ("/", "l", "*", "*", 0),
    ]


def test_bindings_of_parameters_and_result() -> None:
    text = "class A:\n    def f(me, a, b: 'B | None' = 0, *c: int, d: Optional[list[D]], **e) -> typing.Self: ...\n"
    assert bindings(text) == [
        ("A#f().", "me", "parameter", "Self"),
        ("A#f().", "a", "opaque", "?"),
        ("A#f().", "b", "parameter", "B"),
        ("A#f().", "c", "parameter", "tuple"),
        ("A#f().", "d", "parameter", "list[D]"),
        ("A#f().", "e", "parameter", "dict"),
        ("A#f().", "", "returns", "typing.Self"),
    ]


def test_bindings_of_statements() -> None:
    text = (
        "a = b = C()\n"
        "d: Final = D()\n"
        "e: Union[E, 'F', None] = x\n"
        "g = h or H()\n"
        "i, (j, *k) = l\n"
        "m, n = M(), N()\n"
        "for o in p: pass\n"
        "with Q() as q, r as (s, t): pass\n"
        "async def u():\n"
        "    async with v as w: pass\n"
        "(y := z.a())\n"
        "del y\n"
        "try: pass\n"
        "except (X, Y) as x: pass\n"
        "Name = A | None\n"
        "aa += 1\n"
        "match aa:\n"
        "    case P() as bb: pass\n"
        "    case [cc, *dd]: pass\n"
        "ee: type[E | F]\n"
    )
    assert bindings(text) == [
        ("/", "a", "assigned", "C()"),
        ("/", "b", "assigned", "C()"),
        ("/", "d", "assigned", "D()"),
        ("/", "e", "annotated", "E|F"),
        ("/", "g", "assigned", "h"),
        ("/", "g", "assigned", "H()"),
        ("/", "i", "opaque", "?"),
        ("/", "j", "opaque", "?"),
        ("/", "k", "opaque", "?"),
        ("/", "m", "assigned", "M()"),
        ("/", "n", "assigned", "N()"),
        ("/", "o", "opaque", "?"),
        ("/", "q", "assigned", "Q().__enter__()"),
        ("/", "s", "opaque", "?"),
        ("/", "t", "opaque", "?"),
        ("u().", "", "returns", "<coroutine>[?]"),
        ("u().", "w", "assigned", "v.__aenter__()"),
        ("/", "y", "assigned", "z.a()"),
        ("/", "y", "opaque", "?"),
        ("/", "x", "annotated", "X|Y"),
        ("/", "Name", "assigned", "A"),
        ("/", "bb", "annotated", "P"),
        ("/", "cc", "opaque", "?"),
        ("/", "dd", "opaque", "?"),
        ("/", "ee", "annotated", "type[E]|type[F]"),
    ]


def test_bindings_of_attributes_global_and_nonlocal() -> None:
    text = (
        "class A:\n"
        "    def f(me):\n"
        "        me.x = X()\n"
        "        me.y: Y = z\n"
        "        other.q = 1\n"
        "        n = None\n"
        "        def inner():\n"
        "            global g\n"
        "            nonlocal n\n"
        "            g = G()\n"
        "            n = N()\n"
        "            local = L()\n"
        "            n = local\n"
        "            me.w = W()\n"
    )
    assert [one for one in bindings(text) if one[1] != "me"] == [
        ("A#f().", "self.x", "assigned", "X()"),
        ("A#f().", "self.y", "annotated", "Y"),
        ("A#f().", "n", "assigned", "<None>"),
        ("/", "g", "assigned", "G()"),
        ("A#f().", "n", "assigned", "N()"),
        ("A#f().inner().", "local", "assigned", "L()"),
        ("A#f().", "n", "opaque", "?"),
        ("A#f().inner().", "self.w", "assigned", "W()"),
    ]


@pytest.mark.parametrize(
    ("text", "exports"),
    [
        ("__all__ = ['a', 'b']", ("a", "b")),
        ("__all__: list[str] = ['a']\n__all__ += ('b',)\n__all__.extend(['c'])\n__all__.append('d')", tuple("abcd")),
        ("__all__ = ['a'] + ['b']", ("a", "b")),
        ("__all__ = ['a'] + other.__all__", None),
        ("__all__ = ['a']\n__all__ += other", None),
        ("x = 1", None),
        ("__all__ = []", ()),
    ],
)
def test_exports(text: str, exports: tuple[str, ...] | None) -> None:
    assert parse(text).exports == exports


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_hide_names() -> None:
    text = "type Name[T] = A | None\ndef f[T](x: T): ...\nclass C[T]: ...\n"
    assert bindings(text) == [
        ("/", "Name", "assigned", "A"),
        ("f().", "T", "opaque", "?"),
        ("f().", "x", "annotated", "T"),
        ("C#", "T", "opaque", "?"),
    ]
    assert parse(text).symbols[1].signature == "def f[T](x: T)"
