"""Folders that make an indexer fall over: broken, deep, long, wide and tangled Python.

Each is a function from nothing to files, path -> bytes. What it must come to stands beside it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Hostile:
    make: Callable[[], Files | str | bytes]
    becomes: str
    """what becomes of its first file: indexed, recovered, or the reason why it is skipped"""
    defines: tuple[str, ...] = ()
    """names that must be symbols"""
    calls: tuple[tuple[str, str], ...] = ()
    """names of caller and callee that must be an edge"""

    def files(self) -> Files:
        """The files; a companion that can be read stands beside each, so that there is something to index."""
        made = self.make()
        if isinstance(made, str):
            made = made.encode()
        files = {"hostile.py": made} if isinstance(made, bytes) else dict(made)
        return {**files, "companion.py": b"def companion():\n    pass\n"}


def lines(template: str, count: int) -> str:
    """The template with `{n}` and the number after it, `{m}`, for each of so many numbers."""
    return "".join(template.replace("{n}", str(n)).replace("{m}", str(n + 1)) for n in range(count))


def nested(opening: str, inside: str, count: int) -> str:
    """Blocks in each other."""
    heads = "".join(" " * n + opening.replace("{n}", str(n)) + "\n" for n in range(count))
    return f"{heads}{' ' * count}{inside}\n"


AROUND = "def before():\n    after()\n\n{}\n\ndef after():\n    pass\n"
"""Two functions that must be found, whatever stands between them."""
FOUND = ("before", "after")
EDGE = (("before", "after"),)


def between(text: str) -> Callable[[], str]:
    return lambda: AROUND.replace("{}", text)


def broken(text: str) -> Hostile:
    return Hostile(between(text), "recovered", FOUND, EDGE)


def deep(opening: str, inside: str, closing: str, count: int, becomes: str = "recovered") -> Hostile:
    return Hostile(
        lambda: AROUND.replace("{}", f"x = {opening * count}{inside}{closing * count}"), becomes, FOUND, EDGE
    )


PYTHON_2 = """import os, urllib2

class Client:
    def get(self, (host, port), path):
        print "getting", path
        print >>log, `path`, 0777, 10L, ur'\\d'
        try:
            return self.fetch(host, port)
        except urllib2.URLError, error:
            raise IOError, "no such host"
        exec "x = 1" in {}
        return 1 <> 2

    def fetch(self, host, port):
        return host
"""
CONFLICT = """def kept():
<<<<<<< HEAD
    return ours()
||||||| base
    return common()
=======
    return theirs()
>>>>>>> branch

