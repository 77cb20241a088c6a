"""What imports, types and the inference over declarations put into the flow of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.facts import ParsedFile
from plait.graph.standard import MEMBERLESS_BASES, PROTOCOLS
from plait.graph.values import (
    Builtin,
    BuiltinInstance,
    Class,
    Coroutine,
    External,
    Function,
    Instance,
    Module,
    Values,
    split_types,
)
from plait.model import SymbolId

if TYPE_CHECKING:
    from plait.graph.flow import Flow
    from plait.graph.points_to import Value

CONTAINERS = frozenset(("list", "dict", "set", "frozenset", "tuple"))
_SEQUENCES = frozenset(
    (
        *("list", "List", "Sequence", "MutableSequence", "deque", "Deque", "set", "Set", "frozenset", "FrozenSet"),
        *("AbstractSet", "MutableSet", "Collection", "Container", "Iterable", "Iterator", "Generator", "Reversible"),
        *("AsyncIterable", "AsyncIterator", "AsyncGenerator"),
    )
)
_MAPPINGS = frozenset(
    (
        *("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "ChainMap"),
        *("WeakKeyDictionary", "WeakValueDictionary"),
    )
)


def imported(
    flow: Flow, node: int, module: str, name: str | None, level: int, file: ParsedFile, *, whole: bool
) -> None:
    modules = flow.program.modules
    if level:
        parts = [part for part in modules.name(file).split(".") if part]
        parts = parts if file.is_package else parts[:-1]
        parts = parts[: len(parts) - (level - 1)]
        full = ".".join([*parts, *([module] if module else [])])
        found = full if modules.has(full) else None
    else:
        found = modules.absolute(module, file)
    if found is None:
        if not level:
            top = module if whole or name else module.partition(".")[0]
            flow.add(node, ("external", f"{top}.{name}" if name else top))
        return
    if name is not None:
        module_member(flow, node, found, name)
    elif whole:
        flow.add(node, ("module", found))
    else:
        parts = found.split(".")
        flow.add(node, ("module", ".".join(parts[: len(parts) - module.count(".")])))


def module_member(flow: Flow, node: int, module: str, name: str) -> None:
    file = flow.program.modules.file(module)
    if file is not None and (file.symbols[0].id, name) in flow.names:
        flow.copy(flow.names[file.symbols[0].id, name], node)
    else:
        hold(flow, node, flow.inference.module_member(module, name))


def hold_type(flow: Flow, node: int, expression: str, scope: SymbolId) -> None:
    """Add objects of the type that is written in the scope; containers with objects of their elements' types."""
    for one in split_types(expression):
        base, bracket, inside = one.partition("[")
        name = base.rpartition(".")[2]
        given = tuple(split_types(inside.removesuffix("]"), ",")) if bracket else ()
        if name in _SEQUENCES and given:
            _filled(flow, node, "list", {None: given[0]}, scope)
        elif name in _MAPPINGS and len(given) == 2:
            _filled(flow, node, "dict", {None: given[1]}, scope)
        elif name in ("tuple", "Tuple") and given:
            same = given[1:] in (("?",), ("...",))
            _filled(flow, node, "tuple", {None: given[0]} if same else dict(enumerate(given)), scope)
        else:
            hold(flow, node, flow.inference.instances(one, scope))


def _filled(flow: Flow, node: int, type_: str, elements: dict[None, str] | dict[int, str], scope: SymbolId) -> None:
    made = flow.container(type_)
    flow.add(node, made)
    for key, expression in elements.items():
        element = flow.node()
        hold_type(flow, element, expression, scope)
        flow.put(made, key, element)


def hold(flow: Flow, node: int, values: Values) -> None:
    """Add what the inference over declarations says."""
    for value in values:
        match value:
            case Function(id=key):
                if (found := _named(flow, SymbolId(key))) is not None:
                    flow.copy(found, node)
                else:
                    flow.add(node, ("function", key))
            case Class(id=key):
                flow.add(node, ("class", key))
            case Instance(id=key):
                flow.add(node, ("instance", key))
            case Module(name=name):
                flow.add(node, ("module", name))
            case External(path=path):
                flow.add(node, ("external", path))
            case Builtin(name=name):
                flow.add(node, ("builtin", name))
            case BuiltinInstance(type=name):
                flow.add(node, ("object", name))
            case Coroutine(result=result):
                awaited = flow.node()
                hold(flow, awaited, result)
                flow.add(node, flow.coroutine(awaited))


def _named(flow: Flow, key: SymbolId) -> int | None:
    """The node of the name that a definition is bound to, decorators applied."""
    symbol = flow.program.symbols[key]
    return flow.names.get((symbol.parent, symbol.name)) if symbol.parent is not None else None


def restrict(flow: Flow, node: int, expression: str, scope: SymbolId) -> None:
    """Let the node hold only what has the written type, if that tells apart what has it."""
    types = flow.inference.instances(expression, scope)
    if types and all(_tells(flow, one) for one in types):
        flow.declared[node] = types


def _tells(flow: Flow, type_: object) -> bool:
    match type_:
        case Instance(id=class_):
            bases = flow.inference.classes.outer_bases(class_)
            return not any(isinstance(base, External) and base.path in PROTOCOLS for base in bases)
        case BuiltinInstance(type=name):
            return name != "?"
    return False


def _derives(flow: Flow, class_: SymbolId, type_: object) -> bool:
    """Whether the class is, or may be, one derived from the builtin type."""
    for base in flow.inference.classes.outer_bases(class_):
        if isinstance(base, Builtin):
            if isinstance(type_, BuiltinInstance) and base.name == type_.type:
                return True
        elif not (isinstance(base, External) and base.path in MEMBERLESS_BASES | {"typing.NamedTuple"}):
            return True
    return False


def admits(flow: Flow, types: Values, value: Value) -> bool:
    """Whether the value can have one of the types; what is not known is taken to have it."""
    match value:
        case ("instance", class_):
            order = flow.inference.classes.order(class_)
            return any(one.id in order if isinstance(one, Instance) else _derives(flow, class_, one) for one in types)
        case ("container", *_):
            return any(isinstance(one, BuiltinInstance) and one.type in CONTAINERS for one in types)
        case ("external" | "object" | "key", *_):
            return True
    return False
