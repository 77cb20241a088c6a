"""Who may ask: hosts and origins that are allowed, a token where one is needed, and what every reply carries.

A page of another site can make a browser ask a server on this machine. It is turned away by three things: the name it
asked for (DNS rebinding), the origin that the browser tells, and that no reply allows another origin to read it.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plait.doors.http.faults import Fault
from plait.doors.http.metrics import Metrics
from plait.doors.http.parameters import BODY
from plait.doors.http.replies import fault_reply
from plait.errors import BadParameter

SHORTEST_TOKEN = 16
"""Characters: 64 bits if they are hexadecimal digits."""

SESSION = 12 * 3600
"""Seconds that a browser's session lasts."""

COOKIE = "plait_session"

CALLER = "plait.caller"
"""Under which a request's scope has who asks."""

LOCAL = ("localhost", "127.0.0.1", "::1")

PROBES = ("/health", "/ready")

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""Headers of every reply that does not set them itself."""


def is_local(host: str) -> bool:
    """Whether a name or an address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Access:
    hosts: tuple[str, ...]
    """names and addresses that may be asked for, in lower case, without a port"""
    origins: tuple[str, ...] = ()
    """beside the server's own"""
    token: str = ""
    """empty: none is needed"""

    @classmethod
    def of(cls, address: str, hosts: Sequence[str], origins: Sequence[str], token: str) -> Access:
        """Check that what is open to others is guarded. Raises BadParameter."""
        if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or token.split() != [token]):
            told = f"the token must have at least {SHORTEST_TOKEN} letters, digits or signs, and no white space"
            raise BadParameter(told)
        how = "give a secret with --token-file FILE, or in PLAIT_TOKEN"
        return cls(*admitted(address, hosts, origins, "" if token else how), token)

    def host_fault(self, sent: Sequence[str]) -> Fault | None:
        """`sent` are the Host headers."""
        found = re.fullmatch(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::[0-9]{1,5})?", sent[0].lower()) if sent else None
        if len(sent) == 1 and found and found[1].strip("[]") in self.hosts:
            return None
        told = "this server is not asked for by that name; start it with --allow-host NAME to allow it"
        return Fault(403, "forbidden_host", told)

    def origin_fault(self, headers: Headers) -> Fault | None:
        """Turn away what another site's page asks for; programs send no Origin."""
        origin = headers.get("origin")
        own = [f"{scheme}://{headers.get('host', '').lower()}" for scheme in ("http", "https")]
        if origin is not None:
            if len(headers.getlist("origin")) == 1 and origin.lower() in (*own, *self.origins):
                return None
        elif headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
            return None
        return Fault(403, "forbidden_origin", "a page of another site asked; --allow-origin ORIGIN allows one to")

    @property
    def needs_token(self) -> bool:
        return bool(self.token)

    @property
    def is_probed(self) -> bool:
        """Whether it may be asked under any name if it lives and is ready: load balancers ask by address."""
        return False

    def is_operator(self, caller: str) -> bool:
        """Whether a caller may read what is told of the server itself."""
        return True

    def is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors="replace"), self.token.encode())

    def caller(self, headers: Headers, cookie: str) -> str | Fault:
        """Return who asks, in the words of what is served (`served.Serving.seen_by`), or why they are turned away."""
        if not self.token:
            return ""
        given = bearer(headers)
        if given and self.is_token(given):
            return ""
        if not headers.get("authorization") and self.is_session(cookie):
            return ""
        return unauthorized("this server needs its token")

    def session_for(self, token: str) -> str | None:
        """Return what a browser keeps in the place of a token; None for one that is none."""
        return self.session() if self.is_token(token) else None

    def session(self) -> str:
        """Make the value of a cookie; every server with this token knows it, and none can tell the token from it."""
        until = str(int(time.time()) + SESSION)
        return f"{until}.{self._signed(until)}"

    def is_session(self, cookie: str) -> bool:
        until, _, signed = cookie.partition(".")
        if not re.fullmatch(r"[0-9]{1,12}", until) or not signed.isascii():
            return False
        return hmac.compare_digest(signed, self._signed(until)) and int(until) > time.time()

    def _signed(self, until: str) -> str:
        return hmac.new(self.token.encode(), f"plait session until {until}".encode(), sha256).hexdigest()


def admitted(
    address: str, hosts: Sequence[str], origins: Sequence[str], unguarded: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the hosts and origins that are answered; `unguarded` says how to ask for a token if none is asked for."""
    for host in hosts:
        if not re.fullmatch(r"[A-Za-z0-9_.:-]+", host):
            raise BadParameter(f"--allow-host {host}: give a name or an address, without a scheme or a port")
    for origin in origins:
        if not re.fullmatch(r"https?://[A-Za-z0-9_.:\[\]-]+", origin):
            raise BadParameter(f"--allow-origin {origin}: give a scheme and a host, as https://code.example.org")
    if not is_local(address) and not hosts:
        told = f"{address}: whoever reaches this machine could ask; name it with --allow-host NAME"
        raise BadParameter(f"{told}, as it is written in the browser")
    if unguarded and not all(map(is_local, (address, *map(str.lower, hosts)))):
        raise BadParameter(f"others than this machine could ask; {unguarded}")
    local = (*LOCAL, address.lower()) if is_local(address) else ()
    return tuple(dict.fromkeys((*local, *map(str.lower, hosts)))), tuple(map(str.lower, origins))


def bearer(headers: Headers) -> str:
    """Return the token that is sent in a header; empty without one."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""


def unauthorized(told: str) -> Fault:
    how = "send `Authorization: Bearer TOKEN`, or open /#token=TOKEN in a browser"
    return Fault(401, "unauthorized", f"{told}: {how}")


class Guard:
    """ASGI middleware, outermost."""

    def __init__(self, app: ASGIApp, access: Access, metrics: Metrics) -> None:
        self.app = app
        self.access = access
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in EVERYWHERE.items():
                    headers.setdefault(name, value)
            await send(message)

        fault = self._fault(scope)
        if fault is None:
            fault = self._called(scope)
        if fault is None:
            await self.app(scope, receive, guarded)
        else:
            self.metrics.rejected(fault.code)
            await fault_reply(fault)(scope, receive, guarded)

    def _fault(self, scope: Scope) -> Fault | None:
        headers, path = Headers(scope=scope), scope["path"]
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > BODY:
            return Fault(413, "too_large", f"a body has at most {BODY:,} bytes")
        if self.access.is_probed and path in PROBES:
            return None
        is_answer = _is_answer(path)
        fault = self.access.host_fault(headers.getlist("host"))
        if fault is None and (is_answer or scope["method"] not in ("GET", "HEAD") or "origin" in headers):
            fault = self.access.origin_fault(headers)
        return fault

    def _called(self, scope: Scope) -> Fault | None:
        """Note in the scope who asks."""
        if not _is_answer(scope["path"]) or scope["path"] == "/api/v1/session":
            return None
        headers = Headers(scope=scope)
        found = self.access.caller(headers, cookie(headers))
        if isinstance(found, Fault):
            return found
        scope[CALLER] = found
        return None


def _is_answer(path: str) -> bool:
    """Whether somebody must have asked for it who may: the page and what says that the server lives is anybody's."""
    return path.lstrip("/").split("/")[0] in ("api", "mcp", "metrics")


def cookie(headers: Headers) -> str:
    """Return what a browser was given in the place of a token; empty without it."""
    for line in headers.getlist("cookie"):
        for one in line.split(";"):
            name, _, value = one.strip().partition("=")
            if name == COOKIE:
                return value
    return ""
