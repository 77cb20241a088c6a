"""Which files there are.

In a git work tree exactly git's: `git ls-files --cached --others --exclude-standard`. Elsewhere all files, less those
that `.gitignore` files below the root name. From these the default denials (`denials.py`) and what `.plaitignore` files
name are left out; with `!` a `.plaitignore` brings back what any of the three leaves out. In a git work tree one counts
if git lists it, or a file of a language in its folder or below. Of the verdicts on a path and the folders around it the
nearest counts:

- a `.plaitignore` pattern that matches the path itself decides;
- a path in a folder that is left out is left out;
- in a folder that a `!` pattern brings back, neither git's ignoring nor a denial of files counts any more;
- what git ignores is left out, and so is what a denial names.

A folder that is left out is not looked into, unless a `!` pattern with a slash in it could match something there.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from plait import git
from plait.model import Content, FileState, Skipped, SkipReason
from plait.source import denials
from plait.source.denials import Denial
from plait.source.ignore import IgnoreFile
from plait.source.languages import content_of, language, suffix

RULES = ".plaitignore"
GIT_RULES = ".gitignore"

_BY_PATH = attrgetter("path")


@dataclass(frozen=True, slots=True)
class Listing:
    files: tuple[FileState, ...]
    """of a language of the content, by path"""
    rules: tuple[FileState, ...]
    """the `.plaitignore` files that were followed, by path"""
    skipped: tuple[Skipped, ...]
    """everything else that was seen, by path"""
    wanted: frozenset[str]
    """paths of files that a `!` pattern names: no denial applies to what is in them"""
    by_git: bool
    """git answered for the root"""
    lister: _Lister | None = field(default=None, compare=False, repr=False)
    """what can still tell why files are left out; None if `skipped` is complete"""
    content: Content = Content.CODE
    others: tuple[tuple[Content, int], ...] = ()
    """files of other contents: how many of each, in the order of the contents; as complete as `skipped`"""

    def explained(self) -> Listing:
        """Return the same files with all that is skipped. Nothing that was looked at is looked at again."""
        return self if self.lister is None else self.lister.listing(self.by_git, reasons=True)

    @property
    def observed(self) -> list[FileState]:
        """What an index depends on, by path."""
        return sorted([*self.files, *self.rules], key=_BY_PATH)


def discover(root: Path, *, submodules: bool = False, reasons: bool = True, content: Content = Content.CODE) -> Listing:
    """List the files of a content below root. Without reasons, `skipped` is incomplete and git is asked less: see
    `Listing.explained`.

    Submodules and other repositories below root are entered on request. A symbolic link is never followed out of root
    or into a folder; one to a file is followed if its own name tells the language and the file's name does not.
    """
    root = Path(os.path.realpath(root))
    by_git = git.has_work_tree(root)
    lister = _Lister(root, submodules, content)
    lister.list(by_git)
    return lister.listing(by_git, reasons=reasons)


@dataclass(frozen=True, slots=True)
class _LeftOut:
    path: str
    """the outermost folder that is left out, with a slash behind it, or the file itself"""
    denial: Denial


@dataclass(frozen=True, slots=True)
class _Folder:
    left_out: _LeftOut | None
    brought_back: bool
    """a `!` pattern names it or a folder around it"""
    by_git: bool
    """git lists what is in it"""
    is_link: bool = False
    """in the place of a folder that git tracks: for git its files are gone"""
    rules: tuple[tuple[int, str, IgnoreFile], ...] = ()
    """the `.plaitignore` files in effect, innermost first: depth and path of their folder"""
    git_rules: tuple[tuple[int, str, IgnoreFile], ...] = ()
    """the `.gitignore` files, where git does not list"""


class _Lister:
    def __init__(self, root: Path, submodules: bool, content: Content) -> None:
        self.files: list[FileState] = []
        self.rules: list[FileState] = []
        self.wanted: set[str] = set()
        self._root = root
        self._within = os.path.join(root, "")
        self._submodules = submodules
        self._content = content
        self._folders: dict[str, _Folder] = {}
        self._tracked: list[str] = []
        """by git, sorted"""
        self._links: list[str] = []
        self._unread: dict[str, str] = {}
        """files in no language of the content, which tell no file to read, and by what each is ignored"""
        self._is_listed = False
        """only what is skipped is still to be told"""
        self._led_to: set[str] = set()
        """files that are read under the name of a link"""
        self._unasked: list[str] = []
        """repositories, by their folders, of which git has not been asked what it ignores"""
        self._skipped: dict[str, tuple[Denial, int]] = {}
        self._suffixes: Counter[tuple[str, Content | None]] = Counter()

    def list(self, by_git: bool) -> None:
        self._folders[""] = self._with_rules("", _Folder(None, False, by_git))
        if by_git:
            self._repository("")
        else:
            self._walk("")
        self._follow()
        self._is_listed = True

    def listing(self, by_git: bool, *, reasons: bool) -> Listing:
        if reasons:
            self._explain()
        return Listing(
            files=tuple(sorted(self.files, key=_BY_PATH)),
            rules=tuple(sorted(self.rules, key=_BY_PATH)),
            skipped=tuple(sorted(self.skipped())),
            wanted=frozenset(self.wanted),
            by_git=by_git,
            lister=None if reasons else self,
            content=self._content,
            others=self.others(),
        )

    def _explain(self) -> None:
        """Look at what tells no file to read, only what is skipped."""
        while self._unasked:
            self._see_ignored(self._unasked.pop())
        unread, self._unread = self._unread, {}
        for path, ignored in unread.items():
            self._judge_file(path, ignored, None)
        self._follow()

    def skipped(self) -> Iterator[Skipped]:
        for path, ((reason, detail), count) in self._skipped.items():
            yield Skipped(_shown(path), reason, _shown(detail), count)
        for (ending, content), count in self._suffixes.items():
            name = _shown(f"*{ending}" if ending else "(no suffix)")
            if content is None:
                yield Skipped(name, SkipReason.UNSUPPORTED, "", count)
            else:
                yield Skipped(name, SkipReason.CONTENT, f"{content}: on request, --content {content}", count)

    def others(self) -> tuple[tuple[Content, int], ...]:
        found: Counter[Content] = Counter()
        for (_, content), count in self._suffixes.items():
            if content is not None:
                found[content] += count
        return tuple((content, found[content]) for content in Content if content in found)

    def _at(self, *path: str) -> str:
        return self._within + "/".join(path)

    # Where paths come from

    def _repository(self, folder: str) -> None:
        """Take what git lists in a folder that it answers for."""
        place = self._root / folder
        prefix = f"{folder}/" if folder else ""
        for place_of, found in enumerate(git.listed(place)):
            if place_of == 0:
                self._tracked = sorted([*self._tracked, *(prefix + path for path in found)])
            for path, is_submodule in found.items():
                if is_submodule:
                    self._nested(prefix + path, SkipReason.SUBMODULE)
                elif path.endswith("/"):
                    self._nested(prefix + path[:-1], SkipReason.REPOSITORY)
                else:
                    self._see(prefix + path)
        if self._brings_back():
            self._see_ignored(folder)
        else:
            self._unasked.append(folder)

    def _see_ignored(self, folder: str) -> None:
        prefix = f"{folder}/" if folder else ""
        for path in git.ignored(self._root / folder):
            if path.endswith("/"):
                self._enter(prefix + path[:-1], "by git")
            else:
                self._see(prefix + path, "by git")

    def _nested(self, path: str, reason: SkipReason) -> None:
        """Take a repository below the root, if it is wanted."""
        folder = self._folder(path)
        if folder.is_link or not os.path.isdir(self._at(path)):
            return  # a submodule that is gone
        if folder.left_out:
            self._skip(folder.left_out, 0)
        elif not os.path.lexists(self._at(path, ".git")):
            self._skip(_LeftOut(f"{path}/", (reason, "not checked out")), 0)
        elif not self._submodules:
            self._skip(_LeftOut(f"{path}/", (reason, "on request: --submodules")), 0)
        elif git.has_work_tree(self._root / path):
            self._folders[path] = _Folder(None, folder.brought_back, True, rules=folder.rules)
            self._repository(path)
        else:
            self._walk(path)

    def _enter(self, path: str, ignored: str = "") -> None:
        """Walk a folder, unless it is left out and nothing in it can be brought back."""
        folder = self._folder(path, ignored)
        if folder.left_out:
            self._skip(folder.left_out, 0)
            if not self._reaches(path, folder):
                return
        self._walk(path)

    def _walk(self, start: str) -> None:
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(self._at(folder)) as found:
                    entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in found)
            except OSError as error:
                self._skip(_LeftOut(f"{folder}/", (SkipReason.UNREADABLE, error.strerror or str(error))), 0)
                continue
            for name, is_folder in entries:
                path = f"{folder}/{name}" if folder else name
                if name == ".git":
                    continue
                if not is_folder:
                    self._see(path)
                elif os.path.lexists(self._at(path, ".git")):
                    self._nested(path, SkipReason.REPOSITORY)
                else:
                    inside = self._folder(path)
                    if inside.left_out:
                        self._skip(inside.left_out, 0)
                    if not inside.left_out or self._reaches(path, inside):
                        waiting.append(path)

    # What becomes of a path

    def _see(self, path: str, ignored: str = "") -> None:
        """Judge a file, now or once reasons are asked for."""
        spoken = language(path, self._content)
        if self._is_listed or spoken:
            self._judge_file(path, ignored, spoken)
            return
        self._unread[path] = ignored
        if path.endswith(f"/{RULES}"):
            self._folder(path.rpartition("/")[0])

    def _judge_file(self, path: str, ignored: str, spoken: str | None) -> None:
        """Take a file or leave it out."""
        verdict = self._verdict(path, ignored)
        if verdict is None:
            return
        left_out, wanted = verdict
        if left_out is None:
            self._take(path, wanted, spoken)
        elif left_out.path.endswith("/") or spoken or left_out.denial[0] is SkipReason.SECRET:
            self._skip(left_out, 0 if ignored else 1)
        elif not ignored and left_out.denial[0] is not SkipReason.IGNORED:
            self._suffixes[suffix(path), None] += 1

    def _verdict(self, path: str, ignored: str) -> tuple[_LeftOut | None, bool] | None:
        """Return the verdict on a file; None if its folder is a link."""
        parent, _, name = path.rpartition("/")
        folder = self._folder(parent)
        return None if folder.is_link else self._judge(path, folder, False, ignored, self._denial(path, name))

    def _denial(self, path: str, name: str) -> Denial | None:
        found = denials.of_file(name)
        if found is None and self._content is not Content.CODE and not language(path):
            found = denials.of_secret(name)
        return found

    def _take(self, path: str, wanted: bool, spoken: str | None) -> None:
        try:
            path.encode()
            status = os.lstat(self._at(path))
        except UnicodeEncodeError:
            self._skip(_LeftOut(path, (SkipReason.UNREADABLE, "file name is not UTF-8")))
        except (FileNotFoundError, NotADirectoryError):
            return  # tracked by git and deleted
        except OSError as error:
            self._skip(_LeftOut(path, (SkipReason.UNREADABLE, error.strerror or str(error))))
        else:
            if stat.S_ISLNK(status.st_mode):
                self._links.append(path)
            elif stat.S_ISDIR(status.st_mode):
                return  # tracked by git as a file; what is in the folder is listed by itself
            elif not stat.S_ISREG(status.st_mode):
                self._skip(_LeftOut(path, (SkipReason.NOT_A_FILE, "")))
            elif spoken:
                self.files.append(_state(path, status))
                if wanted:
                    self.wanted.add(path)
            else:
                self._suffixes[suffix(path), content_of(path)] += 1

    def _follow(self) -> None:
        links, self._links = sorted(self._links), []
        for path in links:
            detail = self._followed(path)
            if detail and path not in self._skipped:
                self._skip(_LeftOut(path, (SkipReason.LINK, detail)))

    def _followed(self, path: str) -> str:
        """Take what a link leads to, or return why not."""
        try:
            target = Path(os.path.realpath(self._at(path), strict=True))
            status = os.stat(target)
        except (OSError, RuntimeError) as error:
            return f"leads nowhere: {getattr(error, 'strerror', None) or error}"
        if not target.is_relative_to(self._root):
            return "leads out of the folder"
        inside = target.relative_to(self._root).as_posix()
        if stat.S_ISDIR(status.st_mode):
            return f"leads to the folder {inside}"
        if language(path, self._content) and stat.S_ISREG(status.st_mode) and self._can_be_read(inside):
            self._led_to.add(inside)
            self.files.append(_state(path, status))
            return ""
        return f"leads to {inside}"

    def _can_be_read(self, path: str) -> bool:
        """Whether a file is read under another name: its own tells no language, and it is not left out."""
        return (
            path in self._unread
            and path not in self._led_to
            and (verdict := self._verdict(path, self._unread[path])) is not None
            and verdict[0] is None
        )

    def _skip(self, left_out: _LeftOut, count: int = 1) -> None:
        _, before = self._skipped.get(left_out.path, (None, 0))
        self._skipped[left_out.path] = (left_out.denial, before + count)

    # The verdicts

    def _folder(self, path: str, ignored: str = "") -> _Folder:
        """Return the verdict on a folder, with those on the folders around it."""
        if path in self._folders:
            return self._folders[path]
        slash = path.find("/")
        while slash >= 0:
            self._judged_folder(path[:slash], "")
            slash = path.find("/", slash + 1)
        return self._judged_folder(path, ignored)

    def _judged_folder(self, path: str, ignored: str) -> _Folder:
        if path not in self._folders:
            around, _, name = path.rpartition("/")
            parent = self._folders[around]
            if parent.by_git and (parent.is_link or os.path.islink(self._at(path))):
                self._folders[path] = _Folder(None, False, True, is_link=True)
            else:
                left_out, brought_back = self._judge(path, parent, True, ignored, self._folder_denial(path, name))
                made = _Folder(left_out, brought_back, parent.by_git, False, parent.rules, parent.git_rules)
                self._folders[path] = made if left_out else self._with_rules(path, made)
        return self._folders[path]

    def _judge(
        self, path: str, parent: _Folder, is_folder: bool, ignored: str, denial: Denial | None
    ) -> tuple[_LeftOut | None, bool]:
        """Return why a path is left out, if it is, and whether a `!` pattern brings it or a folder around it back."""
        here = f"{path}/" if is_folder else path
        names = os.fsencode(path).split(b"/") if parent.rules or parent.git_rules else []
        for depth, where, rules in parent.rules:
            verdict = rules.ignores(names[depth:], is_folder)
            if verdict is not None:
                return (_LeftOut(here, (SkipReason.IGNORED, f"by {where}")) if verdict else None), not verdict
        if parent.left_out:
            return parent.left_out, False
        if not parent.brought_back:
            for depth, where, rules in parent.git_rules:
                verdict = rules.ignores(names[depth:], is_folder)
                if verdict is not None:
                    ignored = f"by {where}" if verdict else ""
                    break
            if ignored:
                return _LeftOut(here, (SkipReason.IGNORED, ignored)), False
            if denial and not is_folder:
                return _LeftOut(here, denial), False
        return (_LeftOut(here, denial) if denial and is_folder else None), parent.brought_back

    def _folder_denial(self, path: str, name: str) -> Denial | None:
        within = f"{path}/"
        place = bisect_left(self._tracked, within)
        tracked = place < len(self._tracked) and self._tracked[place].startswith(within)
        if not tracked and os.path.lexists(self._at(path, denials.ENVIRONMENT_MARK)):
            return denials.ENVIRONMENT
        package = name in denials.UNTRACKED_FOLDERS and os.path.lexists(self._at(path, "__init__.py"))
        return denials.of_folder(name, tracked=tracked, package=package)

    def _with_rules(self, path: str, folder: _Folder) -> _Folder:
        """Return the folder with its own ignore files."""
        if self._is_listed:
            return folder
        rules, git_rules = folder.rules, folder.git_rules
        depth = path.count("/") + 1 if path else 0
        found = self._rules_file(f"{path}/{RULES}" if path else RULES, observed=True)
        if found:
            rules = ((depth, *found), *rules)
        if not folder.by_git:
            found = self._rules_file(f"{path}/{GIT_RULES}" if path else GIT_RULES, observed=False)
            if found:
                git_rules = ((depth, *found), *git_rules)
        return _Folder(folder.left_out, folder.brought_back, folder.by_git, folder.is_link, rules, git_rules)

    def _rules_file(self, path: str, *, observed: bool) -> tuple[str, IgnoreFile] | None:
        try:
            status = os.lstat(self._at(path))
            if not stat.S_ISREG(status.st_mode):
                raise OSError(None, "an ignore file must be a regular file")
            content = (self._root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._skip(_LeftOut(path, (SkipReason.UNREADABLE, error.strerror or str(error))))
            return None
        if observed:
            self.rules.append(_state(_shown(path), status))
        return path, IgnoreFile.read(content)

    def _reaches(self, path: str, folder: _Folder) -> bool:
        names = os.fsencode(path).split(b"/")
        return any(rules.reaches_below(names[depth:]) for depth, _, rules in folder.rules)

    def _brings_back(self) -> bool:
        return any(
            pattern.brings_back
            for folder in self._folders.values()
            for _, _, rules in folder.rules
            for pattern in rules.patterns
        )


def _state(path: str, status: os.stat_result) -> FileState:
    return FileState(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
