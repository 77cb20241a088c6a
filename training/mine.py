"""From packages to pairs of a question and the code that answers it, by plait's own parser.

Kinds of pairs:

- `doc`: the first paragraph of a docstring or doc comment -> the definition without it.
- `class`: the same of a class -> its own lines and the names of its methods.
- `module`: a module's docstring -> the names and signatures of what it defines.
- `name`: a name of two or more words, split -> the definition without docstring and name.
- `comment`: a comment of four or more words -> the lines below it.
- `call`: the name and the first sentence of a caller's documentation -> the definition of a callee.

What is left out: tests, vendored code and folders named like what plait is judged on, files that name a copyleft
licence, documentation of fewer than three words or not in English letters, and what was seen before (see `Seen`).
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from multiprocessing import Pool
from pathlib import Path, PurePosixPath

from plait import plugins, source
from plait.facts import ParsedFile
from plait.model import EdgeKind, SourceFile, Symbol, SymbolKind
from training.packages import Package, never, packages

SHOWN = 1_600
"""Characters of a definition that are kept: about the embedder's window."""
FROM_EACH = 5_000
"""Pairs of one kind from one package, so that no package drowns the others."""
LINKED = 20_000
"""Symbols of a package from which no graph is made for `call`: it would take longer than all else."""
UNLINKED = frozenset(("rust", "javascript"))
"""The same holds for packages in these languages, whatever their size."""
CRATES = "usr/share/cargo/registry/"
"""Where Debian's packages hold crates: the folder of a name that must not be read, and yet not that project's."""
FILES = 2_000
"""Files of a package that are read, by the digests of their paths: enough for FROM_EACH."""
COPYLEFT = re.compile(r"GNU (Lesser |Library |Affero )?General Public|Mozilla Public Lic|\bL?GPL-|Eclipse Public")
VENDORED = frozenset("vendor _vendor vendored third_party third-party thirdparty 3rdparty".split())
VENDORED |= frozenset("external extern deps node_modules test tests testing spec specs testdata docs dist min".split())

_TAG = re.compile(
    r"^\s*(@\w+|:\w+.*:|\\\w+|Args:|Arguments:|Parameters|Returns?:|Raises:|Example|>>>|\.\. |-{3,}|={3,}|Usage)"
)
_MARKUP = re.compile(r"<[^>]{1,40}>|\{@\w+ ([^}]*)\}|:\w+:`~?([^`]*)`|``?|\[`?|`?\]|\*\*|\\[a-z]+\b")
_WORD = re.compile(r"[A-Za-z]{2,}")
_COMMENT = re.compile(r"^\s*(?:#|//|--|;;|/\*+|\*)\s*(.*?)\s*(?:\*/)?$")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CODE_IN_COMMENT = re.compile(
    r"[;{}=]|\(\)|^\s*(todo|fixme|xxx|noqa|type:|pylint|eslint|copyright|licen[cs]e)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Pair:
    kind: str
    language: str
    package: str
    place: str
    question: str
    code: str


def mine(work: Path, only: Sequence[str] = ()) -> None:
    """Write work/pairs/train.jsonl and work/pairs/held.jsonl, the same bytes each time."""
    (work / "pairs" / "by-package").mkdir(parents=True, exist_ok=True)
    there = [package for package in packages() if package.folder(work).exists() and (not only or package.name in only)]
    with Pool(2) as pool:
        for package, count in pool.imap(_write, [(package, work) for package in there]):
            print(package, count, flush=True)
    join(there, work)


def join(there: Sequence[Package], work: Path) -> None:
    seen = Seen()
    counts: Counter[tuple[str, str, str]] = Counter()
    outputs = {name: (work / "pairs" / f"{name}.jsonl").open("w") for name in ("train", "held")}
    # What is held out is first: what is also elsewhere is then left out of training.
    for package in sorted(there, key=lambda package: not package.held_out):
        part = "held" if package.held_out else "train"
        for line in _file(package, work).open():
            pair = json.loads(line)
            if seen.add(pair["kind"], pair["question"], pair["code"]):
                outputs[part].write(line)
                counts[part, pair["kind"], pair["language"]] += 1
    for output in outputs.values():
        output.close()
    table = {" ".join(key): count for key, count in sorted(counts.items())}
    (work / "pairs" / "counts.json").write_text(json.dumps(table, indent=1))


class Seen:
    """Leaves out equal and nearly equal pairs.

    Nearly equal: of the pairs of neighbouring words in both definitions the three, or the next three, with the smallest
    checksums are the same. A question may come three times, with different code.
    """

    def __init__(self) -> None:
        self._code: set[tuple[str, tuple[int, ...]]] = set()
        self._questions: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, question: str, code: str) -> bool:
        words = re.findall(r"\w+", code.lower())
        sums = sorted({zlib.crc32(f"{one} {two}".encode()) for one, two in pairwise(words)})[:6]
        sketches = [(kind, tuple(sums[:3])), (kind, tuple(sums[3:]))]
        asked = (kind, " ".join(_WORD.findall(question.lower())))
        if len(sums) < 6 or any(sketch in self._code for sketch in sketches) or self._questions[asked] >= 3:
            return False
        self._code.update(sketches)
        self._questions[asked] += 1
        return True


