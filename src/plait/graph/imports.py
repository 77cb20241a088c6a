"""What a module gives to star imports, and where imports lead that find no module."""

from __future__ import annotations

from plait.facts import Import, ParsedFile
from plait.graph.memory import MAX_DEPTH
from plait.graph.program import Program
from plait.graph.values import External, Opaque
from plait.model import Unknown


def outside(program: Program, imported: Import, importer: ParsedFile) -> External | Opaque:
    """EXTERNAL, unless the name's package is in the repository and only the module is missing."""
    name = "." * imported.level + imported.module
    if imported.level:
        return Opaque(Unknown.NAME, name)
    if program.modules.absolute(imported.module.partition(".")[0], importer) is not None:
        return Opaque(Unknown.NAME, name)
    if imported.name is not None:
        return External(f"{imported.module}.{imported.name}")
    top = imported.module.partition(".")[0]
    return External(top if imported.alias == top else imported.module)


def exports(program: Program, file: ParsedFile, name: str, seen: frozenset[str] = frozenset()) -> bool:
    if file.exports is not None:
        return name in file.exports
    scope = file.symbols[0].id
    if name.startswith("_") or file.path in seen or len(seen) > MAX_DEPTH:
        return False
    if program.definitions(scope, name) or program.imports(scope, name) or program.bindings(scope, name):
        return True
    sources = (program.modules.imported(imported, file) for imported in program.stars(scope))
    files = (program.modules.file(source) for source in sources if source is not None)
    return any(exports(program, one, name, seen | {file.path}) for one in files if one is not None)
