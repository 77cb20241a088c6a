"""What is left out unless `.plaitignore` brings it back: code that nobody here writes."""

from __future__ import annotations

import re
from functools import cache

from plait.model import SkipReason

Denial = tuple[SkipReason, str]
"""reason and detail, as in Skipped"""

_DEPENDENCIES = (SkipReason.VENDORED, "installed dependencies")
_COPIED = (SkipReason.VENDORED, "copied dependencies")
_CACHE = (SkipReason.BUILD, "cache of a tool")
_BUILT = (SkipReason.BUILD, "by its name")
ENVIRONMENT = (SkipReason.VENDORED, "virtual environment")

FOLDERS: dict[str, Denial] = {
    "node_modules": _DEPENDENCIES,
    "bower_components": _DEPENDENCIES,
    "jspm_packages": _DEPENDENCIES,
    "site-packages": _DEPENDENCIES,
    "dist-packages": _DEPENDENCIES,
    "__pypackages__": _DEPENDENCIES,
    "Pods": _DEPENDENCIES,
    "vendor": _COPIED,
    "_vendor": _COPIED,
    "vendored": _COPIED,
    "_vendored": _COPIED,
    "third_party": _COPIED,
    "third-party": _COPIED,
    "thirdparty": _COPIED,
    "3rdparty": _COPIED,
    ".venv": ENVIRONMENT,
    ".tox": ENVIRONMENT,
    ".nox": ENVIRONMENT,
    ".direnv": ENVIRONMENT,
    "__pycache__": _CACHE,
    ".mypy_cache": _CACHE,
    ".pytest_cache": _CACHE,
    ".ruff_cache": _CACHE,
    ".hypothesis": _CACHE,
    ".ipynb_checkpoints": _CACHE,
    ".gradle": _CACHE,
    ".next": _BUILT,
    ".nuxt": _BUILT,
    ".eggs": _BUILT,
}
"""By the folder's name, wherever it is."""

UNTRACKED_FOLDERS: dict[str, Denial] = {
    "build": _BUILT,
    "_build": _BUILT,
    "dist": _BUILT,
    "out": _BUILT,
    "target": _BUILT,
    "env": ENVIRONMENT,
    "venv": ENVIRONMENT,
}
"""Names that source folders have, too: such a folder stays if git tracks a file in it, or if it is a Python package."""

ENVIRONMENT_MARK = "pyvenv.cfg"
"""The file that makes a folder a virtual environment, whatever the folder is called (PEP 405)."""

FILES: tuple[tuple[str, Denial], ...] = (
    ("*.min.js", (SkipReason.MINIFIED, "by its name")),
    ("*.min.mjs", (SkipReason.MINIFIED, "by its name")),
    ("*.min.css", (SkipReason.MINIFIED, "by its name")),
    ("*.bundle.js", (SkipReason.MINIFIED, "by its name")),
    ("*_pb2.py", (SkipReason.GENERATED, "by protoc, by its name")),
    ("*_pb2_grpc.py", (SkipReason.GENERATED, "by protoc, by its name")),
    ("*.pb.go", (SkipReason.GENERATED, "by protoc, by its name")),
    ("package-lock.json", (SkipReason.LOCK, "of npm")),
    ("npm-shrinkwrap.json", (SkipReason.LOCK, "of npm")),
    ("pnpm-lock.yaml", (SkipReason.LOCK, "of pnpm")),
    ("composer.lock", (SkipReason.LOCK, "of Composer")),
    ("cargo.lock", (SkipReason.LOCK, "of Cargo")),
    ("poetry.lock", (SkipReason.LOCK, "of Poetry")),
    ("pdm.lock", (SkipReason.LOCK, "of PDM")),
    ("uv.lock", (SkipReason.LOCK, "of uv")),
    ("yarn.lock", (SkipReason.LOCK, "of Yarn")),
    ("bun.lock", (SkipReason.LOCK, "of Bun")),
    ("deno.lock", (SkipReason.LOCK, "of Deno")),
    ("pipfile.lock", (SkipReason.LOCK, "of Pipenv")),
    ("gemfile.lock", (SkipReason.LOCK, "of Bundler")),
    ("mix.lock", (SkipReason.LOCK, "of Mix")),
    ("flake.lock", (SkipReason.LOCK, "of Nix")),
    ("pubspec.lock", (SkipReason.LOCK, "of pub")),
    ("podfile.lock", (SkipReason.LOCK, "of CocoaPods")),
    ("packages.lock.json", (SkipReason.LOCK, "of NuGet")),
    ("go.sum", (SkipReason.LOCK, "of Go modules")),
    (".terraform.lock.hcl", (SkipReason.LOCK, "of Terraform")),
    ("*.js.map", (SkipReason.GENERATED, "by its name")),
    ("*.css.map", (SkipReason.GENERATED, "by its name")),
)
"""By the file's name in small letters, whole or (`*`) its end; the first that fits."""

