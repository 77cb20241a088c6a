"""Names of strategies, embedders and graph builders, and how a name becomes a thing.

A name is one of the package's own or an entry point of the group `plait.<kind>`. Nothing is imported before it is used.
A description `name(parameter=value, ...)` is what a strategy prints itself as; `build` reads it back.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from plait.errors import BadParameter, UnknownPlugin

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["strategy", "embedder", "graph", "parser", "reranker"]

BUILT_IN: dict[Kind, dict[str, str]] = {
    "strategy": {
        "vector": "plait.retrieve.vector:Vector",
        "naive": "plait.retrieve.naive:Naive",
        "constrained": "plait.retrieve.constrained:Constrained",
        "structural": "plait.retrieve.structural:Structural",
        "lexical": "plait.retrieve.lexical:Lexical",
        "hybrid": "plait.retrieve.hybrid:Hybrid",
        "additive": "plait.retrieve.additive:Additive",
        "weighted": "plait.retrieve.weighted:Weighted",
        "reranked": "plait.retrieve.reranked:Reranked",
        "texts": "plait.evaluate.texts:Texts",
    },
    "embedder": {
        "code": "plait.embed.code:CodeEmbedder",
        "static": "plait.embed.static:StaticEmbedder",
        "hashing": "plait.embed.hashing:HashingEmbedder",
        "model2vec": "plait.embed.model2vec:Model2VecEmbedder",
        "onnx": "plait.embed.onnx:OnnxEmbedder",
        "sentence_transformers": "plait.embed.sentence_transformers:SentenceTransformersEmbedder",
        "openai": "plait.embed.remote:OpenAIEmbedder",
        "ollama": "plait.embed.remote:OllamaEmbedder",
    },
    "reranker": {
        "cross_encoder": "plait.rerank.cross_encoder:CrossEncoder",
        "nearest": "plait.rerank.nearest:Nearest",
        "chat": "plait.rerank.chat:Chat",
    },
    "graph": {
        "names": "plait.graph.names:NameGraph",
        "scoped": "plait.graph.mixed:ScopedGraph",
        "flow": "plait.graph.mixed:FlowGraph",
        "shuffled": "plait.graph.shuffled:ShuffledGraph",
    },
    "parser": {
        "python": "plait.parse.python:PythonParser",
        "bash": "plait.parse.treesitter.languages.bash:parser",
        "c": "plait.parse.treesitter.languages.c:parser",
        "cpp": "plait.parse.treesitter.languages.cpp:parser",
        "csharp": "plait.parse.treesitter.languages.csharp:parser",
        "elixir": "plait.parse.treesitter.languages.elixir:parser",
        "go": "plait.parse.treesitter.languages.go:parser",
        "haskell": "plait.parse.treesitter.languages.haskell:parser",
        "java": "plait.parse.treesitter.languages.java:parser",
        "javascript": "plait.parse.treesitter.languages.javascript:parser",
        "kotlin": "plait.parse.treesitter.languages.kotlin:parser",
        "lua": "plait.parse.treesitter.languages.lua:parser",
        "php": "plait.parse.treesitter.languages.php:parser",
        "ruby": "plait.parse.treesitter.languages.ruby:parser",
        "rust": "plait.parse.treesitter.languages.rust:parser",
        "scala": "plait.parse.treesitter.languages.scala:parser",
        "swift": "plait.parse.treesitter.languages.swift:parser",
        "typescript": "plait.parse.treesitter.languages.typescript:parser",
        "zig": "plait.parse.treesitter.languages.zig:parser",
        "markdown": "plait.parse.blocks.markdown:parser",
        "rst": "plait.parse.blocks.rst:parser",
        "text": "plait.parse.blocks.rst:parser",
        "sql": "plait.parse.blocks.sql:parser",
        "protobuf": "plait.parse.blocks.braces:protobuf",
        "terraform": "plait.parse.blocks.braces:terraform",
        "toml": "plait.parse.blocks.configuration:toml",
        "yaml": "plait.parse.blocks.configuration:yaml",
        "json": "plait.parse.blocks.configuration:json",
        "ini": "plait.parse.blocks.configuration:ini",
        "dockerfile": "plait.parse.blocks.recipes:dockerfile",
        "makefile": "plait.parse.blocks.recipes:makefile",
        "windows": "plait.parse.blocks.windows:parser",
    },
}


def names(kind: Kind) -> list[str]:
    """Return all known names, the package's own first."""
    foreign = sorted(point.name for point in _entry_points(kind))
    return [*BUILT_IN[kind], *(name for name in foreign if name not in BUILT_IN[kind])]


