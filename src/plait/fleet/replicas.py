"""Runs an ASGI application in replicas on a Ray cluster, by Ray Serve, until somebody ends it."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from plait.errors import BadParameter, CannotServe, MissingExtra
from plait.fleet.cluster import join

NAME = "plait"
"""Of the application on a cluster, and of its only deployment."""

PASSING_ON = 0.3
"""Seconds that proxies have for passing on what replicas have answered."""

SENDING = 5.0
"""Seconds beyond the time for draining after which a replica that says nothing is given up."""


log = logging.getLogger("plait.serve")


@dataclass(frozen=True, slots=True)
class Replicas:
    host: str = "127.0.0.1"
    port: int = 8765
    least: int = 1
    most: int = 4
    ongoing: int = 4
    """requests of one replica at a time above which another one is started"""
    waiting: int = 64
    """requests that one replica takes beyond these before it is passed over, and that wait at a proxy for one"""
    drain: float = 30.0
    """seconds that a replica that ends has for what it is answering"""
    cpus: float = 1.0
    """of a replica, as Ray counts them"""
    start: float = 120.0
    """seconds that replicas may take to come up: each loads the embedder and reads the list of repositories"""
    address: str = ""
    """of a Ray cluster, or `auto`; empty: one is started on this machine for the time of serving"""
    replace: bool = False
    """end first what plait serves on the cluster, also what a killed process has left"""


class Endable(Protocol):
    """An ASGI application that can be told to begin nothing new."""

    is_ending: bool

    @property
    def ongoing(self) -> int:
        """Requests that are being answered."""
        ...


def needed() -> None:
    """Raises MissingExtra."""
    _ray()


def run(make: Callable[[], Endable], how: Replicas, begun: Callable[[], None] = lambda: None) -> int:
    """Serve until SIGTERM or SIGINT; let all replicas finish what they are answering; return how many answers were cut
    off because the time for it was over. A second signal ends it at once.

    `make` returns the application; it is called in each replica. `begun` is called once all answer. Raises NoCluster,
    BadParameter if the cluster serves already or the port is taken, CannotServe if replicas do not come up.
    """
    ray, serve = _ray()
    if not how.replace:
        _free(how)
    ended = threading.Event()

    def end(number: int, frame: object) -> None:
        if ended.is_set():
            raise KeyboardInterrupt
        ended.set()

    join(ray, how.address)
    for one in (signal.SIGTERM, signal.SIGINT):  # after `init`, which takes SIGTERM for itself
        signal.signal(one, end)
    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    try:
        _alone(serve, how)
        serve.start(
            proxy_location="EveryNode",
            http_options={"host": how.host, "port": how.port, "keep_alive_timeout_s": 30},
        )
        target = serve.RunTarget(_application(serve, make, how), name=NAME, route_prefix="/")
        try:
            serve.run_many([target], wait_for_applications_running=False)
            if _come_up(serve, how, ended):
                begun()
                ended.wait()
            return _drained(serve, how.drain)
        finally:
            if how.address:  # a cluster of its own ends with all that is in it
                serve.shutdown()
    finally:
        ray.shutdown()


def _alone(serve: Any, how: Replicas) -> None:
    """Raises BadParameter if the cluster serves already what is not to be ended."""
    names = sorted(serve.status().applications)
    if [name for name in names if name != NAME]:
        told = f"the cluster serves {', '.join(names)}, and has one address for all that it serves"
        raise BadParameter(f"{told}; give another cluster with --address")
    if names and not how.replace:
        raise BadParameter("the cluster serves a fleet already; --replace ends that first")
    if names:
        _drained(serve, how.drain)
        serve.shutdown()


def _free(how: Replicas) -> None:
    """Raises BadParameter if the port is taken on this machine, where a proxy is to listen unless it is elsewhere."""
    with socket.socket(socket.AF_INET6 if ":" in how.host else socket.AF_INET) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((how.host, how.port))
        except OSError as error:
            told = f"{how.host}:{how.port}: cannot listen there ({error.strerror}); choose another --port or --host"
            raise BadParameter(told) from error


def _come_up(serve: Any, how: Replicas, ended: threading.Event) -> bool:
    """Wait until the replicas answer; False if it is to end before. Raises CannotServe."""
    until = time.monotonic() + how.start
    while not ended.wait(0.2):
        known = serve.status().applications.get(NAME)
        status = "" if known is None else str(known.status.value)
        if status == "RUNNING":
            return True
        if status in ("DEPLOY_FAILED", "UNHEALTHY") or time.monotonic() > until:
            deployed = () if known is None else known.deployments.values()
            told = " ".join([one.message for one in deployed if one.message] or ["they are not there yet"])
            raise CannotServe(told)
    return False


def _drained(serve: Any, drain: float) -> int:
    """Tell all replicas to begin nothing new, and wait until they answer nothing any more.

    Proxies are killed at the end whatever goes through them, so first there must be nothing. What comes meanwhile is
    told to come again. Returns the number of requests that took longer than there was time for.
    """
    left = 0
    try:
        for wait in (drain, 0.0):  # once more for a replica that came meanwhile
            told = serve.get_app_handle(NAME).broadcast("end", wait)
            left = sum(told.results(timeout_s=wait + SENDING))
    except Exception as error:  # the cluster is going, too
        log.error("the replicas could not be told to end: %s", error)
    time.sleep(PASSING_ON)
    return left


def _application(serve: Any, make: Callable[[], Endable], how: Replicas) -> Any:
    class Replica:
        def __serve_build_asgi_app__(self) -> Endable:
            self.made = make()
            return self.made

        async def end(self, wait: float) -> int:
            """Return once nothing is being answered, or when the time for it is over: how many requests are left."""
            self.made.is_ending = True
            until = time.monotonic() + wait
            while self.made.ongoing and time.monotonic() < until:
                await asyncio.sleep(0.05)
            return self.made.ongoing

    deployment = serve.deployment(
        name=NAME,
        max_ongoing_requests=how.ongoing + how.waiting,
        max_queued_requests=how.waiting,
        autoscaling_config={
            "min_replicas": how.least,
            "max_replicas": max(how.least, how.most),
            "initial_replicas": how.least,
            "target_ongoing_requests": how.ongoing,
        },
        ray_actor_options={"num_cpus": how.cpus},
        graceful_shutdown_timeout_s=how.drain,
        graceful_shutdown_wait_loop_s=0.5,
        health_check_period_s=2.0,
        health_check_timeout_s=15.0,
    )
    return deployment(serve.ingress()(Replica)).bind()


def _ray() -> tuple[Any, Any]:
    try:
        import ray
        from ray import serve
    except ImportError:
        raise MissingExtra("plait fleet serve", "ray[serve]", "scale") from None
    return ray, serve
