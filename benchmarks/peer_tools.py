"""Other makers of Python call graphs, and plait, behind one call: `python benchmarks/peer_tools.py TOOL OUTPUT ROOT...`

`peers.py` starts it, with the interpreter that has the tool. OUTPUT gets, for each root, edges [[path, name], [path,
name]], names dotted, '' for module-level code; or an error as text. Type checkers know what a name refers to, not who
calls: they are asked at call sites, decorators included, and in one row also at attributes that have the name of a
property. A class that is called stands for the `__init__` it has or inherits, by names of bases.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import json
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

CPU_SECONDS = 600
Name = tuple[str, str]
Edge = tuple[Name, Name]
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Site:
    caller: Name
    name: str
    line: int
    column: int
    """of the name, in characters"""
    call: bool
    """False for an attribute that is read or written"""


class Package:
    """Definitions and sites of all files below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.py"))}
        self.at: dict[tuple[str, int, int], tuple[Name, ast.AST]] = {}
        """definitions by path, line and column of their name; a parameter can be defined in the same line"""
        self.named: defaultdict[str, list[tuple[Name, ast.AST]]] = defaultdict(list)
        self.sites: list[Site] = []
        self.properties: set[str] = set()
        for path, file in self.files.items():
            text = file.read_bytes().decode("utf-8", "replace")
            self._lines = text.split("\n")
            self._walk(ast.parse(text), path, "", (path, ""))
        self.module = {self._dotted(path): path for path in self.files}

    def _dotted(self, path: str) -> str:
        return path.removesuffix(".py").replace("/", ".").removesuffix("__init__").rstrip(".")

    def _site(self, node: ast.AST, caller: Name, call: bool) -> None:
        if isinstance(node, ast.Name):
            name, line, column = node.id, node.lineno, node.col_offset
        elif isinstance(node, ast.Attribute):
            name, line = node.attr, node.end_lineno or 0
            column = (node.end_col_offset or 0) - len(node.attr.encode())
        else:
            return
        before = self._lines[line - 1].encode()[:column].decode("utf-8", "replace")
        self.sites.append(Site(caller, name, line, len(before), call))

    def _walk(self, node: ast.AST, path: str, prefix: str, caller: Name) -> None:
        """Recursive, as the files are real ones; a definition's decorators and defaults belong to who defines it."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, DEFINITIONS):
                name = (path, f"{prefix}{child.name}")
                column = self._lines[child.lineno - 1].index(child.name, child.col_offset)
                self.at[path, child.lineno, column] = (name, child)
                self.named[child.name].append((name, child))
                for mark in child.decorator_list:
                    self._site(mark, caller, call=True)
                    if ast.unparse(mark).endswith(("property", "setter")):
                        self.properties.add(child.name)
                inner = caller if isinstance(child, ast.ClassDef) else name
                for part, value in ast.iter_fields(child):
                    parts = [
                        item for item in (value if isinstance(value, list) else [value]) if isinstance(item, ast.AST)
                    ]
                    self._walk(
                        ast.Module(parts, []), path, f"{name[1]}." if part == "body" else prefix,  # type: ignore[arg-type]
                        inner if part == "body" else caller,
                    )  # fmt: skip
                continue
            if isinstance(child, ast.Call):
                self._site(child.func, caller, call=True)
            elif isinstance(child, ast.Attribute):
                self._site(child, caller, call=False)
            self._walk(child, path, prefix, caller)

    def target(self, path: str, line: int, column: int, *, call: bool) -> Name | None:
        """The function that a reference to the definition at this place runs, when called or when only read."""
        name, node = self.at.get((path, line, column), (None, None))
        if name is None or (not call and name[1].rpartition(".")[2] not in self.properties):
            return None
        return self.constructor(name, node) if isinstance(node, ast.ClassDef) else name

    def constructor(self, name: Name, node: ast.ClassDef, depth: int = 0) -> Name | None:
        for child in node.body:
            if isinstance(child, ast.FunctionDef) and child.name == "__init__":
                return name[0], f"{name[1]}.__init__"
        for base in node.bases if depth < 20 else []:
            word = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
            classes = [found for found in self.named[word] if isinstance(found[1], ast.ClassDef)]
            near = [found for found in classes if found[0][0] == name[0]] or classes
            if len(near) == 1 and (found := self.constructor(near[0][0], near[0][1], depth + 1)):  # type: ignore[arg-type]
                return found
        return None

    def undot(self, dotted: str) -> Name | None:
        """`package.module.Class.method` -> path and name; None for what is not defined here."""
        words = dotted.split(".")
        for length in range(len(words), 0, -1):
            if path := self.module.get(".".join(words[:length])):
                return path, ".".join(word for word in words[length:] if not word.startswith("<lambda"))
        return None


def names(package: Package, *, nearest: bool) -> Iterator[Edge]:
    for site in package.sites:
        found = package.named[site.name] if site.call else []
        if nearest:
            same = [one for one in found if one[0][0] == site.caller[0]]
            found = same or [one for one in found if len(found) == 1]
            found = found if len(found) == 1 else []
        for name, node in found:
            target = package.constructor(name, node) if isinstance(node, ast.ClassDef) else name
            if target:
                yield site.caller, target


def jedi(package: Package, *, infer: bool) -> Iterator[Edge]:
    from jedi import Project, Script

    project = Project(package.root)
    scripts = {path: Script(path=file, project=project) for path, file in package.files.items()}
    for site in package.sites:
        if site.call:
            script = scripts[site.caller[0]]
            try:
                ask = script.infer if infer else functools.partial(script.goto, follow_imports=True)
                found = ask(site.line, site.column)
            except Exception:  # jedi raises many kinds at single sites; such a site has no answer
                continue
            for one in found:
                if one.module_path and one.module_path.is_relative_to(package.root) and one.type != "instance":
                    path = one.module_path.relative_to(package.root).as_posix()
                    if target := package.target(path, one.line or 0, one.column or 0, call=True):
                        yield site.caller, target


def _scip() -> type:
    """The three messages of SCIP's schema that are needed, with its field numbers."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="scip", package="scip", syntax="proto3")
    fields = {
        "Occurrence": [("range", 1, 3, 5, ""), ("symbol", 2, 1, 9, ""), ("symbol_roles", 3, 1, 5, "")],
        "Document": [("relative_path", 1, 1, 9, ""), ("occurrences", 2, 3, 11, ".scip.Occurrence")],
        "Index": [("documents", 2, 3, 11, ".scip.Document")],
    }
    for message, parts in fields.items():
        described = file.message_type.add(name=message)
        for name, number, label, kind, type_name in parts:
            described.field.add(name=name, number=number, label=label, type=kind, type_name=type_name or None)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("scip.Index"))


