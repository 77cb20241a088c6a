"""Rerankers: what they add to a ranking, a network as ONNX, and a server on this machine that answers as a chat does.

The networks and the server are made here: they show that the protocols are spoken, not what a real model is worth.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from plait import Engine, plugins
from plait.doors.cli import main
from plait.embed import remote
from plait.errors import BadParameter, CannotEmbed, UnknownPlugin
from plait.model import Source
from plait.rerank.chat import Chat
from plait.rerank.cross_encoder import CrossEncoder
from plait.rerank.nearest import Nearest
from plait.retrieve.reranked import Reranked

CODE = """\
def open_door(): return knock()
def close_door(): return knock()
def paint_door(colour): return colour
def knock(): return "door"
"""
KEY = "sk-never-to-be-shown"


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    (tmp_path / "doors.py").write_text(CODE)
    return Engine.open(tmp_path, cache=tmp_path / "cache", embedder="hashing")


class Server(ThreadingHTTPServer):
    def __init__(self, said: object) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.said = said
        self.busy = 0
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.busy:
            self.server.busy -= 1
            self.send_response(429)
            self.send_header("Retry-After", "0")
            self.end_headers()
            return
        assert self.path == "/v1/chat/completions"
        self.server.asked.append(body)
        self.server.keys.append(self.headers.get("Authorization", ""))
        self.send_response(200)
        self.end_headers()
        said = self.server.said
        answer = {"choices": [{"message": {"content": said}}]} if isinstance(said, str) else said
        self.wfile.write(json.dumps(answer).encode())


@contextmanager
def serving(said: object) -> Iterator[Server]:
    server = Server(said)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("of", ["additive", "hybrid", "lexical"])
def test_those_that_are_read_gain_and_the_others_stay_below_as_they_were(engine: Engine, of: str) -> None:
    before = engine.rank("open the door", of)
    after = engine.rank("open the door", f"reranked(of={of!r}, first=2)")
    assert {one.symbol for one in after.candidates[:2]} == {one.symbol for one in before.candidates[:2]}
    assert list(after.candidates[2:]) == list(before.candidates[2:])
    base = {one.symbol: one for one in before.candidates}
    for candidate in after.candidates[:2]:
        *reasons, added = candidate.reasons
        assert tuple(reasons) == base[candidate.symbol].reasons
        assert added.source is Source.RERANK
        assert added.value >= 0
        assert added.detail.startswith("nearest ")


def test_without_weight_the_order_stays(engine: Engine) -> None:
    before, after = engine.rank("open door"), engine.rank("open door", "reranked(weight=0)")
    assert [one.symbol for one in before.candidates] == [one.symbol for one in after.candidates]


def test_nothing_found_is_nothing_to_read(engine: Engine) -> None:
    assert not engine.rank("path:nowhere door", "reranked(by='nearest')").candidates


def test_it_prints_itself_and_is_read_back() -> None:
    made = Reranked(of="hybrid", by="chat(url='http://127.0.0.1:1', model='m')", first=5)
    assert plugins.build("strategy", str(made)) == made
    with pytest.raises(UnknownPlugin, match="no reranker is called 'oracle'"):
        Reranked(by="oracle")


def test_nearest_asks_the_embedder_that_it_names() -> None:
    scores = Nearest("hashing").scores("open door", ["open the door", "unrelated words"])
    assert scores[0] > scores[1]


@dataclass(frozen=True)
class Network:
    folder: Path
    outputs: int


@pytest.fixture(scope="module", params=[1, 2, 3])
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Network:
    """Its first number is minus, its last the sum of the numbers of the tokens."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    import numpy as np
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    folder = tmp_path_factory.mktemp("cross")
    kinds, make = onnx.TensorProto, onnx.helper
    weights = np.linspace(-1, 1, request.param, dtype=np.float32) if request.param > 1 else np.ones(1, np.float32)
    graph = make.make_graph(
        [
            make.make_node("Cast", ["input_ids"], ["numbers"], to=kinds.FLOAT),
            make.make_node("ReduceSum", ["numbers", "axis"], ["sum"], keepdims=1),
            make.make_node("Mul", ["sum", "weights"], ["logits"]),
        ],
        "sums",
        [make.make_tensor_value_info("input_ids", kinds.INT64, ["batch", "tokens"])],
        [make.make_tensor_value_info("logits", kinds.FLOAT, ["batch", request.param])],
        [
            onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
            onnx.numpy_helper.from_array(weights[None, :], "weights"),
        ],
    )
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=9), folder / "model.onnx")
    tokenizer = Tokenizer(WordLevel({"no": 0, "one": 1, "two": 2, "three": 3}, "no"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return Network(folder, request.param)


def test_a_cross_encoder_reads_question_and_text_together(network: Network) -> None:
    made = CrossEncoder(folder=str(network.folder))
    if network.outputs == 3:
        with pytest.raises(CannotEmbed, match="not one or two numbers for each pair"):
            made.scores("one", ["two"])
        return
    assert made.scores("one", ["two", "three three"]) == [3 * network.outputs, 7 * network.outputs]


def test_a_cross_encoder_cuts_the_text_at_its_window(network: Network) -> None:
    if network.outputs == 1:
        made = CrossEncoder(folder=str(network.folder), window=32)
        assert made.scores("one", ["one " * 40]) == [32]


def test_a_folder_without_a_model_says_what_to_give(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(CannotEmbed, match=r"none of model\.onnx"):
        CrossEncoder(folder=str(tmp_path)).scores("one", ["two"])
    with pytest.raises(BadParameter, match="give the model's folder"):
        CrossEncoder()


def test_a_chat_is_shown_each_text_and_its_order_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIT_EMBEDDING_KEY", KEY)
    with serving("3, 1, 3, 9") as server:
        server.busy = 2
        made = Chat(url=server.url, model="m", size=100)
        assert made.scores("which?", ["a" * 500, "b", "c"]) == [2 / 3, 0.0, 1.0]
    (asked,) = server.asked
    (message,) = asked["messages"]
    assert asked["model"] == "m"
    assert "which?" in message["content"]
    assert "[1]\n" + "a" * 100 + "\n\n[2]\nb\n\n[3]\nc\n" in message["content"]
    assert server.keys == [f"Bearer {KEY}"]
    assert KEY not in str(made)


@pytest.mark.parametrize("said", ["I cannot say.", "17", {"choices": []}, {"error": "no"}, [1]])
def test_a_chat_that_does_not_answer_so_is_an_error(said: object) -> None:
    with serving(said) as server, pytest.raises(CannotEmbed, match="check url= and model="):
        Chat(url=server.url, model="m").scores("which?", ["a", "b"])


def test_no_code_is_sent_where_nobody_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "urlopen", lambda *given, **named: pytest.fail("something was sent"))
    with pytest.raises(BadParameter, match="say where the code may be sent"):
        Chat(model="m")
    with pytest.raises(BadParameter, match="name the server's model"):
        Chat(url="http://127.0.0.1:1")


def test_from_the_command_line(engine: Engine, tmp_path: Path) -> None:
    engine.index()
    command = ["search", "door", str(tmp_path), "--cache", str(tmp_path / "cache"), "--embedder", "hashing", "--json"]
    plain = json.loads(CliRunner().invoke(main, command).stdout)
    last = len(plain["hits"])
    with serving(str(last)) as server:
        by = f"chat(url={server.url!r}, model='m')"
        told = CliRunner().invoke(main, [*command, "--rerank", by])
    again = json.loads(told.stdout)
    assert again["strategy"].startswith("reranked(of='additive', by=")
    assert len(server.asked) == 1
    assert any("chat 1.000" in str(hit) for hit in again["hits"])
    wrong = CliRunner().invoke(main, [*command, "--rerank", "chat(model='m')"])
    assert wrong.exit_code == 2
    assert "say where the code may be sent" in wrong.stderr
