"""From pairs to a model: vocabulary, first vectors, contrastive training, eight bits, a folder in model2vec's format.

Loss: in-batch negatives over both directions at a fixed scale (InfoNCE), summed over the first 128 and 256
dimensions (Matryoshka, Kusupati et al. 2022). A batch is made of blocks of pairs from one package in one language, so
that most packages' pairs have neighbours as negatives. Pairs that ask the same are no negatives of each other.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers
from torch.nn import functional

from plait.embed.code import PART, REPEATED, Pieces
from training.negatives import WAYS, by_words
from training.score import LANGUAGES

DIM = 256
NESTED = (256, 128)
WORDS, CONTINUED = 26_000, 4_000
"""Whole words, by the number of packages that have them, and pieces for all others."""
SCALE = 20.0
BLOCK = 32
LONGEST = {"question": 48, "code": 160}
AT_ONCE = 50_000
"""Token lists whose repeated tokens are counted at once."""
SHARES = {"doc": 1.0, "class": 1.0, "module": 1.0, "comment": 0.6, "name": 0.5, "call": 0.25, "general": 0.5}
"""Of the pairs of each kind, how many an epoch takes, drawn anew."""


@dataclass(frozen=True, slots=True)
class Bags:
    """Token lists, one after the other."""

    tokens: Any
    starts: Any
    weights: Any
    """of each occurrence: those of one token in one list add up to their number ** REPEATED"""

    @classmethod
    def made(cls, tokens: Any, starts: Any) -> Bags:
        weights = np.empty(len(tokens), dtype=np.float32)
        for first in range(0, len(starts) - 1, AT_ONCE):
            ends = starts[first : first + AT_ONCE + 1]
            owners = np.repeat(np.arange(len(ends) - 1, dtype=np.int64), np.diff(ends))
            part = slice(ends[0], ends[-1])
            _, places, counts = np.unique((owners << 16) | tokens[part], return_inverse=True, return_counts=True)
            weights[part] = counts[places].astype(np.float64) ** (REPEATED - 1)
        return cls(tokens, starts, weights)

    def of(self, row: int) -> list[int]:
        found: list[int] = self.tokens[self.starts[row] : self.starts[row + 1]].tolist()
        return found

    def take(self, rows: Any) -> tuple[Any, Any, Any]:
        starts, ends = self.starts[rows], self.starts[rows + 1]
        lengths = ends - starts
        offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        places = np.arange(lengths.sum()) - np.repeat(offsets, lengths) + np.repeat(starts, lengths)
        tokens = torch.from_numpy(self.tokens[places].astype(np.int64))
        return tokens, torch.from_numpy(offsets), torch.from_numpy(self.weights[places])


@dataclass(frozen=True, slots=True)
class Pairs:
    questions: Bags
    code: Bags
    kinds: list[str]
    groups: list[str]
    asked: Any
    """the same number for the same question"""


def read(path: Path) -> Iterator[dict[str, str]]:
    with path.open() as file:
        for line in file:
            yield json.loads(line)


def vocabulary(paths: Sequence[Path]) -> list[str]:
    """Return the tokens: `[UNK]`, letters and digits alone and continued, words, pieces."""
    packages: dict[str, set[str]] = defaultdict(set)
    counts: Counter[str] = Counter()
    for path in paths:
        for pair in read(path):
            words = Counter(word.lower() for text in (pair["question"], pair["code"]) for word in PART.findall(text))
            counts.update(words)
            for word in words:
                packages[word].add(pair["package"])
    wanted = [word for word in packages if len(word) < 25 and (not word.isdigit() or len(word) < 5)]
    words = sorted(wanted, key=lambda word: (-len(packages[word]), -counts[word], word))[:WORDS]
    wordpiece = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    wordpiece.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordPieceTrainer(vocab_size=CONTINUED * 3, special_tokens=["[UNK]"], show_progress=False)
    rare = sorted(set(packages) - set(words))
    wordpiece.train_from_iterator((" ".join(rare[i : i + 1000]) for i in range(0, len(rare), 1000)), trainer)
    learned = sorted(wordpiece.get_vocab().items(), key=lambda item: item[1])
    signs = "abcdefghijklmnopqrstuvwxyz0123456789"
    pieces = [piece for piece, _ in learned if piece.startswith("##")][:CONTINUED]
    return list(dict.fromkeys(["[UNK]", *signs, *(f"##{sign}" for sign in signs), *words, *pieces]))


def prepared(work: Path, paths: Sequence[Path], tokens: Sequence[str], name: str) -> Pairs:
    kept = work / "pairs" / f"{name}.npz"
    pieces = Pieces({token: number for number, token in enumerate(tokens)})
    state = blake2b("\n".join([*tokens, *(str(path.stat().st_size) for path in paths)]).encode()).hexdigest()
    if not kept.exists() or str(np.load(kept)["state"]) != state:
        kinds, groups, asked = [], [], []
        bags: dict[str, tuple[list[Any], list[int]]] = {side: ([], [0]) for side in LONGEST}
        for path in paths:
            for pair in read(path):
                sides = {side: pieces.of(pair[side])[:longest] for side, longest in LONGEST.items()}
                known = pair["kind"] != "general" or len(sides["question"]) == len(pair["question"].split())
                if known and len(sides["question"]) > (pair["kind"] != "general") and len(sides["code"]) > 1:
                    for side, found in sides.items():
                        bags[side][0].append(np.array(found, dtype=np.uint16))
                        bags[side][1].append(bags[side][1][-1] + len(found))
                    kinds.append(pair["kind"])
                    groups.append(f"{pair['package']} {pair['language']}")
                    asked.append(" ".join(map(str, sides["question"])))
        arrays = {side: np.concatenate(found) for side, (found, _) in bags.items()}
        starts = {f"{side}_starts": np.array(ends) for side, (_, ends) in bags.items()}
        numbers = np.unique(asked, return_inverse=True)[1]
        np.savez(kept, state=state, kinds=kinds, groups=groups, asked=numbers, **arrays, **starts)
    with np.load(kept) as file:
        bags_ = {side: Bags.made(file[side], file[f"{side}_starts"]) for side in LONGEST}
        return Pairs(bags_["question"], bags_["code"], list(file["kinds"]), list(file["groups"]), file["asked"])


def batches(pairs: Pairs, options: argparse.Namespace, random: Any) -> Iterator[Any]:
    """Yield rows for one epoch: blocks of one group, its pairs at random or file by file; blocks in random order."""
    size = options.batch
    shares = np.array([SHARES[kind] for kind in pairs.kinds]) * options.share
    rows = np.flatnonzero(random.random(len(shares)) < shares)
    groups: dict[str, list[int]] = defaultdict(list)
    for row in rows if options.negatives == "file" else random.permutation(rows):
        groups[pairs.groups[row]].append(row)
    blocks = [found[i : i + BLOCK] for found in groups.values() for i in range(0, len(found), BLOCK)]
    order = np.concatenate([blocks[place] for place in random.permutation(len(blocks))])
    for start in range(0, len(order) - size + 1, size):
        yield order[start : start + size]


def first_vectors(work: Path, tokens: Sequence[str], how: str, seed: int) -> Any:
    """Return rows of unit length: random, or MiniLM's for each word, turned to their principal axes."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((len(tokens), DIM)).astype(np.float32)
    if how == "distilled":
        kept = work / "minilm.npz"
        known: dict[str, Any] = {}
        if kept.exists():
            with np.load(kept) as file:
                known = dict(zip(file["words"].tolist(), file["rows"], strict=True))
        words = [token for token in tokens if not token.startswith(("##", "["))]
        missing = [word for word in words if word not in known]
        if missing:
            from training.minilm import MiniLM

            known |= dict(zip(missing, MiniLM(work / "minilm" / "m").encode(missing), strict=True))
            np.savez(kept, words=np.array(list(known)), rows=np.stack(list(known.values())))
        taught = np.stack([known[word] for word in words])
        taught = taught - taught.mean(axis=0)
        axes = np.linalg.eigh(taught.T @ taught)[1][:, ::-1][:, :DIM]
        turned = taught @ axes
        places = {token: number for number, token in enumerate(tokens)}
        rows[[places[word] for word in words]] = turned / np.linalg.norm(turned, axis=1, keepdims=True) * np.sqrt(DIM)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def weights(pairs: Pairs, size: int) -> Any:
    """Return the first factor of each token, 1e-3 / (1e-3 + its share of all tokens) (Arora et al. 2017)."""
    counts = np.bincount(pairs.code.tokens, minlength=size) + np.bincount(pairs.questions.tokens, minlength=size)
    return (1e-3 / (1e-3 + counts / counts.sum())).astype(np.float32)


