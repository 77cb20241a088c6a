"""What an edit changes for other files, in the languages that have a table.

As for Python (`plait.graph.reach`), names are followed by their words. A word can have a mark before it: `REBASED` for
a class whose bases may be others now, so that what it inherits and what replaces it can change with all of its members;
`NEAR` for a file that imports others now, which tells those that import it what is near, but changes no meaning.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from plait.facts import Binding, BindingKind, Outline, ParsedFile
from plait.graph.edit import Edit, words
from plait.graph.generic.dialects import DIALECTS, Modules
from plait.graph.generic.told import descriptors, last_name
from plait.model import ReferenceKind, SymbolId, SymbolKind

REBASED = ":"
NEAR = "@"
MARKS = REBASED + NEAR

_UNNAMED = frozenset("constructor __construct initialize init apply invoke __invoke callAsFunction Companion".split())
"""Members that are used where only their class is named: constructors, and what runs if an object is called."""

_WHOLE_FOLDER = frozenset("index mod init lib main __init__".split())
"""Names of files that stand for their folder."""

_DEFAULT = "default"
"""What a script is itself, by whatever name it is imported."""

_BY_PATH = (Modules.RELATIVE, Modules.CRATE, Modules.FOLDER)
"""Where names reach a file through star imports of others."""

_NOTHING = ParsedFile(path="", module="", is_package=False, symbols=())


def changed(edit: Edit, around: Sequence[Outline]) -> set[str] | None:
    """Return the words, some marked, that mean something else to other files, which `around` are; None if any can."""
    before, after = edit.before, edit.after
    old, new = _shown(before), _shown(after)
    moved = before is None or after is None or _package(before) != _package(after)
    found: set[str] = set()
    for name in sorted(old.facts.keys() | new.facts.keys()):
        if moved or old.facts.get(name) != new.facts.get(name):
            if not words(name) or name.startswith("operator"):
                return None  # an operator is used without its name
            found |= words(name)
    found |= old.spaces ^ new.spaces
    for class_ in sorted(old.bases.keys() | new.bases.keys()):
        if moved or old.bases.get(class_) != new.bases.get(class_):
            found |= {class_, f"{REBASED}{class_}"}
    if moved:
        if (place := _place(edit, around)) is None:
            return None
        found |= place
    elif old.imports != new.imports:
        if (own := _own_words(edit.files[-1], around)) is None:
            return None
        # What is near to an importing file is told by its imports, and by theirs.
        found |= {f"{NEAR}{word}" for word in own}
    if old.stars != new.stars:
        if DIALECTS[edit.files[0].symbols[0].language].modules in _BY_PATH:
            return None  # names are passed on, whoever asks for them
        for shown in (old, new):
            found |= {word for name in shown.facts for word in words(name)}
            found |= {f"{REBASED}{class_}" for class_ in shown.bases}
    for file in edit.files:
        found |= _named_for(file, found)
    if (named := _imported_as(edit.files[-1], found, around)) is None:
        return None
    found = named
    both = {scope for scope, _ in old.local} & {scope for scope, _ in new.local}
    local = {
        word
        for scope, name in old.local.keys() | new.local.keys()
        if scope in both and old.local.get((scope, name)) != new.local.get((scope, name))
        for word in words(name)
    }
    for file in edit.files:
        if (more := spread(file, found, around, local)) is None:
            return None
        found |= more
    return found


def _place(edit: Edit, around: Sequence[Outline]) -> set[str] | None:
    """Words by which others mean a file that comes, goes or is of another package now, and its package."""
    found: set[str] = set()
    packages = {prefix for one in around for prefix in _prefixes(one.module)}
    for file in edit.files:
        modules = DIALECTS[file.symbols[0].language].modules
        if modules is Modules.CRATE:
            return None  # what is its root, and its parent
        if modules is not Modules.NAMES and (own := _own_words(file, around)) is not None:
            found |= own
        elif modules is not Modules.NAMES:
            return None
        found |= {one.rpartition(".")[2] for one in _prefixes(file.module) if one not in packages}
    return found


def _package(file: ParsedFile) -> tuple[str, str]:
    """What follows from the path or is declared, and in Go both."""
    return file.module, file.symbols[0].module


def _prefixes(module: str) -> list[str]:
    parts = module.split(".") if module else []
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _named_for(file: ParsedFile, found: Collection[str]) -> set[str]:
    """Classes with one of the words among the members that are used where only the class is named."""
    unnamed = {one.id: one.parent for one in file.symbols if one.name in _UNNAMED and one.name in found}
    classes = {one.name for one in file.symbols if one.id in unnamed.values() and one.kind is SymbolKind.CLASS}
    given = {word for one in file.extensions if one.scope in unnamed for word in words(one.type)}
    return classes | given


def _own_words(file: ParsedFile, around: Sequence[Outline]) -> set[str] | None:
    """Words of which one stands in every import that means the file; None if there need be none."""
    *folders, name = file.path.split("/")
    stem = name.partition(".")[0]
    modules = DIALECTS[file.symbols[0].language].modules
    if modules is Modules.FOLDER:
        # By the name of one package all files of the root are meant, whatever theirs is.
        return words(folders[-1]) or None if folders else None
    if stem in _WHOLE_FOLDER or not words(stem):
        return None
    if modules is Modules.CRATE:
        below = f"{file.path.removesuffix('.rs')}/"
        if any(one.path.startswith(below) for one in around):
            return None  # `super`
    return words(stem)


def _shown(file: ParsedFile | None) -> _Shown:
    return _Shown(file) if file is not None else _Shown(_NOTHING)


class _Shown:
    """What others can see of a file, by name, and what its functions bind for themselves."""

    def __init__(self, file: ParsedFile) -> None:
        self.facts: dict[str, list[object]] = {}
        self.local: dict[tuple[SymbolId, str], list[object]] = {}
        self.bases: dict[str, list[object]] = {}
        """by the last name of a class"""
        self.spaces: set[str] = set()
        self.imports: set[tuple[str, int]] = set()
        self.stars: list[object] = []
        self._names = {symbol.id: symbol.name for symbol in file.symbols}
        self._functions = functions(file)
        self._symbols(file)
        self._imports(file)
        self._bindings(file)
        self._extensions(file)

    def _note(self, name: str, fact: object) -> None:
        self.facts.setdefault(name, []).append(fact)

    def _symbols(self, file: ParsedFile) -> None:
        abstract = set(file.abstract)
        taken = {one.scope: (one.required, one.most, one.names, one.types) for one in file.parameters}
        for symbol in file.symbols[1:]:
            self._note(symbol.name, (symbol.id, symbol.kind, symbol.id in abstract, taken.get(symbol.id)))
            names, spaces = descriptors(symbol.id)
            self.spaces.update(names[:spaces])
            if symbol.kind is SymbolKind.CLASS:
                self.bases.setdefault(symbol.name, []).append(symbol.id)
        for reference in file.references:
            if reference.kind is ReferenceKind.BASE:
                name = self._names[reference.source]
                self.bases.setdefault(name, []).append((reference.source, reference.expression))

    def _imports(self, file: ParsedFile) -> None:
        modules = DIALECTS[file.symbols[0].language].modules if file.symbols else None
        for one in file.imports:
            self.imports.add((one.module, one.level))
            source = (one.scope, one.module, one.name, one.level)
            if one.name == "*" or (not one.alias and modules in _BY_PATH):
                self.stars.append(source)
            elif not one.alias:
                continue
            elif one.scope in self._functions:
                self.local.setdefault((one.scope, one.alias), []).append(source)
            else:
                self._note(one.alias, source)

    def _bindings(self, file: ParsedFile) -> None:
        lines: dict[tuple[SymbolId, str], list[int]] = {}
        for one in file.bindings:
            lines.setdefault((one.scope, one.target), []).append(one.line)
        several = {bound: sorted(at) for bound, at in lines.items() if len(at) > 1}
        parents = {symbol.id: symbol.parent for symbol in file.symbols}
        for one in file.bindings:
            at = list(_before(one, several, parents)) if several else []
            fact = (one.scope, one.kind, one.target, one.expression, at)
            if one.kind is BindingKind.RETURNS or not one.target:
                self._note(self._names[one.scope], fact)
            elif one.scope in self._functions and "." not in one.target:
                self.local.setdefault((one.scope, one.target), []).append(fact)
            else:
                target = one.target.removeprefix("self.")
                for word in sorted(words(target)) or [target]:
                    self._note(word, fact)

    def _extensions(self, file: ParsedFile) -> None:
        for one in file.extensions:
            last = last_name(one.type)
            if one.base:
                self.bases.setdefault(last, []).append((one.scope, one.type, one.base))
                continue
            self._note(self._names[one.scope], (one.scope, one.type))
            for word in sorted(words(one.type)):
                if ("extended",) not in self.facts.get(word, ()):
                    self._note(word, ("extended",))


def _before(
    binding: Binding, several: Mapping[tuple[SymbolId, str], list[int]], parents: Mapping[SymbolId, SymbolId | None]
) -> Iterator[tuple[SymbolId, str, int, int]]:
    """Where a name in the expression is bound several times: how often before, and how often on the last line of that.

    Of several values of a name the last one before counts.
    """
    for word in sorted(words(binding.expression)):
        scope: SymbolId | None = binding.scope
        while scope is not None:
            lines = several.get((scope, word))
            if lines is not None:
                count = bisect_right(lines, binding.line)
                yield scope, word, count, lines.count(lines[count - 1]) if count else 0
            scope = parents.get(scope)


def functions(file: ParsedFile) -> set[SymbolId]:
    return {symbol.id for symbol in file.symbols if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)}


def mentioned(file: ParsedFile) -> set[str]:
    """Return the words of a file on which its edges can depend."""
    found = {word for symbol in file.symbols for word in words(symbol.name)}
    for reference in file.references:
        found |= words(reference.expression, reference.name)
    for imported in file.imports:
        found |= words(imported.module, imported.name, imported.alias)
    for binding in file.bindings:
        found |= words(binding.expression, binding.target)
    for extension in file.extensions:
        found |= words(extension.type, extension.base)
    for given in file.arguments:
        found |= words(*given.expressions, *given.names)
    return found


def spread(
    file: ParsedFile, known: Collection[str], around: Sequence[Outline], local: Collection[str] = ()
) -> set[str] | None:
    """Return the words that the file binds by means of known ones; None if others need no word to mean one.

    `local` are those that only its functions see.
    """
    inside = functions(file)
    names = {symbol.id: symbol.name for symbol in file.symbols}
    found: set[str] = set()
    bound = set(local)
    before = (-1, -1)
    while before != (len(found), len(bound)):
        before = len(found), len(bound)
        seen = {*known, *found, *bound}
        for imported in file.imports:
            if imported.name != "*" and imported.alias and words(imported.module, imported.name) & seen:
                (bound if imported.scope in inside else found).update(words(imported.alias))
        for binding in file.bindings:
            if words(binding.expression) & seen:
                if binding.kind is BindingKind.RETURNS or not binding.target:
                    found |= words(names[binding.scope])
                elif binding.scope in inside and "." not in binding.target:
                    bound.update(words(binding.target))
                else:
                    found |= words(binding.target.removeprefix("self."))
        found.update(_inherited(file, names, seen))
        for taken in file.parameters:  # which overload is meant
            if words(*taken.types) & seen:
                found |= words(names[taken.scope])
    return _imported_as(file, found, around)


def _imported_as(file: ParsedFile, found: set[str], around: Sequence[Outline]) -> set[str] | None:
    """Put the words by which a file is imported in the place of what it is itself."""
    if _DEFAULT not in found:
        return found
    own = _own_words(file, around)
    return None if own is None else (found - {_DEFAULT}) | own


def _inherited(file: ParsedFile, names: dict[SymbolId, str], seen: set[str]) -> Iterator[str]:
    for reference in file.references:
        if reference.kind is ReferenceKind.BASE and words(reference.expression) & seen:
            yield from (names[reference.source], f"{REBASED}{names[reference.source]}")
    for extension in file.extensions:
        last = last_name(extension.type)
        if extension.base:
            if words(extension.type, extension.base) & seen:
                yield from (last, f"{REBASED}{last}")
        elif words(extension.type) & seen:
            yield from words(names[extension.scope])
    for symbol in file.symbols:
        if symbol.parent is not None and f"{REBASED}{names[symbol.parent]}" in seen:
            yield from words(symbol.name)


def given_bases(file: ParsedFile) -> set[tuple[str, str]]:
    """Return the last names of the types to which the file gives bases, and those of the bases."""
    return {(last_name(one.type), last_name(one.base)) for one in file.extensions if one.base}


def together(
    linked: Sequence[ParsedFile],
    mentioning: Callable[[Collection[str]], Collection[str]],
    open_: Callable[[str], ParsedFile],
) -> set[str]:
    """Return the paths of the files that must be linked with these, as one edge is made of what both say.

    Bases are given to a type in any file, and the same one in several.
    """
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = {pair for file in linked for pair in given_bases(file)}
    while waiting:
        seen |= waiting
        for path in sorted(set(mentioning({type_ for type_, _ in waiting})) - found):
            if given_bases(open_(path)) & seen:
                found.add(path)
        waiting = {pair for path in found for pair in given_bases(open_(path))} - seen
    return found
