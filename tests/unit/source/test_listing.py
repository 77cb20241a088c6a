from __future__ import annotations

import codecs
import os
import socket
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from plait import source
from plait.model import Content, FileState, Skipped, SkipReason, SourceFile
from plait.source.denials import LONGEST_LINE


def reasons(root: Path, **options: bool) -> dict[str, SkipReason]:
    return {skip.path: skip.reason for skip in source.discover(root, **options).skipped}


def details(root: Path) -> dict[str, str]:
    return {skip.path: skip.detail for skip in source.discover(root).skipped}


def paths(root: Path, **options: bool) -> list[str]:
    return [state.path for state in source.discover(root, **options).files]


def read(root: Path, path: str, limit: int = 1000) -> SourceFile | Skipped:
    found = source.discover(root)
    (state,) = (state for state in found.files if state.path == path)
    return source.read(root, state, limit=limit, wanted=path in found.wanted)


def write(root: Path, *files: str, text: str = "x = 1\n") -> None:
    for path in files:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


@pytest.fixture(params=["git", "no git"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = tmp_path / "folder"
    root.mkdir()
    if request.param == "git":
        git(root, "init", "-q")
    return root


def test_dependencies_and_build_output_are_left_out_a_folder_at_a_time(folder: Path) -> None:
    write(folder, "b.py", "a/c.py", ".hidden/x.py", "node_modules/x.py", "a/vendor/x/y.py", "dist/z.py", "a/notes.md")
    assert paths(folder) == [".hidden/x.py", "a/c.py", "b.py"]
    assert reasons(folder) == {
        "node_modules/": SkipReason.VENDORED,
        "a/vendor/": SkipReason.VENDORED,
        "dist/": SkipReason.BUILD,
        "*.md": SkipReason.CONTENT,
    }


def test_files_of_other_languages_are_counted_by_suffix(folder: Path) -> None:
    write(folder, "a.md", "b.md", "a/c.MD", "x.png", "CODEOWNERS", "LICENSE", "a.toml", "a.py")
    found = source.discover(folder)
    assert found.skipped == (
        Skipped("(no suffix)", SkipReason.CONTENT, "docs: on request, --content docs", 1),
        Skipped("(no suffix)", SkipReason.UNSUPPORTED, "", 1),
        Skipped("*.md", SkipReason.CONTENT, "docs: on request, --content docs", 3),
        Skipped("*.png", SkipReason.UNSUPPORTED, "", 1),
        Skipped("*.toml", SkipReason.CONTENT, "config: on request, --content config", 1),
    )
    assert found.others == ((Content.DOCS, 4), (Content.CONFIG, 1))


def test_a_folder_with_a_name_of_build_output_stays_if_it_is_tracked_or_a_package(checkout: Path) -> None:
    write(checkout, "build/tracked.py", "out/__init__.py", "out/a.py", "target/made.py")
    git(checkout, "add", "build")
    assert paths(checkout) == ["build/tracked.py", "out/__init__.py", "out/a.py"]
    assert reasons(checkout) == {"target/": SkipReason.BUILD}


def test_a_virtual_environment_is_known_by_its_mark(folder: Path) -> None:
    write(folder, "tools/py/pyvenv.cfg", "tools/py/lib/x.py", "tools/a.py")
    assert paths(folder) == ["tools/a.py"]
    assert details(folder)["tools/py/"] == "virtual environment"


def test_in_git_the_files_are_those_of_git(checkout: Path) -> None:
    write(checkout, "kept.py", "ignored.py", "build/kept.py", "gone.py", "sub/grün.py", "excluded.py")
    (checkout / ".gitignore").write_text("ignored.py\n")
    (checkout / ".git/info/exclude").write_text("excluded.py\n")
    git(checkout, "add", "-A")
    (checkout / "gone.py").unlink()
    assert paths(checkout) == ["build/kept.py", "kept.py", "sub/grün.py"]
    assert paths(checkout / "sub") == ["grün.py"]
    assert details(checkout) == {"ignored.py": "by git", "excluded.py": "by git", "(no suffix)": ""}


def test_the_ignore_file_of_the_user_counts(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ignored").write_text("private.py\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {tmp_path / 'ignored'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    write(checkout, "private.py", "a.py")
    assert paths(checkout) == ["a.py"]


def test_a_root_that_git_ignores_is_walked(checkout: Path) -> None:
    (checkout / ".gitignore").write_text(".venv/\n")
    write(checkout, ".venv/package/a.py")
    assert paths(checkout / ".venv/package") == ["a.py"]
    assert paths(checkout) == []


@pytest.mark.parametrize(
    ("rules", "back"),
    [
        ("!gen/\n", ["gen/a.py", "gen/sub/b_pb2.py"]),
        ("!gen/sub/b_pb2.py\n", ["gen/sub/b_pb2.py"]),
        ("!gen/**\n", ["gen/a.py", "gen/node_modules/n.py", "gen/sub/b_pb2.py"]),
        ("!gen/\ngen/a.py\n", ["gen/sub/b_pb2.py"]),
        ("!a.py\n", []),  # without a slash a pattern does not reach into what is left out
        ("!vendor/ours/\n", ["vendor/ours/o.py"]),
        (
            "!vendor/\n!vendor/ours/node_modules/\n",
            ["vendor/ours/node_modules/m.py", "vendor/ours/o.py", "vendor/v.py"],
        ),
        ("!vendor/\nvendor/*\n!vendor/ours/\n", ["vendor/ours/o.py"]),
        ("kept.py\n", []),
        ("# !gen/\n\\!gen/\n", []),
    ],
)
def test_what_plaitignore_brings_back(folder: Path, rules: str, back: list[str]) -> None:
    write(folder, "gen/a.py", "gen/sub/b_pb2.py", "gen/node_modules/n.py")
    write(folder, "vendor/v.py", "vendor/ours/o.py", "vendor/ours/node_modules/m.py", "kept.py")
    (folder / ".gitignore").write_text("gen/\n")
    (folder / ".plaitignore").write_text(rules)
    assert paths(folder) == sorted([*back, *(["kept.py"] if rules != "kept.py\n" else [])])
    found = source.discover(folder)
    assert source.discover(folder, reasons=False).observed == found.observed
    assert [state.path for state in found.rules] == [".plaitignore"]


def test_plaitignore_files_apply_below_their_folder_and_the_innermost_wins(folder: Path) -> None:
    write(folder, "a.py", "sub/a.py", "sub/b.py")
    (folder / ".plaitignore").write_text("a.py\n")
    (folder / "sub/.plaitignore").write_text("!/a.py\n/b.py\n")
    assert paths(folder) == ["sub/a.py"]
    assert details(folder) == {"a.py": "by .plaitignore", "sub/b.py": "by sub/.plaitignore", "(no suffix)": ""} | (
        {"*.plaitignore": ""} if "*.plaitignore" in details(folder) else {}
    )


def test_a_plaitignore_that_is_no_file_is_not_followed(folder: Path) -> None:
    write(folder, "a.py")
    (folder / ".plaitignore").symlink_to("a.py")
    assert paths(folder) == ["a.py"]
    assert reasons(folder)[".plaitignore"] is SkipReason.UNREADABLE


def test_without_reasons_the_same_files_are_found_and_nothing_else_is_looked_at(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(checkout, "a/a.py", "a/.plaitignore", "docs/one.md", "docs/deep/two.md", "ruled/three.md", "hidden/four.md")
    write(checkout, "hidden/.plaitignore", text="*.md\n")
    write(checkout, "ruled/.plaitignore", text="*.md\n")
    write(checkout, ".git/info/exclude", text="hidden/.plaitignore\n")
    (checkout / "link.py").symlink_to("docs/one.md")
    (checkout / "ruled.py").symlink_to("ruled/three.md")
    seen: list[str] = []
    lstat = os.lstat
    with monkeypatch.context() as patched:
        patched.setattr(os, "lstat", lambda path: seen.append(os.fspath(path)) or lstat(path))
        found = source.discover(checkout, reasons=False)
    assert [state.path for state in found.files] == ["a/a.py", "link.py"]
    assert [state.path for state in found.rules] == ["a/.plaitignore", "ruled/.plaitignore"]
    assert not [path for path in seen if "deep" in path or "hidden" in path]
    explained = found.explained()
    assert explained.observed == found.observed
    assert explained == source.discover(checkout)
    # `hidden` has no file of a language, and git does not list the ignore file in it.
    assert dict(explained.others) == {Content.DOCS: 3}
    assert "ruled.py" in {skip.path for skip in explained.skipped}


def test_links_are_not_followed_out_of_the_root_or_in_a_circle(folder: Path) -> None:
    write(folder, "real.py", "tool", "sub/a.py")
    write(folder.parent / "outside", "secret.py")
    (folder / "same.py").symlink_to("real.py")
    (folder / "out.py").symlink_to(folder.parent / "outside/secret.py")
    (folder / "out").symlink_to(folder.parent / "outside")
    (folder / "sub/loop").symlink_to(folder)
    (folder / "self.py").symlink_to("self.py")
    (folder / "broken.py").symlink_to("nothing.py")
    (folder / "tool.py").symlink_to("tool")
    (folder / "tool2.py").symlink_to("tool")
    (folder / "twin").symlink_to("sub")
    assert paths(folder) == ["real.py", "sub/a.py", "tool.py"]
    told = {path: detail for path, detail in details(folder).items() if not path.startswith(("*", "("))}
    assert told == {
        "same.py": "leads to real.py",
        "out.py": "leads out of the folder",
        "out": "leads out of the folder",
        "sub/loop": "leads to the folder .",
        "self.py": "leads nowhere: Too many levels of symbolic links",
        "broken.py": "leads nowhere: No such file or directory",
        "tool2.py": "leads to tool",
        "twin": "leads to the folder sub",
    }


def test_a_link_in_the_place_of_a_tracked_folder_is_not_followed(checkout: Path) -> None:
    write(checkout, "sub/a.py", "b.py")
    git(checkout, "add", "-A")
    (checkout / "sub").rename(checkout.parent / "moved")
    (checkout / "sub").symlink_to(checkout.parent / "moved")
    assert paths(checkout) == ["b.py"]
    assert details(checkout)["sub"] == "leads out of the folder"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_pipes_and_sockets_are_never_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe.py")
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(folder)
        try:
            bound.bind("socket.py")
        finally:
            os.chdir(here)
    write(folder, "a.py")
    assert paths(folder) == ["a.py"]
    left = set(reasons(folder).values())
    assert left <= {SkipReason.NOT_A_FILE}
    state = FileState("pipe.py", 1, 0, 0, 0)
    assert source.read(folder, state, limit=10) == Skipped("pipe.py", SkipReason.NOT_A_FILE)


def test_repositories_inside_are_entered_on_request(folder: Path) -> None:
    library = folder.parent / "library"
    write(library, "inner.py")
    for root in (library, folder / "clone"):
        root.mkdir(exist_ok=True)
        git(root, "init", "-q")
    write(folder, "a.py", "clone/c.py", "clone/ignored.py", "clone/vendor/v.py")
    (folder / "clone/.gitignore").write_text("ignored.py\n")
    git(folder / "clone", "add", "-A")
    git(folder / "clone", "commit", "-qm", "first")
    assert paths(folder) == ["a.py"]
    assert reasons(folder)["clone/"] is SkipReason.REPOSITORY
    assert paths(folder, submodules=True) == ["a.py", "clone/c.py"]
    assert reasons(folder, submodules=True)["clone/vendor/"] is SkipReason.VENDORED


def test_submodules_are_entered_on_request(checkout: Path) -> None:
    library = checkout.parent / "library"
    write(library, "inner.py")
    git(library, "init", "-q")
    git(library, "add", "-A")
    git(library, "commit", "-qm", "first")
    write(checkout, "a.py")
    git(checkout, "submodule", "--quiet", "add", str(library), "deps/library")
    assert paths(checkout) == ["a.py"]
    assert reasons(checkout)["deps/library/"] is SkipReason.SUBMODULE
    assert paths(checkout, submodules=True) == ["a.py", "deps/library/inner.py"]
    git(checkout, "submodule", "--quiet", "deinit", "-f", "deps/library")
    assert details(checkout)["deps/library/"] == "not checked out"
    assert paths(checkout, submodules=True) == ["a.py"]


def test_odd_names(folder: Path) -> None:
    names = ["a\nb.py", "é.py", unicodedata.normalize("NFD", "é.py"), "A.py", "a.py", " .py", "x.py/y.py", "-.py"]
    write(folder, *names)
    made = sorted({path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if path.is_file()})
    assert paths(folder) == made


@pytest.mark.skipif(sys.platform != "linux", reason="names are any bytes on Linux only")
def test_a_name_that_is_not_text_is_skipped(folder: Path) -> None:
    write(folder, "a.py")
    (folder / os.fsdecode(b"caf\xe9.py")).write_text("")
    assert paths(folder) == ["a.py"]
    assert details(folder)["caf\ufffd.py"] == "file name is not UTF-8"


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is that of Linux")
def test_a_path_that_is_too_long_is_skipped(folder: Path) -> None:
    write(folder, "a.py")
    here = os.open(folder, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("n" * 250, dir_fd=here)
        inside = os.open("n" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inside
    os.close(os.open("deep.py", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    assert paths(folder) == ["a.py"]
    subprocess.run(["rm", "-rf", folder], check=True)


def test_a_deep_tree(folder: Path) -> None:
    deep = "/".join("d" * 1200) + "/a.py"
    for depth in range(1, 2400, 2):
        os.mkdir(folder / deep[:depth])
    write(folder, deep)
    assert paths(folder) == [deep]
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"x = 1\r\n", "x = 1\r\n"),
        (codecs.BOM_UTF8 + "ä".encode(), "ä"),
        (codecs.BOM_UTF16_LE + "ä = 1\n".encode("utf-16-le"), "ä = 1\n"),
        (codecs.BOM_UTF16_BE + "ä = 1\n".encode("utf-16-be"), "ä = 1\n"),
        ("# -*- coding: latin-1 -*-\nä".encode("latin-1"), "# -*- coding: latin-1 -*-\nä"),
        (b"# coding: no-such-codec\n", "# coding: no-such-codec\n"),
        (b"caf\xe9", "café"),
        (b"", ""),
        (b"x\0y", None),
    ],
)
def test_decoding(content: bytes, text: str | None) -> None:
    assert source.decode(content) == text


def test_what_cannot_be_read_is_skipped_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "big.py").write_text("x" * 1001)
    (tmp_path / "binary.py").write_bytes(b"\0\1")
    (tmp_path / "long.py").write_text("x" * (LONGEST_LINE + 1))
    assert read(tmp_path, "big.py") == Skipped("big.py", SkipReason.TOO_LARGE, "1,001 bytes, limit 1,000")
    assert read(tmp_path, "binary.py") == Skipped("binary.py", SkipReason.BINARY)
    assert read(tmp_path, "long.py", 10**6) == Skipped("long.py", SkipReason.LONG_LINE, "a line of 20,001 characters")
    gone = FileState("gone.py", 1, 0, 0, 0)
    assert source.read(tmp_path, gone, limit=10) == Skipped("gone.py", SkipReason.VANISHED)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a.py")
    (tmp_path / "a.py").chmod(0)
    assert read(tmp_path, "a.py") == Skipped("a.py", SkipReason.UNREADABLE, "Permission denied")


def test_a_file_or_folder_that_cannot_be_opened_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.py", "sub/b.py")

    def forbidden(path: object, *rest: object) -> int:
        raise PermissionError(13, "Permission denied")

    found = source.discover(tmp_path)
    monkeypatch.setattr(os, "open", forbidden)
    assert source.read(tmp_path, found.files[0], limit=10) == Skipped(
        "a.py", SkipReason.UNREADABLE, "Permission denied"
    )
    monkeypatch.setattr(os, "scandir", forbidden)
    assert source.discover(tmp_path).skipped == (Skipped("/", SkipReason.UNREADABLE, "Permission denied", 0),)


def test_what_plaitignore_names_may_be_generated(tmp_path: Path) -> None:
    write(tmp_path, "a.py", text="# Code generated by stringer. DO NOT EDIT.\n")
    assert read(tmp_path, "a.py") == Skipped("a.py", SkipReason.GENERATED, "its header says so: DO NOT EDIT")
    (tmp_path / ".plaitignore").write_text("!a.py\n")
    assert isinstance(read(tmp_path, "a.py"), SourceFile)


@pytest.mark.parametrize(
    ("changed_ms_ago", "waits_ms"),
    [([4, 900], [6]), ([10], []), ([], []), ([-5], [])],
    ids=["just now", "long ago", "none", "ahead"],
)
def test_reading_waits_until_a_further_change_has_a_later_time(
    changed_ms_ago: list[int], waits_ms: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, waited = 1_800_000_000_000_000_000, []
    monkeypatch.setattr("time.time_ns", lambda: now)
    monkeypatch.setattr("time.sleep", waited.append)
    source.settle(FileState(str(ms), 1, 0, now - ms * 1_000_000, 1) for ms in changed_ms_ago)
    assert [round(seconds * 1000) for seconds in waited] == waits_ms
