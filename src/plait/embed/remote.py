"""Embedders behind HTTP: any server that speaks as OpenAI's does, and Ollama. Only when they are asked for by name."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.error import HTTPError, URLError
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

from plait.errors import BadParameter, CannotEmbed
from plait.plugins import at_least
from plait.protocols import About

if TYPE_CHECKING:
    from plait.model import Vectors
    from plait.protocols import Role

OPENAI = "https://api.openai.com/v1"

TRIES = 4
"""Of one request: after the first, it is asked again where a server is busy or has failed."""

LONGEST_WAIT = 20.0
"""Seconds before the next try, whatever the server asks for."""

TIMEOUT = 60.0
"""Seconds for an answer: a server that loads its model first takes long."""

CONNECT = 5.0
"""Seconds for a connection: where there is no network, nobody should wait for longer."""

LOOK = 1.0
"""Seconds for a server to say that it is there."""

CONNECT_TRIES = 2
"""Nobody there: the second look is for a server that is just starting."""

BYTES_OF_A_TOKEN = 2
"""Servers do not count for us: texts are cut as if a token had so many bytes. Code has about three and a half."""

KEYS = ("PLAIT_EMBEDDING_KEY", "OPENAI_API_KEY")
"""Environment variables in which a key is looked for. It goes into the request's header and nowhere else."""


@dataclass(frozen=True, slots=True)
class OpenAIEmbedder:
    """POST {url}/embeddings with `model` and `input`, as OpenAI, vLLM, LM Studio and others answer it."""

    name: ClassVar[str] = "openai"
    about: ClassVar[About] = About(
        what="a server that answers as OpenAI's does: OpenAI, vLLM, LM Studio, ...",
        weights="the server's",
        network="all code and every question go to the server, which may charge for them",
        key=" or ".join(KEYS),
    )
    model: str = "text-embedding-3-small"
    url: str = OPENAI
    window: int = 512
    batch: int = 64
    """texts in one request"""

    def __post_init__(self) -> None:
        _checked(self)

    @property
    def dim(self) -> int:
        return _dim(self)

    @property
    def fingerprint(self) -> str:
        return f"openai-{self.url}-{self.model}-{self.window}"

    def count(self, texts: Sequence[str]) -> list[int]:
        return _counted(texts)

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        return _encoded(self, texts)

    def at_hand(self) -> str:
        name, _ = _key()
        if not name and self.url == OPENAI:
            raise CannotEmbed(f"openai: {self.url}", "no key is set", f"set {KEYS[0]}, or name a server of yours: url=")
        _get(f"{self.url.rstrip('/')}/models", authorized())
        return f"{self.url} answers, " + (f"the key is in {name}" if name else "without a key")

    def ask(self, texts: Sequence[str]) -> list[list[float]]:
        asked = {"model": self.model, "input": list(texts)}
        found = post(f"{self.url.rstrip('/')}/embeddings", asked, authorized())
        rows = sorted(found["data"], key=lambda one: int(one["index"]))
        return [row["embedding"] for row in rows]


@dataclass(frozen=True, slots=True)
class OllamaEmbedder:
    """A model that a local Ollama serves."""

    name: ClassVar[str] = "ollama"
    about: ClassVar[About] = About(
        what="a model that a local Ollama serves",
        weights="the server's: `ollama pull` downloads them",
        network="all code and every question go to the server",
    )
    model: str = "nomic-embed-text"
    url: str = "http://127.0.0.1:11434"
    window: int = 512
    batch: int = 32

    def __post_init__(self) -> None:
        _checked(self)

    @property
    def dim(self) -> int:
        return _dim(self)

    @property
    def fingerprint(self) -> str:
        return f"ollama-{self.url}-{self.model}-{self.window}"

    def count(self, texts: Sequence[str]) -> list[int]:
        return _counted(texts)

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        return _encoded(self, texts)

    def at_hand(self) -> str:
        found = _get(f"{self.url.rstrip('/')}/api/tags", {})
        try:
            there = [str(one["name"]) for one in found["models"]]
        except (KeyError, TypeError):
            raise CannotEmbed(f"ollama: {self.url}", "not an answer of Ollama", "check url=") from None
        if not any(self.model in (one, one.partition(":")[0]) for one in there):
            raise CannotEmbed(f"ollama: {self.url}", f"has no {self.model}", f"run: ollama pull {self.model}")
        return f"{self.url} has {self.model}"

    def ask(self, texts: Sequence[str]) -> list[list[float]]:
        found = post(f"{self.url.rstrip('/')}/api/embed", {"model": self.model, "input": list(texts)}, {})
        rows: list[list[float]] = found["embeddings"]
        return rows


_Remote = OpenAIEmbedder | OllamaEmbedder


def _checked(embedder: _Remote) -> None:
    at_least(embedder, window=32, batch=1)
    if not embedder.url.startswith(("http://", "https://")):
        raise BadParameter(f"{embedder.name}: url must begin with http:// or https://, not {embedder.url!r}")


@cache
def _dim(embedder: _Remote) -> int:
    return len(_rows(embedder, ["x"])[0])


