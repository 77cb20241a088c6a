"""Any model of the library sentence-transformers: a folder, or a name on the hub that is downloaded once, if asked for.

It brings torch. A model that is there as ONNX as well is run lighter by the embedder `onnx`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from plait.embed import hub
from plait.errors import CannotEmbed, MissingExtra
from plait.plugins import at_least
from plait.protocols import About

if TYPE_CHECKING:
    from plait.model import Vectors
    from plait.protocols import Role

WEIGHTS = ("model.safetensors", "pytorch_model.bin")


@dataclass(frozen=True, slots=True)
class SentenceTransformersEmbedder:
    """On the processor, with what the model itself puts in front of questions and documents."""

    name: ClassVar[str] = "sentence_transformers"
    about: ClassVar[About] = About(
        what="a transformer run by sentence-transformers on the processor: a folder, or a name on the hub",
        weights="all-MiniLM-L6-v2: 91 MB, downloaded once; the library brings torch",
        network="the first use of a name on the hub; a folder needs none",
        rate=(10, 11),
        library="sentence_transformers",
        extra="sentence-transformers",
    )
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    """a folder with `modules.json`, or a name on the hub"""
    window: int = 256
    """tokens that the model was trained with; what is longer is split before"""

    def __post_init__(self) -> None:
        at_least(self, window=32)

    @property
    def dim(self) -> int:
        return int(self.encode(["x"], role="query").shape[1])

    def at_hand(self) -> str:
        if not Path(self.model).expanduser().is_dir():
            _loaded(self.model, offline=True)
        return self.model

    @property
    def fingerprint(self) -> str:
        return f"sentence_transformers-{hub.state(self.model, *WEIGHTS)}-{self.window}"

    def count(self, texts: Sequence[str]) -> list[int]:
        tokenizer = _loaded(self.model).tokenizer
        return [len(tokenizer.encode(text, add_special_tokens=False, verbose=False)) for text in texts]

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        import numpy as np

        from plait.vectors import unit

        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        model = _loaded(self.model)
        encode = model.encode_query if role == "query" else model.encode_document
        # One text at a time: padding would let a row depend on the batch around it.
        rows = [encode([text or " "], show_progress_bar=False, convert_to_numpy=True) for text in texts]
        found = np.concatenate(rows).astype(np.float32)
        found[[not text for text in texts]] = 0.0
        return unit(found)


@cache
def _loaded(model: str, *, offline: bool = False) -> Any:
    """Load a folder, what was downloaded before, or (unless offline) what the hub has."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        what = "the embedder 'sentence_transformers'"
        raise MissingExtra(what, "sentence-transformers", "sentence-transformers") from None
    with suppress(ImportError):  # it shows a bar for weights that take a moment
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()
    place = Path(model).expanduser()
    try:
        try:
            found = str(place) if place.is_dir() else model
            return SentenceTransformer(found, device="cpu", local_files_only=True)
        except OSError:
            if offline or place.is_dir():
                raise
            hub.ask(model)
            return SentenceTransformer(model, device="cpu")
    except Exception as error:  # whatever a hub, a network or a folder of another format brings
        problem = str(error).strip().partition("\n")[0] or type(error).__name__
        instead = "give a folder with model=, or be online once for a name on the hub"
        raise CannotEmbed(f"sentence_transformers: {model}", problem, instead) from error
