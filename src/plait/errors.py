"""Everything that plait raises on purpose.

PlaitError
├── RequestError (also ValueError)     what was asked cannot be done as asked
│   ├── NoSuchPath
│   ├── NothingToIndex
│   ├── NotIndexed                     there is no index to look at
│   ├── Unstable                       files change while something must not
│   ├── EmptyQuery
│   ├── UnknownSymbol                  .near: the nearest qualified names
│   ├── AmbiguousSymbol                .choices: the symbols it could be
│   ├── UnknownPlugin                  a strategy, embedder, graph or language by a name nobody registered
│   ├── BadParameter                   a parameter of a strategy or a setting has a wrong name or value
│   ├── BadCollection                  a collection's files do not fit each other or its corpus
│   ├── BadScip                        a SCIP index cannot be read or joined
│   ├── NoFleet                        no fleet is kept at the address
│   └── BadSource                      what a repository of a fleet comes from cannot be read
├── MissingExtra (also ImportError)    an optional library is not installed; says how to install it
├── IndexBusy                          another process is writing the index
├── Overtaken                          another builder has committed the repository first
├── FleetUnreachable                   a fleet's object store or folder does not answer
├── NoCluster                          Ray does not start, or does not answer at the address
├── CannotServe                        the replicas of a fleet's server do not come up
├── CannotEmbed                        a model or a server that embeds is not at hand or does not answer
├── CannotWrite                        a folder or disk takes no file: the index's, or a report's
└── BrokenIndex                        an index file cannot be read and could not be rebuilt

A message is one line: what is wrong, then the next step. Bad input files are not errors but `Skipped` values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class PlaitError(Exception):
    """Base of all errors raised on purpose."""


class RequestError(PlaitError, ValueError):
    """The request cannot be carried out as asked."""


class NoSuchPath(RequestError):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: no such file or folder; give the folder of the code to index")


class NothingToIndex(RequestError):
    def __init__(self, path: str, skipped: Mapping[str, int]) -> None:
        """`skipped` counts what was left out, by reason."""
        listed = ", ".join(f"{reason} {count}" for reason, count in skipped.items())
        seen = f"skipped: {listed}; `plait status --skipped` tells why" if skipped else "the folder is empty"
        super().__init__(f"{path}: no source file in a language that plait reads; {seen}")


class NotIndexed(RequestError):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: no index with these settings; `plait index` makes one")


class Unstable(RequestError):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: files have changed meanwhile; run it again when nothing writes there")


class EmptyQuery(RequestError):
    def __init__(self) -> None:
        super().__init__("the query is empty; say in a few words what the code does, for example 'open a connection'")


class UnknownSymbol(RequestError):
    def __init__(self, name: str, near: Sequence[str]) -> None:
        self.near = tuple(near)
        hint = f"did you mean {' or '.join(self.near)}?" if self.near else "`plait search` finds symbols by words"
        super().__init__(f"no symbol is called {name!r}; {hint}")


class AmbiguousSymbol(RequestError):
    def __init__(self, name: str, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)
        shown = ", ".join(self.choices[:8]) + (f" and {len(self.choices) - 8} more" if len(self.choices) > 8 else "")
        super().__init__(f"{name!r} could be {len(self.choices)} symbols; say which: {shown}")


class UnknownPlugin(RequestError):
    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        super().__init__(f"no {kind} is called {name!r}; there are: {', '.join(known)}")


class BadParameter(RequestError):
    """A parameter has a wrong name, type or value."""


class BadCollection(RequestError):
    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")


class BadBaseline(RequestError):
    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}; write a new one with `plait eval COLLECTION --json > FILE`")


class BadAnswers(RequestError):
    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}; mend or remove it, or give another file to --answers")


class BadScip(RequestError):
    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}; give a SCIP index, for example of `pyrefly check --report-scip FILE`")


class MissingExtra(PlaitError, ImportError):
    def __init__(self, what: str, library: str, extra: str | None = None) -> None:
        """`extra` is the extra of plait that brings the library; None for a library that plait always needs."""
        wanted = f"'plait[{extra}]'" if extra else library
        super().__init__(f"{what} needs {library}, which is not installed; run: pip install {wanted}")


class IndexBusy(PlaitError):
    def __init__(self, path: str, holder: str) -> None:
        """`holder` says who is writing it."""
        super().__init__(f"{path}: {holder}; run it again when that has ended, or wait longer with --wait SECONDS")


class NoFleet(RequestError):
    def __init__(self, uri: str) -> None:
        super().__init__(f"{uri}: no fleet is kept there; `plait fleet add --fleet {uri} FOLDER` makes one")


class NotInAFleet(RequestError):
    """What needs a checkout."""


class BadSource(RequestError):
    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"{source}: {problem}")


class Overtaken(PlaitError):
    def __init__(self, name: str) -> None:
        super().__init__(f"{name}: another builder has committed this repository meanwhile; its build counts")


class FleetUnreachable(PlaitError):
    def __init__(self, uri: str, problem: object) -> None:
        told = " ".join(str(problem).split())[:300]
        super().__init__(f"{uri}: the fleet's store does not do what it is asked ({told}); check its address and keys")


class NoCluster(PlaitError):
    def __init__(self, address: str, problem: object) -> None:
        """`address` is empty for a cluster that was to be started on this machine."""
        told = " ".join(str(problem).split())[:200]
        if address:
            super().__init__(f"--address {address}: no Ray cluster answers there ({told}); `ray status` tells of it")
        else:
            super().__init__(f"Ray does not start on this machine ({told}); run it again when that has less to do")


class CannotServe(PlaitError):
    def __init__(self, problem: str) -> None:
        told = " ".join(problem.split())[:300]
        how = "give the cluster more processors, or ask for fewer with --min-replicas or --cpus"
        super().__init__(f"the replicas do not come up ({told}); {how}")


class CannotEmbed(PlaitError):
    def __init__(self, what: str, problem: object, instead: str) -> None:
        super().__init__(f"{what}: {problem}; {instead}")


class CannotWrite(PlaitError):
    def __init__(self, path: str, problem: str, instead: str) -> None:
        """`instead` says how to choose another place."""
        super().__init__(f"{path}: cannot be written ({problem}); {instead}")


class BrokenIndex(PlaitError):
    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: the index cannot be read ({problem}); delete the file and run `plait index` again")