def loss_of(questions: Any, code: Any, asked: Any) -> Any:
    """Return the mean loss; code i answers question i, and what is beyond the questions answers none.

    `asked` are the numbers of the questions that each code answers in its own pair.
    """
    count = len(questions)
    same = asked[:count, None] == asked[None, :]
    same.fill_diagonal_(False)
    goal = torch.arange(count)
    total = 0.0
    for dim in NESTED:
        left, right = functional.normalize(questions[:, :dim]), functional.normalize(code[:, :dim])
        scores = (SCALE * left @ right.T).masked_fill(same, -1e4)
        total = total + functional.cross_entropy(scores, goal) + functional.cross_entropy(scores[:, :count].T, goal)
    return total / (2 * len(NESTED))


def train(pairs: Pairs, held: dict[str, Pairs], start: Any, options: argparse.Namespace, harder: Any) -> Any:
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    table = torch.nn.Parameter(torch.from_numpy(start))
    optimizer = torch.optim.Adam([table], lr=options.rate, betas=(0.9, 0.99))
    planned = sum(SHARES[kind] for kind in pairs.kinds) * options.share / options.batch * options.epochs
    step, started = 0, time.monotonic()
    for epoch in range(options.epochs):
        total = 0.0
        for rows in batches(pairs, options, random):
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1.0, (step + 1) / 50) * max(0.05, 1 - step / planned)
            beside = rows if harder is None else np.concatenate([rows, (found := harder[rows])[found >= 0]])
            sums = [
                functional.embedding_bag(tokens, table, offsets, mode="sum", per_sample_weights=repeated)
                for tokens, offsets, repeated in (pairs.questions.take(rows), pairs.code.take(beside))
            ]
            loss = loss_of(sums[0], sums[1], torch.from_numpy(pairs.asked[beside]))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += float(loss.detach())
            step += 1
            if step % 50 == 0:
                took = time.monotonic() - started
                print(f"step {step} of {planned:.0f}, loss {float(loss.detach()):.3f}, {took:.0f} s", flush=True)
        scores = " ".join(f"{name} {reciprocal(one, table.detach().numpy()):.4f}" for name, one in held.items())
        print(f"epoch {epoch + 1}: {scores}", flush=True)
    return table.detach().numpy()


