"""What an operation can be asked with: read, checked and described from one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plait.doors.http.faults import Fault, bad
from plait.doors.render import Json

QUERY, K, DEPTH, LIMIT, BODY = 2_000, 200, 10, 1_000, 64 * 1024
"""The most: characters of a question, results, hops, items of a list, bytes of a body."""

NAME = 400
"""The most characters of a name: a symbol's, a strategy's, a path's."""

Kind = Literal["text", "integer", "switch"]
Given = Mapping[str, Any]
"""Parameter -> value, every parameter of the operation; a repeatable one has a list."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: Kind
    about: str
    required: bool = False
    default: Any = None
    many: bool = False
    """may be repeated"""
    least: int = 0
    most: int = NAME
    """of an integer; of a text its characters"""
    choices: tuple[str, ...] = ()
    pattern: str = ""
    in_path: bool = False
    nullable: bool = False
    """in a body: may be null"""

    def read(self, text: str) -> Any:
        """Raises Fault."""
        match self.kind:
            case "integer":
                if not re.fullmatch(r"-?[0-9]{1,9}", text) or not self.least <= int(text) <= self.most:
                    raise bad(f"{self.name} must be a whole number from {self.least} to {self.most}, not {text[:40]!r}")
                return int(text)
            case "switch":
                if text not in ("true", "false"):
                    raise bad(f"{self.name} must be true or false, not {text[:40]!r}")
                return text == "true"
            case _:
                return self._text(text)

    def take(self, value: object) -> Any:
        """Check a value of a body. Raises Fault."""
        if value is None and self.nullable:
            return None
        kinds = {"text": str, "integer": int, "switch": bool}
        if not isinstance(value, kinds[self.kind]) or (self.kind == "integer" and isinstance(value, bool)):
            raise bad(f"{self.name} must be a {self.kind}, not {type(value).__name__}")
        return self._text(value) if isinstance(value, str) else self.read(str(value).lower())

    def _text(self, text: str) -> str:
        if "\0" in text:
            raise bad(f"{self.name} holds a null byte")
        if len(text) > self.most:
            code = "query_too_long" if self.name == "q" else "bad_request"
            told = f"{self.name} has {len(text):,} characters; {self.most:,} are taken"
            raise Fault(414 if self.name == "q" else 400, code, told)
        if self.choices and text not in self.choices:
            raise bad(f"{self.name} must be one of {', '.join(self.choices)}, not {text[:40]!r}")
        if self.pattern and not re.fullmatch(self.pattern, text):
            raise bad(f"{self.name} must match {self.pattern}, not {text[:40]!r}")
        return text

    @property
    def schema(self) -> Json:
        made: Json = {"type": {"text": "string", "integer": "integer", "switch": "boolean"}[self.kind]}
        if self.kind == "integer":
            made |= {"minimum": self.least, "maximum": self.most}
        elif self.kind == "text" and self.choices:
            made["enum"] = list(self.choices)
        elif self.kind == "text":
            made |= {"maxLength": self.most} | ({"pattern": f"^{self.pattern}$"} if self.pattern else {})
        if self.many:
            return {"type": "array", "items": made}
        if self.nullable:
            made["type"] = [made["type"], "null"]
        return made | ({"default": self.default} if self.default is not None else {})

    @property
    def described(self) -> Json:
        """As OpenAPI has it."""
        made: Json = {
            "name": self.name,
            "in": "path" if self.in_path else "query",
            "required": self.required,
            "description": self.about,
            "schema": self.schema,
        }
        return made | ({"style": "form", "explode": True} if self.many else {})


def read(parameters: Sequence[Parameter], pairs: Sequence[tuple[str, str]], in_path: Mapping[str, str]) -> Given:
    """Read what was sent; an empty value counts as not sent, but for a required one. Raises Fault."""
    known = {one.name: one for one in parameters if not one.in_path}
    for name, _ in pairs:
        if name not in known:
            raise bad(f"no parameter is called {name[:40]!r}; there are: {', '.join(known) or 'none'}")
    found: dict[str, Any] = {}
    for one in parameters:
        sent = [in_path[one.name]] if one.in_path else [value for name, value in pairs if name == one.name]
        if len(sent) > 1 and not one.many:
            raise bad(f"{one.name} is there {len(sent)} times; give it once")
        if one.many and len(sent) > LIMIT:
            raise bad(f"{one.name} is there {len(sent)} times; {LIMIT} are taken")
        values = [one.read(value) for value in sent if value or one.required]
        if one.required and not values:
            raise bad(f"{one.name} is missing: {one.about}")
        found[one.name] = values if one.many else values[0] if values else one.default
    return found


def read_body(fields: Sequence[Parameter], value: object) -> dict[str, Any]:
    """Read the object of a body. Raises Fault."""
    if not isinstance(value, dict):
        raise bad("the body must be a JSON object")
    names = [one.name for one in fields]
    for name in value:
        if name not in names:
            raise bad(f"no field is called {name[:40]!r}; there are: {', '.join(names)}")
    found: dict[str, Any] = {}
    for one in fields:
        if one.name in value:
            found[one.name] = one.take(value[one.name])
        elif one.required:
            raise bad(f"{one.name} is missing: {one.about}")
        else:
            found[one.name] = one.default
    return found


def text(name: str, about: str, **more: Any) -> Parameter:
    return Parameter(name, "text", about, **more)


def integer(name: str, default: int, least: int, most: int, about: str) -> Parameter:
    return Parameter(name, "integer", about, default=default, least=least, most=most)


def switch(name: str, about: str, default: bool | None = None) -> Parameter:
    return Parameter(name, "switch", about, default=default)
