"""One walk over a file's concrete tree that collects its facts, whatever the language.

The walk is a loop over a cursor: neither deep nor long files cost stack, and each node is looked at once. What a node
means stands in the language's table; a row becomes one of the methods below.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from plait.facts import Binding, BindingKind, Extension, Import, Parameters
from plait.model import Receiver, Reference, ReferenceKind, SourceFile, SymbolId, SymbolKind
from plait.parse.lines import Lines
from plait.parse.naming import module_id
from plait.parse.treesitter import table
from plait.parse.treesitter.expressions import Expressions
from plait.parse.treesitter.symbols import Draft, Drafts
from plait.parse.treesitter.table import Language, Node, Part, part, text
from plait.parse.treesitter.type_names import bare, type_text

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


class Walk:
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
        self.abstract: list[SymbolId] = []
        self.errors: list[tuple[int, int]] = []
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
        self.handled: set[int] = set()
        """nodes that an outer one has already said everything about"""
        self.drafts = Drafts(file, language, lines)
        self.expressions = Expressions(language)
        self._count: Counter[str] = Counter()
        self._wrapper: tuple[int, int] | None = None
        root = module_id(file.path)
        self.module = Scope(root, root.removesuffix("/"), (), SymbolKind.MODULE, -1)
        self.scope = self.module

    def over(self, root: Node, actions: dict[int, tuple[Any, Any]]) -> None:
        """Visit every node once, those in `actions` by their method; what it returns true for is not looked into."""
        cursor = root.walk()
        down, beside, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
        find, path = actions.get, self.path
        while True:
            node = cursor.node
            action = find(node.kind_id)
            closed = False
            if action is not None:
                closed = action[0](self, node, action[1])
            if not closed and down():
                path.append(node)
                self.depth += 1
                continue
            while not beside():
                if not up():
                    return
                path.pop()
                self.depth -= 1
            while self.depth <= self.scope.depth:
                assert self.scope.parent is not None
                self.scope = self.scope.parent

    @property
    def parent(self) -> Node | None:
        return self.path[-1] if self.path else None

    # Names and places

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

    # Definitions

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
        made = SymbolId(f"{prefix}{safe(name)}{end}")
        wrapped = self._wrapper is not None and self._wrapper[0] == self.depth - 1
        row = self.line(node)
        if wrapped and self._wrapper is not None:
            row, self._wrapper = self._wrapper[1], None
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

    def visit_function(self, node: Node, row: table.Function) -> bool:
        name = row.called or text(part(node, row.name))
        owner = row.owner(node) if row.owner is not None else ""
        if not name:
            return False
        if not owner and self.scope.extends:
            owner = self.scope.extends
        is_method = bool(owner) or row.is_member or self.scope.kind is SymbolKind.CLASS
        body = part(node, row.body)
        scope = self.define(node, name, SymbolKind.METHOD if is_method else SymbolKind.FUNCTION, body=body, owner=owner)
        if body is None:
            self.abstract.append(scope.id)
        self.take_parameters(scope, part(node, row.parameters))
        self.returns(scope, part(node, row.result) if row.result is not None else None)
        return False

    def visit_closure(self, node: Node, row: table.Function) -> bool:
        """A function without a name: of the variable it is the value of, else part of the function around."""
        given = self.pending.pop(node.id, None)
        if given is None and (own := text(node.child_by_field_name("name"))):
            given = own, "", self.line(node)  # `f(function g() {})`
        if given is None:
            self.take_parameters(self.scope, part(node, row.parameters), is_closure=True)
            return False
        name, owner, first = given
        is_method = bool(owner) or self.scope.kind is SymbolKind.CLASS
        kind = SymbolKind.METHOD if is_method else SymbolKind.FUNCTION
        scope = self.define(node, name, kind, body=part(node, row.body), owner=owner, first=first)
        self.take_parameters(scope, part(node, row.parameters))
        self.returns(scope, part(node, row.result) if row.result is not None else None)
        return False

    def visit_class(self, node: Node, row: table.Class) -> bool:
        name = row.called or text(part(node, row.name))
        if not name:
            return False
        body = part(node, row.body)
        bases = [base for which in row.bases if (container := part(node, which)) for base in _listed(container)]
        scope = self.define(node, name, SymbolKind.CLASS, body=body)
        for base in bases:
            self.base(base, scope)
        if row.fields is not None:
            header = part(node, row.fields)
            if header is not None:
                self.take_parameters(scope, header)
        return False

    def base(self, node: Node, scope: Scope) -> None:
        """A base in a header, by its type; what calls its constructor is read as a call, too."""
        written = self.type_of(node)
        if written != "?":
            self.base_named(written, node, scope)

    def base_named(self, written: str, node: Node, scope: Scope) -> None:
        receiver = Receiver.NAME if "." in written else Receiver.NONE
        self._refer(ReferenceKind.BASE, bare(written), receiver, -1, node)
        self.references[-1] = _of(self.references[-1], scope.id)

    def visit_namespace(self, node: Node, row: table.Namespace) -> bool:
        name = part(node, row.name)
        names = tuple(re.findall(r"[^\W\d]\w*", text(name)))
        if part(node, row.body) is None:
            self.package = ".".join(names) or self.package
        elif names:
            self.open_block(names)
        return False

    def visit_extension(self, node: Node, row: table.Extension) -> bool:
        type_ = self.type_of(part(node, row.type))
        if type_ == "?":
            return False
        bases = [base for which in row.bases if (container := part(node, which)) for base in _listed(container)]
        if row.base is not None and (one := part(node, row.base)) is not None:
            bases.append(one)
        for base in bases:
            self.extend(type_, self.type_of(base), base)
        self.open_block(tuple(bare(type_).split(".")), extends=type_)
        return False

    def extend(self, type_: str, base: str, node: Node) -> None:
        """Note a base that a type is given outside of its definition."""
        if base != "?":
            self.extensions.append(Extension(self.scope.id, type_, bare(base), self.line(node), self.column(node)))

    # Types and bindings

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
        self.bindings.append(Binding(scope.id, target, kind, expression, line))

    def returns(self, scope: Scope, node: Node | None) -> None:
        written = self.type_of(node)
        if node is not None and written != "?":
            self.bindings.append(Binding(scope.id, "", BindingKind.RETURNS, written, self.line(node)))

    def take_parameters(self, scope: Scope, node: Node | None, *, is_closure: bool = False) -> None:
        required = most = 0
        many = False
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
            if name is not None:
                written = self.type_of(part(child, row.type)) if row.type is not None else "?"
                if row.many and written != "?":
                    written = f"Array[{written}]"
                self._bind_name(scope, name, written, BindingKind.ANNOTATED)
                if row.is_field:
                    around = self.class_around()
                    if around is not None and around is not scope:
                        target = text(name).lstrip("$")
                        self.bind(around, target, BindingKind.ANNOTATED, written, self.line(name))
        if not is_closure and scope.kind is not SymbolKind.CLASS:
            self.parameters.append(Parameters(scope.id, required, -1 if many else most))

    def relax(self, defaults: int, *, many: bool = False) -> None:
        """Correct the parameters just taken: so many have a default, or the last takes any number."""
        last = self.parameters[-1]
        most = -1 if many else last.most
        self.parameters[-1] = Parameters(last.scope, max(last.required - defaults - many, 0), most)

    def _bind_name(self, scope: Scope, name: Node, written: str, kind: BindingKind) -> None:
        if name.type in self.language.patterns or name.type not in self.language.names:
            for inner in _names_in(name, self.language.names):
                self.bind(scope, text(inner), BindingKind.OPAQUE, "?", self.line(inner))
            return
        self.bind(scope, text(name), kind, written, self.line(name))

    def visit_variable(self, node: Node, row: table.Variable) -> bool:
        name = part(node, row.name)
        if name is None:
            return False
        type_ = part(node, row.type) if row.type is not None else None
        value = part(node, row.value) if row.value is not None else None
        scope = self.scope
        if row.is_field and (around := self.class_around()):
            scope = around
        self.set_variable(scope, name, type_, value, self.line(node))
        return False

    def set_variable(self, scope: Scope, name: Node, type_: Node | None, value: Node | None, line: int) -> None:
        """`name: type = value`, any of both left out; a function as value is a definition of that name."""
        language = self.language
        if value is not None and value.type in language.closures and name.type in language.names:
            if not language.named_closures:
                self._bind_name(scope, name, self.type_of(type_) if type_ is not None else "?", BindingKind.ANNOTATED)
                return
            self.pending[value.id] = (text(name), "", line)
            return
        written = self.type_of(type_) if type_ is not None else "?"
        given = self.expressions.written(value) if value is not None else "?"
        if written not in ("?", "var", "auto", "let"):
            self._bind_name(scope, name, written, BindingKind.ANNOTATED)
            if given.endswith("()") and name.type in self.language.names:
                self.bind(scope, text(name), BindingKind.ASSIGNED, given, line)
        else:
            self._bind_name(scope, name, given, BindingKind.ASSIGNED)

    def visit_assignment(self, node: Node, row: tuple[Part, Part]) -> bool:
        target, value = part(node, row[0]), part(node, row[1])
        if target is not None and value is not None:
            self.assign(target, value)
        return False

    def assign(self, target: Node, value: Node) -> None:
        """`a = b`, `self.a = b`, `A.b = function`."""
        where = self.expressions.written(target)
        if where == "?" or where.endswith(("()", "[]")):
            return
        root, _, rest = where.partition(".")
        is_function = value.type in self.language.closures and self.language.named_closures
        if not rest:
            if is_function:
                self.pending[value.id] = (where, "", self.line(target))
            else:
                self.bind(self.scope, where, BindingKind.ASSIGNED, self.expressions.written(value), self.line(target))
        elif is_function:
            owner, _, name = where.rpartition(".")
            self.pending[value.id] = (name, owner.removesuffix(".prototype"), self.line(target))
        elif self.expressions.is_self(root) and "." not in rest:
            given = self.expressions.written(value)
            self.bind(self.scope, f"self.{rest}", BindingKind.ASSIGNED, given, self.line(target))
        else:
            given = self.expressions.written(value)
            if given != "?":
                self.bind(self.scope, where, BindingKind.ASSIGNED, given, self.line(target))

    def visit_loop(self, node: Node, row: table.Loop) -> bool:
        name, iterable = part(node, row.name), part(node, row.iterable)
        if name is None:
            return False
        written = self.type_of(part(node, row.type)) if row.type is not None else "?"
        if written not in ("?", "var", "auto", "let", "const"):
            self._bind_name(self.scope, name, written, BindingKind.ANNOTATED)
        else:
            given = self.expressions.written(iterable) if iterable is not None else "?"
            given = "?" if given == "?" else f"{given}[]"
            self._bind_name(self.scope, name, given, BindingKind.ASSIGNED)
        return False

    def visit_return(self, node: Node, row: Part) -> bool:
        value = part(node, row)
        scope = self.function_around()
        if value is not None and scope is not None:
            if value.type in self.language.closures:
                self.pending[value.id] = (self._fresh(scope), "", self.line(value))
                self.bind(scope, "", BindingKind.ASSIGNED, self._fresh(scope), self.line(node))
            elif (given := self.expressions.written(value)) != "?":
                self.bind(scope, "", BindingKind.ASSIGNED, given, self.line(node))
        return False

    def _fresh(self, scope: Scope) -> str:
        """The name of a function that is given back without one."""
        return f"<{scope.names[-1]}>"

    # References

    def visit_call(self, node: Node, row: table.Call) -> bool:
        if node.id in self.handled:
            self.handled.discard(node.id)
            return False
        called = self.expressions.called(node, row)
        if called is None:
            return False
        arity = self.arity(part(node, row.arguments))
        if arity >= 0:
            arity += self.extra_arguments.pop(node.id, 0)
        self._refer(ReferenceKind.CALL, called.expression, called.receiver, arity, called.at, called.name)
        return False

    def visit_new(self, node: Node, row: table.New) -> bool:
        type_ = part(node, row.type)
        if row.body is not None and (body := part(node, row.body)) is not None:
            self.pending[body.id] = (self.type_of(type_), "", self.line(node))
        if row.silent or type_ is None:
            return False
        written = bare(self.type_of(type_))
        if written == "?":
            written = self.expressions.written(type_)
        if written in self.language.class_words:
            written = "Self"
        receiver = Receiver.NAME if "." in written else Receiver.CLS if written == "Self" else Receiver.NONE
        self._refer(ReferenceKind.CALL, written, receiver, self.arity(part(node, row.arguments)), type_)
        return False

    def construct(self, written: str, node: Node, arity: int) -> None:
        """Note that an object of a type is made, where the expression does not name the type."""
        if written != "?":
            name = bare(written)
            self._refer(ReferenceKind.CALL, name, Receiver.NAME if "." in name else Receiver.NONE, arity, node)

    def maybe(self, name: str, node: Node) -> None:
        """Note a bare name that is a call unless a variable around has it."""
        self.unsure.append(len(self.references))
        self._refer(ReferenceKind.CALL, name, Receiver.NONE, 0, node)

    def settle(self) -> None:
        """Drop the names that turned out to be variables."""
        if not self.unsure:
            return
        bound = {(binding.scope, binding.target) for binding in self.bindings}
        drop = {place for place in self.unsure if (self.references[place].source, self.references[place].name) in bound}
        self.references = [one for place, one in enumerate(self.references) if place not in drop]

    def refer(self, expression: str, receiver: Receiver, arity: int, node: Node) -> None:
        """Note a call that a language's own function has found."""
        self._refer(ReferenceKind.CALL, expression, receiver, arity, node)

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

    def _refer(
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

    # What stands around

    def visit_wrapper(self, node: Node, row: None) -> bool:
        if self._wrapper is None or self._wrapper[0] != self.depth - 1:
            self._wrapper = (self.depth, self.line(node))
        else:
            self._wrapper = (self.depth, self._wrapper[1])
        return False

    def visit_leading(self, node: Node, row: None) -> bool:
        self.drafts.lead(self.line(node), self.last_line(node), "")
        return False

    def visit_comment(self, node: Node, row: None) -> bool:
        self.drafts.lead(self.line(node), self.last_line(node), "comment")
        return True

    def visit_error(self, node: Node, row: None) -> bool:
        self.errors.append((self.line(node), max(self.line(node), self.last_line(node))))
        return False

    def visit_special(self, node: Node, row: table.Special) -> bool:
        return row(self, node)

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


def _listed(node: Node) -> list[Node]:
    """The types that a node lists: its named children, those of a list in it, or itself."""
    found: list[Node] = []
    for child in node.named_children:
        if child.type in ("type_list", "extends_clause", "implements_clause", "extends_type_clause"):
            found += [one for one in child.named_children if one.type != "type_arguments"]
        elif child.type not in (
            "comment",
            "access_specifier",
            "argument_list",
            "arguments",
            "type_arguments",
            "virtual",
        ):
            found.append(child)
    return found


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


METHODS = {
    "functions": Walk.visit_function,
    "closures": Walk.visit_closure,
    "classes": Walk.visit_class,
    "namespaces": Walk.visit_namespace,
    "extensions": Walk.visit_extension,
    "calls": Walk.visit_call,
    "news": Walk.visit_new,
    "variables": Walk.visit_variable,
    "assignments": Walk.visit_assignment,
    "loops": Walk.visit_loop,
    "returns": Walk.visit_return,
    "special": Walk.visit_special,
}
"""Column of the table -> what is done with its nodes; a later one takes a node from an earlier one."""
