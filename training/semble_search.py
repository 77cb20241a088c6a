"""Judge a model in semble's own search, as semble's benchmark does. Runs in semble's environment (semble 0.7.0).

    python training/semble_search.py LABELS CORPORA KEPT MODEL...

LABELS is the folder with repos.json, annotations and extra; CORPORA has a checkout for each repository; KEPT keeps
chunks and word indexes, which do not depend on the model. MODEL is a model2vec folder, or `words` for none. nDCG@10
over chunks: targets are `relevant` and `secondary`, the rank of a target is that of the first chunk that hits it.
"""

from __future__ import annotations

import json
import math
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
from model2vec import StaticModel
from semble.index.bm25 import BM25
from semble.index.create import create_index_from_path
from semble.index.dense import SelectableBasicBackend, embed_chunks
from semble.search import search
from semble.types import ContentType
from vicinity.backends.basic import BasicArgs

K = 10


class Nothing:
    """A model that knows no word."""

    dim = 8

    def encode(self, texts: list[str], **_: object) -> Any:
        return np.full((len(texts), self.dim), 1.0, dtype=np.float32)


def prepared(root: Path, kept: Path) -> tuple[BM25, list[Any]]:
    if kept.exists():
        found: tuple[BM25, list[Any]] = pickle.loads(kept.read_bytes())
        return found
    bm25, _, chunks, *_ = create_index_from_path(root, Nothing(), content=(ContentType.CODE,), display_root=root)  # type: ignore[arg-type]
    kept.write_bytes(pickle.dumps((bm25, chunks)))
    return bm25, chunks


def hits(target: Any, chunk: Any) -> bool:
    given = target if isinstance(target, dict) else {"path": target}
    path, start, end = given["path"], given.get("start_line"), given.get("end_line")
    one, other = f"/{path}", f"/{chunk.file_path}"
    if not (one.endswith(other) or other.endswith(one)):
        return False
    return start is None or end is None or (chunk.start_line <= end and start <= chunk.end_line)


def ndcg(chunks: list[Any], targets: list[Any]) -> float:
    ranks = {next((rank for rank, chunk in enumerate(chunks, 1) if hits(target, chunk)), 0) for target in targets} - {0}
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(K, len(targets)) + 1))
    return sum(1 / math.log2(rank + 1) for rank in ranks) / ideal if ideal else 0.0


def main(labels: Path, corpora: Path, kept: Path, models: list[str]) -> None:
    kept.mkdir(parents=True, exist_ok=True)
    repositories = json.loads((labels / "extra" / "corpora.json").read_text())
    for name in models:
        model: Any = Nothing() if name == "words" else StaticModel.from_pretrained(name)
        table: dict[str, dict[str, list[float]]] = {}
        for repository in repositories:
            root = corpora / repository["name"] / (repository["benchmark_root"] or "")
            if not root.exists():
                continue
            bm25, chunks = prepared(root, kept / f"{repository['name']}.pickle")
            vectors = embed_chunks(model, chunks)
            backend = SelectableBasicBackend(vectors, BasicArgs())
            mended = {"pydantic": "extra/pydantic.upstream-a772a37d.json"}
            file = mended.get(repository["name"], f"annotations/{repository['name']}.json")
            topics = json.loads((labels / file).read_text())
            scores = table.setdefault(repository["name"], {"hybrid": [], "dense": []})
            for topic in topics:
                targets = [*topic["relevant"], *topic.get("secondary", [])]
                for how, alpha in (("hybrid", 0.0 if name == "words" else None), ("dense", 1.0)):
                    if name == "words" and how == "dense":
                        scores[how].append(0.0)
                        continue
                    found = search(topic["query"], model, backend, bm25, chunks, K, alpha, rerank=how == "hybrid")
                    scores[how].append(ndcg([one.chunk for one in found], targets))
        means = {how: np.mean([np.mean(scores[how]) for scores in table.values()]) for how in ("hybrid", "dense")}
        print(name, len(table), *(f"{how} {mean:.4f}" for how, mean in means.items()), flush=True)
        (kept / f"scores-{Path(name).name}.json").write_text(json.dumps(table))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
