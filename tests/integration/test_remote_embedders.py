"""Embedders behind HTTP, against real servers on this machine that answer as the real ones do."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from plait import Engine
from plait.doors.cli import main
from plait.embed import remote
from plait.embed.hashing import HashingEmbedder
from plait.embed.remote import OllamaEmbedder, OpenAIEmbedder
from plait.embedders import Offer, survey
from plait.errors import BadParameter, CannotEmbed
from plait.testing import EmbedderContract

KEY = "sk-never-to-be-shown"


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.before: list[tuple[int, dict[str, str]]] = []
        """what to answer first: status and headers"""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        """Which models there are: Ollama's answer on its path, OpenAI's on any other."""
        self.server.headers.append(dict(self.headers))
        status, _ = self.server.before.pop(0) if self.server.before else (200, {})
        self.send_response(status)
        self.end_headers()
        tags = self.path == "/api/tags"
        self.wfile.write(json.dumps({"models": [{"name": "small:latest"}]} if tags else {"data": []}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.headers.append(dict(self.headers))
        if self.server.before:
            status, headers = self.server.before.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            return
        self.server.asked.append(body)
        rows = HashingEmbedder(dim=48).encode(body["input"], role="document").tolist()
        if self.path.endswith("/embeddings"):
            numbered = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
            answer: dict[str, Any] = {"data": numbered[::-1]}
        else:
            answer = {"embeddings": rows}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in remote.KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(remote.time, "sleep", lambda seconds: None)
    with serving() as made:
        yield made


class TestOpenAI(EmbedderContract):
    @pytest.fixture(autouse=True)
    def _server(self, server: Server) -> None:
        self.url = server.url

    def make(self) -> OpenAIEmbedder:
        return OpenAIEmbedder(url=f"{self.url}/v1", batch=3)


class TestOllama(EmbedderContract):
    @pytest.fixture(autouse=True)
    def _server(self, server: Server) -> None:
        self.url = server.url

    def make(self) -> OllamaEmbedder:
        return OllamaEmbedder(url=self.url)


def test_texts_go_in_batches_and_come_back_in_their_order(server: Server) -> None:
    texts = [f"text {number}" for number in range(7)]
    found = OpenAIEmbedder(url=server.url, batch=3).encode(texts, role="document")
    assert [len(one["input"]) for one in server.asked if one["input"] != ["x"]] == [3, 3, 1]
    assert np.allclose(found, HashingEmbedder(dim=48).encode(texts, role="document"), atol=1e-6)


def test_a_busy_server_is_asked_again(server: Server) -> None:
    embedder = OpenAIEmbedder(url=server.url)
    server.before = [(429, {"Retry-After": "0"}), (503, {})]
    assert embedder.encode(["a b"], role="query").any()
    assert len(server.headers) - len(server.asked) == 2


def test_a_server_that_stays_busy_is_given_up(server: Server) -> None:
    server.before = [(503, {})] * 50
    with pytest.raises(CannotEmbed, match=r"HTTP 503 .*, 4 times; try again later"):
        OpenAIEmbedder(url=server.url, model="other").encode(["a"], role="query")
    assert len(server.headers) == remote.TRIES


def test_a_refusal_is_told_at_once_and_without_the_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIT_EMBEDDING_KEY", KEY)
    server.before = [(401, {})]
    with pytest.raises(CannotEmbed, match=r"HTTP 401 .*; set PLAIT_EMBEDDING_KEY") as caught:
        OpenAIEmbedder(url=server.url, model="refused").encode(["a"], role="query")
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in str(caught.value)
    assert KEY not in OpenAIEmbedder(url=server.url).fingerprint


def test_nobody_there_is_one_line_with_the_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote.time, "sleep", lambda seconds: None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "a.py").write_text("def f(): pass\n")
    asked = ["search", "f", str(tmp_path), "--embedder", f"ollama(url='http://127.0.0.1:{port}')"]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "start the server, or check url=" in result.stderr


def test_an_answer_without_embeddings_is_told(server: Server) -> None:
    server.before = [(200, {})]
    with pytest.raises(CannotEmbed, match="not an answer with embeddings"):
        OllamaEmbedder(url=server.url, model="mute").encode(["a"], role="query")


def test_an_index_by_a_server_is_searched(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def total(cart): return sum(cart)\ndef other(): pass\n")
    engine = Engine.open(tmp_path, embedder=f"openai(url='{server.url}', batch=2)")
    assert engine.search("total of the cart", strategy="vector")[0].symbol.name == "total"


@pytest.mark.parametrize("url", ["ftp://x", "x", ""])
def test_a_wrong_address_is_a_bad_parameter(url: str) -> None:
    with pytest.raises(BadParameter, match="url must begin with http"):
        OpenAIEmbedder(url=url)


def listed(description: str) -> Offer:
    (found,) = survey("code", [description])
    return found


def test_a_server_with_the_model_is_listed_as_at_hand_without_embedding(server: Server) -> None:
    found = listed(f"ollama(url='{server.url}', model='small')")
    assert found.at_hand
    assert found.found == f"{server.url} has small"
    assert not server.asked


def test_a_model_that_ollama_lacks_is_listed_with_the_mend(server: Server) -> None:
    found = listed(f"ollama(url='{server.url}', model='large')")
    assert not found.at_hand
    assert found.found.endswith("has no large; run: ollama pull large")


def test_a_key_is_used_and_never_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    own = f"openai(url='{server.url}')"
    assert listed(own).found == f"{server.url} answers, without a key"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    shown = CliRunner().invoke(main, ["models", own]).stdout
    assert f"{server.url} answers, the key is in OPENAI_API_KEY" in shown
    assert server.headers[-1]["Authorization"] == f"Bearer {KEY}"
    server.before = [(401, {})]
    refused = CliRunner().invoke(main, ["models", own, "--json"]).stdout
    assert "HTTP 401 Unauthorized; set PLAIT_EMBEDDING_KEY" in refused
    assert KEY not in shown + refused


def test_openai_itself_is_not_asked_without_a_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "urlopen", None)
    assert "no key is set; set PLAIT_EMBEDDING_KEY" in listed("openai").found


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.embedders.PATIENCE", 0.01)
    monkeypatch.setattr(remote, "LOOK", 0.2)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        found = listed(f"ollama(url='http://127.0.0.1:{mute.getsockname()[1]}')")
    assert not found.at_hand
    assert "start the server, or check url=" in found.found


def test_what_answers_otherwise_is_no_ollama(server: Server) -> None:
    found = listed(f"ollama(url='{server.url}/v1')")
    assert found.found == f"ollama: {server.url}/v1: not an answer of Ollama; check url="


def test_a_connection_is_waited_for_less_than_an_answer(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float | None] = []

    def create(address: tuple[str, int], timeout: float | None, *more: Any) -> socket.socket:
        waited.append(timeout)
        return socket.create_connection(address, timeout)

    for kind in (remote._Plain, remote._Secure):
        connection = kind("127.0.0.1", server.server_port, timeout=remote.TIMEOUT)
        connection._create_connection = create
        if kind is remote._Secure:
            with pytest.raises(OSError, match="SSL"):
                connection.connect()
        else:
            connection.connect()
            assert connection.sock.gettimeout() == remote.TIMEOUT
            connection.close()
    assert waited == [remote.CONNECT] * 2


@pytest.mark.parametrize("around", ["\n", "\r\n", " "])
def test_what_a_file_leaves_around_a_key_is_no_part_of_it(
    around: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY + around)
    assert OpenAIEmbedder(url=server.url).encode(["a"], role="query").any()
    assert server.headers[-1]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", [f"{KEY}\n{KEY}", f"{KEY}\N{HORIZONTAL ELLIPSIS}"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(
    key: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    mend = "OPENAI_API_KEY: has a character that no key has; copy the key again"
    with pytest.raises(CannotEmbed, match=mend) as caught:
        OpenAIEmbedder(url=server.url).encode(["a"], role="query")
    shown = CliRunner().invoke(main, ["models", f"openai(url='{server.url}')"]).stdout
    assert mend in shown
    assert KEY not in shown + str(caught.value)
    assert not server.headers


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_does_not_carry_the_key_elsewhere(
    status: int, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as other:
        server.before = [(status, {"Location": f"{other.url}/embeddings"})]
        with pytest.raises(CannotEmbed, match=f"HTTP {status} .*; check url="):
            OpenAIEmbedder(url=server.url).encode(["a"], role="query")
        assert not other.headers


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("3", 3.0),
        ("1000", remote.LONGEST_WAIT),
        (formatdate(0, usegmt=True), 0.0),
        (formatdate(4_000_000_000, usegmt=True), remote.LONGEST_WAIT),
        ("-5", 1.0),
        ("nan", 1.0),
        ("soon", 1.0),
        ("", 1.0),
    ],
)
def test_a_busy_server_says_for_how_long(asked: str, seconds: float) -> None:
    assert remote._wait(asked, 2) == seconds
