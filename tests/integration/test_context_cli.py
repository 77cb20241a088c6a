"""`plait context`: the same as text and as JSON."""

from pathlib import Path

from asking import as_json, lines, plait


def test_the_functions_in_the_order_of_the_flow_with_their_bodies(app: Path) -> None:
    assert lines("context", "handle a request path:web kind:function", app) == [
        "1 app/web.py:4-5 handle -> 2",
        "2 app/web.py:8-9 parse",
        "",
        "# 1 app/web.py:4-5",
        "def handle(request, store: Store):",
        "    return store.save(parse(request))",
        "",
        "# 2 app/web.py:8-9",
        "def parse(request):",
        "    return parse(request[1:]) if request else request.body()",
        "",
        "2 of 2 candidates, 2 with the whole body",
    ]


def test_json(app: Path) -> None:
    found = as_json("context", "write a row", app, "--tokens", "400")
    assert (found["schema"], found["budget"]) == ("plait.context.v1", 400)
    assert found["tokens"] <= 400
    assert [one["number"] for one in found["functions"]] == [*range(1, len(found["functions"]) + 1)]
    assert len(found["functions"]) + found["left_out_total"] == found["total"]
    (save,) = [one for one in found["functions"] if one["symbol"] == "app.store.DiskStore.save"]
    (write,) = [one for one in found["functions"] if one["symbol"] == "app.store.write"]
    assert (save["calls"], save["text"]) == ([write["number"]], "    def save(self, row):\n        return write(row)")
    assert (save["signature"], save["is_whole"]) == ("def save(self, row)", True)


def test_tests_only_when_asked_for(app: Path) -> None:
    assert not any("tests/" in line for line in lines("context", "test handle", app))
    assert lines("context", "test handle", app, "--tests")[0] == "1 tests/test_web.py:4-5 test_handle"


def test_a_small_budget_is_refused(app: Path) -> None:
    result = plait("context", "handle", app, "--tokens", "100")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "plait: the budget must be at least 200 tokens, not 100\n"


def test_nothing_found_says_so(app: Path) -> None:
    (line,) = lines("context", "handle path:nowhere", app)
    assert line.startswith("nothing: no code ")
