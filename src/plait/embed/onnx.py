"""Transformers as ONNX: a folder with `tokenizer.json` and the model, run on the processor; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from plait.errors import BadParameter, CannotEmbed, MissingExtra
from plait.plugins import at_least
from plait.protocols import About

if TYPE_CHECKING:
    from plait.model import Vectors
    from plait.protocols import Role

PLACES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
"""Where exporters put the model."""


@dataclass(frozen=True, slots=True)
class OnnxEmbedder:
    """The mean of the last layer over the tokens of a text (Reimers and Gurevych 2019), scaled to unit length."""

    name: ClassVar[str] = "onnx"
    about: ClassVar[About] = About(
        what="a transformer as ONNX, run on the processor",
        weights="the folder of an exported model; all-MiniLM-L6-v2: 90 MB",
        rate=(10, 11),
        library="onnxruntime",
        extra="onnx",
    )
    folder: str = ""
    window: int = 256
    """tokens that the model was trained with; more are cut off before"""
    query: str = ""
    """what some models want in front of a question"""
    document: str = ""
    """and in front of a document"""

    def __post_init__(self) -> None:
        at_least(self, window=32)
        if not self.folder:
            raise BadParameter("onnx: give the model's folder: --embedder \"onnx(folder='...')\"")

    @property
    def dim(self) -> int:
        return int(self.encode(["x"], role="query").shape[1])

    def at_hand(self) -> str:
        tokenizer(self.folder)
        return str(_file(self.folder))

    @property
    def fingerprint(self) -> str:
        told = blake2b(f"{self.query}\0{self.document}".encode(), digest_size=4).hexdigest()
        return f"onnx-{_state(self.folder)}-{self.window}-{told}"

    def count(self, texts: Sequence[str]) -> list[int]:
        encoded = tokenizer(self.folder).encode_batch(list(texts), add_special_tokens=False)
        return [len(one.ids) for one in encoded]

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        import numpy as np

        from plait.vectors import unit

        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        before = self.query if role == "query" else self.document
        # One text at a time: padding would let a row depend on the batch around it.
        return unit(np.concatenate([self._row(before, text) for text in texts]))

    def _row(self, before: str, text: str) -> Vectors:
        import numpy as np

        network = session(self.folder)
        ids = tokenizer(self.folder).encode(before + text).ids[: self.window]
        given = {
            "input_ids": np.array([ids], dtype=np.int64),
            "attention_mask": np.ones((1, len(ids)), dtype=np.int64),
            "token_type_ids": np.zeros((1, len(ids)), dtype=np.int64),
        }
        wanted = {one.name for one in network.get_inputs()}
        (last, *_) = network.run(None, {name: value for name, value in given.items() if name in wanted})
        found: Vectors = (last.mean(axis=1) if text else np.zeros((1, last.shape[2]))).astype(np.float32)
        return found


def _file(folder: str) -> Path:
    for name in PLACES:
        if (found := Path(folder).expanduser() / name).is_file():
            return found
    missing = f"none of {', '.join(PLACES)} is there"
    raise CannotEmbed(f"onnx: {folder}", missing, "give the folder of an exported model")


@cache
def session(folder: str) -> Any:
    try:
        from onnxruntime import InferenceSession, SessionOptions
    except ImportError:
        raise MissingExtra("a model as ONNX", "onnxruntime", "onnx") from None
    options = SessionOptions()
    options.log_severity_level = 3
    try:
        return InferenceSession(str(_file(folder)), options, providers=["CPUExecutionProvider"])
    except CannotEmbed:
        raise
    except Exception as error:  # the library has no base of its errors
        raise CannotEmbed(f"onnx: {folder}", error, "export the model again, or install a newer onnxruntime") from error


@cache
def tokenizer(folder: str) -> Any:
    from tokenizers import Tokenizer

    path = Path(folder).expanduser() / "tokenizer.json"
    if not path.is_file():
        raise CannotEmbed(f"onnx: {folder}", "tokenizer.json is not there", "put it beside the model")
    read = Tokenizer.from_file(str(path))
    read.no_padding()
    read.no_truncation()
    return read


@cache
def _state(folder: str) -> str:
    path = _file(folder)
    status = path.stat()
    return blake2b(f"{path.resolve()}\0{status.st_size}\0{status.st_mtime_ns}".encode(), digest_size=6).hexdigest()