def _counted(texts: Sequence[str]) -> list[int]:
    return [-(-len(text.encode()) // BYTES_OF_A_TOKEN) for text in texts]


def _encoded(embedder: _Remote, texts: Sequence[str]) -> Vectors:
    import numpy as np

    from plait.vectors import unit

    asked = [text for text in texts if text]
    rows: list[list[float]] = []
    for start in range(0, len(asked), embedder.batch):
        rows += _rows(embedder, asked[start : start + embedder.batch])
    found = np.zeros((len(texts), embedder.dim), dtype=np.float32)
    if rows:
        found[[place for place, text in enumerate(texts) if text]] = np.array(rows, dtype=np.float32)
    return unit(found)


def _rows(embedder: _Remote, texts: Sequence[str]) -> list[list[float]]:
    """Ask, and check that there is a row for each text."""
    place = f"{embedder.name}: {embedder.url}"
    try:
        rows = embedder.ask(texts)
        if len(rows) != len(texts) or len({len(row) for row in rows}) != 1:
            raise ValueError(f"{len(rows)} rows for {len(texts)} texts")
    except (KeyError, TypeError, ValueError) as error:
        raise CannotEmbed(place, f"not an answer with embeddings: {error}", "check url= and model=") from error
    return rows


class _Plain(HTTPConnection):
    def connect(self) -> None:
        _connect(self, super().connect)


class _Secure(HTTPSConnection):
    def connect(self) -> None:
        _connect(self, super().connect)


def _connect(connection: HTTPConnection, connect: Callable[[], None]) -> None:
    """Connect, with less patience than for the answer."""
    patience = connection.timeout
    connection.timeout = CONNECT if patience is None else min(CONNECT, patience)
    connect()
    connection.sock.settimeout(patience)


class _PlainHandler(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_Plain, req)


class _SecureHandler(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_Secure, req)


class _StayHandler(HTTPRedirectHandler):
    """Follows no redirect: urllib would send the key on to any host, and a question without its texts."""

    def redirect_request(self, *_: object) -> None:
        return None


@cache
def _opener() -> OpenerDirector:
    """As urllib's own, proxies and all, but for how long it waits for a connection and where it goes."""
    return build_opener(_PlainHandler, _SecureHandler, _StayHandler)


def urlopen(request: Request, timeout: float) -> Any:
    return _opener().open(request, timeout=timeout)


def _key() -> tuple[str, str]:
    """Return the first variable with a key, and the key without the space or line's end that files leave around it.

    What cannot stand in a header is refused here: the library's own error would show it.
    """
    for name in KEYS:
        if key := os.environ.get(name, "").strip():
            if not (key.isascii() and key.isprintable()):
                raise CannotEmbed(name, "has a character that no key has", "copy the key again")
            return name, key
    return "", ""


def authorized() -> dict[str, str]:
    _, key = _key()
    return {"Authorization": f"Bearer {key}"} if key else {}


def _get(url: str, headers: Mapping[str, str]) -> Any:
    """Ask once, for a moment. Raises CannotEmbed for anything but an answer in JSON."""
    try:
        with urlopen(Request(url, headers=dict(headers)), timeout=LOOK) as answer:
            return json.loads(answer.read())
    except HTTPError as error:
        error.close()
        raise CannotEmbed(url, f"HTTP {error.code} {error.reason}", _mend(error.code)) from None
    except ValueError as error:
        raise CannotEmbed(url, f"not an answer of such a server: {error}", "check url=") from None
    except (OSError, HTTPException) as error:
        problem = getattr(error, "reason", error)
        raise CannotEmbed(url, f"no answer: {problem}", "start the server, or check url=") from None


def _mend(status: int) -> str:
    return f"set {KEYS[0]}" if status in (401, 403) else "check url= and model="


def post(url: str, body: Mapping[str, object], headers: Mapping[str, str]) -> Any:
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    for tried in range(1, TRIES + 1):
        try:
            with urlopen(request, timeout=TIMEOUT) as answer:
                return json.loads(answer.read())
        except HTTPError as error:
            error.close()
            if error.code not in (408, 409, 425, 429) and error.code < 500:
                raise CannotEmbed(url, f"HTTP {error.code} {error.reason}", _mend(error.code)) from None
            if tried == TRIES:
                raise CannotEmbed(url, f"HTTP {error.code} {error.reason}, {TRIES} times", "try again later") from None
            time.sleep(_wait(error.headers.get("Retry-After", ""), tried))
        except (URLError, TimeoutError, ConnectionError, HTTPException) as error:
            if tried >= CONNECT_TRIES:
                problem = getattr(error, "reason", error)
                raise CannotEmbed(url, f"no answer: {problem}", "start the server, or check url=") from None
            time.sleep(_wait("", tried))
    raise AssertionError


def _wait(asked: str, tried: int) -> float:
    """Return the seconds until the next try: what the server asks for, else twice as long each time.

    `asked` is a header Retry-After: seconds or a date (RFC 9110, 10.2.3).
    """
    if asked.isdecimal():
        return min(float(asked), LONGEST_WAIT)
    try:
        left = parsedate_to_datetime(asked).timestamp() - time.time()
    except ValueError:
        left = 0.5 * float(2 ** (tried - 1))
    return min(max(left, 0.0), LONGEST_WAIT)
