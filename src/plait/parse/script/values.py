"""What expressions of a script hold, as constraints (see `flow`)."""

from __future__ import annotations

from collections import deque
from typing import Any

from plait.facts import FlowFunction
from plait.model import SymbolId
from plait.parse.script.frames import Block, Frame
from plait.parse.treesitter.table import Node, part, text

DEEPEST = 150
"""Expressions and statements in each other; what is deeper is not followed."""

FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_expression",
        "generator_function",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
    }
)
CLASSES = frozenset({"class", "class_declaration", "abstract_class_declaration"})
_SAME = frozenset(
    {
        "parenthesized_expression",
        "non_null_expression",
        "as_expression",
        "satisfies_expression",
        "instantiation_expression",
    }
)
MOST_STORED = 20
"""Members whose last value is remembered."""

_LONGEST_KEY = 100

Sites = dict[int, tuple[SymbolId, int, int, str]]
"""by node of a call: (source, line, column, expression) of its Reference"""


class ValueWalk:
    def __init__(self, module: SymbolId, defined: dict[int, SymbolId], sites: Sites) -> None:
        self._module = module
        self._defined = defined
        self._sites = sites
        self._count = 0
        self._constraints: list[tuple[object, ...]] = []
        self._functions: list[FlowFunction] = []
        self._waiting: deque[tuple[Node, str, Block, int]] = deque()
        """functions whose bodies are walked when all names around them are known: node, key, block around, `this`"""
        self._globals: dict[str, int] = {}
        self._homes: dict[int, tuple[str, bool]] = {}
        """by node of a method: its class, and whether it is static"""
        self._outermost = Block(Frame(module))
        self._depth = 0
        self.too_deep: list[int] = []
        """lines where what nests deeper than DEEPEST begins"""

    def _node(self) -> int:
        self._count += 1
        return self._count - 1

    def _emit(self, *constraint: object) -> None:
        self._constraints.append(constraint)

    def _copy(self, source: int, target: int) -> None:
        if source >= 0 and target >= 0 and source != target:
            self._emit("copy", source, target)

    # Names

    def _declare(self, name: str, block: Block) -> int:
        node = block.names.get(name)
        if node is None:
            node = block.names[name] = self._node()
        return node

    def _read(self, name: str, block: Block) -> int:
        found = block.find(name)
        if found is None:
            node = self._declare(name, self._outermost)
            if name not in self._globals:
                self._globals[name] = node
                self._emit("global", node, name)
            return node
        node, frame = found
        return block.frame.versions.get(node, node) if frame is block.frame else node

    def _write(self, name: str, source: int, block: Block) -> None:
        found = block.find(name)
        if found is None:
            self._copy(source, self._declare(name, self._outermost))
            return
        node, frame = found
        self._copy(source, node)
        if frame is block.frame:
            frame.versions[node] = source if source >= 0 else self._node()

    # Patterns

    def bind(self, target: Node | None, source: int, block: Block, *, declare: str = "") -> None:
        """Bind a name, a member or a pattern. `declare` is `var`, or another word for names of the block."""
        if target is None:
            return
        match target.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                name = text(target)
                if declare:
                    self._declare(name, block.body() if declare == "var" else block)
                self._write(name, source, block)
            case "member_expression" | "subscript_expression":
                self._store(target, source, block)
            case "assignment_pattern" | "object_assignment_pattern":
                held = self._node()
                self._copy(source, held)
                self._copy(self.value(part(target, "right"), block), held)
                self.bind(part(target, "left"), held, block, declare=declare)
            case "rest_pattern":
                self.bind(target.named_child(0), source, block, declare=declare)
            case "array_pattern":
                self._unpack(target, source, block, declare)
            case "object_pattern":
                self._take(target, source, block, declare)
            case "required_parameter" | "optional_parameter":
                held = source
                if (default := part(target, "value")) is not None:
                    held = self._node()
                    self._copy(source, held)
                    self._copy(self.value(default, block), held)
                self.bind(part(target, "pattern"), held, block, declare=declare)
            case kind if kind in _SAME:
                self.bind(target.named_child(0), source, block, declare=declare)

    def _unpack(self, target: Node, source: int, block: Block, declare: str) -> None:
        place = 0
        for child in target.children:
            if child.type == ",":
                place += 1
            elif child.is_named and child.type != "comment":
                node = self._node()
                if child.type == "rest_pattern":
                    self._emit("rest", node, source, place)
                else:
                    self._emit("item", node, source, str(place))
                self.bind(child, node, block, declare=declare)

    def _take(self, target: Node, source: int, block: Block, declare: str) -> None:
        for child in target.named_children:
            node = self._node()
            match child.type:
                case "shorthand_property_identifier_pattern":
                    self._emit("load", node, source, text(child), None)
                    self.bind(child, node, block, declare=declare)
                case "object_assignment_pattern":
                    self._emit("load", node, source, text(part(child, "left")), None)
                    self.bind(child, node, block, declare=declare)
                case "pair_pattern":
                    name = key_of(part(child, "key"))
                    self._emit("load", node, source, name, None)
                    self.bind(part(child, "value"), node, block, declare=declare)
                case "rest_pattern":
                    self.bind(child, source, block, declare=declare)

    def _store(self, target: Node, source: int, block: Block) -> None:
        owner = self.value(part(target, "object"), block)
        key = part(target, "property") or part(target, "index")
        if name := key_of(key):
            self._emit("store", owner, name, source)
        else:
            self._emit("set", owner, self.value(key, block), source)
        # Another name may stand for the same object, and an unknown key for any.
        kept = block.frame.stored if name and len(block.frame.stored) < MOST_STORED else {}
        block.frame.stored = {place: node for place, node in kept.items() if not place.endswith(f".{name}")}
        if name and source >= 0 and (place := place_of(target)):
            block.frame.stored[place] = source

    # Expressions

    def value(self, node: Node | None, block: Block) -> int:
        """The node of what an expression holds; -1 for what no constraint is about."""
        if node is None:
            return -1
        if self._depth >= DEEPEST:
            self.too_deep.append(int(node.start_point[0]) + 1)
            return -1
        self._depth += 1
        try:
            return self._value(node, block)
        finally:
            self._depth -= 1

    def _value(self, node: Node, block: Block) -> int:
        kind = node.type
        match kind:
            case "identifier" | "shorthand_property_identifier":
                return -1 if (name := text(node)) == "undefined" else self._read(name, block)
            case "this":
                return block.frame.this
            case "super":
                made = self._node()
                self._emit("super", made, block.frame.home, block.frame.this, block.frame.is_static)
                return made
            case "member_expression":
                owner = self.value(part(node, "object"), block)
                return self._loaded(owner, text(part(node, "property")), node, block)
            case "subscript_expression":
                return self._subscript(node, block)
            case "call_expression":
                return self._call(node, block)
            case "new_expression":
                made = self._node()
                callee = self.value(part(node, "constructor"), block)
                given, spread = self._arguments(part(node, "arguments"), block)
                self._emit("new", made, callee, given, spread, self._sites.get(node.id))
                block.frame.stored.clear()
                return made
            case "assignment_expression":
                source = self.value(part(node, "right"), block)
                self.bind(part(node, "left"), source, block)
                return source
            case "augmented_assignment_expression":
                made, left = self._node(), part(node, "left")
                self._copy(self.value(left, block), made)
                self._copy(self.value(part(node, "right"), block), made)
                self.bind(left, made, block)
                return made
            case "object":
                return self._object(node, block)
            case "array":
                return self._array(node, block)
            case "ternary_expression":
                self.value(part(node, "condition"), block)
                return self._either(block, part(node, "consequence"), part(node, "alternative"))
            case "binary_expression":
                if text(part(node, "operator")) in ("||", "&&", "??"):
                    return self._either(block, part(node, "left"), part(node, "right"))
                self.value(part(node, "left"), block)
                self.value(part(node, "right"), block)
                return -1
            case "sequence_expression":
                last = -1
                for child in node.named_children:
                    last = self.value(child, block)
                return last
            case "await_expression":
                made = self._node()
                self._emit("await", made, self.value(node.named_child(0), block))
                return made
            case "yield_expression":
                return self._yield(node, block)
            case "string" | "number":
                made = self._node()
                self._emit("key", made, key_of(node))
                return made
            case _ if kind in FUNCTIONS:
                return self.function(node, block)
            case _ if kind in CLASSES:
                return self.class_(node, block)
            case _ if kind in _SAME:
                return self.value(node.named_child(0), block)
            case "type_assertion":
                return self.value(node.named_child(node.named_child_count - 1), block)
            case "comment" | "type_annotation" | "type_arguments" | "regex":
                return -1
        for child in node.named_children:
            self.value(child, block)
        return -1

    def function(self, node: Node, block: Block, *, this: int = -1) -> int:
        raise NotImplementedError

    def class_(self, node: Node, block: Block) -> int:
        raise NotImplementedError

    def _either(self, block: Block, *parts: Node | None) -> int:
        made = self._node()
        for one in parts:
            self._copy(self.value(one, block), made)
        return made

    def _loaded(self, owner: int, name: str, node: Node, block: Block) -> int:
        if owner < 0:
            return -1
        made = self._node()
        stored = block.frame.stored.get(place_of(node), -1) if block.frame.stored else -1
        if stored >= 0:
            self._emit("held", made, owner, stored)
        else:
            self._emit("load", made, owner, name, (block.frame.scope, int(node.end_point[0]) + 1))
        return made

    def _subscript(self, node: Node, block: Block) -> int:
        owner, key = self.value(part(node, "object"), block), part(node, "index")
        if name := key_of(key):
            return self._loaded(owner, name, node, block)
        by = self.value(key, block)
        if owner < 0:
            return -1
        made = self._node()
        self._emit("get", made, owner, by)
        return made

    def _arguments(self, node: Node | None, block: Block) -> tuple[tuple[int, ...], int]:
        """The nodes of arguments, and the place of the first that is spread; -1 without one."""
        given: list[int] = []
        spread = -1
        for child in node.named_children if node is not None and node.type == "arguments" else ():
            if child.type == "comment":
                continue
            if child.type == "spread_element":
                spread = len(given) if spread < 0 else spread
                child = child.named_child(0)
            given.append(self.value(child, block))
        return tuple(given), spread

    def _call(self, node: Node, block: Block) -> int:
        callee = part(node, "function")
        made = self._node()
        site = self._sites.get(node.id)
        arguments = part(node, "arguments")
        if callee is not None and callee.type == "super":
            given, spread = self._arguments(arguments, block)
            self._emit("super call", block.frame.home, block.frame.this, given, spread, site)
            return made
        if callee is not None and text(callee) in ("require", "import") and arguments is not None:
            one = arguments.named_child(0) if arguments.named_child_count == 1 else None
            if one is not None and one.type == "string":
                self._emit("import", made, key_of(one), None)
                return made
        function = self.value(callee, block)
        given, spread = self._arguments(arguments, block)
        if function >= 0:
            self._emit("call", made, function, given, spread, site)
        block.frame.stored.clear()
        if callee is not None and arguments is not None and text(callee) == "Object.assign" and spread < 0:
            self._assigned(arguments, given, block)
        return made

    def _assigned(self, arguments: Node, given: tuple[int, ...], block: Block) -> None:
        """`Object.assign(o, { a: x })` stores as `o.a = x` does."""
        nodes = [child for child in arguments.named_children if child.type != "comment"]
        place = place_of(nodes[0]) if nodes else ""
        for node, source in zip(nodes[1:], given[1:], strict=False) if place else ():
            for child in node.named_children if node.type == "object" else ():
                if child.type == "pair" and (name := key_of(part(child, "key"))):
                    self._emit("load", stored := self._node(), source, name, None)
                    block.frame.stored[f"{place}.{name}"] = stored

    def _object(self, node: Node, block: Block) -> int:
        made = self._node()
        self._emit("object", made, "object")
        put: dict[str, int] = {}
        for child in node.named_children:
            match child.type:
                case "shorthand_property_identifier":
                    put[text(child)] = self.value(child, block)
                case "pair":
                    name = key_of(part(child, "key"))
                    source = self.value(part(child, "value"), block)
                    if name:
                        put[name] = source
                    elif (key := part(child, "key")) is not None and key.type == "computed_property_name":
                        self._emit("set", made, self.value(key.named_child(0), block), source)
                case "method_definition":
                    put[text(part(child, "name")).strip("\"'")] = self.function(child, block)
                case "spread_element":
                    self._emit("merge", made, self.value(child.named_child(0), block))
        for name, source in put.items():
            if source >= 0:
                self._emit("store", made, name, source)
        return made

    def _array(self, node: Node, block: Block) -> int:
        made = self._node()
        self._emit("object", made, "array")
        exact = True
        place = 0
        for child in node.named_children:
            if child.type == "comment":
                continue
            if child.type == "spread_element":
                source = self.value(child.named_child(0), block)
                self._emit("append", made, source, place if exact else -1)
                exact = False
                continue
            if child.type not in ("string", "number"):
                source = self.value(child, block)
                if source >= 0 and exact:
                    self._emit("store", made, str(place), source)
                elif source >= 0:
                    self._emit("any", made, source)
            place += 1
        return made

    def _yield(self, node: Node, block: Block) -> int:
        frame = block.frame
        source = self.value(node.named_child(0) if node.named_child_count else None, block)
        if frame.yielded < 0:
            frame.yielded = self._node()
        if any(child.type == "*" for child in node.children):
            self._emit("each", frame.yielded, source, None)
        else:
            self._copy(source, frame.yielded)
        return -1


def place_of(node: Node) -> str:
    """A member of something that has a name, as text; empty for any other expression."""
    steps: list[str] = []
    while node.type in ("member_expression", "subscript_expression") and len(steps) < 4:
        name = key_of(part(node, "property") or part(node, "index"))
        owner = part(node, "object")
        if not name or owner is None:
            return ""
        steps.append(name)
        node = owner
    if node.type not in ("identifier", "this"):
        return ""
    return ".".join((text(node), *reversed(steps)))


def key_of(node: Node | None) -> str:
    """The name or number that a key says; empty if it is computed."""
    if node is None or node.end_byte - node.start_byte > _LONGEST_KEY:
        return ""
    kind: Any = node.type
    if kind in ("property_identifier", "private_property_identifier", "number"):
        return text(node)
    if kind == "string":
        return text(node)[1:-1]
    if kind == "computed_property_name" and node.named_child_count:
        inner = node.named_child(0)
        return key_of(inner) if inner.type in ("string", "number") else text(node) if "Symbol." in text(node) else ""
    return ""
