"""Copy plait's own model, which is a model2vec folder, so that semble can search with it.

python benchmarks/speed_model.py FOLDER
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from plait.embed.code import MODEL

if __name__ == "__main__":
    shutil.copytree(MODEL, Path(sys.argv[1]), dirs_exist_ok=True)
