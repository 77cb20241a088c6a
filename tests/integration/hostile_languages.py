"""What makes a parser fall over, for every grammar: deep, long, broken and odd texts of each language.

`sample` is a function that calls another; around it stands what is hostile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Speech:
    """How a language says what the cases need."""

    suffix: str
    sample: str
    """defines `before`, which calls `after`, and `after`"""
    nest: tuple[str, str, str] = ("x = ", "(", ")")
    """begins a statement; opens, closes"""
    chain: tuple[str, str, str] = ("x = a", ".b()", "")
    comment: str = "//"
    inside: str = "{}"
    """where statements may stand"""


SPEECHES: dict[str, Speech] = {
    "bash": Speech(
        ".sh", "before() {\n  after\n}\nafter() {\n  true\n}\n", ("x=", "$(", ")"), ("a", " | b", ""), comment="#"
    ),
    "c": Speech(
        ".c",
        "void after(void);\nvoid before(void) {\n  after();\n}\nvoid after(void) {\n}\n",
        inside="void f(void) {\n{};\n}\n",
        chain=("x = a", ".b()", ""),
    ),
    "cpp": Speech(
        ".cpp", "void after();\nvoid before() {\n  after();\n}\nvoid after() {\n}\n", inside="void f() {\n{};\n}\n"
    ),
    "csharp": Speech(
        ".cs",
        "class C {\n  void before() {\n    after();\n  }\n  void after() {\n  }\n}\n",
        ("var x = ", "(", ")"),
        ("var x = a", ".b()", ""),
        inside="class D {\n void f() {\n{};\n}\n}\n",
    ),
    "elixir": Speech(
        ".ex",
        "defmodule C do\n  def before() do\n    after_()\n  end\n  def after_() do\n    1\n  end\nend\n",
        comment="#",
    ),
    "go": Speech(".go", "package p\nfunc before() {\n\tafter()\n}\nfunc after() {\n}\n", inside="func f() {\n{}\n}\n"),
    "haskell": Speech(
        ".hs", "module M where\nbefore = after 1\nafter x = x\n", ("x = ", "(", ")"), ("x = a", " $ b", ""), "--"
    ),
    "java": Speech(
        ".java",
        "class C {\n  void before() {\n    after();\n  }\n  void after() {\n  }\n}\n",
        ("x = ", "(", ")"),
        inside="class D {\n void f() {\n{};\n}\n}\n",
    ),
    "javascript": Speech(".js", "function before() {\n  after()\n}\nfunction after() {\n}\n"),
    "kotlin": Speech(
        ".kt", "fun before() {\n  after()\n}\nfun after() {\n}\n", ("val x = ", "(", ")"), ("val x = a", ".b()", "")
    ),
    "lua": Speech(
        ".lua",
        "local function after()\n  return 1\nend\nlocal function before()\n  after()\nend\n",
        ("x = ", "(", ")"),
        ("x = a", ".b()", ""),
        "--",
    ),
    "php": Speech(
        ".php",
        "<?php\nfunction before() {\n  after();\n}\nfunction after() {\n}\n",
        ("$x = ", "(", ")"),
        ("$x = $a", "->b()", ";"),
    ),
    "ruby": Speech(".rb", "def before\n  after(1)\nend\ndef after(x)\nend\n", comment="#"),
    "rust": Speech(
        ".rs",
        "fn before() {\n    after();\n}\nfn after() {\n}\n",
        ("let x = ", "(", ")"),
        ("let x = a", ".b()", ""),
        inside="fn f() {\n{};\n}\n",
    ),
    "scala": Speech(
        ".scala",
        "object C {\n  def before() = {\n    after()\n  }\n  def after() = {\n  }\n}\n",
        ("val x = ", "(", ")"),
        ("val x = a", ".b()", ""),
        inside="object D {\n{}\n}\n",
    ),
    "swift": Speech(
        ".swift",
        "func before() {\n  after()\n}\nfunc after() {\n}\n",
        ("let x = ", "(", ")"),
        ("let x = a", ".b()", ""),
    ),
    "typescript": Speech(".ts", "function before(): void {\n  after()\n}\nfunction after(): void {\n}\n"),
    "zig": Speech(
        ".zig",
        "fn before() void {\n    after();\n}\nfn after() void {\n}\n",
        ("const x = ", "(", ")"),
        ("const x = a", ".b()", ""),
        inside="fn f() void {\n{};\n}\n",
    ),
}


def within(speech: Speech, statement: str) -> str:
    return speech.sample + speech.inside.replace("{}", statement, 1) + "\n"


def nested(speech: Speech, count: int) -> str:
    begin, opening, closing = speech.nest
    return within(speech, begin + opening * count + "1" + closing * count)


def chain(speech: Speech, count: int) -> str:
    begin, step, end = speech.chain
    return within(speech, begin + step * count + end)


CASES: dict[str, Callable[[Speech], str]] = {
    "nested brackets": lambda speech: nested(speech, 20_000),
    "open brackets": lambda speech: within(speech, speech.nest[0] + speech.nest[1] * 5_000),
    "braces": lambda speech: speech.sample + "{" * 5_000,
    "chain": lambda speech: chain(speech, 5_000),
    "truncated": lambda speech: speech.sample + speech.sample[: len(speech.sample) // 2],
    "NUL": lambda speech: speech.sample + f"{speech.comment} \0\n",
    "CRLF": lambda speech: speech.sample.replace("\n", "\r\n"),
    "CR": lambda speech: speech.sample.replace("\n", "\r"),
    "tabs": lambda speech: speech.sample.replace("  ", "\t"),
    "emoji": lambda speech: speech.sample + f"{speech.comment} \U0001f980 crab\n" + speech.sample,
    "conflict": lambda speech: f"{speech.sample}<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\n",
    "many": lambda speech: speech.sample + f"{speech.comment} x\n" * 20_000,
}

FOUND = frozenset(CASES) - {"open brackets", "braces", "truncated", "conflict", "nested brackets"}
"""Where both functions must be symbols."""


def every() -> Iterator[tuple[str, str]]:
    for language in SPEECHES:
        for case in CASES:
            yield language, case
