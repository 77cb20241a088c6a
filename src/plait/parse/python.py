"""Python by the standard library's `ast`."""

from __future__ import annotations

import ast
import warnings

from plait.facts import ParsedFile
from plait.model import Skipped, SkipReason, SourceFile
from plait.parse.facts import Facts


class PythonParser:
    """Reads files that are valid for the running interpreter; all others are `Skipped`."""

    def parse(self, file: SourceFile) -> ParsedFile | Skipped:
        """Return the facts of the file; Skipped when the compiler's parser refuses it or its stack ends first."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return Facts(file).of(ast.parse(file.text))
            except SyntaxError as error:
                return Skipped(file.path, SkipReason.SYNTAX, f"line {error.lineno or 1}: {error.msg}")
            except (ValueError, RecursionError, MemoryError) as error:
                detail = str(error) or "too deeply nested"
                return Skipped(file.path, SkipReason.SYNTAX, detail.splitlines()[0])
