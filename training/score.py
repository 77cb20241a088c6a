"""Judge a model on held-out packages: for each documentation, at which rank is its own function among all of them?

Beside it in the same run: BM25 over plait's terms, both fused, and all-MiniLM-L6-v2. Questions whose function's code is
equal for plait's tokens to another's are no special case: ties count as ranked before.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from plait.embed import code
from plait.store import bm25
from plait.terms import query_terms, terms

LANGUAGES = ("python", "go", "rust", "java", "javascript", "ruby", "c", "cpp", "php")
LEAST = 40
"""Held-out functions of a language without which nothing is told of it."""

SYNONYMS = tuple(
    (question, definition.replace(" / ", "\n    "))
    for question, _, definition in (
        line.strip().partition(": ")
        for line in """
        charge the card: def process_payment(amount, customer): / return gateway.pay(customer, amount)
        sign in: def authenticate(username, password): / return login(username, password)
        log the user out: def end_session(request): / request.session.clear()
        give the money back: def refund(order): / gateway.reimburse(order.total)
        erase a record: def delete_row(table, key): / table.remove(key)
        work out the cost: def calculate_price(items): / return sum(item.price for item in items)
        look for a text: def search(query, documents): / return [d for d in documents if query in d]
        make a picture smaller: def resize_image(image, width, height): / return image.scale(width, height)
        send a letter: def deliver_email(recipient, subject, body): / smtp.send_message(recipient, subject, body)
        try again after an error: def with_retry(call, attempts): / for _ in range(attempts): call()
        how long to wait: def backoff_delay(attempt): / return base * 2 ** attempt
        who is allowed: def has_permission(user, action): / return action in user.roles
        remember the result: def cached(key, compute): / return cache.setdefault(key, compute())
        turn words into numbers: def encode_tokens(text): / return [vocabulary[token] for token in text.split()]
        purchase: def place_order(basket, buyer): / return Order(basket.items, buyer)
        goods left in the warehouse: def available_stock(product): / return inventory.quantity(product)
        unpack a compressed folder: def extract_archive(path): / zipfile.ZipFile(path).extractall()
        fetch a web page: def http_get(url): / return urlopen(url).read()
        make sure the input is right: def validate(form): / return [field for field in form if not field.valid]
        run later in the background: def enqueue(job, queue): / queue.push(job)
        """.strip().split("\n")
    )
)
"""Ordinary words and code that has others: the share of questions whose code is first among these."""


def reciprocal(scores: Any, k: int = 10) -> float:
    """Return the mean reciprocal rank, cut at k; row i's answer is column i, ties are before it."""
    own = scores.diagonal()[:, None]
    ranks = (scores > own).sum(axis=1) + (scores == own).sum(axis=1)
    return float(np.where(ranks <= k, 1 / ranks, 0.0).mean())


def words(questions: Sequence[str], documents: Sequence[str]) -> Any:
    """Return the BM25 scores, a row for each question."""
    postings: dict[str, list[tuple[int, int]]] = {}
    lengths = np.zeros(len(documents), dtype=np.uint32)
    for number, document in enumerate(documents):
        found = Counter(terms(document))
        lengths[number] = found.total()
        for term, count in found.items():
            postings.setdefault(term, []).append((number, count))
    arrays = {term: np.array(rows, dtype=np.uint32) for term, rows in postings.items()}
    nothing = np.zeros((0, 2), dtype=np.uint32)
    scores = np.zeros((len(questions), len(documents)), dtype=np.float32)
    for row, question in enumerate(questions):
        numbers, values = bm25.scores(query_terms(question), lambda term: arrays.get(term, nothing), lengths)
        scores[row, numbers] = values
    return scores


def standard(scores: Any) -> Any:
    return (scores - scores.mean(axis=1, keepdims=True)) / (scores.std(axis=1, keepdims=True) + 1e-9)


def dense(embedder: Any, questions: Sequence[str], documents: Sequence[str]) -> Any:
    return embedder.encode(questions, role="query") @ embedder.encode(documents, role="document").T


def minilm(work: Path, language: str, questions: Sequence[str], documents: Sequence[str]) -> Any:
    """Return the cosines; the vectors, which take an hour, are kept."""
    kept = work / "pairs" / f"held-{language}-minilm.npz"
    state = blake2b("\0".join([*questions, *documents]).encode()).hexdigest()
    if not kept.exists() or str(np.load(kept)["state"]) != state:
        from training.minilm import MiniLM

        teacher = MiniLM(work / "minilm" / "m")
        np.savez(kept, state=state, questions=teacher.encode(questions), documents=teacher.encode(documents))
    with np.load(kept) as file:
        return file["questions"] @ file["documents"].T


def main(work: Path, arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, default=code.MODEL)
    parser.add_argument("--minilm", action="store_true")
    parser.add_argument("--languages", nargs="*", default=LANGUAGES)
    options = parser.parse_args(arguments)
    code.MODEL = options.model
    embedder = code.CodeEmbedder()
    right = dense(embedder, *zip(*SYNONYMS, strict=True)).argmax(axis=1) == np.arange(len(SYNONYMS))
    print(f"synonyms: {right.sum()} of {len(SYNONYMS)} first")
    print("language    functions  bm25   dense  d128   fused  minilm  minilm fused")
    for language in options.languages:
        path = work / "pairs" / f"held-{language}.jsonl"
        pairs = [json.loads(line) for line in path.open()] if path.exists() else []
        if len(pairs) < LEAST:
            continue
        questions, documents = [pair["question"] for pair in pairs], [pair["code"] for pair in pairs]
        lexical, meaning = words(questions, documents), dense(embedder, questions, documents)
        shown = [lexical, meaning, dense(code.CodeEmbedder(dim=128), questions, documents)]
        shown.append(standard(lexical) + standard(meaning))
        if options.minilm:
            taught = minilm(work, language, questions, documents)
            shown += [taught, standard(lexical) + standard(taught)]
        figures = "  ".join(f"{reciprocal(scores):.3f}" for scores in shown)
        print(f"{language:11} {len(pairs):9}  {figures}", flush=True)
