"""What a name that other repositories use means in the repository that publishes it.

Nothing is guessed from a name alone: the package is one that the repository's manifest declares, and each further step
is a definition, a member of a class or of a base, or a name that a module passes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from plait.fleet.published import Alias
from plait.graph.outward import Outward
from plait.model import EdgeKind, SymbolId
from plait.parse.naming import is_test_path
from plait.store.lance.part import Part

_DEEPEST = 8
"""Names that are passed on from one module to the next."""

_CONSTRUCTORS = ("__init__", "constructor")
_SUFFIXES = (".py", "/__init__.py", ".pyi", "/__init__.pyi")


@dataclass(frozen=True, slots=True)
class Meant:
    targets: tuple[int, ...]
    """numbers of symbols; several are overloads"""
    is_class: bool = False
    is_member: bool = False
    """a member of a class or object, so inheritance was followed"""
    only_by_name: bool = False
    """the package has one such name at the top of a file, and how it is exported was not followed"""


class Names:
    """Of one build."""

    def __init__(self, part: Part) -> None:
        self._part = part
        told = part.noted("published")
        self.packages: dict[str, str] = dict(told["packages"])
        self._aliases = [Alias(*one) for one in told["aliases"]]

    def meant(self, outward: Outward) -> Meant | Outward | None:
        """Return what a name means here, where it leads from here if that is elsewhere, or None."""
        names = outward.name.split(".")
        ecosystem = outward.package.partition(":")[0]
        if ecosystem == "python":
            return self._python([outward.package.partition(":")[2], *names])
        if "()" in names[0] and len(names) > 1 and not self._is_class_at(outward, names[0]):
            return None
        if ecosystem == "jvm":
            plain = [one.removesuffix("()") for one in names]
            return self._of([outward.package.partition(":")[2], *plain])
        tops = self._tops(outward, names[0].removesuffix("()"))
        return self._members(tops, names[1:], by_name=ecosystem in ("npm", "rust"))

    # Python

    @cached_property
    def _modules(self) -> dict[str, int]:
        """Modules by path."""
        kinds = self._part.column("kind")
        return {path: one for one, path in enumerate(self._part.column("path")) if kinds[one] == "module"}

    @cached_property
    def _passed_on(self) -> dict[str, dict[str, list[Alias]]]:
        found: dict[str, dict[str, list[Alias]]] = {}
        for one in self._aliases:
            found.setdefault(one.path, {}).setdefault(one.name, []).append(one)
        return found

    def _module(self, stem: str) -> int | None:
        return next((self._modules[stem + end] for end in _SUFFIXES if stem + end in self._modules), None)

    def _stem(self, names: Sequence[str]) -> tuple[str, int] | None:
        """Return the place of the longest package here that the names begin with, and how many of them it takes."""
        for count in range(len(names), 0, -1):
            place = self.packages.get(f"python:{'.'.join(names[:count])}")
            if place is not None:
                return place, count
        return None

    def _python(self, names: Sequence[str], depth: int = 0) -> Meant | Outward | None:
        found = self._stem(names)
        if found is None:
            return Outward(f"python:{names[0]}", "", ".".join(names[1:])) if depth and len(names) > 1 else None
        stem, count = found
        module = self._module(stem)
        return None if module is None else self._in_module(module, names[count:], depth)

    def _in_module(self, module: int, names: Sequence[str], depth: int) -> Meant | Outward | None:
        if not names or depth > _DEEPEST:
            return None
        name, rest = names[0].removesuffix("()"), names[1:]
        own = self._children.get(self._part.ids[module], {}).get(name)
        path: str = self._part.column("path")[module]
        if own:
            if names[0].endswith("()") and rest and not self._is_class(own[-1]):
                return None  # what a function returns is not followed
            return self._members(own[-1:], rest)
        passed = self._passed_on.get(path, {})
        for alias in passed.get(name, ())[-1:]:
            onward = [*(alias.target.split(".") if alias.target else []), *rest]
            if names[0].endswith("()") and onward:
                at = len(onward) - len(rest) - 1
                onward[at] = f"{onward[at]}()" if at >= 0 else onward[at]
            found = self._at(path, alias.place, onward, depth + 1)
            if found is not None:
                return found
        stem = path.rpartition(".")[0].removesuffix("/__init__")
        below = self._module(f"{stem}/{name}") if path.endswith(("/__init__.py", "/__init__.pyi")) else None
        if below is not None and not names[0].endswith("()"):
            return self._in_module(below, rest, depth + 1)
        starred = (self._at(path, alias.place, names, depth + 1) for alias in passed.get("*", ()))
        return next((one for one in starred if isinstance(one, Meant)), None)

    def _at(self, path: str, place: str, names: Sequence[str], depth: int) -> Meant | Outward | None:
        if not place:
            module = self._modules.get(path)
        elif place.startswith("./"):
            module = self._module(place[2:])
        else:
            return self._python([*place.split("."), *names], depth)
        return None if module is None else self._in_module(module, names, depth)

    # All languages

    @cached_property
    def _children(self) -> dict[SymbolId, dict[str, list[int]]]:
        found: dict[SymbolId, dict[str, list[int]]] = {}
        parents, names = self._part.column("parent"), self._part.column("name")
        for number, parent in enumerate(parents):
            if parent is not None:
                found.setdefault(parent, {}).setdefault(names[number], []).append(number)
        return found

    @cached_property
    def _by_qualified_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self._part.column("qualified_name")):
            found.setdefault(name, []).append(number)
        return found

    def _is_class(self, number: int) -> bool:
        return bool(self._part.column("kind")[number] == "class")

    def _is_class_at(self, outward: Outward, name: str) -> bool:
        plain = name.removesuffix("()")
        if outward.package.startswith("jvm:"):
            found = self._by_qualified_name.get(f"{outward.package[4:]}.{plain}", [])
        else:
            found = self._tops(outward, plain)
        return bool(found) and all(map(self._is_class, found))

    def _tops(self, outward: Outward, name: str) -> list[int]:
        """What the files of a package define at their top under a name: tests are left out."""
        ecosystem, _, package = outward.package.partition(":")
        folder = self.packages.get(outward.package)
        whole = ecosystem != "go"
        if ecosystem == "go":
            for module, place in self.packages.items():
                if f"{package}/".startswith(f"{module[3:]}/"):
                    below = package[len(module) - 3 :].strip("/")
                    folder = "/".join(one for one in (place, below) if one)
        paths, parents, kinds = (self._part.column(one) for one in ("path", "parent", "kind"))
        found = []
        for number in self._part.named.get(name, ()) if folder is not None else ():
            parent = parents[number]
            is_top = parent is not None and kinds[self._part.numbers[parent]] == "module"
            around: str = paths[number].rpartition("/")[0]
            inside = f"{around}/".startswith(f"{folder}/") if folder else True
            if is_top and not is_test_path(paths[number]) and (inside if whole else around == folder):
                found.append(number)
        return found if not whole or len(found) == 1 else []

    def _of(self, names: Sequence[str]) -> Meant | None:
        """Of the JVM: by the full name."""
        for count in range(len(names), 1, -1):
            found = self._by_qualified_name.get(".".join(names[:count]))
            if found and (count == len(names) or self._is_class(found[0])):
                found = [one for one in found if not is_test_path(self._part.column("path")[one])]
                meant = self._members(found, names[count:]) if found else None
                parent = self._part.column("parent")[found[0]] if found else None
                inside = parent is not None and self._is_class(self._part.numbers[parent])
                return meant and replace(meant, is_member=meant.is_member or inside)
        return None

    def _members(self, found: Sequence[int], names: Sequence[str], *, by_name: bool = False) -> Meant | None:
        is_member = False
        for place, name in enumerate(names):
            classes = [one for one in found if self._is_class(one)]
            plain = name.removesuffix("()")
            members = self._member(classes, plain)
            if not members or (name.endswith("()") and place < len(names) - 1):
                return None
            found, is_member = members, True
        if not found:
            return None
        if all(map(self._is_class, found)) and len(found) == 1:
            return Meant(tuple(found), is_class=True, is_member=is_member, only_by_name=by_name)
        found = found[-1:] if str(self._part.column("language")[found[0]]) == "python" else found
        return Meant(tuple(found), is_member=is_member, only_by_name=by_name)

    def _member(self, classes: Sequence[int], name: str) -> list[int]:
        """What the nearest of a class and its bases here defines under a name."""
        layer, seen = list(classes), set(classes)
        while layer:
            for one in layer:
                if own := self._own(one, name):
                    return own
            rows = self._part.edge_rows(layer, [EdgeKind.INHERITS], "source")
            above = [self._part.numbers[edge.target] for edge in self._part.edges(rows)]
            layer = [one for one in dict.fromkeys(above) if one not in seen]
            seen.update(layer)
        return []

    def _own(self, class_: int, name: str) -> list[int]:
        own = self._children.get(self._part.ids[class_], {}).get(name)
        if own or self._part.column("language")[class_] not in ("go", "rust"):
            return own or []
        # Methods stand outside of the type, in Go in any file of the folder.
        paths, qualified = self._part.column("path"), self._part.column("qualified_name")
        folder, wanted = paths[class_].rpartition("/")[0], f"{qualified[class_]}.{name}"
        found = self._by_qualified_name.get(wanted, [])
        return [one for one in found if paths[one].rpartition("/")[0] == folder]

    def constructor(self, class_: int) -> list[int]:
        """The constructors that a class itself defines."""
        own = self._children.get(self._part.ids[class_], {})
        name = self._part.column("name")[class_]
        jvm = self._part.column("language")[class_] in ("java", "kotlin")
        return next((own[one] for one in (*_CONSTRUCTORS, *([name] if jvm else [])) if one in own), [])

    def run_by(self, class_: int) -> list[int]:
        """What making one runs, as within a repository: its constructor, or the class and what it inherits."""
        if own := self.constructor(class_):
            return own
        inherited = self._member([class_], "__init__") if self._part.column("language")[class_] == "python" else []
        return [class_, *inherited[-1:]]

    def known_as(self, number: int) -> list[str]:
        """Return the last names under which a symbol may be asked for, sorted."""
        names = self._part.column("name")
        found = {names[number]}
        parent = self._part.column("parent")[number]
        if parent is not None and number in self.constructor(self._part.numbers[parent]):
            class_ = self._part.numbers[parent]
            found |= {names[one] for one in (class_, *self._below(class_))}
        for _ in range(_DEEPEST):
            more = {one.name for one in self._aliases if one.target.rpartition(".")[2] in found} - found
            if not more:
                break
            found |= more
        return sorted(found - {"*"})

    def _below(self, class_: int) -> list[int]:
        layer, found = [class_], dict[int, None]()
        while layer:
            edges = self._part.edges(self._part.edge_rows(layer, [EdgeKind.INHERITS], "target"))
            below = [self._part.numbers[edge.source] for edge in edges]
            layer = [one for one in dict.fromkeys(below) if one not in found and one != class_]
            found |= dict.fromkeys(layer)
        return list(found)

    def ask(self, number: int) -> Iterator[str]:
        """Yield the packages by which a symbol can be asked for."""
        path: str = self._part.column("path")[number]
        module: str = self._part.column("module")[number]
        for package, place in self.packages.items():
            ecosystem, _, name = package.partition(":")
            if ecosystem == "python" and path.endswith((".py", ".pyi")):
                yield f"python:{name.partition('.')[0]}"
            elif ecosystem == "go" and path.endswith(".go"):
                below = path.rpartition("/")[0][len(place) :].strip("/")
                yield f"{package}/{below}" if below else package
            elif (ecosystem == "jvm" and name == module) or ecosystem in ("npm", "rust"):
                yield package


def row_of(outward: dict[str, Any]) -> Outward:
    return Outward(outward["package"], outward["within"], outward["name"])
