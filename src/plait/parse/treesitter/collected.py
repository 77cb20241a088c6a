"""The facts of one file while they are collected: where the walk is, and how each kind of fact is written down."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from plait.facts import Arguments, Binding, BindingKind, Extension, Import, Parameters
from plait.model import Receiver, Reference, ReferenceKind, SourceFile, SymbolId, SymbolKind
from plait.parse.lines import Lines
from plait.parse.naming import module_id
from plait.parse.treesitter.expressions import Expressions
from plait.parse.treesitter.symbols import Draft, Drafts
from plait.parse.treesitter.table import Language, Node, part, text
from plait.parse.treesitter.type_names import bare, type_text

_LEAVES = re.compile(r"\b(?:return|throw|continue|break)\b")
_SUFFIXES = {"l": "long", "f": "float"}
"""Of numbers, in the languages with a word for such ones."""
_UNSAFE = re.compile(r"[\s%:#/().\[\]]")
_MAX_NAME = 200
"""Characters of a name that become part of an id; longer ones are no names."""


def safe(name: str) -> str:
    """A name as part of an id: what has a meaning there is percent-encoded."""
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), name[:_MAX_NAME])


@dataclass(slots=True)
class Scope:
    id: SymbolId
    """of the symbol that references in it belong to"""
    prefix: str
    """what ids of definitions in it begin with"""
    names: tuple[str, ...]
    kind: SymbolKind
    depth: int
    parent: Scope | None = None
    extends: str = ""
    """the type that definitions in it are members of, as written"""
    space: tuple[str, ...] = ()
    """the namespaces around, which the names begin with"""

    @property
    def is_type(self) -> bool:
        return self.kind is SymbolKind.CLASS or bool(self.extends)


class Collected:
    def __init__(self, file: SourceFile, language: Language, source: bytes, lines: Lines) -> None:
        self.file = file
        self.language = language
        self.lines = lines
        self.is_ascii = len(source) == len(file.text)
        self.package = ""
        """what the file says that it belongs to, dotted"""
        self.depth = 0
        self.references: list[Reference] = []
        self.imports: list[Import] = []
        self.bindings: list[Binding] = []
        self.extensions: list[Extension] = []
        self.parameters: list[Parameters] = []
        self.arguments: list[Arguments] = []
        self.abstract: list[SymbolId] = []
        self.errors: list[tuple[int, int]] = []
        self.cut = 0
        """the first line of what lies too deep to be looked into, 0 if nothing does"""
        self.pending: dict[int, tuple[str, str, int]] = {}
        """by node: name, owner and first line of a function that is a value, or the base of an anonymous class"""
        self.extra_arguments: dict[int, int] = {}
        """by node of a call: arguments that stand behind it (a block)"""
        self.path: list[Node] = []
        """the nodes around the one that is visited, outermost first"""
        self.clauses: dict[tuple[str, str, int], tuple[Scope, Draft]] = {}
        """definitions that are made of several clauses, by where they are, their name and number of arguments"""
        self.skip: set[int] = set()
        """nodes in which names are bound, not used"""
        self.unsure: list[int] = []
        """places of references that may be variables"""
        self.defined: dict[int, SymbolId] = {}
        """by node: the symbol that it defines"""
        self.sites: dict[int, tuple[SymbolId, int, int, str]] = {}
        """by node of a call: source, line, column and expression of its reference"""
        self.handled: set[int] = set()
        """nodes that an outer one has already said everything about"""
        self.drafts = Drafts(file, language, lines)
        self.expressions = Expressions(language)
        self._count: Counter[str] = Counter()
        self._bound: dict[tuple[SymbolId, str], Binding] = {}
        """the last binding of each name"""
        self.wrapper: tuple[int, int] | None = None
        root = module_id(file.path)
        self.module = Scope(root, root.removesuffix("/"), (), SymbolKind.MODULE, -1)
        self.scope = self.module

    @property
    def parent(self) -> Node | None:
        return self.path[-1] if self.path else None

    def line(self, node: Node) -> int:
        return int(node.start_point[0]) + 1

    def column(self, node: Node) -> int:
        row, byte = node.start_point
        return byte if self.is_ascii else self.lines.column(row + 1, byte)

    def function_around(self) -> Scope | None:
        here: Scope | None = self.scope
        while here is not None and here.kind not in (SymbolKind.FUNCTION, SymbolKind.METHOD):
            here = here.parent
        return here

    def class_around(self) -> Scope | None:
        here: Scope | None = self.scope
        while here is not None and not here.is_type:
            here = here.parent
        return here

    def define(
        self,
        node: Node,
        name: str,
        kind: SymbolKind,
        *,
        body: Node | None = None,
        owner: str = "",
        first: int = 0,
    ) -> Scope:
        """Open the scope of a definition. `owner` is the type that it is a member of, if that is not around it."""
        around = self.scope
        if owner and kind is SymbolKind.FUNCTION:
            kind = SymbolKind.METHOD
        prefix, names = around.prefix, around.names
        written = bare(owner)
        if owner and around.extends != owner:
            names = (*names, *written.split("."))
            prefix += "".join(f"{safe(one)}/" for one in written.split(".")[:-1]) + safe(names[-1]) + "#"
        is_class = kind is SymbolKind.CLASS
        mark = "#" if is_class else "."
        count = self._count[f"{prefix}{name}{mark}"]
        self._count[f"{prefix}{name}{mark}"] += 1
        again = f"+{count}" if count else ""
        end = (f"({again})#" if again else "#") if is_class else f"({again})."
        made = self.defined[node.id] = SymbolId(f"{prefix}{safe(name)}{end}")
        wrapped = self.wrapper is not None and self.wrapper[0] == self.depth - 1
        row = self.line(node)
        if wrapped and self.wrapper is not None:
            row, self.wrapper = self.wrapper[1], None
        self.drafts.add(
            made,
            name,
            kind,
            names=(*names, name),
            space=around.space,
            first=min(row, first) if first else row,
            last=self.last_line(node),
            node=node,
            body=body,
            parent=around.id,
            adopted=SymbolId(prefix) if owner else None,
        )
        if owner:
            self.extensions.append(Extension(made, owner, "", self.line(node), self.column(node)))
        self.scope = Scope(made, str(made), (*names, name), kind, self.depth, around, space=around.space)
        return self.scope

    def join(self, node: Node, before: tuple[Scope, Draft]) -> None:
        """Let a clause be part of the definition before it."""
        scope, draft = before
        draft.last = max(draft.last, self.last_line(node))
        self.scope = scope

    def parameters_are(self, scope: Scope, required: int, most: int) -> None:
        self.parameters.append(Parameters(scope.id, required, most))

    def last_line(self, node: Node) -> int:
        row, byte = node.end_point
        return int(row) + 1 if byte or row == node.start_point[0] else int(row)

    def open_block(self, names: tuple[str, ...], extends: str = "") -> None:
        """Open a scope that is no symbol: a namespace, or a block that extends a type."""
        around = self.scope
        mark = "#" if extends else "/"
        prefix = around.prefix + "".join(f"{safe(one)}/" for one in names[:-1]) + safe(names[-1]) + mark
        kind = around.kind
        inside = (*around.names, *names)
        space = around.space if extends else inside
        self.scope = Scope(around.id, prefix, inside, kind, self.depth, around, extends, space)

    def base(self, node: Node, scope: Scope) -> None:
        """A base in a header, by its type; what calls its constructor is read as a call, too."""
        written = self.type_of(node)
        if written != "?":
            self.base_named(written, node, scope)

    def base_named(self, written: str, node: Node, scope: Scope) -> None:
        receiver = Receiver.NAME if "." in written else Receiver.NONE
        self.note(ReferenceKind.BASE, bare(written), receiver, -1, node)
        self.references[-1] = _of(self.references[-1], scope.id)

    def extend(self, type_: str, base: str, node: Node) -> None:
        """Note a base that a type is given outside of its definition."""
        if base != "?":
            self.extensions.append(Extension(self.scope.id, type_, bare(base), self.line(node), self.column(node)))

    def type_of(self, node: Node | None) -> str:
        if node is None or node.end_byte - node.start_byte > 600:
            return "?"
        written = text(node)
        if written.lstrip(": ") in self.language.class_words or written.lstrip(": ") == "this":
            return "Self"
        return type_text(written)

    def bind(self, scope: Scope, target: str, kind: BindingKind, expression: str, line: int) -> None:
        if expression == "?":
            kind = BindingKind.OPAQUE
        made = self._bound[scope.id, target] = Binding(scope.id, target, kind, expression, line)
        self.bindings.append(made)

    def bind_within(self, target: str, kind: BindingKind, expression: str, first: int, last: int) -> None:
        """Bind a name for some lines; below them it is again what it was."""
        before = self._bound.get((self.scope.id, target))
        self.bind(self.scope, target, kind, expression, first)
        if before is not None:
            self.bind(self.scope, target, before.kind, before.expression, last + 1)

    def narrow(self, name: Node | None, type_: Node | None, test: Node, body: Node | None, *, negated: bool) -> None:
        """`if (x is T) body`, and what follows `if (!(x is T)) body` when the body leaves."""
        if name is None or name.type not in self.language.names or (self.scope.id, text(name)) not in self._bound:
            return
        written = self.type_of(type_)
        if written == "?" or body is None:
            return
        if not negated:
            self.bind_within(text(name), BindingKind.ANNOTATED, written, self.line(test), self.last_line(body))
        elif _LEAVES.search(text(body)):
            self.bind(self.scope, text(name), BindingKind.ANNOTATED, written, self.last_line(body) + 1)

    def around(self, *types: str) -> Node | None:
        """The innermost node of the types around the one that is visited."""
        return next((node for node in reversed(self.path[-20:]) if node.type in types), None)

    def each_of(self, called: str) -> str:
        """What a block behind `x.map` is given: an element of x, or x itself."""
        owner, _, name = called.rpartition(".")
        if not owner or owner.startswith(("?", "<")):
            return "?"
        return owner if name in self.language.lending else f"{owner}[]"

    def returns(self, scope: Scope, node: Node | None) -> None:
        written = self.type_of(node)
        if node is not None and written != "?":
            self.bindings.append(Binding(scope.id, "", BindingKind.RETURNS, written, self.line(node)))

    def take_parameters(
        self, scope: Scope, node: Node | None, *, is_closure: bool = False, is_constructor: bool = False
    ) -> None:
        required = most = 0
        many = False
        names: list[str] = []
        types: list[str] = []
        rows = self.language.parameters
        for child in node.named_children if node is not None else ():
            row = rows.get(child.type)
            if row is None:
                continue
            name = part(child, row.name)
            if row.type is not None and name is None and self.type_of(part(child, row.type)) in ("?", "void"):
                continue
            if row.many:
                many = True
            else:
                most += 1
                optional = row.optional or (row.value is not None and part(child, row.value) is not None)
                required += not optional
            if name is None:
                names.append("")
                types.append("?")
            else:
                written = self.type_of(part(child, row.type)) if row.type is not None else "?"
                names.append(text(part(child, row.label) if row.label is not None else name))
                types.append(written)
                if row.many and written != "?":
                    written = f"Array[{written}]"
                self.bind_name(scope, name, written, BindingKind.ANNOTATED)
                if row.is_field:
                    around = self.class_around()
                    if around is not None and around is not scope:
                        target = text(name).lstrip("$")
                        self.bind(around, target, BindingKind.ANNOTATED, written, self.line(name))
        if not is_closure and (is_constructor or scope.kind is not SymbolKind.CLASS):
            told = self.language.overloads and bool(names)
            most = -1 if many else most
            kept = (tuple(names), tuple(types)) if told else ((), ())
            self.parameters.append(Parameters(scope.id, required, most, *kept))

    def give(self, arguments: Node | None) -> None:
        """Note what the call that was noted last gives."""
        if arguments is None or not self.language.overloads:
            return
        expressions: list[str] = []
        names: list[str] = []
        for child in arguments.named_children:
            if child.type in self.language.comments:
                continue
            name, value = self.argument(child)
            names.append(text(name) if name is not None else "")
            literal = self.language.literals.get(value.type) if value is not None else None
            if literal in ("int", "Int", "double", "Double"):
                literal = _SUFFIXES.get(text(value)[-1:].lower(), literal)
            expressions.append(f"<{literal}>" if literal else self.expressions.written(value) if value else "?")
        if expressions and (any(names) or any(one != "?" for one in expressions)):
            last = self.references[-1]
            named = tuple(names) if any(names) else ()
            self.arguments.append(Arguments(last.line, last.column, tuple(expressions), named))

    def argument(self, node: Node) -> tuple[Node | None, Node | None]:
        """The name that an argument is given by, and its value."""
        kind = node.type
        if kind not in ("value_argument", "argument", "assignment_expression"):
            return None, node
        value = node.named_child(node.named_child_count - 1) if node.named_child_count else None
        if node.named_child_count < 2:
            return None, value
        name = part(node, "name") or part(node, "left") or node.named_child(0)
        return name, value

    def relax(self, defaults: int, *, many: bool = False) -> None:
        """Correct the parameters just taken: so many have a default, or the last takes any number."""
        last = self.parameters[-1]
        most = -1 if many else last.most
        self.parameters[-1] = replace(last, required=max(last.required - defaults - many, 0), most=most)

    def bind_name(self, scope: Scope, name: Node, written: str, kind: BindingKind) -> None:
        if name.type in self.language.patterns or name.type not in self.language.names:
            for inner in _names_in(name, self.language.names):
                self.bind(scope, text(inner), BindingKind.OPAQUE, "?", self.line(inner))
            return
        self.bind(scope, text(name), kind, written, self.line(name))

    def construct(self, written: str, node: Node, arity: int) -> None:
        """Note that an object of a type is made, where the expression does not name the type."""
        if written != "?":
            name = bare(written)
            self.note(ReferenceKind.CALL, name, Receiver.NAME if "." in name else Receiver.NONE, arity, node)

    def maybe(self, name: str, node: Node) -> None:
        """Note a bare name that is a call unless a variable around has it."""
        self.unsure.append(len(self.references))
        self.note(ReferenceKind.CALL, name, Receiver.NONE, 0, node)

    def read(self, expression: str, receiver: Receiver, node: Node) -> None:
        self.note(ReferenceKind.READ, expression, receiver, 0, node)

    def settle(self) -> None:
        """Drop the names that turned out to be variables."""
        if not self.unsure:
            return
        bound = {(binding.scope, binding.target) for binding in self.bindings}
        drop = {place for place in self.unsure if (self.references[place].source, self.references[place].name) in bound}
        self.references = [one for place, one in enumerate(self.references) if place not in drop]

    def refer(self, expression: str, receiver: Receiver, arity: int, node: Node) -> None:
        """Note a call that a language's own function has found."""
        self.note(ReferenceKind.CALL, expression, receiver, arity, node)

    def arity(self, node: Node | None) -> int:
        if node is None:
            return 0
        count = 0
        spreads, comments = self.language.spreads, self.language.comments
        for child in node.named_children:
            kind = child.type
            if kind in spreads or (
                kind == "argument" and child.named_child_count and child.named_child(0).type in spreads
            ):
                return -1
            count += kind not in comments
        return count

    def note(
        self,
        kind: ReferenceKind,
        expression: str,
        receiver: Receiver,
        arity: int,
        node: Node,
        name: str | None = None,
    ) -> None:
        if name is None:
            name = expression.rpartition(".")[2]
        if not name or name == "?" or name.endswith(("()", "[]", ">")):
            name = ""
        self.references.append(
            Reference(self.scope.id, kind, name, expression, receiver, arity, self.line(node), self.column(node))
        )

    def import_(self, node: Node, module: str, name: str | None, alias: str, level: int = 0) -> None:
        self.imports.append(Import(self.scope.id, module, name, alias, level, self.line(node)))


def _of(reference: Reference, source: SymbolId) -> Reference:
    return Reference(
        source,
        reference.kind,
        reference.name,
        reference.expression,
        reference.receiver,
        reference.arity,
        reference.line,
        reference.column,
    )


def _names_in(node: Node, types: frozenset[str]) -> list[Node]:
    """Names that a pattern binds, some of which may be keys; not too many."""
    found: list[Node] = []
    waiting = [node]
    seen = 0
    while waiting and seen < 200:
        here = waiting.pop()
        seen += 1
        if here.type in types:
            found.append(here)
        else:
            waiting += reversed(here.named_children)
    return found
