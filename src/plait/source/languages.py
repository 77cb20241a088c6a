"""Which files plait reads, by suffix or name. A language is the name of its parser plug-in."""

from __future__ import annotations

from plait.model import Content

_SUFFIXES = {
    "bash": "sh bash bats ksh zsh",
    "c": "c",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cu cuh h",
    "csharp": "cs csx",
    "elixir": "ex exs",
    "go": "go",
    "haskell": "hs",
    "java": "java",
    "javascript": "js jsx mjs cjs",
    "kotlin": "kt kts",
    "lua": "lua",
    "php": "php phtml php5 phps",
    "python": "py pyw pyi ipynb",
    "ruby": "rb rake gemspec ru rbw",
    "rust": "rs",
    "scala": "scala sc sbt",
    "swift": "swift",
    "typescript": "ts tsx mts cts vue svelte",
    "zig": "zig zon",
}

LANGUAGES = {f".{ending}": spoken for spoken, endings in _SUFFIXES.items() for ending in endings.split()}

NAMES = {
    "rakefile": "ruby",
    "gemfile": "ruby",
    "podfile": "ruby",
    "fastfile": "ruby",
    "vagrantfile": "ruby",
    "brewfile": "ruby",
    "guardfile": "ruby",
    ".bashrc": "bash",
    ".bash_profile": "bash",
    ".bash_aliases": "bash",
    ".profile": "bash",
    ".zshrc": "bash",
    "pkgbuild": "bash",
}
"""Files without a suffix that say what they are by their name, in small letters."""


_DOCS = {
    "markdown": "md markdown mdown mkd mdx qmd rmd",
    "rst": "rst rest",
    "text": "txt text",
}
_CONFIG = {
    "sql": "sql ddl",
    "protobuf": "proto",
    "terraform": "tf hcl",
    "toml": "toml",
    "yaml": "yaml yml",
    "json": "json jsonc json5",
    "ini": "ini cfg conf properties editorconfig",
    "makefile": "mk mak make",
    "dockerfile": "dockerfile containerfile",
}
_NAMED = {
    "text": "readme license licence copying authors contributors changelog changes news notice install todo",
    "dockerfile": "dockerfile containerfile",
    "makefile": "makefile gnumakefile",
    "ini": ".editorconfig .gitconfig .gitattributes .env.example .env.sample .env.template .env.dist",
    "toml": "pipfile",
    "json": ".babelrc .eslintrc .prettierrc",
    "yaml": ".clang-format .clang-tidy",
}
NOTEBOOK = ".ipynb"
WINDOWS = "windows"
"""The language of any other text."""

_CONTENTS = {
    **dict.fromkeys(_DOCS, Content.DOCS),
    **dict.fromkeys(_CONFIG, Content.CONFIG),
}
SPOKEN = frozenset({*_SUFFIXES, *_CONTENTS, WINDOWS})
"""All languages that a symbol can be of."""

_OTHER_SUFFIXES = {f".{ending}": spoken for spoken, endings in (_DOCS | _CONFIG).items() for ending in endings.split()}
_OTHER_NAMES = {name: spoken for spoken, names in _NAMED.items() for name in names.split()}


def suffix(path: str) -> str:
    """Return the last suffix of a path with `/` in small letters with its dot; empty without one, or for `.name`."""
    dot = path.rfind(".")
    return path[dot:].lower() if path.rfind("/") + 1 < dot < len(path) - 1 else ""


def language(path: str, content: Content = Content.CODE) -> str | None:
    """Return the language as which an index of that content reads a file; None if it does not."""
    ending = suffix(path)
    if content is Content.CODE and ending in LANGUAGES:
        return LANGUAGES[ending]
    name = path.rpartition("/")[2].lower()
    if content is not Content.DOCS and content is not Content.CONFIG:
        code = LANGUAGES.get(ending) or NAMES.get(name)
        if code or content is Content.CODE:
            return code
    elif content is Content.DOCS and ending == NOTEBOOK:
        return "markdown"
    other = _OTHER_SUFFIXES.get(ending) or _OTHER_NAMES.get(name) or _staged(name)
    if content is Content.ALL:
        return other or WINDOWS
    return other if other and _CONTENTS[other] is content and not _is_code(ending, name) else None


def content_of(path: str) -> Content | None:
    """Return the one content that a file belongs to; None for what is read, if it is text, as part of all only."""
    ending, name = suffix(path), path.rpartition("/")[2].lower()
    if _is_code(ending, name):
        return Content.CODE
    other = _OTHER_SUFFIXES.get(ending) or _OTHER_NAMES.get(name) or _staged(name)
    return _CONTENTS[other] if other else None


def _is_code(ending: str, name: str) -> bool:
    return ending in LANGUAGES or name in NAMES


def _staged(name: str) -> str | None:
    """`Dockerfile.dev` and `Makefile.am` say by their first part what they are."""
    found = _OTHER_NAMES.get(name.partition(".")[0]) if "." in name[1:] else None
    return found if found in ("dockerfile", "makefile") else None
