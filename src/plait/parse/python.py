"""Python by the standard library's `ast`, and by error recovery where that refuses."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, replace
from itertools import accumulate

from plait.errors import MissingExtra
from plait.facts import ParsedFile
from plait.model import Recovered, Skipped, SkipReason, SourceFile
from plait.parse.cells import in_cells
from plait.parse.facts import Facts
from plait.parse.lines import merged, split_lines

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class PythonParser:
    """Reads files of the running interpreter's grammar, and what can be understood of all others."""

    flow: bool = True
    """whether to find how values move, a third of the work"""

    def without_flow(self) -> PythonParser:
        return PythonParser(flow=False)

    def parse(self, file: SourceFile) -> ParsedFile | Skipped:
        """Return the facts of the file; Skipped when the compiler's parser refuses it and nothing can be recovered."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(file.text)
            except SyntaxError as error:
                return self._recovered(file, f"line {error.lineno or 1}: {error.msg}")
            except (RecursionError, MemoryError):
                return self._recovered(file, "nested too deeply for Python's parser")
            except ValueError as error:
                return self._recovered(file, str(error).splitlines()[0])
            return in_cells(file, Facts(file, flow=self.flow).of(tree))

    def _recovered(self, file: SourceFile, problem: str) -> ParsedFile | Skipped:
        if 100 * len(_CONTROL.findall(file.text)) > len(file.text):
            return Skipped(file.path, SkipReason.SYNTAX, f"{problem}; more control characters than a text has")
        from plait.parse.recovery import recover  # what it stands on is imported only for files that need it

        try:
            found = recover(file.text)
        except UnicodeEncodeError:  # lone surrogates
            return Skipped(file.path, SkipReason.SYNTAX, problem)
        except MissingExtra as error:
            return Skipped(file.path, SkipReason.SYNTAX, f"{problem}; {error}")
        parsed = Facts(file, flow=self.flow).of(found.tree)
        if _is_rubble(parsed, found.left_out, file.text):
            return Skipped(file.path, SkipReason.SYNTAX, problem)
        return in_cells(file, replace(parsed, recovered=Recovered(file.path, problem, merged(found.left_out))))


def _is_rubble(parsed: ParsedFile, left_out: tuple[tuple[int, int], ...], text: str) -> bool:
    """Whether nothing is defined or imported and most of the lines could not be understood."""
    if len(parsed.symbols) > 1 or parsed.imports or not left_out:
        return False
    filled = [0, *accumulate(bool(line.strip()) for line in split_lines(text))]
    lost = sum(filled[last] - filled[first - 1] for first, last in left_out)
    return 2 * lost > filled[-1]
