"""Any static model in model2vec's format: a folder, or a name on the hub that is then downloaded once, as asked."""

from __future__ import annotations

from collections.abc import Sequence
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

WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Model2VecEmbedder:
    name: ClassVar[str] = "model2vec"
    about: ClassVar[About] = About(
        what="any static model in model2vec's format: a folder, or a name on the hub",
        weights="potion-code-16M: 64 MB and more, downloaded once",
        network="the first use of a name on the hub; a folder needs none",
        rate=(2_851, 4_552),
        library="model2vec",
        extra="model2vec",
    )
    model: str = "minishlab/potion-code-16M"
    """a folder with `model.safetensors`, `tokenizer.json` and `config.json`, or a name on the hub"""
    window: int = 512

    def __post_init__(self) -> None:
        at_least(self, window=32)

    @property
    def dim(self) -> int:
        return int(_loaded(self.model).dim)

    def at_hand(self) -> str:
        if Path(self.model).expanduser().is_dir():
            return f"{self.model}, {_loaded(self.model).dim} dimensions"
        kept = hub.kept(self.model)
        if kept is None:
            raise CannotEmbed(
                f"model2vec: {self.model}", "is not downloaded", "the first use downloads it; model= names a folder"
            )
        return str(kept)

    @property
    def fingerprint(self) -> str:
        return f"model2vec-{hub.state(self.model, WEIGHTS)}-{self.window}"

    def count(self, texts: Sequence[str]) -> list[int]:
        encoded = _loaded(self.model).tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(one.ids) for one in encoded]

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        import numpy as np

        from plait.vectors import unit

        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        model = _loaded(self.model)
        # One text at a time: in a batch the library cuts texts by what is usual in it.
        rows = [model.encode([text], max_length=None) if text else np.zeros((1, self.dim)) for text in texts]
        return unit(np.nan_to_num(np.concatenate(rows)).astype(np.float32))


@cache
def _loaded(model: str) -> Any:
    try:
        from model2vec import StaticModel
    except ImportError:
        raise MissingExtra("the embedder 'model2vec'", "model2vec", "model2vec") from None
    try:
        if not Path(model).expanduser().exists() and hub.kept(model) is None:
            hub.ask(model)
        return StaticModel.from_pretrained(model)
    except Exception as error:  # whatever a hub, a network or a file of another format brings
        problem = str(error).strip().partition("\n")[0] or type(error).__name__
        raise CannotEmbed(
            f"model2vec: {model}", problem, "give a folder with model=, or be online once for a name on the hub"
        ) from error
