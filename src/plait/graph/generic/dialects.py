"""How names are found in each language: the rules that differ, as one row a language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from plait.graph.generic import own_names
from plait.graph.generic.own_names import words
from plait.source.languages import language


class Visible(StrEnum):
    """What a file sees without an import."""

    FILE = "file"
    FOLDER = "folder"
    PACKAGE = "package"
    EVERYTHING = "everything"


class Modules(StrEnum):
    """How the text of an import leads to files."""

    RELATIVE = "relative"
    """a path from the importing file, its suffix left out"""
    INCLUDE = "include"
    """a path from the importing file, or the end of one"""
    FOLDER = "folder"
    """the end of the text is a folder"""
    CRATE = "crate"
    """a path of names from the root of the crate"""
    ENDING = "ending"
    """dots or slashes, the end of a path"""
    NAMES = "names"
    """full names, which files declare"""


@dataclass(frozen=True, slots=True)
class Dialect:
    family: str
    """languages of one family call each other"""
    visible: Visible
    modules: Modules
    suffixes: tuple[str, ...] = ()
    """of files that an import can mean, first choice first"""
    implicit_self: bool = False
    """a bare name can be a member of the object"""
    constructors: tuple[str, ...] = ()
    """what making an object runs; `=` is a method with the name of the class"""
    maker: str = ""
    """the method of a class that makes an object: `new`"""
    wrappers: frozenset[str] = frozenset()
    """types that stand for their argument: pointers, options, promises"""
    passing: frozenset[str] = frozenset()
    """methods of wrappers that give what is inside"""
    keeping: frozenset[str] = frozenset()
    """methods of containers that give a container of the same"""
    elements: frozenset[str] = frozenset()
    """methods and properties of containers that give what is in them"""
    bare_calls: bool = False
    """a function without parameters is called by its name alone"""
    nearest: bool = True
    """the declaration before the site counts; without, a variable has all values that it is given anywhere"""
    builtins: frozenset[str] = frozenset()
    """names that are the language's own where nothing here has them"""
    static_type: bool = True
    """receivers mostly have declared types, so that a name alone is a poor reason"""


_STREAM = words(
    "stream parallelStream filter sorted distinct limit skip peek toList iterator sequential parallel boxed"
)
_KOTLIN = words(
    "filter filterNot filterNotNull sortedBy sorted sortedByDescending sortedWith take takeWhile drop dropWhile"
    " asSequence toList toMutableList toSet asReversed reversed distinct distinctBy onEach orEmpty asIterable shuffled"
    " toTypedArray"
)
_PICKED = words("first last firstOrNull lastOrNull single singleOrNull find random elementAt removeFirst removeLast")
_PROMISES = words("Promise PromiseLike Awaited Readonly Partial Required NonNullable Ref Signal Observable Maybe")
_JVM = words("Optional CompletableFuture Future Provider Supplier Lazy AtomicReference WeakReference Class ThreadLocal")
_RUST = words("Option Result Box Rc Arc RefCell Cell Mutex RwLock Cow Pin Weak Ref RefMut MutexGuard OnceCell")
_CPP = words(
    "std.unique_ptr std.shared_ptr std.weak_ptr std.optional std.reference_wrapper unique_ptr shared_ptr optional"
)
_SCRIPT = Dialect(
    family="javascript",
    builtins=own_names.SCRIPT,
    visible=Visible.FILE,
    modules=Modules.RELATIVE,
    suffixes=(".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"),
    constructors=("constructor",),
    wrappers=_PROMISES,
    keeping=words("filter slice sort reverse concat toSorted toReversed values"),
    elements=words("find pop shift at findLast"),
    nearest=False,
)
_NATIVE = Dialect(
    family="c",
    visible=Visible.EVERYTHING,
    modules=Modules.INCLUDE,
    implicit_self=True,
    constructors=("=",),
    wrappers=_CPP,
    passing=words("get lock value release"),
    elements=words("front back at top begin end cbegin cend rbegin"),
)