def load(kind: Kind, name: str) -> type[Any]:
    """Return the class behind a name. Raises UnknownPlugin, and MissingExtra if its library is not installed."""
    if path := BUILT_IN[kind].get(name):
        module, _, attribute = path.partition(":")
        loaded: type[Any] = getattr(import_module(module), attribute)
        return loaded
    for point in _entry_points(kind):
        if point.name == name:
            found: type[Any] = point.load()
            return found
    raise UnknownPlugin(kind, name, names(kind))


def _entry_points(kind: Kind) -> Iterable[EntryPoint]:
    # Imported when a name is not plait's own: it costs as much as half of numpy.
    from importlib.metadata import entry_points

    return entry_points(group=f"plait.{kind}")


def build(kind: Kind, description: str) -> Any:
    """Make the thing that `name` or `name(parameter=value, ...)` describes; values are Python literals."""
    name, given = _read(kind, description)
    made = load(kind, name)
    known = {field.name: field for field in fields(made) if field.init} if is_dataclass(made) else {}
    for parameter in given:
        if parameter not in known:
            there = ", ".join(known) or "none"
            raise BadParameter(f"{name} has no parameter {parameter!r}; its parameters are: {there}")
    return made(**{parameter: _typed(name, known[parameter], value) for parameter, value in given.items()})


def described(kind: Kind, description: str) -> str:
    """Return the name in a description. Raises BadParameter for none, UnknownPlugin for a name that nobody has."""
    name, _ = _read(kind, description)
    if name not in names(kind):
        raise UnknownPlugin(kind, name, names(kind))
    return name


def describe(thing: Any) -> str:
    """Return `name(parameter=value, ...)` with every parameter, for a dataclass with a class attribute `name`."""
    values = ((field.name, getattr(thing, field.name)) for field in fields(thing))
    return f"{thing.name}({', '.join(f'{key}={_shown(value)}' for key, value in values)})"


def at_least(thing: Any, **smallest: float) -> None:
    """Check parameters of a plug-in against the smallest value that each can have. Raises BadParameter."""
    for parameter, least in smallest.items():
        value = getattr(thing, parameter)
        if value < least:
            raise BadParameter(f"{thing.name}: {parameter} must be at least {least}, not {value}")


def _shown(value: object) -> str:
    return repr(value.name.lower() if isinstance(value, Enum) else value)


def _read(kind: Kind, description: str) -> tuple[str, dict[str, object]]:
    try:
        tree = ast.parse(description.strip(), mode="eval").body
        match tree:
            case ast.Name(id=name):
                return name, {}
            case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords):
                return name, {str(word.arg): ast.literal_eval(word.value) for word in keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    if description.replace("-", "_").isidentifier():
        return description, {}
    raise BadParameter(f"{description!r} does not describe a {kind}; write a name or name(parameter=value, ...)")


def _typed(owner: str, field: Field[Any], value: object) -> object:
    """Fit a literal to the field's default: an enum member by its name in lower case, a number where one is meant."""
    default = field.default
    if isinstance(default, Enum):
        members = {member.name.lower(): member for member in type(default)}
        if isinstance(value, str) and value in members:
            return members[value]
        raise BadParameter(f"{owner}: {field.name} must be one of {', '.join(map(repr, members))}, not {value!r}")
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default) or (isinstance(value, float) and not math.isfinite(value)):
        raise BadParameter(f"{owner}: {field.name} must be like {default!r}, not {value!r}")
    return value