def reciprocal(pairs: Pairs, table: Any, k: int = 10) -> float:
    """Return the mean reciprocal rank, cut at k, of each question's own code among all code."""
    rows = np.arange(len(pairs.kinds))
    weight = torch.from_numpy(table)
    left, right = (
        functional.normalize(functional.embedding_bag(tokens, weight, offsets, mode="sum", per_sample_weights=repeated))
        for tokens, offsets, repeated in (pairs.questions.take(rows), pairs.code.take(rows))
    )
    scores = left @ right.T
    ranks = (scores > scores.diagonal()[:, None]).sum(1) + 1
    return float(torch.where(ranks <= k, 1 / ranks, 0.0).mean())


def export(tokens: Sequence[str], table: Any, folder: Path) -> None:
    """Write the model: rows of eight-bit numbers in proportion to each token's, and the factor of each row."""
    folder.mkdir(parents=True, exist_ok=True)
    table = table.copy()
    table[0] = 0.0
    factors = np.abs(table).max(axis=1) / 127
    codes = np.rint(table / np.maximum(factors, 1e-12)[:, None]).astype(np.int8)
    save_file({"embeddings": codes, "weights": factors.astype(np.float32)}, folder / "model.safetensors")
    tokenizer = Tokenizer(models.WordPiece({token: n for n, token in enumerate(tokens)}, unk_token="[UNK]"))
    seams = Regex(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace(seams, " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex("[^a-z0-9]+"), "removed"), pre_tokenizers.Split(Regex("[0-9]+"), "isolated")]
    )
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "config.json").write_text(json.dumps({"normalize": True}) + "\n")


def held_out(work: Path, tokens: Sequence[str], count: int) -> dict[str, Pairs]:
    """Return the first `count` of the held-out packages' `doc` pairs of each language, by the digest of their place."""
    by: dict[str, list[dict[str, str]]] = defaultdict(list)
    for pair in read(work / "pairs" / "held.jsonl"):
        if pair["kind"] == "doc":
            by[pair["language"]].append(pair)
    found = {}
    for language in LANGUAGES:
        chosen = sorted(by[language], key=lambda pair: blake2b(f"{pair['package']} {pair['place']}".encode()).digest())
        path = work / "pairs" / f"held-{language}.jsonl"
        path.write_text("".join(json.dumps(pair) + "\n" for pair in chosen[:count]))
        if chosen:
            found[language] = prepared(work, [path], tokens, f"held-{language}")
    return found


def main(work: Path, arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="model")
    parser.add_argument("--first", choices=["distilled", "random"], default="distilled")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of what an epoch takes: .4 for the short trials")
    parser.add_argument("--negatives", choices=WAYS, default="package")
    parser.add_argument("--tokens", type=Path, help="take those of this tokenizer.json; else they are counted anew")
    options = parser.parse_args(arguments)
    torch.set_num_threads(2)
    paths = [path for name in ("train", "general") if (path := work / "pairs" / f"{name}.jsonl").exists()]
    kept = work / "pairs" / "vocabulary.txt"
    if options.tokens:
        known = json.loads(options.tokens.read_text())["model"]["vocab"]
        kept.write_text("\n".join(sorted(known, key=known.__getitem__)))
    elif not kept.exists():
        kept.write_text("\n".join(vocabulary(paths)))
    tokens = kept.read_text().split("\n")
    pairs = prepared(work, paths, tokens, "train")
    print(len(tokens), "tokens", len(pairs.kinds), "pairs", Counter(pairs.kinds), flush=True)
    start = first_vectors(work, tokens, options.first, options.seed) * weights(pairs, len(tokens))[:, None]
    held = held_out(work, tokens, 5_000)
    print("before:", *(f"{name} {reciprocal(one, start):.4f}" for name, one in held.items()), flush=True)
    harder = by_words(pairs, work / "pairs" / "negatives.npy") if options.negatives == "words" else None
    table = train(pairs, held, start.astype(np.float32), options, harder)
    export(tokens, table, work / "models" / options.name)