def _file(package: Package, work: Path) -> Path:
    return work / "pairs" / "by-package" / f"{package.registry}-{package.name}.jsonl"


def _write(task: tuple[Package, Path]) -> tuple[str, int]:
    package, work = task
    counts: Counter[str] = Counter()
    if not _file(package, work).exists():
        part = _file(package, work).with_suffix(".part")
        with part.open("w") as out:
            for pair in pairs(package, package.folder(work)):
                counts[pair.kind] += 1
                if counts[pair.kind] <= FROM_EACH:
                    out.write(json.dumps(asdict(pair)) + "\n")
        part.rename(_file(package, work))
    return package.name, counts.total()


def pairs(package: Package, folder: Path) -> Iterator[Pair]:
    forbidden = never() | VENDORED
    sources: dict[str, SourceFile] = {}
    parsed: list[ParsedFile] = []
    listed = [
        state
        for state in source.discover(folder, reasons=False).observed
        if not forbidden & {part.lower() for part in PurePosixPath(state.path.removeprefix(CRATES)).parts[:-1]}
    ]
    for state in sorted(listed, key=lambda state: hashlib.blake2b(state.path.encode()).digest())[:FILES]:
        file = source.read(folder, state, limit=300_000)
        if isinstance(file, SourceFile) and file.text.isascii() and not COPYLEFT.search(file.text[:3_000]):
            try:
                facts = plugins.build("parser", file.language).parse(file)
            except (RecursionError, IndexError):  # what plait cannot read is no loss here
                continue
            if isinstance(facts, ParsedFile):
                sources[file.path] = file
                parsed.append(facts)
    for facts in parsed:
        yield from _of_file(package.name, sources[facts.path], facts)
    linked = [facts for facts in parsed if sources[facts.path].language not in UNLINKED]
    if sum(len(facts.symbols) for facts in linked) < LINKED:
        yield from _calls(package.name, sources, linked)


