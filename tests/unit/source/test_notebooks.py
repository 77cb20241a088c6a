"""Cells of notebooks as text, line for line where the file has them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plait.model import Content, SkipReason, SourceFile
from plait.source import made
from plait.source.notebooks import Notebook, masked, read


def cell(text: str, kind: str = "code", outputs: object = ()) -> dict[str, Any]:
    lines = text.splitlines(keepends=True)
    return {"cell_type": kind, "metadata": {"source": "x"}, "outputs": outputs, "source": lines}


def notebook(*cells: dict[str, Any], language: str | None = "python", indent: int | None = 1) -> str:
    metadata = {"kernelspec": {"language": language}} if language else {}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}, indent=indent, ensure_ascii=False)


CELLS = (
    cell("# Intro\nsome text", "markdown"),
    cell("import os\n\n%matplotlib inline\ndef f(a):\n    !ls {a}\n    return 'ü \"'\n"),
    cell(""),
    cell("raw", "raw"),
    cell("f(1)", outputs=[{"output_type": "stream", "text": ['   "source": [\n', "a\n"]}]),
)


def test_each_line_is_where_the_file_has_it() -> None:
    text = notebook(*CELLS)
    found = read(text, Content.CODE)
    assert isinstance(found, Notebook)
    raw, shown = text.split("\n"), found.text.split("\n")
    places = {line: number for number, line in enumerate(shown) if line}
    assert list(places) == [
        "import os",
        "# %matplotlib inline",
        "def f(a):",
        "    pass  # !ls {a}",
        "    return 'ü \"'",
        "f(1)",
    ]
    assert raw[places["import os"]].strip() == '"import os\\n",'
    assert raw[places["f(1)"]].strip() == '"f(1)"'
    assert found.cells[1] == places["import os"] + 1
    assert found.cells[4] == places["f(1)"] + 1
    assert raw[found.cells[0] - 1].strip() == '"# Intro\\n",'


@pytest.mark.parametrize("indent", [0, None])
def test_where_lines_have_no_lines_of_their_own_cells_follow_each_other(indent: int | None) -> None:
    text = notebook(cell("text", "markdown"), cell("a = 1\nb = 2"), cell("c = 3"), indent=indent)
    text = text.replace("\n", "")
    assert read(text, Content.CODE) == Notebook("\n\na = 1\nb = 2\n\nc = 3\n", (1, 3, 6))


def test_sources_that_are_one_string() -> None:
    whole = cell("a = 1\nb = 2\n") | {"source": "a = 1\nb = 2\n"}
    assert read(notebook(whole), Content.CODE) == Notebook("a = 1\nb = 2\n", (1,))
    single = cell("") | {"source": "a = 1"}
    found = read(notebook(single), Content.CODE)
    assert isinstance(found, Notebook)
    assert found.text.split("\n")[found.cells[0] - 1] == "a = 1"


def test_text_cells_are_docs_and_with_all_comments() -> None:
    docs, both = read(notebook(*CELLS), Content.DOCS), read(notebook(*CELLS), Content.ALL)
    assert isinstance(docs, Notebook)
    assert isinstance(both, Notebook)
    assert docs.text.split() == ["#", "Intro", "some", "text"]
    assert [line for line in both.text.split("\n") if line][:3] == ["# # Intro", "# some text", "import os"]
    assert docs.cells == both.cells


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        ("{", SkipReason.SYNTAX, "not JSON: "),
        ("[" * 100_000, SkipReason.SYNTAX, "not JSON: "),
        ("[]", SkipReason.SYNTAX, "not a notebook"),
        ('{"cells": 3}', SkipReason.SYNTAX, "not a notebook"),
        ('{"cells": [3]}', SkipReason.SYNTAX, "cell 1 is none"),
        ('{"cells": [{"cell_type": "code", "source": [3]}]}', SkipReason.SYNTAX, "cell 1 is none"),
        ('{"worksheets": []}', SkipReason.SYNTAX, "a notebook before version 4"),
        (notebook(*CELLS, language="R"), SkipReason.KERNEL, "its kernel speaks R"),
        (notebook(*CELLS, language="julia"), SkipReason.KERNEL, "its kernel speaks julia"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, reason: SkipReason, detail: str) -> None:
    found = read(text, Content.CODE)
    assert not isinstance(found, Notebook)
    assert found[0] is reason
    assert found[1].startswith(detail)


def test_text_cells_of_other_languages_are_docs() -> None:
    assert isinstance(read(notebook(*CELLS, language="R"), Content.DOCS), Notebook)


@pytest.mark.parametrize("language", [None, "python", "Python3", "plaintext"])
def test_a_kernel_that_is_not_known_is_taken_for_python(language: str | None) -> None:
    assert isinstance(read(notebook(*CELLS, language=language), Content.CODE), Notebook)


@pytest.mark.parametrize(
    ("cell_text", "expected"),
    [
        ("%%bash\nls\n  x", "# %%bash\n# ls\n#   x"),
        ("%%time\nx = f()", "# %%time\nx = f()"),
        ("files = !ls *.py\nx", "files = ...  # !ls *.py\nx"),
        ("a, b = %run x", "a, b = ...  # %run x"),
        ("!pip install \\\n  x\ny", "# !pip install \\\n  # x\ny"),
        ("f?\n?f.x\nf.x??", "# f?\n# ?f.x\n# f.x??"),
        ("if a:\n    %cd x", "if a:\n    pass  # %cd x"),
        ("x = (a\n% b)", "x = (a\n% b)"),
        ('"""\n%no\n!no\n"""', '"""\n%no\n!no\n"""'),
        ("await f()", "await f()"),
    ],
)
def test_what_only_ipython_understands_is_a_comment(cell_text: str, expected: str) -> None:
    assert "\n".join(masked(cell_text.split("\n"))) == expected


def test_outputs_are_no_part_of_the_digest_and_their_size_is_none_of_the_text() -> None:
    def file(outputs: object) -> SourceFile:
        found = made("a.ipynb", notebook(cell("a = 1", outputs=outputs)).encode())
        assert isinstance(found, SourceFile)
        return found

    picture = [{"data": {"image/png": "A" * 3_000_000}}]
    smaller = [{"data": {"image/png": "B"}}]
    assert file(picture) == file(smaller)
    assert len(file(picture).text) < 100