def ours(): pass
def theirs(): pass
"""
CODE = AROUND.replace("{}", "x = 1")


def shuffled_bytes(count: int) -> bytes:
    return bytes(random.Random(0).choices(range(256), k=count))


def cycle(count: int, line: str, body: str) -> Files:
    return {
        f"m{n:03}.py": f"{line.replace('{m}', f'm{(n + 1) % count:03}')}\n{body.replace('{n}', str(n))}\n".encode()
        for n in range(count)
    }


def aliases(count: int) -> str:
    return "def itself():\n    return a0\n\na0 = itself\n" + lines("a{m} = a{n}\n", count) + f"a{count}()()\n"


def callables(count: int) -> str:
    return lines("def f{n}(): pass\n", count) + "def each(given):\n    given()\n" + lines("each(f{n})\n", count)


CASES: dict[str, Hostile] = {
    # Broken
    "unclosed parenthesis on line 1": Hostile(lambda: f"x = foo(1,\n{CODE}", "recovered", FOUND, EDGE),
    "unclosed bracket in a body": broken("def f():\n    x = [1, 2\n    return x"),
    "unclosed parameters": broken("def f(a, b\n    return a"),
    "stray closing brackets": broken("x = 1)))\ny = 2]"),
    "no colon": broken("class C\n    def f(self)\n        pass"),
    "half a statement": broken("x = before.\ny ="),
    "unclosed quote": broken("x = 'abc\ny = 1"),
    "unclosed triple quote": broken('x = """abc\nand so on'),
    "truncated in a string": Hostile(lambda: f"{CODE}x = '''abc\n  def", "recovered", FOUND, EDGE),
    "truncated in a header": Hostile(lambda: f"{CODE}\ndef ", "recovered", FOUND, EDGE),
    "merge conflict": Hostile(
        lambda: CONFLICT, "recovered", ("kept", "ours", "theirs"), (("kept", "ours"), ("kept", "theirs"))
    ),
    "Python 2": Hostile(lambda: PYTHON_2, "recovered", ("Client", "get", "fetch"), (("get", "fetch"),)),
    "commands of a notebook": broken("%matplotlib inline\n!ls\nx = 1"),
    "template": broken("{% if x %}\nimport {{ name }}\n{% endif %}"),
    "wrong indentation": broken("def f():\n        x = 1\n    y = 2\n  z = 3"),
    "tabs and spaces": broken("def f():\n\tx = 1\n        y = 2\n\tz = 3"),
    "prose": Hostile(lambda: "This is not a program, but prose. It's got quotes.\n" * 50, "syntax error"),
    # Bytes
    "Latin-1": Hostile(lambda: CODE.replace("x = 1", "x = 'é'").encode("latin-1"), "indexed", FOUND, EDGE),
    "invalid UTF-8": Hostile(lambda: CODE.encode().replace(b"x = 1", b"x = '\xff\xfe\x80'"), "indexed", FOUND, EDGE),
    "NUL bytes": Hostile(lambda: CODE.replace("x = 1", "x = '\0'"), "binary"),
    "NUL late": Hostile(lambda: CODE + "# x\n" * 5_000 + "y = '\0'\n", "recovered", FOUND, EDGE),
    "byte order mark": Hostile(lambda: b"\xef\xbb\xbf" + CODE.encode(), "indexed", FOUND, EDGE),
    "UTF-16": Hostile(lambda: CODE.encode("utf-16"), "indexed", FOUND, EDGE),
    "CRLF": Hostile(lambda: CODE.replace("\n", "\r\n"), "indexed", FOUND, EDGE),
    "CR": Hostile(lambda: CODE.replace("\n", "\r"), "indexed", FOUND, EDGE),
    "CR, broken": Hostile(lambda: f"x = foo(1,\n{CODE}".replace("\n", "\r"), "recovered", FOUND, EDGE),
    "form feeds": Hostile(lambda: CODE.replace("\n\n", "\n\f\n"), "indexed", FOUND, EDGE),
    "other line separators": Hostile(lambda: CODE.replace("x = 1", "x = '\u2028\x85\x0b'"), "indexed", FOUND, EDGE),
    "emoji in the first comment": Hostile(lambda: f"# \U0001f980 crab\n{CODE}", "indexed", FOUND, EDGE),
    "emoji, broken": Hostile(lambda: f"# \U0001f980 crab\nx = ('\U0001f980',\n{CODE}", "recovered", FOUND, EDGE),
    "Chinese identifiers": Hostile(
        lambda: "def 甲():\n    乙()\ndef 乙(): pass\n", "indexed", ("甲", "乙"), (("甲", "乙"),)
    ),
    "Chinese identifiers, broken": Hostile(
        lambda: "def 甲():\n    乙()\ndef 乙(): pass\nx = (\n", "recovered", ("甲", "乙"), (("甲", "乙"),)
    ),
    "random bytes": Hostile(lambda: shuffled_bytes(1_000_000), "binary"),
    "random bytes without NUL": Hostile(lambda: shuffled_bytes(1_000_000).replace(b"\0", b""), "syntax error"),
    "random ASCII": Hostile(
        lambda: bytes(random.Random(0).choices(b"abc ()[]{}'\"\n:=.,#\\`@-+*def", k=200_000)), "syntax error"
    ),
    # Deep
    "10,000 parentheses": deep("(", "before()", ")", 9_000),
    "100,000 parentheses, in lines": Hostile(
        lambda: AROUND.replace("{}", "x = " + ("(" * 999 + "\n") * 100 + "before()" + (")" * 999 + "\n") * 100),
        "recovered",
        FOUND,
        EDGE,
    ),
    "10,000 brackets": deep("[", "1", "]", 9_000),
    "10,000 open brackets": Hostile(lambda: CODE + "x = " + "[" * 9_000, "recovered", FOUND, EDGE),
    "lambdas": deep("lambda x: ", "1", "", 1_900),
    "lambdas, in lines": deep("lambda x: (\n", "1", ")", 10_000),
    "unary minus": deep("-", "1", "", 19_000),
    "not": deep("not ", "1", "", 4_900),
    "attributes": deep("", "a" + ".b" * 9_000, "", 1),
    "method calls": deep("", "a" + ".b()" * 4_900, "", 1),
    "100,000 method calls, in lines": deep("", "(a" + ".b()\n" * 100_000 + ")", "", 1),
    "subscripts": deep("", "a" + "[0]" * 6_000, "", 1),
    "calls in calls": deep("f(", "1", ")", 6_000),
    "sum": deep("", "+".join(["before()"] * 1_900), "", 1, "indexed"),
    "100,000 summands, in lines": deep("", "(" + "\n+ ".join(["before()"] * 100_000) + ")", "", 1),
    "conditional expressions": deep("a if b else ", "c", "", 1_600),
    "elif": deep("", "1\nif a: pass\n" + "elif a: before()\n" * 5_000, "", 1),
    "nested functions": Hostile(lambda: nested("def f{n}():", "f0()", 95), "indexed", ("f0", "f94"), (("f94", "f0"),)),
    "too many nested functions": Hostile(lambda: nested("def f{n}():", "f0()", 140), "recovered", ("f0", "f139")),
    "nested classes": Hostile(lambda: nested("class C{n}:", "pass", 95), "indexed", ("C0", "C94")),
    "nested loops": Hostile(lambda: CODE + nested("for x in y:", "before()", 95), "indexed", FOUND, EDGE),
    "nested comprehensions": deep("[x for x in ", "y", "]", 150, "indexed"),
    "too many nested comprehensions": deep("[x for x in ", "y", "]", 1_400),
    "nested displays of strings": deep("{'a': ", "1", "}", 2_000),
    "nested replacement fields": deep("f'{' + ", "1", " + '}'", 500),
    # Long and wide
    "one line of 5 MB": Hostile(lambda: f"x = '{'a' * 5_000_000}'\n", "too large"),
    "list of 10 MB": Hostile(lambda: "x = [\n" + "    12345678,\n" * 750_000 + "]\n", "too large"),
    "list of 0.9 MB": Hostile(lambda: CODE + "y = [\n" + "    12345678,\n" * 64_000 + "]\n", "indexed", FOUND, EDGE),
    "list of 0.9 MB, broken": Hostile(lambda: CODE + "y = [\n" + "    12345678,\n" * 64_000, "recovered", FOUND, EDGE),
    "20,000 functions": Hostile(
        lambda: lines("def f{n}(): f{m}()\n", 20_000), "indexed", ("f0", "f19999"), (("f0", "f1"),)
    ),
    "20,000 functions, broken": Hostile(
        lambda: "x = (\n" + lines("def f{n}(): f{m}()\n", 20_000), "recovered", ("f0", "f19999"), (("f0", "f1"),)
    ),
    "20,000 open headers": Hostile(lambda: CODE + lines("def f{n}(\n", 20_000), "recovered", FOUND, EDGE),
    "20,000 open brackets on lines": Hostile(lambda: CODE + "foo(\n" * 20_000, "recovered", FOUND, EDGE),
    "20,000 open quotes": Hostile(lambda: CODE + "x = '\n" * 20_000, "recovered", FOUND, EDGE),
    "5,000 parameters": Hostile(
        lambda: f"def f({', '.join(f'p{n}' for n in range(5_000))}\n): p0()\n", "line too long"
    ),
    "5,000 parameters on lines": Hostile(
        lambda: f"def f(\n{lines('p{n},' + chr(10), 5_000)}): p0()\n", "indexed", ("f",)
    ),
    "100,000 comments, broken": Hostile(lambda: CODE + "# c\n" * 100_000 + "x = (\n", "recovered", FOUND, EDGE),
    "2,000 decorators": Hostile(
        lambda: CODE + "@before\n" * 2_000 + "def f(): after()\n", "indexed", (*FOUND, "f"), (("f", "after"),)
    ),
    "name of 0.9 MB": Hostile(lambda: f"def {'f' * 900_000}(): pass\n", "line too long"),
    "name of 15,000 letters": Hostile(lambda: f"{CODE}def {'f' * 15_000}(): before()\n", "indexed", FOUND, EDGE),
    # Tangled
    "bases of bases, 1,000 deep": Hostile(
        lambda: "class C0:\n    def f(self): pass\n" + lines("class C{m}(C{n}): pass\n", 1_000) + "C1000().f()\n",
        "indexed",
    ),
    "500 bases of one": Hostile(
        lambda: (
            "class A:\n    def f(self): pass\n"
            + lines("class B{n}(A): pass\n", 500)
            + f"class Z({', '.join(f'B{n}' for n in range(500))}): pass\nZ().f()\n"
        ),
        "indexed",
    ),
    "bases in a circle": Hostile(lambda: "class A(B): pass\nclass B(C): pass\nclass C(A): pass\nA().f()\n", "indexed"),
    "its own base": Hostile(lambda: "class A(A):\n    def f(self): self.g()\nA().f()\n", "indexed", ("A", "f")),
    "star imports in a circle": Hostile(
        lambda: cycle(100, "from {m} import *", "def f{n}(): f0()"), "indexed", ("f0", "f99"), (("f99", "f0"),)
    ),
    "imports in a circle of 500": Hostile(
        lambda: cycle(500, "from {m} import f as g", "def f(): g()"), "indexed", ("f",), (("f", "f"),)
    ),
    "re-exports in a circle": Hostile(lambda: cycle(500, "from {m} import x", "x()"), "indexed"),
    "assignments in a chain": Hostile(
        lambda: CODE + "a0 = after\n" + lines("a{m} = a{n}\n", 5_000) + "a5000()\n",
        "indexed",
        FOUND,
        (*EDGE, ("hostile", "after")),
    ),
    "functions as values of each other": Hostile(
        lambda: lines("def f{n}(g):\n    return g(f{m})\n", 1_000) + "def f1000(g): return g(f0)\nf0(f1)\n", "indexed"
    ),
    "itself by 5,000 aliases": Hostile(lambda: aliases(5_000), "indexed", ("itself",), (("hostile", "itself"),)),
    "dict of 50,000 functions": Hostile(
        lambda: "def f(): pass\nx = {\n" + lines("  'k{n}': f,\n", 50_000) + "}\nx['k7']()\n", "indexed", ("f",)
    ),
    "dict of 5,000 different functions": Hostile(
        lambda: (
            lines("def f{n}(): pass\n", 5_000)
            + "x = {\n"
            + lines("  'k{n}': f{n},\n", 5_000)
            + "}\ndef get(k): x[k]()\n"
        ),
        "indexed",
    ),
    "10,000 calls with different functions": Hostile(lambda: callables(10_000), "indexed", ("each", "f0")),
    "a list that holds itself": Hostile(
        lambda: "x = []\nx.append(x)\n" + "x = [x, x]\n" * 2_000 + "for y in x: y()\n", "indexed"
    ),
    "attributes of itself": Hostile(
        lambda: "class A: pass\na = A()\n" + lines("a.b{n} = a\na = a.b{n}\n", 2_000) + "a.f()\n", "indexed"
    ),
}

LARGE = frozenset(
    {
        "100,000 method calls, in lines",
        "100,000 summands, in lines",
        "20,000 functions",
        "20,000 functions, broken",
        "20,000 open headers",
        "dict of 50,000 functions",
        "10,000 calls with different functions",
    }
)
"""What takes several seconds, and is left to the benchmark."""
