"""Which of several functions of one name takes what a call gives: by number, by names, by types of arguments.

A type is compared by its name where both are written, and by the classes above where both are here. What is not known
fits everything, so that no function is left out for a reason that is only a guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from plait.facts import Arguments, BindingKind, Parameters
from plait.graph.generic.inference import Inference
from plait.graph.generic.values import Container, Function, Instance, Plain
from plait.model import Reference, SymbolId

NO, MAYBE, YES = -1, 0, 10
"""How well a parameter fits; a number between MAYBE and YES for one that takes the argument as something wider."""

_WHOLE = ("byte", "short", "int", "long", "float", "double")
"""Numbers, each of which is taken where a later one is wanted."""

_SAME = {
    "Integer": "int",
    "Int": "int",
    "Int32": "int",
    "Long": "long",
    "Int64": "long",
    "Short": "short",
    "Byte": "byte",
    "Double": "double",
    "Float": "float",
    "Boolean": "bool",
    "boolean": "bool",
    "Bool": "bool",
    "Character": "char",
    "Char": "char",
    "string": "String",
}
"""Boxes, and what other languages call the same."""

_FINAL = frozenset((*_WHOLE, "bool", "char", "String"))
"""Types that nothing else is a kind of."""

_WIDER = frozenset("Object Comparable Serializable Constable CharSequence Number Any".split())
"""What those are kinds of."""

_PARAMETER = re.compile(r"[A-Z][A-Z0-9]?")
"""By habit the name of a type parameter, which can stand for anything."""


class Overloads:
    def __init__(self, inference: Inference) -> None:
        self._all = inference
        self.files = inference.files

    def fitting(self, ids: Sequence[SymbolId], reference: Reference) -> list[SymbolId]:
        """Those that take what is given; all if none does."""
        several = list(dict.fromkeys(ids))
        if len(several) < 2:
            return several
        given = self.files.arguments(reference)
        if given is not None and given.names:
            several = [one for one in several if self._has_names(one, given)] or several
        if reference.arity >= 0:
            exact = [one for one in several if self.takes(one, reference.arity) == YES]
            several = exact or [one for one in several if self.takes(one, reference.arity) != NO] or several
        if len(several) < 2 or given is None:
            return several
        marks = {one: self._types(one, given, reference) for one in several}
        best = max(marks.values())
        return [one for one in several if marks[one] == best] if best >= 0 else several

    def takes(self, function: SymbolId, arity: int) -> int:
        """NO if the function cannot take so many arguments, YES if it takes exactly so many."""
        taken = self.files.parameters.get(function)
        if taken is None:
            return MAYBE
        if taken.most == arity and taken.required == arity:
            return YES
        return MAYBE if taken.required <= arity and (taken.most < 0 or arity <= taken.most) else NO

    def _has_names(self, function: SymbolId, given: Arguments) -> bool:
        """Whether the parameters have the names that are written at the call: in Swift all of them, in this order."""
        taken = self.files.parameters.get(function)
        if taken is None or not taken.names:
            return taken is None or not any(given.names)
        if self.files.dialect(function).family != "swift":
            return all(not name or name in taken.names for name in given.names)
        at = 0
        for name in given.names:
            while at < len(taken.names) and taken.names[at] != name:
                at += 1
            if at == len(taken.names):
                return taken.most < 0 and not name
            at += 1
        return True

    def _types(self, function: SymbolId, given: Arguments, reference: Reference) -> int:
        """The sum of how well the parameters fit; NO if one cannot be given the argument."""
        taken = self.files.parameters.get(function)
        if taken is None or not taken.types:
            return 0
        found = 0
        for place, expression in enumerate(given.expressions):
            name = given.names[place] if given.names else ""
            wanted = self._wanted(taken, place, name)
            mark = self._fits(expression, wanted, function, reference)
            if mark == NO:
                return NO
            found += mark
        return found

    def _wanted(self, taken: Parameters, place: int, name: str) -> str:
        if name and name in taken.names:
            place = taken.names.index(name)
        if place >= len(taken.types) - 1 and taken.most < 0:
            return "?"
        return taken.types[place] if place < len(taken.types) else "?"

    def _fits(self, expression: str, wanted: str, function: SymbolId, reference: Reference) -> int:
        if wanted == "?" or expression == "?":
            return MAYBE
        raw, classes = self._given(expression, reference)
        name, written = _plain(wanted), _plain(raw)
        if self.files.dialect(function).family == "c" and expression.startswith("<"):
            return _literal_in_c(written, name)
        if written and (mark := _compared(written, name)) is not None:
            return mark - (mark == YES and _last(raw) != _last(wanted))  # a box is less than the same
        here = {one.of for one in self._all.type_(wanted, function) if isinstance(one, Instance)}
        if classes and here:
            return max(self._above(here, one) for one in classes)
        if (classes and name in _FINAL) or (here and written in _FINAL):
            return NO
        if self.files.symbols[function].language == "java" and written and not _PARAMETER.fullmatch(written):
            # In Java nothing is made of an argument but a box or a wider number.
            if name in _FINAL or (here and not self._all.type_(written, reference.source)):
                return NO
            if written in _FINAL and name not in _WIDER and not _PARAMETER.fullmatch(name):
                return NO
        return MAYBE

    def _above(self, wanted: set[SymbolId], class_: SymbolId) -> int:
        """The nearer the wanted class is above this one, the better."""
        order = self._all.members.order(class_)
        far = next((place for place, one in enumerate(order) if one in wanted), None)
        return NO if far is None else max(YES - far, MAYBE + 1)

    def _given(self, expression: str, reference: Reference) -> tuple[str, tuple[SymbolId, ...]]:
        """The type of an argument as it is written, empty if it is not; the classes that it can be of."""
        if expression.startswith("<"):
            return expression.strip("<>"), ()
        if expression in ("true", "false"):
            return "bool", ()
        scope, line = reference.source, reference.line
        values = self._all.value(expression, scope, line)
        classes = tuple(one.of for one in values if isinstance(one, Instance))
        if classes:
            return "", classes
        for one in values:
            if isinstance(one, (Plain, Container)):
                return (one.type if isinstance(one, Plain) else f"{one.name}[{one.arguments}]"), ()
        return self._written(expression, scope, line), ()

    def _written(self, expression: str, scope: SymbolId, line: int) -> str:
        """The type that a name is declared with, that a function is said to give, or that is made."""
        files = self.files
        if expression.endswith("()"):
            name = expression[:-2]
            bare = name.isidentifier()
            called = self._all.called_root(name, scope, line) if bare else self._all.value(name, scope, line)
            functions = [one.id for one in called if isinstance(one, Function)]
            for one in functions if len(functions) == 1 else ():
                for binding in files.bindings(one, ""):
                    if binding.kind is BindingKind.RETURNS:
                        return binding.expression
            return name if bare and not called and name[:1].isupper() else ""
        if not expression.isidentifier():
            return ""
        for here in files.outward(scope):
            bindings = files.bindings(here, expression)
            before = [one for one in bindings if one.line <= line or here != scope]
            if before:
                last = max(before, key=lambda one: one.line) if here == scope else before[0]
                return last.expression if last.kind is BindingKind.ANNOTATED else ""
        return ""


def _plain(written: str) -> str:
    """The name of a type without its package and arguments, boxes as what is in them."""
    last = _last(written)
    return _SAME.get(last, last)


def _last(written: str) -> str:
    if written.startswith("Array["):
        return f"Array[{_last(written[6:-1])}]"
    return written.partition("[")[0].rpartition(".")[2]


def _literal_in_c(given: str, wanted: str) -> int:
    """A pointer to characters is a `char` here; whatever is no type of the language's may be made of a literal."""
    kinds = {"number": {*_WHOLE, "bool", "unsigned", "size_t"}, "String": {"char"}, "char": {"char", "int"}}
    if wanted in kinds.get(given, ()):
        return YES
    return NO if wanted in _FINAL and (given, wanted) != ("String", "String") else MAYBE


def _compared(given: str, wanted: str) -> int | None:
    """By the names alone; None if they do not decide."""
    if given == wanted:
        return YES
    arrays = [one.startswith("Array[") for one in (given, wanted)]
    if all(arrays):
        return NO if given[6:-1] in _FINAL or wanted[6:-1] in _FINAL else None
    if any(arrays) and (given in _FINAL or wanted in _FINAL):
        return NO
    if given in _WHOLE and wanted in _WHOLE:
        far = _WHOLE.index(wanted) - _WHOLE.index(given)
        return YES - 1 - far if far > 0 else NO
    if given in _FINAL and wanted in _FINAL:
        return MAYBE + 1 if (given, wanted) == ("char", "int") else NO
    return None
