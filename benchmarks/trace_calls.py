"""pytest plug-in: record which functions below a folder call which, and which of their lines run. Python 3.12 or newer.

    PYTHONPATH=benchmarks TRACED=FOLDER TRACE=calls.json python -m pytest -p trace_calls TESTS

`benchmarks/suites.py` runs it for the packages that plait is measured on. A function is written [path below FOLDER,
qualified name, first line, decorators included]. The file written has

    calls    [caller, callee]: the frame right below the callee's, C code in between not counted, is the caller's
    through  the same, where only functions nested in others, lambdas and comprehensions stand between the two
    lines    path -> lines that ran
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = str(Path(os.environ["TRACED"]).resolve()) + os.sep
MONITORING: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
TOOL = 4  # not the profiler's id, which some suites need themselves

_calls: set[tuple[CodeType, CodeType]] = set()
_through: set[tuple[CodeType, CodeType]] = set()
_lines: defaultdict[str, set[int]] = defaultdict(set)


def _inner(code: CodeType) -> bool:
    return "<locals>" in code.co_qualname


def _started(code: CodeType, offset: int) -> object:
    if not code.co_filename.startswith(ROOT):
        return MONITORING.DISABLE
    _lines[code.co_filename].add(code.co_firstlineno)
    caller = sys._getframe(1).f_back
    if caller is None or not caller.f_code.co_filename.startswith(ROOT):
        return None
    _calls.add((caller.f_code, code))
    while caller is not None and _inner(caller.f_code) and caller.f_code.co_filename.startswith(ROOT):
        caller = caller.f_back
        if caller is not None and caller.f_code.co_filename.startswith(ROOT):
            _through.add((caller.f_code, code))
    return None


def _line(code: CodeType, line: int) -> object:
    if code.co_filename.startswith(ROOT):
        _lines[code.co_filename].add(line)
    return MONITORING.DISABLE


def _named(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename[len(ROOT) :], code.co_qualname, code.co_firstlineno


def pytest_unconfigure() -> None:
    MONITORING.set_events(TOOL, 0)
    written = {
        "calls": sorted((_named(a), _named(b)) for a, b in _calls),
        "through": sorted((_named(a), _named(b)) for a, b in _through),
        "lines": {path[len(ROOT) :]: sorted(lines) for path, lines in sorted(_lines.items())},
    }
    Path(os.environ["TRACE"]).write_text(json.dumps(written), encoding="utf-8")


MONITORING.use_tool_id(TOOL, "trace_calls")
MONITORING.register_callback(TOOL, MONITORING.events.PY_START, _started)
MONITORING.register_callback(TOOL, MONITORING.events.LINE, _line)
MONITORING.set_events(TOOL, MONITORING.events.PY_START | MONITORING.events.LINE)
