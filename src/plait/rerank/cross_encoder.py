"""A cross-encoder as ONNX: question and text in one input, one number out; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from plait.embed.onnx import session, tokenizer
from plait.errors import BadParameter, CannotEmbed
from plait.plugins import at_least, describe


@dataclass(frozen=True, slots=True)
class CrossEncoder:
    """The logit of relevance (Nogueira and Cho 2019); of a model with two classes, by how much the second is above."""

    name: ClassVar[str] = "cross_encoder"
    folder: str = ""
    """with `tokenizer.json` and the exported model"""
    window: int = 512
    """tokens of question and text together; the text's end is cut off"""

    def __post_init__(self) -> None:
        at_least(self, window=32)
        if not self.folder:
            raise BadParameter("cross_encoder: give the model's folder: cross_encoder(folder='...')")

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        # One text at a time: padding would let a score depend on the texts around it.
        return [self._score(question, text) for text in texts]

    def _score(self, question: str, text: str) -> float:
        import numpy as np

        network = session(self.folder)
        pair = tokenizer(self.folder).encode(question, text)
        pair.truncate(self.window)
        given = {
            "input_ids": np.array([pair.ids], dtype=np.int64),
            "attention_mask": np.array([pair.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([pair.type_ids], dtype=np.int64),
        }
        wanted = {one.name for one in network.get_inputs()}
        (logits, *_) = network.run(None, {name: value for name, value in given.items() if name in wanted})
        if logits.ndim != 2 or logits.shape[1] not in (1, 2):
            problem = f"an output of shape {logits.shape}, not one or two numbers for each pair"
            raise CannotEmbed(f"cross_encoder: {self.folder}", problem, "give another model, or use nearest(...)")
        row = logits[0].astype(float).tolist()
        return float(row[0] if len(row) == 1 else row[1] - row[0])

    def __str__(self) -> str:
        return describe(self)