DIALECTS: dict[str, Dialect] = {
    "bash": Dialect(
        "bash", Visible.EVERYTHING, Modules.ENDING, (".sh", ".bash", ""), nearest=False, builtins=own_names.BASH
    ),
    "c": _NATIVE,
    "cpp": _NATIVE,
    "csharp": Dialect(
        "csharp",
        Visible.PACKAGE,
        Modules.NAMES,
        implicit_self=True,
        constructors=("=",),
        builtins=own_names.CSHARP,
        wrappers=words("Task ValueTask Nullable Lazy WeakReference"),
        passing=words("ConfigureAwait"),
        keeping=words(
            "Where OrderBy OrderByDescending ThenBy Skip Take SkipWhile TakeWhile Reverse Distinct ToList ToArray"
            " AsEnumerable AsQueryable ToHashSet Concat Union Except Intersect Append Prepend"
        ),
        elements=words(
            "First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt Find Peek Pop Dequeue Min Max"
        ),
    ),
    "elixir": Dialect(
        "elixir", Visible.FILE, Modules.NAMES, implicit_self=True, nearest=False, builtins=own_names.ELIXIR
    ),
    "go": Dialect("go", Visible.FOLDER, Modules.FOLDER, builtins=own_names.GO),
    "haskell": Dialect("haskell", Visible.FILE, Modules.NAMES, builtins=own_names.HASKELL),
    "java": Dialect(
        "jvm",
        Visible.PACKAGE,
        Modules.NAMES,
        implicit_self=True,
        constructors=("=",),
        wrappers=_JVM,
        passing=words("get"),
        keeping=_STREAM,
        elements=words("getFirst getLast next findFirst findAny orElse orElseGet orElseThrow poll peek pop remove"),
        builtins=own_names.JAVA,
    ),
    "javascript": _SCRIPT,
    "kotlin": Dialect(
        "jvm",
        Visible.PACKAGE,
        Modules.NAMES,
        implicit_self=True,
        constructors=("constructor", "="),
        builtins=own_names.KOTLIN,
        wrappers=_JVM,
        passing=words("let also apply get await"),
        keeping=_KOTLIN,
        elements=_PICKED,
    ),
    "lua": Dialect(
        "lua", Visible.EVERYTHING, Modules.ENDING, (".lua", "/init.lua"), nearest=False, builtins=own_names.LUA
    ),
    "php": Dialect(
        "php",
        Visible.PACKAGE,
        Modules.NAMES,
        constructors=("__construct",),
        nearest=False,
        builtins=own_names.PHP,
    ),
    "ruby": Dialect(
        "ruby",
        Visible.EVERYTHING,
        Modules.ENDING,
        (".rb",),
        implicit_self=True,
        constructors=("initialize",),
        maker="new",
        bare_calls=True,
        builtins=own_names.RUBY,
        nearest=False,
        static_type=False,
    ),
    "rust": Dialect(
        "rust",
        Visible.FILE,
        Modules.CRATE,
        (".rs", "/mod.rs"),
        wrappers=_RUST,
        builtins=own_names.RUST,
        keeping=words(
            "iter iter_mut into_iter as_slice rev filter skip take skip_while take_while cloned copied as_ref as_mut"
            " borrow borrow_mut clone lock collect peekable chain drain to_vec iter_mut step_by by_ref"
        ),
        elements=words(
            "first last get get_mut first_mut last_mut next next_back pop pop_front pop_back nth max_by_key min_by_key"
            " find remove swap_remove peek front back"
        ),
        passing=words(
            "unwrap expect unwrap_or_default unwrap_or clone as_ref as_mut borrow borrow_mut lock read write await iter"
            " as_deref ok take to_owned"
        ),
    ),
    "scala": Dialect(
        "jvm",
        Visible.PACKAGE,
        Modules.NAMES,
        implicit_self=True,
        constructors=("apply",),
        builtins=own_names.JAVA,
        wrappers=_JVM | words("Option Some Try IO"),
        passing=words("get getOrElse"),
        keeping=words("filter filterNot sorted sortBy take drop reverse distinct toList toSeq tail init iterator"),
        elements=words("head last min max"),
        bare_calls=True,
    ),
    "swift": Dialect(
        "swift",
        Visible.EVERYTHING,
        Modules.NAMES,
        implicit_self=True,
        constructors=("init",),
        wrappers=words("Optional"),
        keeping=words("filter sorted reversed shuffled prefix suffix dropFirst dropLast lazy"),
        elements=words("first last min max randomElement popLast removeFirst removeLast"),
        bare_calls=True,
        builtins=own_names.SWIFT,
    ),
    "typescript": _SCRIPT,
    "zig": Dialect("zig", Visible.FILE, Modules.RELATIVE, ("",)),
}


def family_of(path: str) -> str:
    """Return the family of a file; the language itself for one without a row here, empty without a language."""
    spoken = language(path) or ""
    return DIALECTS[spoken].family if spoken in DIALECTS else spoken
