"""Search with semble 0.7 for `agents.py`: read questions, print for each the found chunks as [path, first, last, text].

    python benchmarks/agents_semble.py FOLDER QUESTIONS.json

Runs in semble's own environment; model and cache come by SEMBLE_MODEL_NAME and SEMBLE_CACHE_LOCATION.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from semble.index import SembleIndex

FOUND = 100

if __name__ == "__main__":
    index = SembleIndex.from_path(Path(sys.argv[1]))
    for question in json.loads(Path(sys.argv[2]).read_text()):
        chunks = [found.chunk for found in index.search(question, top_k=FOUND)]
        print(json.dumps([[one.file_path, one.start_line, one.end_line, one.content] for one in chunks]))
