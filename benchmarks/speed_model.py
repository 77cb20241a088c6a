"""Write the vectors of plait's static embedder as a model2vec folder, so that semble can search with them.

python benchmarks/speed_model.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from plait.embed import static


def convert(folder: Path) -> None:
    """Raises MissingExtra without the vectors."""
    folder.mkdir(parents=True, exist_ok=True)
    table = static._table()
    tensor = {"dtype": "F32", "shape": table.shape, "data_offsets": [0, table.nbytes]}
    header = json.dumps({"embeddings": tensor}).encode()
    header += b" " * (-len(header) % 8)
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + table.tobytes())
    static._tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"normalize": True, "max_length": None}))


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
