"""Builds the repositories of a fleet on the nodes of a Ray cluster, each by one task.

What is done is told by the fleet itself, so a run that ended early is taken up by the next one. At most as many tasks
as there are processors are under way, so memory is bounded by the largest repositories.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plait.errors import MissingExtra, NoCluster, PlaitError
from plait.fleet.building import ATTEMPTS, Outcome, build_repository, state_of
from plait.fleet.fleet import Fleet
from plait.processes import work_alone
from plait.store.lance import registry
from plait.store.lance.registry import Head
from plait.store.lance.upkeep import tidy

RESTARTS = 2
"""Times that a task is begun again whose process or node died."""

CONNECT = 10.0
"""Seconds that a cluster has to take a connection."""

TIDY = 32
"""Repositories after which pieces that later ones would have to read are joined."""


@dataclass(frozen=True, slots=True)
class Cluster:
    address: str = ""
    """of a Ray cluster, or `auto`; empty: one is started on this machine for the time of the build"""
    workers: int = 0
    """tasks at a time; 0: one for each processor of the cluster"""
    limit: float = 3600.0
    """seconds after which a task is ended"""


def build_all(
    fleet: Fleet,
    cluster: Cluster,
    names: Collection[str] | None = None,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Iterator[Outcome]:
    """Build the repositories that have changed, these or all, and yield the outcome of each as it comes.

    Raises NoCluster.
    """
    ray = _ray()
    waiting: list[str] = []
    total = done = 0
    for head in fleet.heads():
        if names is None or head.name in names:
            total += 1
            if _is_unchanged(head):
                done += 1
                progress("building repositories", done, total)
                yield Outcome(head.name, symbols=head.symbols)
            else:
                waiting.append(head.name)
    if not waiting:
        return
    started_here = not ray.is_initialized()
    if started_here:
        join(ray, cluster.address, cluster.workers or None)
    try:
        task = ray.remote(num_cpus=1, max_retries=RESTARTS)(_build)
        most = cluster.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        running: dict[Any, tuple[str, float]] = {}
        attempts: dict[str, int] = {}
        late: set[Any] = set()
        waiting.reverse()
        while waiting or running:
            while waiting and len(running) < most:
                name = waiting.pop()
                attempts[name] = attempts.get(name, 0) + 1
                made = task.remote(fleet.tables.uri, dict(fleet.tables.options), str(fleet.cache), name)
                running[made] = (name, time.monotonic())
            for one, (_, since) in running.items():
                if one not in late and time.monotonic() - since > cluster.limit:
                    late.add(one)
                    ray.cancel(one, force=True)
            ended, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
            for one in ended:
                name, _ = running.pop(one)
                outcome = _outcome(ray, fleet, one, name, is_late=one in late)
                if outcome.problem and not outcome.set_aside and attempts[name] < ATTEMPTS:
                    waiting.insert(0, name)
                    continue
                done += 1
                if done % TIDY == 0:
                    tidy(fleet.tables)
                progress("building repositories", done, total)
                yield outcome
    finally:
        if started_here:
            ray.shutdown()


def join(ray: Any, address: str, processors: int | None = None) -> None:
    """Let this process take part in a cluster; without an address, in one of this machine that ends with the process
    and has so many processors (None: all). Raises NoCluster.
    """
    own = {} if address else {"num_cpus": processors}
    host, _, port = address.rpartition(":")
    try:
        if host and port.isdecimal():  # Ray would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT).close()
        ray.init(address or "local", **own, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    except Exception as error:  # Ray raises many kinds, this one among them
        raise NoCluster(address, error) from error


def _is_unchanged(head: Head) -> bool:
    """Whether nothing is to be done, as far as can be told from here: a node may see what this machine does not."""
    try:
        return bool(head.build) and not head.problem and state_of(head.source) == head.state
    except PlaitError:
        return False


def _outcome(ray: Any, fleet: Fleet, ended: Any, name: str, *, is_late: bool) -> Outcome:
    try:
        found: Outcome = ray.get(ended)
        return found
    except ray.exceptions.RayTaskError as error:
        raise error.as_instanceof_cause() from None
    except ray.exceptions.RayError as error:
        problem = f"its process died each time: {' '.join(str(error).split())[:200]}"
        if is_late:
            problem = "took longer than a build may; see --limit"
    try:
        state = state_of(registry.head(fleet.tables, name).source)
    except PlaitError:
        state = ""  # gone meanwhile, or only the nodes see it
    for _ in range(ATTEMPTS):
        registry.failed(fleet.tables, name, state, problem)
    return Outcome(name, problem, set_aside=True)


def _build(uri: str, options: dict[str, str], cache: str, name: str) -> Outcome:
    """Run on a node, whose local cache holds what it has parsed before."""
    work_alone()
    return build_repository(Fleet.open(uri, Path(cache), options), name)


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtra("building a fleet", "ray", "scale") from None
    return ray
