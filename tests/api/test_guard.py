"""Who is answered, and what nobody gets at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from asking import FILES, plait, written
from http_server import TOKEN, Client, serving

from plait.doors.http.guard import Access
from plait.errors import BadParameter


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost", True),
        ("localhost:8765", True),
        ("LOCALHOST", True),
        ("127.0.0.1:1", True),
        ("[::1]:8765", True),
        (None, False),
        ("", False),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("evil.example:80@localhost", False),
        ("localhost@evil.example", False),
        ("localhost.", False),
        ("localhost, evil.example", False),
        ("127.0.0.1.nip.io", False),
        ("127.1", False),
        ("0.0.0.0", False),
        ("2130706433", False),
        ("[::ffff:127.0.0.1]", False),
        ("localhost:8765:1", False),
        ("localhost:x", False),
        ("http://localhost", False),
        ("lоcalhost".encode().decode("latin-1"), False),
    ],
)
@pytest.mark.parametrize("path", ["/", "/health", "/api/v1/repositories"])
def test_hosts(served: Client, path: str, host: str | None, allowed: bool) -> None:
    found = served.ask(path, host=host)
    if allowed:
        assert found.status in (200, 503)  # 503: there is no page
    elif found.status != 400:  # the server itself takes no request without a host
        assert (found.status, found.code) == (403, "forbidden_host")


def test_two_hosts_are_none(served: Client) -> None:
    found = served.ask("/api/v1/repositories", headers=[("Host", "evil.example")])
    assert found.status in (400, 403)


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ([], True),
        ([("Origin", "http://localhost")], True),
        ([("Origin", "https://localhost")], True),
        ([("Origin", "http://localhost:3000")], False),
        ([("Origin", "http://127.0.0.1")], False),
        ([("Origin", "http://evil.example")], False),
        ([("Origin", "null")], False),
        ([("Origin", "")], False),
        ([("Origin", "http://localhost"), ("Origin", "http://evil.example")], False),
        ([("Origin", "http://localhost.evil.example")], False),
        ([("Sec-Fetch-Site", "same-origin")], True),
        ([("Sec-Fetch-Site", "none")], True),
        ([("Sec-Fetch-Site", "same-site")], False),
        ([("Sec-Fetch-Site", "cross-site")], False),
    ],
)
def test_origins(served: Client, headers: list[tuple[str, str]], allowed: bool) -> None:
    asked = served.ask("/api/v1/repositories", headers=headers)
    told = served.post("refresh", {"repository": "app"}, *headers)
    if allowed:
        assert (asked.status, told.status) == (200, 202)
    else:
        assert (asked.code, told.code) == ("forbidden_origin", "forbidden_origin")
    assert "access-control-allow-origin" not in asked.headers


def test_an_origin_that_is_allowed(tmp_path: Path) -> None:
    root = written(tmp_path / "app", FILES)
    access = Access.of("127.0.0.1", (), ["https://code.example"], "")
    with serving({"app": root}, access=access) as client:
        assert client.post("refresh", {}, ("Origin", "https://code.example")).status == 202
        assert client.post("refresh", {}, ("Origin", "http://code.example")).status == 403


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server that wants its token, with a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAIT_CACHE", str(tmp_path_factory.mktemp("cache")))
        folder = tmp_path_factory.mktemp("guarded")
        files = {"index.html": "<title>plait</title>", "assets/a-1x.js": "1", "icon.svg": "<svg/>"}
        page = written(folder / "page", files)
        written(folder, {"page.html": "no", "secret": "no"})
        access = Access.of("0.0.0.0", ["code.example"], (), TOKEN)
        with serving({"app": written(folder / "app", FILES)}, access=access, page=page) as client:
            yield client


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ([("Authorization", f"Bearer {TOKEN}")], True),
        ([("Authorization", f"bearer {TOKEN}")], True),
        ([], False),
        ([("Authorization", "Bearer ")], False),
        ([("Authorization", f"Bearer {TOKEN[:-1]}")], False),
        ([("Authorization", f"Bearer {TOKEN}0")], False),
        ([("Authorization", f"Basic {TOKEN}")], False),
        ([("Authorization", TOKEN)], False),
        ([("Authorization", "Bearer \xe9")], False),
        ([("Cookie", f"plait_session={TOKEN}")], False),
        ([("Cookie", "plait_session=99999999999.")], False),
        ([("Cookie", f"plait_session=99999999999.{'0' * 64}")], False),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/repositories", "/api/v1/x", "/api/v1/openapi.json", "/metrics", "/mcp"])
def test_tokens(guarded: Client, path: str, headers: list[tuple[str, str]], allowed: bool) -> None:
    found = guarded.ask(path, headers=headers, host="code.example")
    assert (found.status != 401) == allowed
    if not allowed:
        assert (found.code, found.headers["www-authenticate"]) == ("unauthorized", "Bearer")
        assert TOKEN not in found.body.decode()


def test_what_needs_no_token(guarded: Client) -> None:
    assert guarded.ask("/health", host="code.example").status == 200
    assert guarded.ask("/", host="code.example").status == 200
    assert guarded.ask("/health", host="localhost").code == "forbidden_host"


def test_a_session(guarded: Client) -> None:
    def post(token: object, *more: tuple[str, str]) -> tuple[int, str]:
        headers = [("Content-Type", "application/json"), *more]
        body = f'{{"token": "{token}"}}'.encode()
        found = guarded.ask("/api/v1/session", method="POST", body=body, headers=headers, host="code.example")
        return found.status, found.headers.get("set-cookie", "")

    assert post("0123456789abcdef")[0] == 401
    assert post(TOKEN, ("Origin", "http://evil.example"))[0] == 403
    status, line = post(TOKEN)
    assert status == 204
    (cookie,) = SimpleCookie(line).values()
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/")
    assert TOKEN not in line
    sent = [("Cookie", f"other=1; plait_session={cookie.value}")]
    assert guarded.ask("/api/v1/repositories", headers=sent, host="code.example").status == 200
    until, _, signed = cookie.value.partition(".")
    for forged in (f"{int(until) + 1}.{signed}", f"{until}.{signed[:-1]}", f"1.{signed}"):
        sent = [("Cookie", f"plait_session={forged}")]
        assert guarded.ask("/api/v1/repositories", headers=sent, host="code.example").status == 401


def test_what_is_open_to_others_is_guarded() -> None:
    for address, hosts, origins, token in (
        ("0.0.0.0", (), (), TOKEN),
        ("0.0.0.0", ("code.example",), (), ""),
        ("127.0.0.1", ("code.example",), (), ""),
        ("192.168.1.5", ("192.168.1.5",), (), "short"),
        ("127.0.0.1", (), (), "short"),
        ("127.0.0.1", (), (), "with white space in it"),
        ("127.0.0.1", ("http://code.example",), (), TOKEN),
        ("127.0.0.1", (), ("code.example",), ""),
    ):
        with pytest.raises(BadParameter):
            Access.of(address, hosts, origins, token)
    assert "localhost" not in Access.of("0.0.0.0", ["a.example"], (), TOKEN).hosts


def test_the_command_does_not_start_unguarded(app: Path) -> None:
    for arguments in (["--host", "0.0.0.0"], ["--allow-host", "a.example"], ["--token-file", str(app / "none")]):
        found = plait("serve", app, *arguments, "--port", "0")
        assert (found.exit_code, found.output.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "path",
    [
        "../outside.py",
        "app/../../outside.py",
        "..%2foutside.py",
        "/etc/passwd",
        "//etc/passwd",
        "app//other.py",
        "./app/other.py",
        "app/./other.py",
        "app\\other.py",
        "..\\outside.py",
        "secret.txt",
        "app",
        "app/",
        "app/other.py/",
        "app/other.py\x00",
        "app/other.py\n",
        "APP/OTHER.PY",
        "~/x.py",
        "file:///etc/passwd",
        "....//outside.py",
        "app/other.py::$DATA",
        "．．/outside.py",
        "app/\u202e/other.py",
    ],
)
def test_paths_that_lead_nowhere(served: Client, path: str) -> None:
    found = served.get("file", path=path, repo="app")
    assert (found.status, found.code) in ((404, "not_found"), (400, "bad_request"))


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_that_take_the_place_of_what_was_indexed(tmp_path: Path) -> None:
    root = written(tmp_path / "app", FILES | {"deep/down/a.py": "def a():\n    pass\n"})
    written(tmp_path / "outside", {"a.py": "secret", "down/a.py": "secret"})
    with serving({"app": root}) as client:
        client.service.keepers["app"].stop()
        client.service.keepers["app"].join()

        def asked(path: str) -> str:
            found = client.get("file", path=path)
            assert b"secret" not in found.body
            return found.code if found.status != 200 else "text"

        assert asked("deep/down/a.py") == "text"
        (root / "deep/down/a.py").unlink()
        assert asked("deep/down/a.py") == "not_found"
        (root / "deep/down/a.py").symlink_to(tmp_path / "outside/a.py")
        assert asked("deep/down/a.py") == "outside_roots"
        (root / "deep/down/a.py").unlink()
        os.mkfifo(root / "deep/down/a.py")
        assert asked("deep/down/a.py") == "not_found"
        (root / "deep/down/a.py").unlink()
        (root / "deep/down").rmdir()
        (root / "deep/down").symlink_to(tmp_path / "outside/down")
        assert asked("deep/down/a.py") == "outside_roots"
        (root / "app/other.py").write_text("changed\n")
        assert client.get("file", path="app/other.py").json["changed"] is True


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("/", "index.html"),
        ("/graph", "index.html"),
        ("/judge/deeper", "index.html"),
        ("/index.html", "index.html"),
        ("/icon.svg", "icon.svg"),
        ("/assets/a-1x.js", "assets/a-1x.js"),
        ("/assets/none.js", None),
        ("/page.html", "index.html"),
        ("/../secret", "index.html"),
        ("/..%2fsecret", "index.html"),
        ("/%2e%2e/secret", "index.html"),
        ("/%2e%2e%2fsecret", "index.html"),
        ("/assets/../../secret", None),
        ("/assets/..%2f..%2fsecret", None),
        ("/assets/%2e%2e/index.html", None),
        ("/..%5csecret", "index.html"),
        ("/%00", "index.html"),
        ("//secret", "index.html"),
        ("http://evil.example/secret", None),
        ("/mcp/x", None),
        ("/api", None),
        ("/api/v1/../../secret", None),
        ("/%61pi/v1/x", None),
    ],
)
def test_files_of_the_page(guarded: Client, target: str, found: str | None) -> None:
    sent = [("Authorization", f"Bearer {TOKEN}")]
    reply = guarded.ask(target, headers=sent, host="code.example")
    assert b"no" not in reply.body or reply.status == 404
    if found is None:
        assert reply.status == 404
    else:
        assert reply.body == (guarded.server.folder / found).read_bytes()


def test_headers(guarded: Client) -> None:
    page = guarded.ask("/", host="code.example").headers
    assert page["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in page["content-security-policy"]
    assert (page["cache-control"], page["content-type"]) == ("no-cache", "text/html; charset=utf-8")
    script = guarded.ask("/assets/a-1x.js", host="code.example").headers
    assert script["cache-control"] == "public, max-age=31536000, immutable"
    for reply in (page, script, guarded.ask("/api/v1/x", host="evil.example").headers):
        assert (reply["x-content-type-options"], reply["x-frame-options"]) == ("nosniff", "DENY")
        assert (reply["referrer-policy"], reply["cross-origin-resource-policy"]) == ("no-referrer", "same-origin")
    assert guarded.ask("/health", host="code.example").headers["cache-control"] == "no-store"


def test_bodies(served: Client) -> None:
    def post(body: bytes, *headers: tuple[str, str]) -> tuple[int, str]:
        found = served.ask("/api/v1/refresh", method="POST", body=body, headers=headers)
        return found.status, found.code if found.status != 202 else ""

    kind = ("Content-Type", "application/json")
    assert post(b"{}", kind) == (202, "")
    assert post(b"{}", ("Content-Type", "Application/JSON; charset=utf-8")) == (202, "")
    assert post(b"{}") == (415, "unsupported_media_type")
    assert post(b"{}", ("Content-Type", "text/plain")) == (415, "unsupported_media_type")
    assert post(b"", kind) == (400, "bad_request")
    assert post(b"[]", kind) == (400, "bad_request")
    assert post(b"\xff", kind) == (400, "bad_request")
    assert post(b"[" * 60_000, kind) == (400, "bad_request")
    assert post(b'{"full": 1}', kind) == (400, "bad_request")
    assert post(b" " * 65_537, kind) == (413, "too_large")
    assert served.ask("/api/v1/refresh?x=1", method="POST", body=b"{}", headers=[kind]).status == 400


def test_a_body_that_does_not_say_how_long_it_is(served: Client) -> None:
    piece = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
    from http.client import HTTPConnection

    connection = HTTPConnection("127.0.0.1", served.port, timeout=30)
    connection.putrequest("POST", "/api/v1/refresh", skip_host=True)
    for name, value in (("Host", "localhost"), ("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")):
        connection.putheader(name, value)
    connection.endheaders(piece * 5 + b"0\r\n\r\n")
    with connection.getresponse() as reply:
        assert reply.status == 413
    connection.close()


def test_no_secret_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    noted: list[str] = []
    root = written(tmp_path / "app", FILES)
    access = Access.of("127.0.0.1", (), (), TOKEN)
    with serving({"app": root}, access=access) as client:
        client.server.note = noted.append
        sent = [("Authorization", f"Bearer {TOKEN}")]
        assert client.ask("/api/v1/search?q=my+private+question", headers=sent).status == 200
        client.post("session", {"token": TOKEN})
        client.post("session", {"token": f"{TOKEN}x"})
        told = client.ask("/metrics", headers=sent).body.decode()
    everything = "\n".join([*noted, caplog.text, told])
    assert TOKEN not in everything
    assert "private" not in everything
    assert [line.rpartition(" ")[0].rpartition(" ")[0] for line in noted] == [
        "GET '/api/v1/search' 200",
        "POST '/api/v1/session' 204",
        "POST '/api/v1/session' 401",
        "GET '/metrics' 200",
    ]
