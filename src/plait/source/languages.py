"""Which files plait reads, by suffix or name. A language is the name of its parser plug-in."""

from __future__ import annotations

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
    "python": "py pyw pyi",
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


def suffix(path: str) -> str:
    """Return the last suffix of a path with `/` in small letters with its dot; empty without one, or for `.name`."""
    dot = path.rfind(".")
    return path[dot:].lower() if path.rfind("/") + 1 < dot < len(path) - 1 else ""


def language(path: str) -> str | None:
    return LANGUAGES.get(suffix(path)) or NAMES.get(path.rpartition("/")[2].lower())
