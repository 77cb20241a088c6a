"""How values move through one file of JavaScript or TypeScript, as constraints over numbered nodes.

A node stands for the values that a name can hold between two assignments, or that an expression can have. What
closures, other functions and other files see of a name is one node for all its assignments; so it is in loops.

The constraints are tuples that begin with their name; `s`, `d`, `o`, `k` and `t` are nodes, -1 none:

    ("copy", s, d)
    ("function", d, key)            d holds the function
    ("class", d, key)               d holds the class
    ("object", d, kind)             d holds an object of its own: "object" or "array"
    ("key", d, value)               d holds a text or number, written as text
    ("global", d, name)             a name that nothing in the file declares
    ("import", d, module, name)     name None: all that the module exports; "*require": what `require` gives
    ("export", name, s)             name "*": what the module itself is (`module.exports = s`)
    ("pass on", module, name, alias)  `export { name as alias } from module`; name None: all
    ("load", d, o, name, at)        d = o.name
    ("held", d, o, s)               d = s, which has just been stored as a member of o
    ("store", o, name, s)           o.name = s
    ("get", d, o, k)                d = o[k]
    ("set", o, k, s)                o[k] = s
    ("item", d, o, place)           d = the element at the place when o is unpacked
    ("rest", d, o, place)           d = an array of the elements from the place on
    ("any", o, s)                   an element of o, its place not known
    ("append", o, s, place)         the elements of s, from the place on; -1 where it is not known
    ("merge", o, s)                 all members of s become o's
    ("each", d, o, at)              d = an element of o
    ("await", d, s)
    ("call", d, callee, arguments, spread, site)  spread: place of the first argument that is spread; -1 without
    ("new", d, callee, arguments, spread, site)
    ("super call", class, t, arguments, spread, site)
    ("super", d, class, t, static)  d = what `super` is in a method of the class; t is `this`
    ("extends", class, s)
    ("member", class, name, s, kind)  kind: "", "get" or "set", with " static" behind
    ("this", key, t)
    ("this of", class, t)           t holds the objects of the class
    ("arguments", key, d)           d holds all arguments of the function
    ("default", key, place, s)      the parameter holds s where a call gives no argument
    ("promise", d, s)               d = a promise of s
    ("generator", d, s)             d = what gives s when it is iterated over

`site` is (source, line, column, expression) as in the Reference, `at` (source, line).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.facts import FlowFacts, FlowFunction
from plait.model import Recovered, SymbolId
from plait.parse.lines import merged
from plait.parse.script.frames import Block, Frame
from plait.parse.script.values import CLASSES, FUNCTIONS, Sites, ValueWalk, key_of
from plait.parse.treesitter.table import Node, part, text

MOST_VERSIONS = 100
"""Names that are told apart before and after a branch; with more, each is all that it is ever given, so that long files
stay linear."""

_EMPTY = frozenset(
    {"comment", "interface_declaration", "type_alias_declaration", "ambient_declaration", "empty_statement"}
)


def flow(path: str, root: Node, module: SymbolId, defined: dict[int, SymbolId], sites: Sites) -> FlowFacts:
    try:
        return ScriptWalk(module, defined, sites).of(path, root)
    except RecursionError:  # what no depth is counted for: patterns, labels and static blocks in each other
        return FlowFacts(unfollowed=Recovered(path, "deeper than values are followed"))


class ScriptWalk(ValueWalk):
    def of(self, path: str, root: Node) -> FlowFacts:
        frame = Frame(self._module, self._node())
        self._outermost = Block(frame)
        block = Block(frame, self._outermost, is_body=True)
        self._commonjs(block)
        self._block(root.named_children, block)
        while self._waiting:
            self._body(*self._waiting.popleft())
        unfollowed = None
        if self.too_deep:
            lines = merged([(line, line) for line in self.too_deep])
            unfollowed = Recovered(path, f"line {lines[0][0]}: deeper than values are followed", lines)
        return FlowFacts(self._count, tuple(self._constraints), (), tuple(self._functions), unfollowed)

    def _commonjs(self, block: Block) -> None:
        for name in ("module", "exports"):
            self._emit("global", self._declare(name, block), f"*{name}")

    # Statements

    def _block(self, statements: Sequence[Node], block: Block) -> bool:
        """Walk statements; return whether control never comes out at the end."""
        for node in statements:
            inner = _exported(node)
            if inner.type in ("function_declaration", "generator_function_declaration"):
                self._declare(text(part(inner, "name")), block)
                self.bind(part(inner, "name"), self.function(inner, block), block)
            elif inner.type in CLASSES:
                self._declare(text(part(inner, "name")), block)
            elif inner.type == "lexical_declaration":
                for one in inner.named_children:
                    if (name := part(one, "name")) is not None and name.type == "identifier":
                        self._declare(text(name), block)
        ended = False
        for node in statements:
            ended = self.statement(node, block) or ended
        return ended

    def statement(self, node: Node, block: Block) -> bool:
        kind = node.type
        match kind:
            case "expression_statement":
                self.value(node.named_child(0) if node.named_child_count else None, block)
            case "lexical_declaration" | "variable_declaration":
                word = "var" if kind == "variable_declaration" else "let"
                for one in node.named_children:
                    value = part(one, "value")
                    if one.type == "variable_declarator" and (value is not None or word == "let"):
                        self.bind(part(one, "name"), self.value(value, block), block, declare=word)
                    elif one.type == "variable_declarator" and (name := part(one, "name")) is not None:
                        self._declare(text(name), block.body())
            case "return_statement":
                self._returned(node.named_child(0) if node.named_child_count else None, block)
                return True
            case "throw_statement":
                self.value(node.named_child(0) if node.named_child_count else None, block)
                return True
            case "break_statement" | "continue_statement":
                return True
            case "class_declaration" | "abstract_class_declaration":
                self.bind(part(node, "name"), self.class_(node, block), block, declare="let")
            case "statement_block" | "else_clause" | "finally_clause":
                return self._nested(node.named_children, block)
            case "if_statement":
                self.value(part(node, "condition"), block)
                return self._branches([part(node, "consequence"), part(node, "alternative")], block)
            case "for_statement" | "while_statement" | "do_statement" | "for_in_statement":
                self._loop(node, block)
            case "switch_statement":
                self.value(part(node, "value"), block)
                body = part(node, "body")
                self._branches([None, *(body.named_children if body is not None else ())], block)
            case "switch_case" | "switch_default":
                self._nested(node.named_children, block)
            case "try_statement":
                self._try(node, block)
            case "labeled_statement":
                return self.statement(node.named_child(node.named_child_count - 1), block)
            case "import_statement":
                self._import(node, block)
            case "export_statement":
                self._export(node, block)
            case "function_declaration" | "generator_function_declaration":
                pass  # bound where the block begins
            case "internal_module" | "module":
                body = part(node, "body")
                self._nested(body.named_children if body is not None else (), block)
            case _ if kind in _EMPTY:
                pass
            case _:
                self.value(node, block)
        return False

    def _nested(self, statements: Sequence[Node], block: Block) -> bool:
        if self._depth >= 100:
            self.too_deep += [int(one.start_point[0]) + 1 for one in statements[:1]]
            return False
        self._depth += 1
        try:
            return self._block(statements, Block(block.frame, block))
        finally:
            self._depth -= 1

    def _branches(self, bodies: Iterable[Node | None], block: Block) -> bool:
        frame = block.frame
        if len(frame.versions) > MOST_VERSIONS:
            frame.versions = {}
        before = frame.versions
        ends: list[dict[int, int]] = []
        for body in bodies:
            frame.versions = dict(before)
            frame.stored.clear()
            ended = self._nested([body], block) if body is not None else False
            if not ended:
                ends.append(frame.versions)
        frame.versions = self._joined(ends) if ends else before
        frame.stored.clear()
        return not ends

    def _joined(self, ends: Sequence[dict[int, int]]) -> dict[int, int]:
        """One node for each name, fed by all branches where they differ; a name that a branch lacks is its own."""
        first, *others = ends
        joined: dict[int, int] = {}
        for name in dict.fromkeys(name for end in ends for name in end):
            nodes = list(dict.fromkeys(end.get(name, name) for end in ends))
            if len(nodes) == 1:
                joined[name] = nodes[0]
            elif name in nodes:
                continue
            else:
                joined[name] = self._node()
                for node in nodes:
                    self._copy(node, joined[name])
        return joined if others else first

    def _loop(self, node: Node, block: Block) -> None:
        """What a turn of the loop binds, the next one can see: names hold all that they are ever given."""
        frame = block.frame
        frame.stored.clear()
        inner = Block(frame, block)
        if node.type == "for_in_statement":
            iterated = self.value(part(node, "right"), block)
            frame.versions = {}
            element = self._node()
            if text(part(node, "operator")) == "of":
                self._emit("each", element, iterated, (frame.scope, int(node.start_point[0]) + 1))
            word = text(part(node, "kind"))
            self.bind(part(node, "left"), element, inner, declare=word)
        else:
            frame.versions = {}
            for name in ("initializer", "condition", "increment"):
                one = part(node, name)
                if one is not None:
                    self.statement(one, inner)
                    frame.versions = {}
        body = part(node, "body")
        if body is not None:
            self._nested([body], inner)
        frame.versions = {}
        frame.stored.clear()

    def _try(self, node: Node, block: Block) -> None:
        handler = part(node, "handler")
        self._branches([part(node, "body")], block)
        after = block.frame.versions
        block.frame.versions = {}
        if handler is not None:
            inner = Block(block.frame, block)
            if (parameter := part(handler, "parameter")) is not None:
                self.bind(parameter, self._node(), inner, declare="let")
            if (body := part(handler, "body")) is not None:
                self._nested(body.named_children, inner)
            block.frame.versions = {}
        else:
            block.frame.versions = after
        if (final := part(node, "finalizer")) is not None:
            self.statement(final, block)

    # Modules

    def _import(self, node: Node, block: Block) -> None:
        module = key_of(part(node, "source"))
        for clause in node.named_children:
            if clause.type != "import_clause":
                continue
            for child in clause.named_children:
                match child.type:
                    case "identifier":
                        self._imported(text(child), module, "default", block)
                    case "namespace_import":
                        self._imported(text(child.named_child(0)), module, None, block)
                    case "named_imports":
                        for one in child.named_children:
                            name = text(part(one, "name"))
                            self._imported(text(part(one, "alias")) or name, module, name, block)

    def _imported(self, alias: str, module: str, name: str | None, block: Block) -> None:
        self._emit("import", self._declare(alias, block), module, name)

    def _export(self, node: Node, block: Block) -> None:
        module = key_of(part(node, "source"))
        declaration = part(node, "declaration")
        is_default = any(child.type == "default" for child in node.children)
        if declaration is not None:
            self.statement(declaration, block)
            if is_default:
                self._emit("export", "default", self._read(text(part(declaration, "name")), block))
                return
            for name in _declared(declaration):
                if (found := block.find(name)) is not None:
                    self._emit("export", name, found[0])
        elif is_default:
            self._emit("export", "default", self.value(part(node, "value"), block))
        for child in node.named_children:
            if child.type == "export_clause":
                for one in child.named_children:
                    name = text(part(one, "name"))
                    alias = text(part(one, "alias")) or name
                    if module:
                        self._emit("pass on", module, name, alias)
                    elif (found := block.find(name)) is not None:
                        self._emit("export", alias, found[0])
            elif child.type == "namespace_export":
                made = self._node()
                self._emit("import", made, module, None)
                self._emit("export", text(child.named_child(0)), made)
        if module and not any(child.type in ("export_clause", "namespace_export") for child in node.named_children):
            self._emit("pass on", module, None, "")

    # Functions and classes

    def function(self, node: Node, block: Block, *, this: int = -1) -> int:
        made = self._node()
        key = self._defined.get(node.id) or f"{block.frame.scope}λ{made}"
        self._emit("function", made, key)
        inner = block
        if node.type == "function_expression" and (name := part(node, "name")) is not None:
            inner = Block(block.frame, block)
            self._copy(made, self._declare(text(name), inner))
        self._waiting.append((node, key, inner, this))
        return made

    def _body(self, node: Node, key: str, around: Block, this: int) -> None:
        is_arrow = node.type == "arrow_function"
        outer = around.frame
        frame = Frame(self._defined.get(node.id, outer.scope), result=self._node())
        frame.this = outer.this if is_arrow else self._node()
        frame.home, frame.is_static = outer.home, outer.is_static
        home = self._homes.get(node.id)
        if home is not None:
            frame.home, frame.is_static = home
        elif not is_arrow:
            frame.home = ""
        frame.is_async = any(child.type == "async" for child in node.children)
        block = Block(frame, around, is_body=True)
        if not is_arrow:
            self._emit("this", key, frame.this)
            self._emit("arguments", key, self._declare("arguments", block))
        parameters, rest = self._parameters(node, key, block)
        body = part(node, "body")
        if body is None:
            return
        if body.type == "statement_block":
            self._block(body.named_children, block)
        else:
            self._returned(body, block)
        result = frame.result
        passed = tuple(frame.passed)
        is_generator = node.type.startswith("generator") or any(child.type == "*" for child in node.children)
        if is_generator or frame.is_async:
            result = self._node()
            inside = frame.yielded if is_generator else frame.result
            for one in passed:
                self._copy(one, frame.result)
            self._emit("generator" if is_generator else "promise", result, inside)
            passed = ()
        self._functions.append(FlowFunction(key, parameters, len(parameters), 0, rest, -1, result, passed, None))

    def _parameters(self, node: Node, key: str, block: Block) -> tuple[tuple[tuple[str, int], ...], int]:
        given = part(node, "parameters")
        alone = part(node, "parameter")
        found: list[tuple[str, int]] = []
        rest = -1
        for child in given.named_children if given is not None else [alone] if alone is not None else ():
            pattern = part(child, "pattern") if child.type.endswith("_parameter") else child
            if child.type == "comment" or (pattern is not None and pattern.type == "this"):
                continue
            held = self._node()
            if pattern is not None and pattern.type == "rest_pattern":
                self._emit("object", held, "array")
                rest = held
            else:
                block.frame.parameters[held] = len(found)
                default = part(child, "value") if pattern is not child else part(child, "right")
                if default is not None:
                    self._emit("default", key, len(found), self.value(default, block))
                    pattern = part(child, "left") or pattern
                found.append(("", held))
            self.bind(pattern, held, block, declare="let")
        return tuple(found), rest

    def _returned(self, value: Node | None, block: Block) -> None:
        """Each call gets back the argument that it gave, where a parameter is returned as it came."""
        frame = block.frame
        node = self.value(value, block)
        if node in frame.parameters:
            frame.passed[node] = None
        elif node >= 0 and frame.result >= 0:
            self._copy(node, frame.result)

    def class_(self, node: Node, block: Block) -> int:
        made = self._node()
        key = self._defined.get(node.id) or f"{block.frame.scope}κ{made}"
        self._emit("class", made, key)
        inner = Block(block.frame, block)
        if (name := part(node, "name")) is not None:
            self._copy(made, self._declare(text(name), inner))
        for child in node.named_children:
            if child.type == "class_heritage":
                base = child.named_child(0)
                if base is not None and base.type == "extends_clause":
                    base = part(base, "value")
                if base is not None and base.type != "implements_clause":
                    self._emit("extends", key, self.value(base, inner))
        body = part(node, "body")
        for child in body.named_children if body is not None else ():
            is_static = any(one.type == "static" for one in child.children)
            end = " static" if is_static else ""
            if child.type == "method_definition" and part(child, "body") is not None:
                word = next((one.type for one in child.children if one.type in ("get", "set")), "")
                self._homes[child.id] = key, is_static
                name_ = text(part(child, "name")).strip("\"'")
                self._emit("member", key, name_, self.function(child, inner), f"{word}{end}")
            elif child.type in ("field_definition", "public_field_definition"):
                self._field(child, key, end, made, inner)
            elif child.type == "class_static_block" and (block_ := part(child, "body")) is not None:
                frame = Frame(block.frame.scope, made, key, is_static=True)
                self._block(block_.named_children, Block(frame, inner, is_body=True))
        return made

    def _field(self, node: Node, key: str, end: str, made: int, block: Block) -> None:
        """A field's value is found when the object is made, with the object as `this`."""
        name = part(node, "property") or part(node, "name")
        value = part(node, "value")
        if name is None or value is None:
            return
        this = made
        if not end:
            this = self._node()
            self._emit("this of", key, this)
        frame = Frame(block.frame.scope, this, key, bool(end))
        source = self.value(value, Block(frame, block, is_body=True))
        if source >= 0:
            self._emit("member", key, key_of(name) or text(name), source, end)


def _exported(node: Node) -> Node:
    if node.type == "export_statement":
        return part(node, "declaration") or node
    return node


def _declared(node: Node) -> list[str]:
    """The names that a declaration binds."""
    if node.type in FUNCTIONS or node.type in CLASSES:
        return [text(part(node, "name"))]
    found: list[str] = []
    waiting = [part(one, "name") for one in node.named_children if one.type == "variable_declarator"]
    while waiting:
        one = waiting.pop()
        if one is None:
            continue
        if one.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(text(one))
        elif one.type == "pair_pattern":
            waiting.append(part(one, "value"))
        else:
            waiting += one.named_children
    return found
