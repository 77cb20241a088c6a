from __future__ import annotations

import pytest

from plait.extraction import parse
from plait.facts import ParsedFile
from plait.mining import corpus, docstrings
from plait.mining.docstrings import sentence, without
from plait.model import SourceFile, Symbol, SymbolId
from plait.source import made

PYTHON = '''\
class Client:
    def delay(self, tries):
        """Compute how long to wait before the next try. Never above the limit.

        :param tries: how many there were
        """
        base = self.base
        return min(base * 2**tries, self.limit)

    def close(self): "Close all that is still open of this client."; self.open = False
'''

GO = """\
package net

// Delay computes how long to wait before the next try.
// It is never above the limit.
func (c *Client) Delay(tries int) int {
	base := c.base
	return base << tries
}
"""

JAVA = """\
class Client {
    /**
     * Computes how long to wait before the next {@link Call}.
     *
     * @param tries how many there were
     */
    int delay(int tries) {
        int base = this.base;
        return base << tries;
    }
}
"""

CSHARP = """\
class Client {
    /// <summary>
    /// Computes how long to wait before the next <see cref="T:Net.Call" />.
    /// </summary>
    /// <param name="tries">how many there were</param>
    int Delay(int tries) {
        int start = this.start;
        return start << tries;
    }
}
"""


def functions(path: str, text: str) -> tuple[dict[str, Symbol], dict[SymbolId, str]]:
    file = made(path, text.encode())
    assert isinstance(file, SourceFile)
    parsed = parse(file, flow=False)
    assert isinstance(parsed, ParsedFile)
    whole = text.encode()
    parts = {one.id: [whole[span.start_byte : span.end_byte].decode() for span in one.own] for one in parsed.symbols}
    return {one.name: one for one in parsed.symbols}, {one: "".join(own) for one, own in parts.items()}


@pytest.mark.parametrize(
    ("path", "text", "name", "said"),
    [
        ("c.py", PYTHON, "delay", "Compute how long to wait before the next try"),
        ("c.go", GO, "Delay", "computes how long to wait before the next try"),
        ("C.cs", CSHARP, "Delay", "Computes how long to wait before the next Net.Call"),
        ("C.java", JAVA, "delay", "Computes how long to wait before the next Call"),
    ],
)
def test_documentation_is_asked_and_taken_out(path: str, text: str, name: str, said: str) -> None:
    symbols, texts = functions(path, text)
    (found,) = docstrings.questions(list(symbols.values()), texts, frozenset())
    assert (found.text, found.answer, found.category) == (said, (symbols[name].id,), "docstring")
    written, out = corpus.bare({path: text.encode()}, [symbols[name]])
    assert out == {symbols[name].id}
    assert "how long to wait" not in written[path].decode()
    assert written[path].count(b"\n") == text.count("\n"), "lines stay where they were"
    assert b"return" in written[path]


def test_what_stands_on_a_line_with_code_stays() -> None:
    symbols, texts = functions("c.py", PYTHON)
    assert without(symbols["close"], texts[symbols["close"].id]) is None
    assert corpus.bare({"c.py": PYTHON.encode()}, [symbols["close"]]) == ({"c.py": PYTHON.encode()}, frozenset())


def test_a_sentence_that_stands_elsewhere_is_not_asked() -> None:
    again = PYTHON + "\n# compute how long to wait before the next try\nLIMIT = 3\n"
    symbols, texts = functions("c.py", again)
    assert docstrings.questions(list(symbols.values()), texts, frozenset()) == []


def test_what_a_commit_is_asked_about_keeps_its_documentation() -> None:
    symbols, texts = functions("c.py", PYTHON)
    assert docstrings.questions(list(symbols.values()), texts, frozenset([symbols["delay"].id])) == []


@pytest.mark.parametrize(
    ("documentation", "said"),
    [
        ("Send all of :meth:`~Client.queue` to the server.", "Send all of Client.queue to the server"),
        ("Send all that [waits](#queue) to the [Server][std::Server].", "Send all that waits to the Server"),
        ("Send all of the given [queue], first [0] of them.", "Send all of the given queue, first [0] of them"),
        ("f - Send all of it to the server.", "Send all of it to the server"),
    ],
)
def test_marks_are_no_words(documentation: str, said: str) -> None:
    symbols, _ = functions("c.py", f'def f():\n    """{documentation}"""\n    return 1\n')
    assert sentence(symbols["f"]) == said


@pytest.mark.parametrize(
    "documentation",
    ["Too short.",
     "Deprecated, use the other function instead of it.", "See https://example.org/how-it-works for more.",
     "Alias of the function that opens a file.", "TODO: compute the delay before the next try"],
)  # fmt: skip
def test_what_asks_for_nothing(documentation: str) -> None:
    symbols, _ = functions("c.py", f'def f():\n    """{documentation}"""\n    return 1\n')
    assert sentence(symbols["f"]) is None


def test_tests_are_no_part_of_the_corpus() -> None:
    program = {"net.py": b"def f(): pass\n"}
    tests = {"tests/test_net.py": b"def test_f(): pass\n", "net_test.go": b"package net\n"}
    assert corpus.bare(program | tests, []) == (program, frozenset())
