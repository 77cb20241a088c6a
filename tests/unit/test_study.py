"""The page of the study makes no claim without its interval."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from study_page import page

WITH_GRAPH = ("naive", "constrained", "structural", "hybrid", "additive")
WITHOUT = {"hybrid": "hybrid(edge=0.0)", "additive": "additive(seeds=0)"}
COUNT = 60


def collection(name: str) -> dict[str, Any]:
    """Structure answers forty questions more than vectors, and as many on a shuffled graph; nothing else differs."""
    topics = [f"commit-{n}" for n in range(COUNT)]
    labels = ["vector", "lexical", *WITH_GRAPH, *WITHOUT.values(), "placebo: structural"]
    of_label = {
        label: {topic: float("structural" in label and n < 40) for n, topic in enumerate(topics)} for label in labels
    }
    return {
        "name": name,
        "description": f"About {name}.",
        **{"files": 3, "lines": 1_000, "symbols": 50, "calls": 70, "graph": "flow", "embedder": "code", "plait": "abc"},
        "categories": {topic: "commit" if n % 2 else "docstring" for n, topic in enumerate(topics)},
        "scores": {"Recall@5": of_label, "nDCG@10": of_label},
    }


def test_every_difference_has_its_interval() -> None:
    text = page([collection(name) for name in ("shop", "rich", "rich, flows", "flask of knowing")], WITH_GRAPH, WITHOUT)
    claims = [line for line in text.splitlines() if re.search("better|worse|not shown|nothing differs", line)]
    rows = [line for line in claims if line.startswith(("| ", "- "))]
    assert len(rows) == 10 + 10 + 10 + 2 * 10 + 3 * 10 + 10
    assert all(re.search(r"[+-]\d\.\d{3} \([+-]\d\.\d{3} to [+-]\d\.\d{3}\)", row) for row in rows)


def test_what_a_placebo_gains_as_well_is_no_gain_by_calls() -> None:
    text = page([collection("rich"), collection("tokio")], WITH_GRAPH, WITHOUT)
    assert "Rarely. On 120 questions of 2 repositories, adding the graph makes Recall@5 better in 1 of 5 ways" in text
    assert "that is, the graph does better than a shuffled one, in 0 of 5:" in text
    assert "- structure in the vectors against plain vectors: +0.667 (" in text
    assert "| `structural` against its placebo | +0.000 (+0.000 to +0.000)" in text
    assert "Questions that are derived from the graph" not in text
