"""`plait install` changes only what is its own in others' settings, and `uninstall` leaves every byte as it was."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from plait.doors.cli import main
from plait.doors.install import jsonc
from plait.doors.install.fenced import HASH, MARKDOWN
from plait.doors.install.hosts import HOSTS, Host
from plait.doors.install.installing import apply, installing, uninstalling

COMMAND = ["/opt/python", "-P", "-m", "plait", "mcp"]

NAMES = [host.name for host in HOSTS]


def host(name: str) -> Host:
    (found,) = [one for one in HOSTS if one.name == name]
    return found


def installed(home: Path, name: str, command: list[str] | None = None) -> list[str]:
    edits = installing(host(name), home, command or COMMAND)
    for edit in edits:
        if edit.is_needed:
            apply(edit)
    return [edit.problem or edit.what for edit in edits]


def uninstalled(home: Path, name: str) -> list[str]:
    edits = uninstalling(host(name), home)
    for edit in edits:
        if edit.is_needed:
            apply(edit)
    return [edit.problem or edit.what for edit in edits]


def files(home: Path) -> dict[str, bytes]:
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()}


# JSON with comments

BLANKS = st.sampled_from(["", " ", "\n", "\r\n", "\n  ", "\n\t", " // why\n", "/* so */", "\n // {\n  ", ' /* ," */ '])
NAMES_IN_SETTINGS = st.sampled_from(["mcpServers", "plait", "other", "a b", "é", 'q\\"q', "//", "x"])
SCALARS = st.sampled_from(["1", "-2.5e3", "true", "null", '"text"', '"// no"', '"\\u00e9"', '"}"'])


@st.composite
def values(draw: st.DrawFn, depth: int = 2) -> str:
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(SCALARS)
    blank = lambda: draw(BLANKS)  # noqa: E731
    count = draw(st.integers(0, 3))
    comma = "," if count and draw(st.booleans()) else ""
    if draw(st.booleans()):
        names = draw(st.lists(NAMES_IN_SETTINGS, min_size=count, max_size=count, unique=True))
        members = [f'{blank()}"{name}"{blank()}:{blank()}{draw(values(depth - 1))}{blank()}' for name in names]
        return "{" + (",".join(members) + comma or blank()) + (blank() if comma else "") + "}"
    items = [f"{blank()}{draw(values(depth - 1))}{blank()}" for _ in range(count)]
    return "[" + (",".join(items) + comma or blank()) + (blank() if comma else "") + "]"


@st.composite
def settings_texts(draw: st.DrawFn) -> str:
    return draw(BLANKS) + draw(values(3)) + draw(BLANKS)


def value_at(text: str, *names: str) -> Any:
    found = jsonc.find(text, names)
    assert found
    return found.value


ENTRY = {"command": "/opt/python", "args": ["-m", "plait", "mcp"]}


@given(settings_texts(), st.sampled_from([("mcpServers",), ("mcp", "servers"), ("other",)]))
def test_an_entry_is_put_in_and_taken_out_without_a_trace(text: str, place: tuple[str, ...]) -> None:
    before = jsonc.parse(text).value
    try:
        made = jsonc.put(text, place, "plait", ENTRY)
    except jsonc.BadJson:
        holder: Any = before
        for name in place:
            if not isinstance(holder, dict):
                return
            holder = holder.get(name, {})
        assert not isinstance(holder, dict)
        return
    after = jsonc.parse(made).value
    assert value_at(made, *place, "plait") == ENTRY
    assert jsonc.put(made, place, "plait", ENTRY) == made
    if jsonc.find(text, [*place, "plait"]) is not None:
        return  # another one's entry, which `install` leaves alone
    assert jsonc.take(made, place, "plait") == text
    holder = after
    for name in place:
        holder = holder[name]
    del holder["plait"]
    known: Any = before
    for name in place:
        known = known.get(name, {})
    assert holder == known


@given(
    st.dictionaries(
        st.text(max_size=6), st.integers() | st.text(max_size=6) | st.dictionaries(st.text(max_size=3), st.none())
    )
)
def test_plain_json_stays_plain_json(value: dict[str, Any]) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2), json.dumps(value, indent="\t") + "\n"):
        if not isinstance(value.get("mcpServers", {}), dict):
            continue
        made = jsonc.put(text, ["mcpServers"], "plait", ENTRY)
        assert json.loads(made)["mcpServers"]["plait"] == ENTRY
        assert json.loads(made) | {"mcpServers": 0} == value | {"mcpServers": 0}
        assert jsonc.take(made, ["mcpServers"], "plait") == text


@pytest.mark.parametrize("text", [None, "", "\n", "\ufeff", "{}", "{}\n", '{"mcpServers": {}}', "{ /* none */ }"])
def test_small_files(text: str | None) -> None:
    made = jsonc.put(text, ["mcpServers"], "plait", ENTRY)
    assert value_at(made, "mcpServers", "plait") == ENTRY
    assert jsonc.take(made, ["mcpServers"], "plait") == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: no name"),
        ('{"a" 1}', "line 1: no colon"),
        ('{"a": 1\n "b": 2}', "line 2: no comma"),
        ('{"a": }', "line 1: no value"),
        ("{}\n{}", "line 2: something behind the end"),
        ('{"a": "\n"}', "line 1: no value"),
        ("[" * 1000, "line 1: too deep"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(jsonc.BadJson, match=message):
        jsonc.parse(text)


# marked lines


@given(st.none() | st.text(st.sampled_from("ab#<>!-\n\r \u00e9"), max_size=40))
def test_marked_lines_are_put_in_and_taken_out_without_a_trace(text: str | None) -> None:
    for fence in (MARKDOWN, HASH):
        made = fence.put(text, "one\ntwo")
        assert fence.put(made, "one\ntwo") == made
        assert fence.take(made) == text
        assert fence.take(fence.put(made, "three")) == text


def test_lines_that_others_write_around_the_marks_stay() -> None:
    made = MARKDOWN.put(None, "ours")
    assert MARKDOWN.take(f"before\n{made}behind\n") == "before\nbehind\n"


# whole hosts

SETTINGS = {
    "json": '{\n  // mine\n  "theme": "dark",\n  "mcpServers": {\n    "other": {"command": "x"}, // keep\n  },\n}\n',
    "toml": '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"  # keep',
    "md": "# Rules\n\nBe brief.",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fresh", [True, False])
def test_installing_twice_and_uninstalling_leaves_every_byte(tmp_path: Path, name: str, fresh: bool) -> None:
    one = host(name)
    paths = [path for path in (one.servers, one.instructions) if path]
    for path in () if fresh else paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(SETTINGS[path.rpartition(".")[2]])
    before = files(tmp_path)
    assert installed(tmp_path, name) == ["made" if fresh else "changed"] * len(paths)
    after = files(tmp_path)
    assert sorted(after) == sorted(paths)
    assert installed(tmp_path, name) == ["unchanged"] * len(paths)
    assert files(tmp_path) == after
    other_python = ["/other/python", *COMMAND[1:]]
    installed(tmp_path, name, other_python)
    assert b"/other/python" in (tmp_path / one.servers).read_bytes()
    assert b"/opt/python" not in (tmp_path / one.servers).read_bytes()
    if one.instructions:
        assert "plait:begin" in (tmp_path / one.instructions).read_text()
    assert uninstalled(tmp_path, name) == ["deleted" if fresh else "changed"] * len(paths)
    assert files(tmp_path) == before
    assert uninstalled(tmp_path, name) == ["unchanged"] * len(paths)


def entry(home: Path, name: str) -> Any:
    installed(home, name)
    text = (home / host(name).servers).read_text()
    return tomllib.loads(text) if name == "codex" else jsonc.parse(text).value


COMMON = {"command": "/opt/python", "args": COMMAND[1:]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude-code", {"mcpServers": {"plait": {"type": "stdio"} | COMMON}}),
        ("codex", {"mcp_servers": {"plait": COMMON}}),
        ("gemini", {"mcpServers": {"plait": COMMON}}),
        ("zed", {"context_servers": {"plait": COMMON}}),
        ("windsurf", {"mcpServers": {"plait": COMMON}}),
        ("kiro", {"mcpServers": {"plait": COMMON}}),
        ("opencode", {"mcp": {"plait": {"type": "local", "command": COMMAND}}}),
        ("vscode", {"servers": {"plait": COMMON | {"type": "stdio", "args": [*COMMAND[1:], "${workspaceFolder}"]}}}),
        ("cursor", {"mcpServers": {"plait": COMMON | {"type": "stdio", "args": [*COMMAND[1:], "${workspaceFolder}"]}}}),
    ],
)
def test_the_form_that_each_reads(tmp_path: Path, name: str, expected: dict[str, Any]) -> None:
    assert entry(tmp_path, name) == expected


def test_opencode_2_has_its_servers_one_name_deeper(tmp_path: Path) -> None:
    path = tmp_path / ".config/opencode/opencode.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text('{"mcp": {"servers": {"x": {"type": "local", "command": ["y"]}}}}')
    installed(tmp_path, "opencode")
    assert sorted(jsonc.parse(path.read_text()).value["mcp"]["servers"]) == ["plait", "x"]
    assert not path.with_suffix(".json").exists()


def test_a_server_of_that_name_that_is_not_ours_stays(tmp_path: Path) -> None:
    path = tmp_path / ".cursor/mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"plait": {"command": "my-own"}}}')
    (told,) = installed(tmp_path, "cursor")
    assert told.startswith("mcpServers.plait is there already, and not from `plait install`")
    assert uninstalled(tmp_path, "cursor") == ["unchanged"]
    assert path.read_text() == '{"mcpServers": {"plait": {"command": "my-own"}}}'


def test_what_somebody_adds_to_our_server_stays(tmp_path: Path) -> None:
    installed(tmp_path, "gemini")
    path = tmp_path / ".gemini/settings.json"
    path.write_text(path.read_text().replace('"command"', '"trust": true,\n      "command"'))
    assert installed(tmp_path, "gemini") == ["unchanged", "unchanged"]
    assert json.loads(path.read_text())["mcpServers"]["plait"]["trust"] is True


@pytest.mark.parametrize(("name", "path"), [("gemini", ".gemini/settings.json"), ("codex", ".codex/config.toml")])
@pytest.mark.parametrize("text", [b"{ this is no = [", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_left_alone_and_it_is_said(
    tmp_path: Path, name: str, path: str, text: bytes
) -> None:
    (tmp_path / path).parent.mkdir()
    (tmp_path / path).write_bytes(text)
    assert "by hand" in installed(tmp_path, name)[0]
    assert (tmp_path / path).read_bytes() == text


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o600)
    (tmp_path / ".claude.json").symlink_to(real)
    installed(tmp_path, "claude-code")
    assert (tmp_path / ".claude.json").is_symlink()
    assert "plait" in json.loads(real.read_text())["mcpServers"]
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


# the commands


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".kiro").mkdir()
    return tmp_path


def plait(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=answer, catch_exceptions=False)


def test_what_is_found_gets_it_after_yes(home: Path) -> None:
    result = plait("install", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        f"Gemini CLI: {home}/.gemini/settings.json made",
        f"Gemini CLI: {home}/.gemini/GEMINI.md made",
        f"Kiro: {home}/.kiro/settings/mcp.json made",
        f"Kiro: {home}/.kiro/steering/plait.md made",
        "restart the agents to let them see it",
    ]
    again = plait("install", "--yes", "--json")
    assert {edit["what"] for edit in json.loads(again.stdout)["edits"]} == {"unchanged"}
    assert plait("uninstall", "--yes").stdout.splitlines()[0] == f"Gemini CLI: {home}/.gemini/settings.json deleted"
    assert files(home) == {}


def test_a_dry_run_writes_nothing_and_shows_all(home: Path) -> None:
    result = plait("install", "--dry-run")
    assert result.stdout.splitlines()[-1] == "nothing was written; 4 of 4 files would be"
    assert result.stdout.splitlines()[0] == f"Gemini CLI: {home}/.gemini/settings.json would be made"
    assert '    +  "mcpServers": {' in result.stdout.splitlines()
    assert files(home) == {}


def test_without_somebody_to_ask_nothing_is_written(home: Path) -> None:
    result = plait("install")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "plait: nobody is there to ask; give --yes, or --dry-run to see what would be written"
    )
    assert files(home) == {}


def test_one_that_is_named_gets_it_though_it_is_not_found(home: Path) -> None:
    assert plait("install", "--agent", "codex", "--yes").exit_code == 0
    assert sorted(files(home)) == [".codex/AGENTS.md", ".codex/config.toml"]
    unknown = plait("install", "--agent", "emacs", "--yes")
    assert unknown.exit_code == 2
    assert unknown.stderr.startswith("plait: no agent is called 'emacs'; there are: claude-code, codex,")


def test_where_no_agent_is_found_it_is_said(home: Path) -> None:
    (home / ".gemini").rmdir()
    (home / ".kiro").rmdir()
    result = plait("install", "--yes")
    assert result.exit_code == 2
    assert "no agent that plait knows is found in" in result.stderr