def _of_file(package: str, file: SourceFile, facts: ParsedFile) -> Iterator[Pair]:
    lines = file.text.split("\n")
    defined = [symbol for symbol in facts.symbols if symbol.kind is not SymbolKind.MODULE and not symbol.is_test]
    for symbol in facts.symbols:
        if symbol.is_test:
            continue
        place = f"{file.path}:{symbol.span.start_line}"

        def pair(kind: str, question: str, code: str, place: str = place) -> Pair:
            return Pair(kind, file.language, package, place, question, code[:SHOWN])

        asked = first_paragraph(symbol.docstring)
        if symbol.kind is SymbolKind.MODULE:
            if asked and len(defined) > 1:
                yield pair("module", asked, "\n".join(one.signature or one.name for one in defined))
            continue
        code = without(_own(lines, symbol), symbol.docstring)
        if symbol.kind is SymbolKind.CLASS:
            members = [one.signature or one.name for one in defined if one.parent == symbol.id]
            if asked and (members or code.count("\n") > 2):
                yield pair("class", asked, "\n".join([code[: SHOWN // 2], *members]))
            continue
        if code.count("\n") < 2:
            continue
        if asked:
            yield pair("doc", asked, code)
        if (words := split(symbol.name)) and len(words) > 1 and not symbol.name.startswith("__"):
            yield pair("name", " ".join(words), re.sub(rf"\b{re.escape(symbol.name)}\b", "", code))
    for start, question, code in commented(lines):
        yield Pair("comment", file.language, package, f"{file.path}:{start}", question, code[:SHOWN])


def _calls(package: str, sources: dict[str, SourceFile], parsed: Sequence[ParsedFile]) -> Iterator[Pair]:
    symbols = {symbol.id: symbol for facts in parsed for symbol in facts.symbols}
    graph = plugins.build("graph", "scoped").build(parsed)
    lines: tuple[str, list[str]] = ("", [])
    for edge in graph.edges:
        caller, callee = symbols.get(edge.source), symbols.get(edge.target)
        if edge.kind is not EdgeKind.CALLS or edge.candidates > 1 or caller is None or callee is None:
            continue
        if caller.is_test or callee.is_test or caller.kind is SymbolKind.MODULE or callee.kind is SymbolKind.CLASS:
            continue
        asked = " ".join([*split(caller.name), first_paragraph(caller.docstring)]).strip()
        if len(asked.split()) > 2 and caller.id != callee.id:
            if lines[0] != callee.path:
                lines = (callee.path, sources[callee.path].text.split("\n"))
            code = without(_own(lines[1], callee), callee.docstring)
            if code.count("\n") > 1:
                place = f"{callee.path}:{callee.span.start_line}"
                yield Pair("call", callee.language, package, place, asked, code[:SHOWN])


def _own(lines: Sequence[str], symbol: Symbol) -> str:
    return "\n".join(line for span in symbol.own for line in lines[span.start_line - 1 : span.end_line])


def first_paragraph(docstring: str) -> str:
    """Return the first paragraph without markup and tags, at most 40 words; empty if it is no English sentence."""
    kept: list[str] = []
    for line in docstring.strip().split("\n"):
        if _TAG.match(line) or (kept and not line.strip()):
            break
        kept.append(line.strip())
    text = _MARKUP.sub(lambda found: f" {next(filter(None, found.groups()), '')} ", " ".join(kept))
    words = text.split()
    return " ".join(words[:40]) if len(_WORD.findall(text)) > 2 and text.isascii() else ""


def without(code: str, docstring: str) -> str:
    """Return the code without the lines of its docstring or doc comment."""
    texts = {line.strip() for line in docstring.split("\n") if line.strip()}
    if not texts:
        return code
    kept = []
    for line in code.split("\n"):
        bare = line.strip().strip("\"'").strip()
        comment = found.group(1) if (found := _COMMENT.match(line)) else bare
        comment = comment.lstrip("/!*#- ").strip("\"' ")
        if bare in texts or comment in texts or bare in ("", "/**", "*/", "*", "///", "//", "#", "r"):
            continue
        kept.append(line)
    return "\n".join(kept)


def split(name: str) -> list[str]:
    """Return the words of an identifier, in lower case."""
    return [part.lower() for piece in name.split("_") for part in _PARTS.findall(piece)]


def commented(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (line, comment, code): comments on lines of their own with two to twelve lines of code below them."""
    place = 0
    while place < len(lines):
        texts: list[str] = []
        start = place
        while place < len(lines) and (found := _COMMENT.match(lines[place])):
            texts.append(found.group(1))
            place += 1
        if not texts:
            place += 1
            continue
        text = " ".join(" ".join(texts).split()[:40])
        if len(_WORD.findall(text)) > 3 and len(texts) < 5 and not _CODE_IN_COMMENT.search(text):
            indent = len(lines[start]) - len(lines[start].lstrip())
            code = []
            for line in lines[place : place + 12]:
                if not line.strip() or len(line) - len(line.lstrip()) < indent or _COMMENT.match(line):
                    break
                code.append(line)
            if indent and len(code) > 1:
                yield start + 1, text, "\n".join(code)
