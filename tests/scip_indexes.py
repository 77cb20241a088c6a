"""SCIP indexes as a test writes them down: a line of code below it a line of marks.

x.run()
# ^^^ pkg a/A#run().          a reference
def run(self): ...
#   === pkg a/A#run().        a definition
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from plait.scip import schema

_MARK = re.compile(r"^\s*#\s*(?P<sign>\^+|=+) (?P<symbol>.+)$")
UNITS = {schema.UTF8: ("utf-8", 1), schema.UTF16: ("utf-16-le", 2), schema.UTF32: ("utf-32-le", 4)}


def marked(files: Mapping[str, str], encoding: int = schema.UTF32, said: bool = True) -> tuple[dict[str, str], Any]:
    """Return the files without their marks, and the index. `pkg` in a symbol stands for scheme and package.

    Columns are counted in the encoding; with `said` the documents say so.
    """
    index = schema.index_message()()
    index.metadata.tool_info.name, index.metadata.tool_info.version = "test", "1"
    plain: dict[str, str] = {}
    for path, text in files.items():
        document = index.documents.add(relative_path=path, position_encoding=encoding if said else 0)
        lines: list[str] = []
        for line in text.split("\n"):
            found = _MARK.match(line)
            if found is None:
                lines.append(line)
                continue
            before, unit = lines[-1], UNITS[encoding]
            columns = [len(before[:at].encode(unit[0])) // unit[1] for at in found.span("sign")]
            symbol = found["symbol"].strip().replace("pkg ", "scip-test pip shop 1.0 ")
            role = schema.DEFINITION if found["sign"].startswith("=") else 0
            document.occurrences.add(range=[len(lines) - 1, *columns], symbol=symbol, symbol_roles=role)
        plain[path] = "\n".join(lines)
    return plain, index
