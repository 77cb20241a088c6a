"""Runs an ASGI application in replicas on a Ray cluster, by Ray Serve, until somebody ends it."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from plait.errors import BadParameter, MissingExtra

NAME = "plait"
"""Of the application on a cluster."""

START = 120.0
"""Seconds that replicas may take to come up: each loads the embedder and reads the list of repositories."""


@dataclass(frozen=True, slots=True)
class Replicas:
    host: str = "127.0.0.1"
    port: int = 8765
    least: int = 1
    most: int = 4
    ongoing: int = 4
    """requests of one replica at a time above which another one is started"""
    waiting: int = 64
    """requests that one replica takes beyond these before it is passed over"""
    drain: float = 30.0
    """seconds that a replica that ends has for what it is answering"""
    cpus: float = 1.0
    """of a replica, as Ray counts them"""
    address: str = ""
    """of a Ray cluster, or `auto`; empty: one is started on this machine for the time of serving"""


class Endable(Protocol):
    """An ASGI application that can be told to begin nothing new."""

    is_ending: bool

    @property
    def ongoing(self) -> int:
        """Requests that are being answered."""
        ...


def run(make: Callable[[], Endable], how: Replicas, begun: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGTERM or SIGINT; then let all replicas finish what they are answering, and return.

    `make` returns the application; it is called in each replica. `begun` is called once all answer. Raises BadParameter
    if the cluster serves already or cannot be reached.
    """
    ray, serve = _ray()
    ended = threading.Event()
    try:
        ray.init(how.address or "local", include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    except (ConnectionError, ValueError) as error:
        raise BadParameter(f"--address {how.address}: no Ray cluster answers there ({error})") from error
    for one in (signal.SIGTERM, signal.SIGINT):  # after `init`, which takes SIGTERM for itself
        signal.signal(one, lambda number, frame: ended.set())
    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    try:
        if serve.status().applications:
            raise BadParameter("the cluster serves something already; end it with `serve shutdown`")
        serve.start(
            http_options={"host": how.host, "port": how.port, "location": "EveryNode", "keep_alive_timeout_s": 30},
            grpc_options=None,
        )
        serve.run(_application(serve, make, how), name=NAME, route_prefix="/", blocking=False)
        begun()
        ended.wait()
        # Proxies are killed by a shutdown, whatever goes through them: so first there must be nothing.
        with suppress(Exception):
            serve.run(_application(serve, make, how, is_ending=True), name=NAME, route_prefix="/", blocking=False)
        serve.shutdown()
    finally:
        ray.shutdown()


def _application(serve: Any, make: Callable[[], Endable], how: Replicas, *, is_ending: bool = False) -> Any:
    drain = how.drain

    class Replica:
        def __serve_build_asgi_app__(self) -> Endable:
            self.app_made = make()
            return self.app_made

        async def reconfigure(self, config: dict[str, bool]) -> None:
            """Return once nothing is being answered if this is the end, or when the time for it is over."""
            until = time.monotonic() + drain
            while config["is_ending"] and time.monotonic() < until:
                self.app_made.is_ending = True
                if not self.app_made.ongoing:
                    break
                await asyncio.sleep(0.05)

    deployment = serve.deployment(
        name=NAME,
        version="1",  # the same: replicas stay, and hear of the end
        user_config={"is_ending": is_ending},
        max_ongoing_requests=how.ongoing + how.waiting,
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
