"""The tables of a fleet: Lance datasets below one address, a folder or a place in an object store.

A build is what one repository was at one time. Each has a number of its own, and every row belongs to one build, so
rows are only ever added: a build becomes visible when the row of its repository names it
(`plait.store.lance.registry`), and rows of builds that no repository names are as if they were not there until `sweep`
deletes them. A symbol's key is its build's number times 2**24 plus its own number, counted from 0 in the order of ids.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from plait.document import EMBEDDED, SMOOTHED
from plait.errors import BadParameter, FleetUnreachable, MissingExtra, NoFleet

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 2
"""Kept with a fleet: a plait of another format refuses it."""

NUMBERS = 24
"""Bits of a key that are the symbol's number: up to 16 million symbols in one repository."""

T = TypeVar("T")

HEADS = "repositories"
BEGUN = "begun"
BUILDS = "builds"
SYMBOLS = "symbols"
TERMS = "terms"
EDGES = "edges"
SITES = "sites"
OUTWARD = "outward"
OF_BUILDS = (SYMBOLS, TERMS, EDGES, SITES, OUTWARD, *EMBEDDED, SMOOTHED, BUILDS)
"""Tables whose rows belong to builds."""

INDEXED = {
    SYMBOLS: ("key", "build", "name"),
    TERMS: ("term", "build"),
    EDGES: ("source", "target", "build"),
    SITES: ("build",),
    OUTWARD: ("package", "last", "build"),
    BUILDS: ("build",),
    **dict.fromkeys((*EMBEDDED, SMOOTHED), ("build", "owner")),
}
"""Columns that have an index once the fleet has been optimized."""


def lance() -> Any:
    # Processes are started here by programs that exec at once (git, Ray), never by a bare fork.
    warnings.filterwarnings("ignore", "lance is not fork-safe")
    try:
        import lance
    except ImportError:
        raise MissingExtra("a fleet", "pylance", "scale") from None
    return lance


def arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra("a fleet", "pyarrow", "scale") from None
    return pyarrow


@dataclass(frozen=True, slots=True)
class About:
    """What all builds of a fleet have in common."""

    embedder: str
    """its name, as in the settings"""
    fingerprint: str
    graph: str
    dim: int
    format: int = FORMAT


