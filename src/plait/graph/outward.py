"""What sites name in packages that are elsewhere, so that other repositories can be asked for it."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from plait.model import Receiver, Unknown, Unresolved
from plait.source.languages import language

ECOSYSTEMS = {
    **{"python": "python", "go": "go", "javascript": "npm", "typescript": "npm"},
    **{"java": "jvm", "kotlin": "jvm", "scala": "jvm", "rust": "rust"},
}
"""Languages in which an import names a package that a repository can be known to publish."""

_OWN = {
    "rust": frozenset({"std", "core", "alloc", "crate", "self", "super"}),
    "jvm": frozenset({"java", "javax", "kotlin", "scala", "jdk", "sun"}),
}
"""First names of what comes with the language."""


@dataclass(frozen=True, slots=True)
class Outward:
    package: str
    """its ecosystem, a colon and the name that an import gives it: `python:requests`, `npm:@org/lib`"""
    within: str
    """of npm: the path below the package"""
    name: str
    """in the package, dotted, calls as `()`: `sessions.Session().get`"""

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2].removesuffix("()")


def outward(site: Unresolved) -> Outward | None:
    """Return what a site names outside; None if that is not known, or comes with the language."""
    ecosystem = ECOSYSTEMS.get(language(site.path) or "", "")
    if ecosystem == "python":
        return _python(site)
    package, _, name = site.detail.partition(" ")
    if not ecosystem or site.reason is not Unknown.EXTERNAL or not name or "?" in name:
        return None
    within = ""
    if ecosystem == "go" and "." not in package.partition("/")[0]:
        return None
    if ecosystem == "npm":
        if package.startswith((".", "/")) or ":" in package:
            return None
        parts = package.split("/")
        count = 2 if package.startswith("@") else 1
        package, within = "/".join(parts[:count]), "/".join(parts[count:])
    if ecosystem in _OWN and package.partition(".")[0] in _OWN[ecosystem]:
        return None
    if ecosystem == "jvm":
        # What a static import or the import of an inner class names before the last dot is a class.
        packages, names = package.split("."), name.split(".")
        while len(packages) > 1 and packages[-1][:1].isupper():
            names.insert(0, packages.pop())
        package, name = ".".join(packages), ".".join(names)
    return Outward(f"{ecosystem}:{package}", within, name)


def _python(site: Unresolved) -> Outward | None:
    reference, full = site.reference, site.detail
    if site.reason is Unknown.RECEIVER and reference.receiver in (Receiver.SELF, Receiver.CLS, Receiver.SUPER):
        # The detail is the base that is outside; the classes here do not define the name.
        if reference.expression.removesuffix(f".{reference.name}") not in ("self", "cls", "super()"):
            return None
        full = f"{full}().{reference.name}"
    elif site.reason is not Unknown.EXTERNAL:
        return None
    top, _, name = full.partition(".")
    if not name or not top.isidentifier() or top in sys.stdlib_module_names:
        return None
    return Outward(f"python:{top}", "", name)
