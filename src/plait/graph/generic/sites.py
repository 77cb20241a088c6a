"""What one site of a call or a base leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from plait.graph.generic.files import Files
from plait.graph.generic.inference import Inference
from plait.graph.generic.overloads import NO, Overloads
from plait.graph.generic.own_names import ORDINARY
from plait.graph.generic.values import MOST, Class, Container, Function, Instance, Opaque, Outside, Plain, Value
from plait.graph.script.flow import ScriptFlow
from plait.model import Evidence, Receiver, Reference, ReferenceKind, SymbolId, SymbolKind, Unknown, Via

MOST_REPLACING = 16
"""Methods that can run in the place of one that has no body; as in the graph for Python."""

MOST_NAMED = 500
"""Definitions of one name, of which the nearest can still be told; with more a name tells nothing."""

MOST_OVERLOADS = 8
"""Functions of one name in one class between which what is known of the arguments does not decide."""


@dataclass(frozen=True, slots=True)
class Target:
    id: SymbolId
    via: Via
    evidence: Evidence
    candidates: int = 1


@dataclass(frozen=True, slots=True)
class Site:
    targets: tuple[Target, ...]
    unknown: tuple[Unknown, str] | None


class Sites:
    def __init__(self, files: Files, flow: ScriptFlow | None = None) -> None:
        self.files = files
        self.flow = flow
        self.inference = Inference(files)
        self.overloads = Overloads(self.inference)
        self._below: dict[SymbolId, tuple[SymbolId, ...]] = {}

    def forget(self) -> None:
        """As Inference.forget."""
        self._below = {}
        self.inference.forget()

    def resolve(self, reference: Reference) -> Site:
        """Declarations first; what they leave open, by the values that flow to the site."""
        if reference.kind is ReferenceKind.BASE:
            return self._base(reference)
        if reference.kind is ReferenceKind.READ:
            return self._read(reference)
        declared = self._declared(reference)
        return declared if self.flow is None else self._flowing(reference, declared, self.flow)

    def _flowing(self, reference: Reference, declared: Site, flow: ScriptFlow) -> Site:
        found = flow.sites.get((reference.source, reference.line, reference.column, reference.expression))
        if not found or len(found) > MOST:
            return declared
        sure = [target for target in declared.targets if target.via is not Via.NAME]
        called = {target: via for target, via in self._made(found, reference) if via is not Via.CALLBACK}
        back = self._flowed([(target, via) for target, via in found if via is Via.CALLBACK])
        if not sure:
            outside = declared.unknown is not None and not declared.unknown[0].could_be_here
            targets = (*self._flowed(list(called.items()) if not outside else []), *back)
            return Site(targets, declared.unknown if outside else None) if targets else declared
        known = {target.id for target in sure}
        root = reference.expression.partition(".")[0].partition("(")[0]
        narrower = len(known) > 1 and called.keys() < known
        bound = len(self.files.bindings(reference.source, root))
        # By line alone a branch that was not taken hides what came before it.
        branched = bound > 1 and root == reference.expression and known < called.keys()
        overwritten = known.isdisjoint(called) and (bound > 1 or reference.name in flow.given)
        if called and (narrower or overwritten or branched):
            return Site((*self._flowed(list(called.items())), *back), None)
        return Site((*declared.targets, *back), declared.unknown)

    def _made(self, found: Iterable[tuple[SymbolId, Via]], reference: Reference) -> Iterator[tuple[SymbolId, Via]]:
        """With the constructors that run in the place of classes."""
        for target, via in found:
            if self.files.symbols[target].kind is SymbolKind.CLASS:
                yield from ((one.id, one.via) for one in self._constructed(target, reference, 1))
            else:
                yield target, via

    def _flowed(self, found: Sequence[tuple[SymbolId, Via]]) -> tuple[Target, ...]:
        evidence = Evidence.FLOWED if len(found) == 1 else Evidence.AMBIGUOUS
        return tuple(Target(target, via, evidence, len(found)) for target, via in found)

    def _declared(self, reference: Reference) -> Site:
        values, typed = self._called(reference)
        targets = self._targets(values, reference, typed)
        if targets:
            return Site(targets, None)
        unknown = self._reason(values, reference)
        if unknown[0].could_be_here:
            return Site(self._by_name(reference), unknown)
        return Site((), unknown)

    def _read(self, reference: Reference) -> Site:
        """What runs if a member is read: a function without a list of parameters. All else is no site."""
        files = self.files
        if not any(files.is_read(one) for one in files.named(reference.name)):
            return Site((), None)
        values, typed = self._called(reference)
        values = tuple(one for one in values if isinstance(one, Function) and files.is_read(one.id))
        found = self._targets(values, reference, typed)
        return Site(tuple(replace(one, via=Via.PROPERTY) if one.via is Via.CALL else one for one in found), None)

    def _base(self, reference: Reference) -> Site:
        scope = self.files.symbols[reference.source].parent or reference.source
        own = self.inference.members.group(reference.source)
        found = [
            value.id
            for value in self.inference.type_named(reference.expression, scope)
            if isinstance(value, Class) and value.id not in own
        ]
        if found:
            near = self.inference.near.closest(found, self.files.file_of[reference.source].path)[:MOST]
            return Site(self._alike(near[:1], Via.DECLARATION, Evidence.SCOPED), None)
        values = self.inference.type_named(reference.expression, scope)
        outside = next((str(one) for one in values if isinstance(one, Outside)), "")
        return Site((), (Unknown.EXTERNAL, outside) if outside else (Unknown.NAME, ""))

    # What is called

    def _called(self, reference: Reference) -> tuple[tuple[Value, ...], bool]:
        """What the called expression can be, and whether a declared type led to it."""
        expression, scope, line = reference.expression, reference.source, reference.line
        inference = self.inference
        owner, _, name = expression.rpartition(".")
        if expression.endswith(("()", "[]")):
            return inference.value(expression, scope, line), False
        if reference.receiver is Receiver.SUPER:
            return self._super(reference, owner, name), False
        if not owner:
            if expression and expression == self.files.dialect(scope).maker:  # `new` in a method of the class
                return tuple(Class(one.of) for one in inference.self_of(scope) if isinstance(one, Instance)), False
            if expression in ("this", "self", "Self"):
                found = inference.self_of(scope)
                return tuple(Class(one.of) for one in found if isinstance(one, Instance)), False
            return inference.called_root(name, scope, line), False
        values = inference.called_bare(inference.value(owner, scope, line), scope)
        if not values and owner.count("(") + owner.count("[") == 0:
            values = inference.imports.full(owner)
        found = tuple(dict.fromkeys(one for value in values for one in inference.members.member(value, name)))
        typed = any(isinstance(one, Instance) for one in values) and reference.receiver is not Receiver.SELF
        if found or not values:
            return found, typed
        if all(isinstance(one, Opaque) for one in values):
            return (), False
        # The receiver is known and has no such member: what it is says why.
        return tuple(one if isinstance(one, (Outside, Plain, Container)) else Opaque("") for one in values), typed

    def _super(self, reference: Reference, owner: str, name: str) -> tuple[Value, ...]:
        """`super.f()`: f of the nearest base that has it; `super()`: its constructor, or the method of this name."""
        inference = self.inference
        own = inference.owner(reference.source)
        if own is None:
            return ()
        dialect = self.files.dialect(own)
        if not owner:
            symbol = self.files.symbols[reference.source]
            if dialect.family != "ruby" or symbol.name in dialect.constructors:
                return tuple(Class(base) for base in inference.members.bases(own))
            name = symbol.name
        if "." in owner:  # super.a.f()
            values = inference.value(owner, reference.source, reference.line)
            return tuple(one for value in values for one in inference.members.member(value, name))
        for base in inference.members.bases(own):
            if name in dialect.constructors and dialect.constructors != ("=",):
                return (Class(base),)
            if found := inference.members.member_of(base, name):
                return found
        return ()

    # Targets

    def _targets(self, values: Sequence[Value], reference: Reference, typed: bool) -> tuple[Target, ...]:
        found: list[Target] = []
        values = [one for value in values for one in self.inference.callable(value)]
        functions = [value for value in values if isinstance(value, Function)]
        classes = [value for value in values if isinstance(value, Class)]
        if functions and self.files.dialect(reference.source).family == "javascript":
            classes = []  # an interface or a type of the same name
        if functions:
            fitting = self.overloads.fitting([one.id for one in functions], reference)
            near = (
                self.inference.near.closest(fitting, self.files.file_of[reference.source].path)
                if len(fitting) > 1
                else fitting
            )
            near = self._defined(near)
            if len(near) <= (MOST_OVERLOADS if self._are_overloads(near) else MOST):
                evidence = Evidence.TYPED if typed else Evidence.SCOPED
                owners = {one.id: one.owner for one in functions}
                for one in near:
                    found += self._dispatched(one, owners.get(one), evidence, len(near))
        made = {self.inference.members.group(one.id): one.id for one in reversed(classes)}
        for one in reversed(made.values()):
            if len(made) <= MOST:
                found += self._constructed(one, reference, len(made))
        for value in values:
            if isinstance(value, Instance) and not functions and not classes:
                found += self._called_object(value, reference)
        return tuple({(one.id, one.via): one for one in found}.values())

    def _are_overloads(self, functions: Sequence[SymbolId]) -> bool:
        parents = {self.files.symbols[one].parent for one in functions}
        return len(parents) == 1 and self.files.symbols[functions[0]].kind is SymbolKind.METHOD

    def _called_object(self, value: Instance, reference: Reference) -> list[Target]:
        """An object that is called: `operator()`, `invoke`, `apply`, `__invoke`."""
        for name in ("operator()", "invoke", "apply", "__invoke", "callAsFunction"):
            member = [one.id for one in self.inference.members.member_of(value.of, name) if isinstance(one, Function)]
            if member and len(member) <= MOST:
                return list(self._alike(self.overloads.fitting(member, reference), Via.CALL, Evidence.TYPED))
        return []

    def _alike(self, ids: Sequence[SymbolId], via: Via, evidence: Evidence) -> tuple[Target, ...]:
        count = len(ids)
        return tuple(Target(one, via, evidence if count == 1 else Evidence.AMBIGUOUS, count) for one in ids)

    def _defined(self, ids: Sequence[SymbolId]) -> list[SymbolId]:
        """Definitions in the place of declarations of the same, as C++ has them in headers."""
        real = [one for one in ids if one not in self.files.abstract]
        return real if real and len(real) < len(ids) else list(ids)

    def _constructed(self, class_: SymbolId, reference: Reference, count: int) -> list[Target]:
        """The constructor that runs, or the class if none is written."""
        dialect = self.files.dialect(class_)
        evidence = Evidence.SCOPED if count == 1 else Evidence.AMBIGUOUS
        for one in self.inference.members.order(class_):
            names = [self.files.symbols[one].name if name == "=" else name for name in dialect.constructors]
            made = [
                value.id
                for name in names
                for value in self.inference.members.own_member(one, name)
                if isinstance(value, Function)
            ]
            if made:
                if one in self.files.parameters:
                    made.append(one)  # the constructor of the header
                fitting = self._defined(self.overloads.fitting(made, reference))
                if fitting == [reference.source]:
                    class_ = self.inference.members.group(class_)[0]
                    break  # `def apply(n: Int) = new Cart(n)`
                if len(fitting) <= MOST_OVERLOADS:
                    several = count * len(fitting)
                    return [
                        Target(it, Via.CONSTRUCT, evidence if several == 1 else Evidence.AMBIGUOUS, several)
                        for it in fitting
                    ]
            if dialect.constructors == ("=",) or dialect.family == "jvm":
                break  # constructors are not inherited
        return [Target(class_, Via.CONSTRUCT, evidence, count)]

    def _dispatched(self, function: SymbolId, owner: SymbolId | None, evidence: Evidence, count: int) -> list[Target]:
        """The function itself, or what runs in its place where it has no body."""
        if count > 1:
            evidence = Evidence.AMBIGUOUS
        if function not in self.files.abstract:
            return [Target(function, Via.CALL, evidence, count)]
        class_ = owner if owner is not None else self.inference.owner(function)
        name = self.files.symbols[function].name
        below = self._replacing(class_, name, function) if class_ is not None else []
        if not below or len(below) > MOST_REPLACING:
            return [Target(function, Via.CALL, evidence, count)]
        several = len(below)
        found = [Target(one, Via.OVERRIDE, evidence if several == 1 else Evidence.AMBIGUOUS, several) for one in below]
        return [*found, Target(function, Via.DECLARATION, evidence, several + 1)]

    def _replacing(self, class_: SymbolId, name: str, function: SymbolId) -> list[SymbolId]:
        """Methods of classes below that stand in the place of one without a body."""
        wanted = self.files.parameters.get(function)
        found: list[SymbolId] = []
        for one in self.below(class_):
            for value in self.inference.members.own_member(one, name):
                if not isinstance(value, Function) or value.id in self.files.abstract or value.id == function:
                    continue
                given = self.files.parameters.get(value.id)
                if wanted is None or given is None or wanted.most == given.most or given.most < 0:
                    found.append(value.id)
        return list(dict.fromkeys(found))

    def below(self, class_: SymbolId) -> tuple[SymbolId, ...]:
        """All classes that inherit from the class, directly or not, by id."""
        if class_ not in self._below:
            self._below[class_] = ()
            found: dict[SymbolId, None] = {}
            layer = [class_]
            while layer and len(found) < 200:
                layer = [one for above in layer for one in self._directly_below(above) if one not in found]
                found.update(dict.fromkeys(layer))
            self._below[class_] = tuple(sorted(found))
        return self._below[class_]

    def _directly_below(self, class_: SymbolId) -> list[SymbolId]:
        files, inference = self.files, self.inference
        name = files.symbols[class_].name
        group = inference.members.group(class_)
        found = [one for one in files.subclasses(name) if set(inference.members.bases(one)) & set(group)]
        for extension in files.given_bases(name):
            for value in inference.type_named(extension.type.partition("[")[0], extension.scope):
                if isinstance(value, Class) and set(inference.members.bases(value.id)) & set(group):
                    found.append(value.id)
        return list(dict.fromkeys(found))

    # What stays open

    def _reason(self, values: Sequence[Value], reference: Reference) -> tuple[Unknown, str]:
        for value in values:
            match value:
                case Outside():
                    return Unknown.EXTERNAL, str(value)
                case Plain(type=type_):
                    return Unknown.BUILTIN, type_
                case Container(name=name):
                    return Unknown.BUILTIN, name
        if not reference.name:
            return Unknown.DYNAMIC, ""
        dialect = self.files.dialect(reference.source)
        if reference.name in dialect.passing | dialect.keeping | dialect.elements:
            return Unknown.BUILTIN, reference.name
        if dialect.maker and any(isinstance(one, Instance) or one == Opaque(reference.name) for one in values):
            return Unknown.BUILTIN, reference.name  # an attribute is read
        root = reference.expression.partition(".")[0].partition("(")[0].partition("[")[0].lstrip("\\")
        if not values and root in self.files.dialect(reference.source).builtins:
            return Unknown.BUILTIN, root
        if reference.receiver in (Receiver.NONE,):
            return (Unknown.DYNAMIC, "") if values else (Unknown.NAME, "")
        if values:
            return Unknown.MEMBER, ""
        return Unknown.RECEIVER, ""

    def _by_name(self, reference: Reference) -> tuple[Target, ...]:
        """Functions of the name that take so many arguments, the nearest by imports; none if they are too many."""
        name = reference.name
        if not name or name in ORDINARY or len(name) < 3:
            return ()
        files = self.files
        bare = reference.receiver is Receiver.NONE
        if not bare and files.dialect(reference.source).family == "elixir":
            return ()  # `x.f` reads a field of x
        if bare and files.dialect(reference.source).static_type and files.dialect(reference.source).family != "bash":
            return ()  # what a bare name means is declared
        kinds = (SymbolKind.FUNCTION,) if bare else (SymbolKind.METHOD,)
        named = files.named(name)
        if len(named) > MOST_NAMED:
            return ()
        found = [
            one
            for one in named
            if files.symbols[one].kind in kinds
            and one != reference.source
            and (reference.arity < 0 or self.overloads.takes(one, reference.arity) != NO)
        ]
        if not found:
            return ()
        real = self._defined(found)
        far = {one: self.distance(one, reference.source) for one in real}
        best = min(far.values())
        near = [one for one in real if far[one] == best]
        if len(near) > MOST or (best == FAR and len(near) > 1):
            return ()
        evidence = Evidence.NAME if len(near) == 1 else Evidence.AMBIGUOUS
        return tuple(Target(one, Via.NAME, evidence, len(near)) for one in near)

    def distance(self, symbol: SymbolId, source: SymbolId) -> int:
        """How far a definition is from a site: its own file, an imported one, its folder, its package, elsewhere."""
        files = self.files
        file, own = files.file_of[symbol], files.file_of[source]
        if file.path == own.path:
            return 0
        if file.path in self.inference.near.reach(own.path):
            return 1
        if file.path.rpartition("/")[0] == own.path.rpartition("/")[0]:
            return 2
        if file.module and file.module == own.module:
            return 3
        return FAR


FAR = 4