_NAMES = {name: denial for name, denial in FILES if not name.startswith("*")}
_ENDS = {name[1:]: denial for name, denial in FILES if name.startswith("*")}
_EVERY_END = tuple(_ENDS)

_SAMPLES = (".example", ".sample", ".template", ".dist", ".pub")
_SECRETS = re.compile(
    r"\.env(?:\..*)?|.*\.env|\.envrc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.pypirc|\.npmrc|\.yarnrc|\.htpasswd|\.git-credentials"
    r"|\.dockercfg|\.s3cfg|\.boto|credentials|credentials\.(?:json|ya?ml|toml|ini|txt|csv)|auth\.json"
    r"|(?:.*[._-])?secrets?\.(?:json|ya?ml|toml|ini|txt|env|properties|conf)|.*\.secrets?|service[-_]account.*\.json"
    r"|client_secret.*\.json|id_(?:rsa|dsa|ecdsa|ed25519).*|.*\.(?:pem|key|p8|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|gpg|asc)"
    r"|.*\.(?:crt|cer|der|csr)|.*\.ovpn|.*\.tfstate(?:\..*)?|.*\.tfvars(?:\.json)?|known_hosts|authorized_keys"
)
"""By the file's name in small letters: files for passwords and tokens, keys, certificates, states of Terraform."""

_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")

LONGEST_LINE = 20_000
"""Characters. Longer lines are data or minified code; a tree-sitter grammar needed 1.2 s and 440 MB for 5 MB in one."""

_HEADER_SIZE = 4_096
_HEADER = re.compile(r"(?:\s|#.*|//.*|--.*|;.*|%.*|/\*[\s\S]*?(?:\*/|\Z)|<!--[\s\S]*?(?:-->|\Z))*")
"""The comments that a file begins with: a marker in a string or further down belongs to a program that writes it."""

_MARKERS: tuple[tuple[str, str], ...] = (
    # Go's convention (go.dev/s/generatedcode), protoc, gRPC, Thrift, mockgen and most others
    (r"generated\b[\s\S]{0,300}?\bdo not (?:edit|modify)\b", "DO NOT EDIT"),
    (r"\bdo not (?:edit|modify)\b[\s\S]{0,300}?generated\b", "DO NOT EDIT"),
    # Meta's tools, Relay, rustfmt and Prettier leave such files alone; `@partially-generated` is written by hand, too
    (r"(?<![\w@-])@generated\b", "@generated"),
    # .NET
    (r"<auto-?generated\b", "<auto-generated>"),
    # SWIG, ctypesgen, pyuic
    (r"\bfile (?:is|was|has been) auto(?:matically|matic)?[ -]?generated\b", "automatically generated"),
    (r"\ball changes made in this file will be lost\b", "all changes will be lost"),
    # ANTLR
    (r"\bgenerated from \S+\.g4? by antlr\b", "by ANTLR"),
)


@cache
def _generated() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern, re.IGNORECASE), name) for pattern, name in _MARKERS]


def of_folder(name: str, *, tracked: bool, package: bool) -> Denial | None:
    """Judge a folder by its name, whether git tracks something in it, and whether it is a Python package."""
    found = FOLDERS.get(name)
    return found if found or tracked or package else UNTRACKED_FOLDERS.get(name)


def of_file(name: str) -> Denial | None:
    name = name.lower()
    if name.endswith(_EVERY_END):  # one call for what is true of few files: every listing asks this of all
        return next(denial for end, denial in _ENDS.items() if name.endswith(end))
    return _NAMES.get(name)


def of_secret(name: str) -> Denial | None:
    """Judge by its name a file that is not code."""
    name = name.lower()
    if name.endswith(_SAMPLES) or not _SECRETS.fullmatch(name):
        return None
    return SkipReason.SECRET, "by its name"


def of_key(text: str) -> Denial | None:
    """Judge a file that is not code by whether a private key is in it."""
    return (SkipReason.SECRET, "a private key is in it") if _PRIVATE_KEY.search(text) else None


def of_text(text: str) -> Denial | None:
    """Judge a file by what it says of itself in its first comments, and by its longest line."""
    comments = _HEADER.match(text, 0, _HEADER_SIZE)
    header = comments[0] if comments else ""
    for marker, name in _generated():
        if marker.search(header):
            return SkipReason.GENERATED, f"its header says so: {name}"
    longest = max(map(len, re.split(r"\r\n|\r|\n", text)))
    return (SkipReason.LONG_LINE, f"a line of {longest:,} characters") if longest > LONGEST_LINE else None