def pyrefly(package: Package, *, properties: bool) -> Iterator[Edge]:
    with tempfile.NamedTemporaryFile(suffix=".scip") as file:
        program = Path(sys.executable).parent / "pyrefly"
        # Without a preset, bodies of functions that have no annotation are not analysed.
        command = [program, "check", "--preset=strict", "--search-path=.", "--threads=1"]
        command += ["--report-scip", file.name, "."]
        done = subprocess.run(command, cwd=package.root, capture_output=True, text=True, check=False)
        index = _scip()()
        index.ParseFromString(Path(file.name).read_bytes())
    if not index.documents:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr else "no document")
    defined: dict[tuple[str, str], tuple[str, int, int]] = {}
    used: defaultdict[tuple[str, int, int], list[tuple[str, str]]] = defaultdict(list)
    for document in index.documents:
        for occurrence in document.occurrences:
            line, column = occurrence.range[0] + 1, occurrence.range[1]
            symbol = (document.relative_path if occurrence.symbol.startswith("local ") else "", occurrence.symbol)
            if occurrence.symbol_roles & 1:
                defined.setdefault(symbol, (document.relative_path, line, column))
            else:
                used[document.relative_path, line, column].append(symbol)
    for site in package.sites if properties else [site for site in package.sites if site.call]:
        for symbol in used[site.caller[0], site.line, site.column]:
            if symbol in defined and (target := package.target(*defined[symbol], call=site.call)):
                yield site.caller, target


def dotted(package: Package, graph: dict[str, Iterable[str]]) -> Iterator[Edge]:
    for caller, callees in graph.items():
        for callee in callees:
            ends = package.undot(caller), package.undot(callee)
            if ends[0] and ends[1] and "<lambda" not in callee:
                yield ends[0], ends[1]


def pycg(package: Package) -> Iterator[Edge]:
    import importlib.util  # without it pycg resolves no import

    with contextlib.suppress(ImportError):  # PyCG is the folder in the wheel; its code imports pycg
        sys.modules["pycg"] = importlib.import_module("PyCG")
    from pycg.formats import Simple
    from pycg.pycg import CallGraphGenerator
    from pycg.utils.constants import CALL_GRAPH_OP

    graph = CallGraphGenerator([str(file) for file in package.files.values()], str(package.root), -1, CALL_GRAPH_OP)
    graph.analyze()
    yield from dotted(package, Simple(graph).generate())


def jarvis(package: Package, *, precision: bool) -> Iterator[Edge]:
    from jarviscg.core import CallGraphGenerator
    from jarviscg.formats import Simple

    files = [str(file) for file in package.files.values()]
    graph = CallGraphGenerator(files, str(package.root), precision=precision)
    graph.analyze()
    yield from dotted(package, Simple(graph).generate())


def plait(package: Package, *, graph: str) -> Iterator[Edge]:
    import plait_edges

    for found in plait_edges.calls(plait_edges.parse(plait_edges.read(package.root)), graph):
        yield (
            (found.caller.path, found.caller.qualified_name[len(found.caller.module) + 1 :]),
            (found.callee.path, found.callee.qualified_name[len(found.callee.module) + 1 :]),
        )


TOOLS = {
    "names, all": functools.partial(names, nearest=False),
    "names, nearest": functools.partial(names, nearest=True),
    "pycg": pycg,
    "jarviscg": functools.partial(jarvis, precision=False),
    "jarviscg flow": functools.partial(jarvis, precision=True),
    "jedi goto": functools.partial(jedi, infer=False),
    "jedi infer": functools.partial(jedi, infer=True),
    "pyrefly SCIP": functools.partial(pyrefly, properties=False),
    "  and properties": functools.partial(pyrefly, properties=True),
    "plait names": functools.partial(plait, graph="names"),
    "plait scoped": functools.partial(plait, graph="scoped"),
    "plait flow": functools.partial(plait, graph="flow"),
}


def main(tool: str, output: str, *roots: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    found: dict[str, object] = {}
    for root in roots:
        try:
            found[root] = sorted(set(TOOLS[tool](Package(Path(root).resolve()))))
        except Exception as error:  # whatever a tool raises is its result
            found[root] = f"{type(error).__name__}: {error}"
    # Not ru_maxrss of this process, which counts what its parent held when it was started.
    (own,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    kilobytes = max(int(own.split()[1]), started)
    Path(output).write_text(json.dumps({"edges": found, "kilobytes": kilobytes}), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
