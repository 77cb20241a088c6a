"""One walk over a file's concrete tree that collects its facts, whatever the language.

The walk is a loop over a cursor: neither deep nor long files cost stack, and each node is looked at once. What a node
means stands in the language's table; a row becomes one of the methods below.
"""

from __future__ import annotations

import re
from typing import Any

from plait.facts import BindingKind
from plait.model import Receiver, ReferenceKind, SymbolKind
from plait.parse.treesitter import table
from plait.parse.treesitter.collected import Collected, Scope
from plait.parse.treesitter.table import Node, Part, part, text
from plait.parse.treesitter.type_names import bare

DEEPEST = 4_000
"""Nodes in each other. People write a few hundred; a chain of 2,000 calls has so many."""


class Walk(Collected):
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
            if not closed and self.depth < DEEPEST:
                if down():
                    path.append(node)
                    self.depth += 1
                    continue
            elif not closed and node.child_count:
                self.cut = self.cut or self.line(node)
                self.visit_error(node, None)
            while not beside():
                if not up():
                    return
                path.pop()
                self.depth -= 1
            while self.depth <= self.scope.depth:
                assert self.scope.parent is not None
                self.scope = self.scope.parent

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
            self._lend(node, part(node, row.parameters) or part(node, "parameter"))
            return False
        name, owner, first = given
        is_method = bool(owner) or self.scope.kind is SymbolKind.CLASS
        kind = SymbolKind.METHOD if is_method else SymbolKind.FUNCTION
        scope = self.define(node, name, kind, body=part(node, row.body), owner=owner, first=first)
        self.take_parameters(scope, part(node, row.parameters))
        self.returns(scope, part(node, row.result) if row.result is not None else None)
        return False

    def _lend(self, node: Node, parameters: Node | None) -> None:
        """`items.map(one => ...)`: the one parameter, if it has no type, is an element of the items."""
        name = _lone(parameters, self.language)
        call = self.around(*self.language.calls)
        if name is None or call is None or node.start_byte < call.start_byte or len(self.path) < 2:
            return
        if call.id not in (one.id for one in self.path[-3:-1]):
            return
        called = self.expressions.called(call, self.language.calls[call.type])
        if called is not None and (given := self.each_of(called.expression)) != "?":
            last = self.last_line(node)
            self.bind_within(text(name), BindingKind.ASSIGNED, given, self.line(name), last)

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
                self.bind_name(scope, name, self.type_of(type_) if type_ is not None else "?", BindingKind.ANNOTATED)
                return
            self.pending[value.id] = (text(name), "", line)
            return
        written = self.type_of(type_) if type_ is not None else "?"
        given = self.expressions.written(value) if value is not None else "?"
        if written not in ("?", "var", "auto", "let"):
            self.bind_name(scope, name, written, BindingKind.ANNOTATED)
            if given.endswith("()") and name.type in self.language.names:
                self.bind(scope, text(name), BindingKind.ASSIGNED, given, line)
        else:
            self.bind_name(scope, name, given, BindingKind.ASSIGNED)

    def visit_bound(self, node: Node, row: tuple[Part, Part]) -> bool:
        """`<T extends Base>`: what is known of a T is what a Base has."""
        name, type_ = part(node, row[0]), part(node, row[1])
        written = bare(self.type_of(type_))
        if name is not None and written != "?" and self.scope is not self.module and not self.scope.extends:
            self.bind(self.scope, text(name), BindingKind.ASSIGNED, written, self.line(node))
        return False

    def visit_test(self, node: Node, row: table.Test) -> bool:
        if row.operator and text(part(node, "operator")) != row.operator:
            return False
        type_ = part(node, row.type)
        if row.bound is not None and (bound := part(node, row.bound)) is not None:
            self.bind_name(self.scope, bound, self.type_of(type_), BindingKind.ANNOTATED)
        around = self.around("if_statement")
        body = (part(around, "consequence") or part(around, "body")) if around is not None else None
        if around is None or body is None or node.end_byte > body.start_byte:
            return False
        between = self.path[self.path.index(around) + 1 :]
        if not any(text(part(one, "operator")) in ("||", "or") for one in between):
            negated = any("unary" in one.type for one in between)
            self.narrow(part(node, row.subject), type_, node, body, negated=negated)
        return False

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
            self.bind_name(self.scope, name, written, BindingKind.ANNOTATED)
        else:
            given = self.expressions.written(iterable) if iterable is not None else "?"
            given = "?" if given == "?" else f"{given}[]"
            self.bind_name(self.scope, name, given, BindingKind.ASSIGNED)
        return False

    def visit_return(self, node: Node, row: Part) -> bool:
        value = part(node, row)
        scope = self.function_around()
        if value is not None and scope is not None:
            if value.type in self.language.closures:
                name = text(value.child_by_field_name("name")) or self._fresh(scope)
                self.pending[value.id] = (name, "", self.line(value))
                self.bind(scope, "", BindingKind.ASSIGNED, name, self.line(node))
            elif (given := self.expressions.written(value)) != "?":
                self.bind(scope, "", BindingKind.ASSIGNED, given, self.line(node))
        return False

    def _fresh(self, scope: Scope) -> str:
        """The name of a function that is given back without one."""
        return f"<{scope.names[-1]}>"

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
        self.note(ReferenceKind.CALL, called.expression, called.receiver, arity, called.at, called.name)
        self.give(part(node, row.arguments))
        self._site(node)
        return False

    def visit_read(self, node: Node, row: None) -> bool:
        """`a.b` that is neither called nor set."""
        parent = self.parent
        if parent is None or self._is_part(node, parent):
            return False
        found = self.expressions.called(node, table.Call(table.itself))
        if found is not None and found.name:
            self.read(found.expression, found.receiver, found.at)
        return False

    def _is_part(self, node: Node, parent: Node) -> bool:
        """Whether the node is what its parent calls or sets."""
        call, set_ = self.language.calls.get(parent.type), self.language.assignments.get(parent.type)
        which = call.function if call is not None else set_[0] if set_ is not None else None
        inner = part(parent, which) if which is not None else None
        return parent.type == "generic_function" or (inner is not None and bool(inner.id == node.id))

    def _site(self, node: Node) -> None:
        if self.language.flow is not None:
            last = self.references[-1]
            self.sites[node.id] = last.source, last.line, last.column, last.expression

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
        self.note(ReferenceKind.CALL, written, receiver, self.arity(part(node, row.arguments)), type_)
        self.give(part(node, row.arguments))
        self._site(node)
        return False

    def visit_wrapper(self, node: Node, row: None) -> bool:
        if self.wrapper is None or self.wrapper[0] != self.depth - 1:
            self.wrapper = (self.depth, self.line(node))
        else:
            self.wrapper = (self.depth, self.wrapper[1])
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


def _lone(parameters: Node | None, language: table.Language) -> Node | None:
    """The name of the only parameter, if it is a name and nothing else."""
    for _ in range(3):
        if parameters is None or parameters.type in language.names:
            break
        if parameters.type == "implicit_parameter":
            return parameters
        if parameters.named_child_count != 1:
            return None
        parameters = parameters.named_child(0)
    return parameters if parameters is not None and parameters.type in language.names else None


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


METHODS = {
    "functions": Walk.visit_function,
    "closures": Walk.visit_closure,
    "classes": Walk.visit_class,
    "namespaces": Walk.visit_namespace,
    "extensions": Walk.visit_extension,
    "calls": Walk.visit_call,
    "news": Walk.visit_new,
    "variables": Walk.visit_variable,
    "bounds": Walk.visit_bound,
    "tests": Walk.visit_test,
    "assignments": Walk.visit_assignment,
    "loops": Walk.visit_loop,
    "returns": Walk.visit_return,
    "special": Walk.visit_special,
}
"""Column of the table -> what is done with its nodes; a later one takes a node from an earlier one."""
