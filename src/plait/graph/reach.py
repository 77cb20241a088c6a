"""Which files an edit can make link otherwise: those that mention a name whose meaning it changed, by whatever chain.

A name is followed by its text alone, whatever it is bound to, so too many files are linked anew and never too few. What
others can see of a file is in `interface`; an edit that leaves it as it was reaches no other file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from plait.facts import BindingKind, Outline, ParsedFile
from plait.graph.edit import Edit, words
from plait.graph.generic import reach as generic
from plait.graph.generic.dialects import family_of
from plait.model import ReferenceKind, SymbolId, SymbolKind

_ANYTHING = ("__getattr__", "__getattribute__")
"""Members that change what any other name of their class is."""

_PYTHON = "python"


def reached(
    edits: Sequence[Edit],
    around: Sequence[Outline],
    mentioning: Callable[[Collection[str]], Collection[str]],
    open_: Callable[[str], ParsedFile],
) -> set[str] | None:
    """Return the paths of the other files that can link otherwise; None if that can be any file.

    `around` are all other files. `mentioning` returns (at least) those in whose text one of the names stands. Files of
    languages that cannot call each other do not reach each other.
    """
    edits = [edit for edit in edits if not _is_text(edit)]
    found: set[str] = set()
    families = {family_of(file.path) for edit in edits for file in edit.files}
    for family in sorted(families):
        own = [edit for edit in edits if family_of(edit.files[0].path) == family]
        others = [one for one in around if family_of(one.path) == family]
        paths = {one.path for one in others}

        def among(names: Collection[str], paths: Collection[str] = paths) -> list[str]:
            return sorted(path for path in mentioning(names) if path in paths)

        if family == _PYTHON:
            more = _followed(own, _changed, _mentioned, lambda file, known: _spread(file, known, ()), among, open_)
            if more is None:
                return None
        else:
            changed, spread = partial(generic.changed, around=others), partial(generic.spread, around=others)
            more = _followed(own, changed, generic.mentioned, spread, among, open_)
            if more is None:
                more = paths
            linked = [*(file for edit in own for file in edit.files), *map(open_, sorted(more))]
            more |= generic.together(linked, among, open_)
        found |= more
    return found


def _followed(
    edits: Sequence[Edit],
    changes: Callable[[Edit], set[str] | None],
    mentioned: Callable[[ParsedFile], set[str]],
    spread: Callable[[ParsedFile, set[str]], set[str] | None],
    mentioning: Callable[[Collection[str]], Collection[str]],
    open_: Callable[[str], ParsedFile],
) -> set[str] | None:
    changed: set[str] = set()
    for edit in edits:
        names = changes(edit)
        if names is None:
            return None
        changed |= names
    found: set[str] = set()
    opened: dict[str, set[str]] = {}
    asked: set[str] = set()
    while changed - asked:
        new = {name.lstrip(generic.MARKS) for name in changed - asked}
        asked |= changed
        for path in mentioning(new):
            if path not in opened:
                opened[path] = mentioned(open_(path))
            if opened[path] & new:
                found.add(path)
        for file in (*map(open_, sorted(found)), *(file for edit in edits for file in edit.files)):
            more = spread(file, changed)
            if more is None:
                return None
            changed |= more
    return found


def _is_text(edit: Edit) -> bool:
    """Whether the file is no code, neither before nor after: nothing is linked with it."""
    return all(file.symbols[0].kind is SymbolKind.FILE for file in (edit.before, edit.after) if file)


def _changed(edit: Edit) -> set[str] | None:
    """The names of a file that mean something else after the edit."""
    before, after = edit.before, edit.after
    if before is None or after is None:
        file = before or after
        assert file is not None
        if file.is_package:
            return None  # how its folder's other files are imported changes
        return {*file.module.split("."), *_interface(file)[0]}
    if _stars(before) != _stars(after) or (before.exports is None) != (after.exports is None):
        return None
    (old, old_local), (new, new_local) = _interface(before), _interface(after)
    changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    if changed & set(_ANYTHING):
        return None
    changed |= set(before.exports or ()) ^ set(after.exports or ())
    both = {scope for scope, _ in old_local} & {scope for scope, _ in new_local}
    local = {
        name
        for scope, name in old_local.keys() | new_local.keys()
        if scope in both and old_local.get((scope, name)) != new_local.get((scope, name))
    }
    for file in (before, after):
        changed |= _classes_with(file, changed)
        changed |= _spread(file, changed, local)
    return changed


def _classes_with(file: ParsedFile, changed: Collection[str]) -> set[str]:
    """Classes with a special method among the names: it is called without being named."""
    special = {symbol.parent for symbol in file.symbols if symbol.name in changed and symbol.name.startswith("__")}
    return {symbol.name for symbol in file.symbols if symbol.id in special and symbol.kind is SymbolKind.CLASS}


def _interface(file: ParsedFile) -> tuple[dict[str, list[object]], dict[tuple[SymbolId, str], list[object]]]:
    """What others can see of each name, and what its functions, by their ids, bind for themselves."""
    shown: dict[str, list[object]] = {}
    local: dict[tuple[SymbolId, str], list[object]] = {}
    functions = {symbol.id for symbol in file.symbols if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)}
    names = {symbol.id: symbol.name for symbol in file.symbols}
    for symbol in file.symbols[1:]:
        shown.setdefault(symbol.name, []).append((symbol.id, symbol.kind))
    for reference in file.references:
        if reference.kind is ReferenceKind.BASE:
            shown.setdefault(names[reference.source], []).append(("base", reference.expression))
        elif reference.kind is ReferenceKind.DECORATOR:
            for name in _decorated(file, reference.source, reference.line):
                shown.setdefault(name, []).append(("decorator", reference.expression))
    for imported in file.imports:
        source = (imported.scope, imported.module, imported.name, imported.level)
        if imported.scope in functions:
            local.setdefault((imported.scope, imported.alias), []).append(source)
        else:
            shown.setdefault(imported.alias, []).append(source)
    for binding in file.bindings:
        fact = (binding.scope, binding.kind, binding.expression)
        if binding.kind is BindingKind.RETURNS:
            shown.setdefault(names[binding.scope], []).append(fact)
        elif binding.target.startswith("self."):
            shown.setdefault(binding.target.removeprefix("self."), []).append(fact)
        elif binding.scope in functions:
            local.setdefault((binding.scope, binding.target), []).append(fact)
        else:
            shown.setdefault(binding.target, []).append(fact)
    return shown, local


def _decorated(file: ParsedFile, scope: SymbolId, line: int) -> Iterator[str]:
    for symbol in file.symbols:
        if symbol.parent == scope and symbol.span.start_line <= line <= symbol.span.end_line:
            yield symbol.name


def _stars(file: ParsedFile) -> list[object]:
    return [(one.scope, one.module, one.level) for one in file.imports if one.name == "*"]


def _mentioned(file: ParsedFile) -> set[str]:
    found = {symbol.name for symbol in file.symbols}
    for reference in file.references:
        found |= words(reference.expression, reference.name)
    for imported in file.imports:
        found |= words(imported.module, imported.name, imported.alias)
    for binding in file.bindings:
        found |= words(binding.expression, binding.target)
    return found


def _spread(file: ParsedFile, changed: Collection[str], local: Collection[str]) -> set[str]:
    """Names that the file binds by means of changed ones; `local` are those that only its functions see."""
    functions = {symbol.id for symbol in file.symbols if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)}
    names = {symbol.id: symbol.name for symbol in file.symbols}
    found: set[str] = set()
    inside = set(local)
    while True:
        known = {*changed, *found, *inside}
        before = len(found), len(inside)
        for imported in file.imports:
            if imported.name != "*" and words(imported.module, imported.name) & known:
                (inside if imported.scope in functions else found).add(imported.alias)
        for binding in file.bindings:
            if words(binding.expression) & known:
                if binding.kind is BindingKind.RETURNS:
                    found.add(names[binding.scope])
                elif binding.target.startswith("self."):
                    found.add(binding.target.removeprefix("self."))
                else:
                    (inside if binding.scope in functions else found).add(binding.target)
        for reference in file.references:
            if reference.kind is ReferenceKind.BASE and words(reference.expression) & known:
                found.add(names[reference.source])
            elif reference.kind is ReferenceKind.DECORATOR and words(reference.expression) & known:
                found.update(_decorated(file, reference.source, reference.line))
        if (len(found), len(inside)) == before:
            return found