@dataclass(slots=True)
class Tables:
    uri: str
    options: Mapping[str, str] = field(default_factory=dict)
    """of the object store, beyond what its usual environment variables say"""
    _open: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def create(cls, uri: str, about: About, options: Mapping[str, str] | None = None) -> Tables:
        """Make an empty fleet. Raises BadParameter where there is one."""
        made = cls(uri.rstrip("/"), options or {})
        if made.exists():
            raise BadParameter(f"{uri}: there is a fleet already; `plait fleet status` shows it")
        kept = {"plait": json.dumps([getattr(about, one.name) for one in fields(About)])}
        for name, schema in sorted(schemas(about.dim).items(), key=lambda one: one[0] == HEADS):
            with reaching(uri):
                lance().write_dataset(
                    schema.with_metadata(kept).empty_table(),
                    made.place(name),
                    mode="create",
                    storage_options=dict(made.options),
                    enable_v2_manifest_paths=True,
                )
        return made

    def exists(self) -> bool:
        try:
            self.dataset(HEADS)
        except NoFleet:
            return False
        return True

    @property
    def about(self) -> About:
        """Raises NoFleet, and BadParameter for a fleet of another format."""
        kept = self.dataset(HEADS).schema.metadata or {}
        try:
            about = About(*json.loads(kept[b"plait"]))
        except (KeyError, TypeError, ValueError):
            raise NoFleet(self.uri) from None
        if about.format != FORMAT:
            raise BadParameter(f"{self.uri}: the fleet has format {about.format}, this plait {FORMAT}; build it anew")
        return about

    def place(self, name: str) -> str:
        return f"{self.uri}/{name}.lance"

    def dataset(self, name: str) -> Any:
        """Return a table as it was when it was first opened, or at the last `latest`."""
        if name not in self._open:
            try:
                self._open[name] = lance().dataset(self.place(name), storage_options=dict(self.options))
            except (ValueError, OSError) as error:  # Lance raises either for both
                if "not found" in str(error):
                    raise NoFleet(self.uri) from error
                raise FleetUnreachable(self.uri, error) from error
        return self._open[name]

    def latest(self, name: str) -> Any:
        """Return a table as it is now.

        What others got before stays as it was: Lance's own `checkout_latest` fails while another thread reads.
        """
        found = self.dataset(name)
        with reaching(self.uri):
            newest = found.latest_version
            if newest != found.version:
                found = self._open[name] = found.checkout_version(newest)
        return found

    def write(self, name: str, rows: pa.Table) -> list[Any]:
        """Write rows that nobody sees before `append`; return what that needs."""
        with reaching(self.uri):
            made: list[Any] = lance().fragment.write_fragments(
                rows, self.place(name), mode="append", storage_options=dict(self.options)
            )
        return made

    def append(self, name: str, written: Sequence[Any]) -> None:
        if written:
            version = self.latest(name).version

            def commit() -> None:
                lance().LanceDataset.commit(
                    self.place(name),
                    lance().LanceOperation.Append(list(written)),
                    read_version=version,
                    storage_options=dict(self.options),
                )

            persistent(self.uri, commit)

    def add(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        schema = schemas(1)[name]
        self.append(name, self.write(name, arrow().Table.from_pylist(list(rows), schema=schema)))

    def read(self, name: str, where: str, columns: Sequence[str] | None = None) -> pa.Table:
        with reaching(self.uri):
            found: pa.Table = self.dataset(name).to_table(filter=where, columns=columns and list(columns))
        return found


@contextmanager
def reaching(uri: str) -> Iterator[None]:
    """Raise FleetUnreachable for what Lance raises in the store's place: what a scan meets comes as another kind."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, OSError) or "LanceError(IO)" in str(error):
            raise FleetUnreachable(uri, error) from error
        raise


def persistent(uri: str, work: Callable[[], T], times: int = 20) -> T:
    """Do work that another writer's commit can get in the way of, until none has."""
    for left in reversed(range(times)):
        try:
            return work()
        except (OSError, RuntimeError) as error:
            if not left or "onflict" not in str(error):
                raise FleetUnreachable(uri, error) from error
    raise AssertionError


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def among(column: str, values: Sequence[int]) -> str:
    return f"{column} IN ({', '.join(map(str, values))})" if values else "false"


def schemas(dim: int) -> dict[str, pa.Schema]:
    pa = arrow()
    text, number, whole = pa.string(), pa.int64(), pa.int32()
    codes = pa.list_(pa.float16(), dim)
    passage = [
        *(("build", number), ("row", whole), ("owner", number)),
        *(("span", pa.list_(whole, 4)), ("digest", pa.binary(16)), ("codes", codes)),
    ]
    return {
        HEADS: pa.schema(
            [
                *(("name", text), ("source", text), ("generation", number), ("build", number), ("state", text)),
                *(("symbols", number), ("terms", number), ("packages", pa.list_(text)), ("history", text)),
                *(("attempts", whole), ("problem", text), ("tried", text)),
            ]
        ),
        BEGUN: pa.schema([("build", number), ("name", text), ("at", pa.float64())]),
        BUILDS: pa.schema(
            [
                *(("build", number), ("info", text), ("counts", text), ("files", text), ("skipped", text)),
                *(("recovered", text), ("published", text)),
            ]
        ),
        SYMBOLS: pa.schema(
            [
                *(("build", number), ("key", number), ("id", text), ("name", text), ("kind", text), ("path", text)),
                *(("language", text), ("module", text), ("qualified_name", text), ("spans", text)),
                *(("signature", text), ("docstring", text), ("parent", text), ("is_test", pa.bool_())),
                *(("cells", text), ("text", text), ("length", whole), ("words", text)),
            ]
        ),
        TERMS: pa.schema([("build", number), ("term", text), ("documents", whole)]),
        EDGES: pa.schema(
            [
                *(("build", number), ("source", number), ("target", number), ("kind", text), ("via", text)),
                *(("evidence", pa.int8()), ("confidence", pa.float64()), ("path", text), ("line", whole)),
                ("candidates", whole),
            ]
        ),
        SITES: pa.schema(
            [
                *(("build", number), ("row", whole), ("source", number), ("kind", text), ("name", text)),
                *(("expression", text), ("receiver", text), ("arity", whole), ("line", whole), ("column", whole)),
                *(("path", text), ("reason", text), ("detail", text)),
            ]
        ),
        OUTWARD: pa.schema(
            [
                *(("build", number), ("row", whole), ("source", number), ("package", text), ("within", text)),
                *(("name", text), ("last", text), ("kind", text), ("arity", whole), ("path", text), ("line", whole)),
            ]
        ),
        **{template: pa.schema(passage) for template in EMBEDDED},
        SMOOTHED: pa.schema([("build", number), ("row", whole), ("owner", number), ("codes", codes)]),
    }
