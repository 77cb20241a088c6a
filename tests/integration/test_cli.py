from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from plait.doors.cli import COMMANDS, main
from plait.evaluate.collection import load


def plait(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--embedder", "hashing"], catch_exceptions=False)


def as_json(*arguments: str) -> dict[str, Any]:
    result = plait(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_index_tells_what_it_did(repository: Path) -> None:
    (repository / "logo.png").write_bytes(b"\x89PNG")
    result = plait("index", str(repository), "--skipped")
    told = dict(line.split(maxsplit=1) for line in result.stdout.splitlines() if " " in line)
    assert result.exit_code == 0
    assert (told["files"], told["skipped"], told["symbols"]) == ("4", "none", "13")
    assert told["not"] == "indexed .png 1"
    assert told["edges"].startswith("calls ")
    assert "unknown name 1" in told["unresolved"]
    assert told["*.png"] == "unsupported language"


def test_index_as_json(repository: Path) -> None:
    found = as_json("index", str(repository))
    assert (found["schema"], found["files"], found["symbols"]) == ("plait.index.v1", 4, 13)
    assert {"kind": "contains", "evidence": "scoped", "count": 9} in found["edges"]
    assert "skipped_files" not in found


def test_search(repository: Path) -> None:
    result = plait("search", "discounts and taxes", str(repository), "-k", "1")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("1  shop/money.py:1-3  shop.money.total  [function]  ")
    assert "lexical (bm25 " in lines[1]
    assert lines[2] == "beside them on the graph: shop.cart.checkout (calls 1, shop/cart.py:25)"
    assert lines[3].startswith("1 of ")
    assert result.stderr == ""


def test_search_explained(repository: Path) -> None:
    result = plait("search", "checkout", str(repository), "-k", "1", "--explain")
    lines = [line.strip() for line in result.stdout.splitlines()]
    score = float(lines[0].split()[-1])
    addends = [float(line.split()[0]) for line in lines[1:] if line.startswith(("+", "-"))]
    assert sum(addends) == pytest.approx(score, abs=0.0004)
    assert any("name: checkout" in line for line in lines)


def test_search_as_json(repository: Path) -> None:
    found = as_json("search", "discounts and taxes", str(repository), "-k", "1", "--strategy", "lexical")
    assert (found["schema"], found["strategy"]) == ("plait.search.v1", "lexical(depth=1000)")
    (hit,) = found["hits"]
    assert {key: hit[key] for key in ("rank", "path", "start_line", "end_line", "symbol", "kind")} == {
        "rank": 1,
        "path": "shop/money.py",
        "start_line": 1,
        "end_line": 3,
        "symbol": "shop.money.total",
        "kind": "function",
    }
    assert hit["score"] == pytest.approx(sum(reason["value"] for reason in hit["reasons"]))
    assert found["total"] >= 1


def test_search_filters(repository: Path) -> None:
    found = as_json("search", "cart", str(repository), "--kind", "method", "--in", "shop/*", "--no-tests")
    assert {hit["symbol"] for hit in found["hits"]} == {"shop.cart.Cart.add", "shop.cart.Cart.check"}
    found = as_json("search", "cart", str(repository), "--tests")
    assert {hit["path"] for hit in found["hits"]} == {"tests/test_shop.py"}


def test_no_result_is_no_failure(repository: Path) -> None:
    result = plait("search", "zzzz", str(repository), "--strategy", "lexical")
    assert (result.exit_code, result.stdout.startswith("no result")) == (0, True)


def test_callers_and_callees(repository: Path) -> None:
    result = plait("callers", "connect", str(repository))
    assert result.stdout.splitlines() == [
        "shop/db.py:2  shop.db.run  [function]  call, scoped",
        "shop.db.connect: 1 caller, 0 unresolved sites that could be it",
    ]
    found = as_json("callees", "recount", str(repository))
    assert (found["schema"], found["unresolved_total"]) == ("plait.callees.v1", 1)
    assert found["unresolved"][0]["expression"] == "unknown"


def test_evaluation(tmp_path: Path) -> None:
    found = as_json("eval", "shop", "--strategy", "vector", "--strategy", "naive", "--at", "5")
    assert found["schema"] == "plait.eval.v1"
    assert found["strategies"] == ["vector(depth=1000)", "naive(seeds=3, hops=2, k=5)"]
    assert len(found["measures"]["Recall@5"]["vector(depth=1000)"]["topics"]) == 12
    text = plait("eval", "shop", "--strategy", "vector", "--strategy", "naive").stdout
    assert "naive against vector" in text
    assert "95 % interval" in text
    report = tmp_path / "report.html"
    result = plait("eval", "shop", "--strategy", "vector", "--strategy", "lexical", "--html", str(report))
    assert f"report written to {report}" in result.stderr
    assert "<svg" in report.read_text(encoding="utf-8")


def test_explanation() -> None:
    found = as_json("explain", "shop", "q8", "--strategy", "vector", "--strategy", "naive", "--graph", "names")
    assert (found["schema"], found["topic"]["id"], len(found["relevant"])) == ("plait.explain.v1", "Q8", 2)
    assert [side["strategy"] for side in found["strategies"]] == ["vector(depth=1000)", "naive(seeds=3, hops=2, k=5)"]
    text = plait("explain", "shop", "Q8", "--strategy", "vector", "--strategy", "naive").stdout
    for part in ("seeds: ", "edges walked", "candidates: ", "movements"):
        assert part in text


def test_the_demo_tells_the_experiment() -> None:
    text = plait("demo").stdout
    assert "28 functions" in text
    assert "12 questions" in text
    assert "process_checkout -> calculate_order_total" in text
    found = as_json("demo")
    assert found["schema"] == "plait.demo.v1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "x", "nowhere"], "plait: nowhere: no such file or folder; give the folder of the code to index"),
        (["search", " ", "."], "plait: the query is empty; say in a few words what the code does"),
        (["search", "x", ".", "--strategy", "best"], "plait: no strategy is called 'best'; there are: vector, naive"),
        (["eval", "nothing"], "plait: nothing: no collection; give a folder with a collection.toml"),
        (["eval", "shop", "--at", "0"], "plait: --at takes whole numbers from 1"),
        (
            ["explain", "shop", "Q99", "--strategy", "a", "--strategy", "b"],
            "plait: shop: no topic 'Q99'; there are: Q1",
        ),
        (["explain", "shop", "Q1"], "plait: explain compares two strategies, 0 given"),
        (["explain", "shop", "Q1", *["--strategy", "vector"] * 2], "plait: explain compares two strategies, and these"),
        (["search", "x", "~nobody-of-that-name"], "plait: ~nobody-of-that-name: no such file or folder"),
        (["search", "x", "n" * 5000], "plait: nnnn"),
        (["search", "x", ".", "-k", "0"], "plait: Invalid value for '-k': 0 is not in the range x>=1."),
        (["search"], "plait: Missing argument 'QUERY'. (see plait search --help)"),
        (["search", "x", ".", "--strategy", "hybrid(depth={[]:1})"], "plait: 'hybrid(depth={[]:1})' does not describe"),
        (["search", "x", ".", "--strategy", "constrained(walk=[])"], "plait: constrained: walk must be one of"),
        (
            ["search", "x", ".", "--strategy", "hybrid(lexical=1e999)"],
            "plait: hybrid: lexical must be like 1.0",
        ),
        (["search", "x", ".", "--strategy", "naive(k=-3)"], "plait: naive: k must be at least 1, not -3"),
        (["callers", f"a.py:{'9' * 5000}", "."], "plait: no symbol is called"),
    ],
)
def test_what_cannot_run_exits_with_2_and_one_line(arguments: list[str], message: str) -> None:
    result = plait(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


def test_an_unknown_symbol_names_near_ones(repository: Path) -> None:
    result = plait("callers", "chekout", str(repository))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("plait: no symbol is called 'chekout'; did you mean shop.cart.checkout or ")


def test_an_empty_folder(tmp_path: Path) -> None:
    result = plait("search", "x", str(tmp_path))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "no source file in a language that plait reads; the folder is empty" in result.stderr


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(main, [command, "--help"])
    assert result.exit_code == 0
    made = main.get_command(click.Context(main), command)
    assert made is not None
    assert made.name == command
    assert made.help
    assert all(parameter.help for parameter in made.params if isinstance(parameter, click.Option))


def test_piped_output_has_no_escape_sequences(repository: Path) -> None:
    command = [sys.executable, "-m", "plait", "search", "cart", str(repository), "--embedder", "hashing"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr == ""


def test_the_collection_shop_is_as_it_says() -> None:
    corpus = load("shop").corpus
    found = as_json("index", str(corpus), "--graph", "names")
    assert found["graph"] == "names"


def test_an_index_that_cannot_be_written_is_one_line(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = plait("index", str(repository), "--cache", str(tmp_path / "file"))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "cannot be written" in result.stderr
    assert "--cache or PLAIT_CACHE" in result.stderr


def test_a_report_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    result = plait("eval", "shop", "--strategy", "vector", "--html", str(tmp_path / "no" / "report.html"))
    assert result.exit_code == 2
    assert result.stderr.endswith("give another file to --html\n")


def test_names_that_the_terminal_cannot_show_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "数.py").write_text("def 数(): pass\n", encoding="utf-8")
    command = [sys.executable, "-m", "plait", "search", "数", str(tmp_path), "--embedder", "hashing"]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "latin-1"}, check=True)
    assert b"1  \\u6570.py:1-1" in done.stdout


def test_a_file_name_with_odd_characters(tmp_path: Path) -> None:
    (tmp_path / "a b%:\n.py").write_text("def odd(): pass\n")
    found = as_json("search", "odd", str(tmp_path), "--kind", "function")
    assert found["hits"][0]["path"] == "a b%:\n.py"
    assert found["hits"][0]["id"] == "a%20b%25%3A%0A.py:odd()."


def test_the_endless_walk_of_two_symbols_ends(repository: Path) -> None:
    for strategy in ("naive(hops=100000000)", "constrained(hops=100000000, walk='both')"):
        assert plait("search", "cart", str(repository), "--strategy", strategy).exit_code == 0


def test_control_characters_are_shown_escaped(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31mb.py").write_text("def odd(): pass\n")
    result = plait("search", "odd", str(tmp_path))
    assert "\x1b" not in result.stdout
    assert "a\\x1b[31mb.py:1-1" in result.stdout


def test_a_repository_cannot_choose_a_cache_inside_itself(repository: Path) -> None:
    (repository / "plait.toml").write_text('cache = "here"')
    result = plait("search", "cart", str(repository), "--cache", "")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the cache must lie outside" in result.stderr
    assert not (repository / "here").exists()
