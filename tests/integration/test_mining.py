"""Collections that are made of a repository: what is asked, what is left out, and what may not leak."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from asking import plait

from plait.errors import BadCollection
from plait.evaluate.collection import load
from plait.mining.mine import FLOWS, SOURCES, mine
from plait.settings import Settings

NOUNS = (
    *("socket", "cookie", "header", "proxy", "redirect", "session", "timeout", "chunk", "stream", "upload", "charset"),
    *("digest", "fragment", "gateway", "host", "inbox", "journal", "kernel", "ledger", "mirror", "nonce", "outbox"),
    *("packet", "queue"),
)


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


class History:
    """A repository of which each commit is made a day after the one before."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self._patch = monkeypatch
        self._day = 0
        root.mkdir()
        git(root, "init", "-q", "-b", "main")

    def commit(self, message: str, **files: str) -> str:
        """Commit files, `__` standing for `/` and a suffix `.py` added to each name."""
        for name, text in files.items():
            path = self.root / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self._day += 1
        when = f"{1_600_000_000 + 86_400 * self._day} +0000"
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            self._patch.setenv(name, when)
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", message)
        return git(self.root, "rev-parse", "HEAD")


def function(noun: str, limit: int) -> str:
    return f"def open_{noun}(given):\n    kept = given.{noun}\n    limit = {limit}\n    return kept[:limit]\n"


OTHERS = '''
def backoff(tries):
    """Compute how many seconds to wait before the next try."""
    base = 2
    return base**tries


def refused(answer):
    status = answer.status
    return status in (401, 403)
'''

TEST = """
from net import core

def test_refused_answer_status_unauthorized():
    assert core.refused(Answer(401))
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """24 functions in a module, each changed by a commit of its own; one that is documented and one that is tested."""
    limits = dict.fromkeys(NOUNS, 1)

    def text() -> str:
        return "\n\n".join(function(noun, limit) for noun, limit in limits.items()) + "\n" + OTHERS

    history = History(tmp_path / "repository", monkeypatch)
    history.commit("Begin", net__core=text(), tests__test_core=TEST)
    for noun in NOUNS:
        limits[noun] = 2
        history.commit(f"Keep two entries of each {noun} that was given", net__core=text())
    return history


def mined(repository: History) -> Path:
    return mine(repository.root, Settings.load(repository.root, {}), lambda stage, done, total: None)


def texts(folder: Path, origin: str) -> dict[str, str]:
    return {topic.text: topic.category for topic in load(folder).topics if topic.id.startswith(origin)}


def answers(folder: Path, text: str) -> list[str]:
    collection = load(folder)
    (topic,) = [topic.id for topic in collection.topics if topic.text == text]
    return [qrel.symbol for qrel in collection.qrels if qrel.topic == topic]


def test_commits_are_asked_on_a_state_before_all_of_them(repository: History) -> None:
    folder = mined(repository)
    asked = texts(folder, "commit")
    later = NOUNS[-12:]
    assert asked == {f"Keep two entries of each {noun} that was given": "commit" for noun in later}
    assert answers(folder, "Keep two entries of each queue that was given") == ["net/core.py:open_queue()."]
    code = (folder / "corpus" / "net" / "core.py").read_text()
    assert [noun for noun in NOUNS if function(noun, 2) in code] == list(NOUNS[:-12]), "nothing that a commit made"
    assert not (folder / "corpus" / "tests").exists()


def test_documentation_is_asked_and_gone(repository: History) -> None:
    folder = mined(repository)
    text = "Compute how many seconds to wait before the next try"
    assert texts(folder, "docstring") == {text: "docstring"}
    assert answers(folder, text) == ["net/core.py:backoff()."]
    assert "how many seconds" not in (folder / "corpus" / "net" / "core.py").read_text()


def test_tests_are_asked_and_gone(repository: History) -> None:
    folder = mined(repository)
    assert texts(folder, "test") == {"refused answer status unauthorized": "test, named"}
    assert answers(folder, "refused answer status unauthorized") == ["net/core.py:refused()."]


@pytest.mark.parametrize(
    "message",
    ["Rename what each queue keeps of the given", "Merge what each queue keeps of the given",
     "Reformat what each queue keeps of the given", "Bump what each queue keeps of the given",
     'Revert "Keep two entries of each queue"', "Fix it"],
)  # fmt: skip
def test_a_message_that_asks_for_nothing_is_left_out(repository: History, message: str) -> None:
    before = texts(mined(repository), "commit")
    changed = (repository.root / "net" / "core.py").read_text().replace(function("queue", 2), function("queue", 3))
    repository.commit(message, net__core=changed)
    assert texts(mined(repository), "commit") == before


def test_what_a_commit_adds_is_no_answer(repository: History) -> None:
    core = repository.root / "net" / "core.py"
    fresh = "\n\ndef open_zone(given):\n    kept = given.zone\n    return kept\n"
    repository.commit("Open a zone that somebody else gave", net__core=core.read_text() + fresh)
    changed = core.read_text().replace("return kept\n", "return kept[:1]\n")
    repository.commit("Keep only the first of each zone that was given", net__core=changed)
    folder = mined(repository)
    assert not [text for text in texts(folder, "commit") if "zone" in text]
    assert "zone" not in (folder / "corpus" / "net" / "core.py").read_text()


def test_what_is_named_and_was_added_is_no_question(repository: History) -> None:
    core = repository.root / "net" / "core.py"
    other = function("queue", 3).replace("given.queue", "zone(given)")
    changed = core.read_text().replace(function("queue", 2), other)
    fresh = "\n\ndef zone(given):\n    return given\n"
    repository.commit("Take all entries of the zone() first", net__core=changed + fresh)
    assert not [text for text in texts(mined(repository), "commit") if "zone" in text]


def test_a_function_that_has_become_another_is_no_answer(repository: History) -> None:
    core = repository.root / "net" / "core.py"
    other = "def open_queue(given):\n    for one in sorted(given):\n        yield one.size\n        one.close()\n"
    repository.commit("Refactor how queues open", net__core=core.read_text().replace(function("queue", 2), other))
    last = core.read_text().replace("one.close()", "one.shut()")
    repository.commit("Shut the entries after their sizes were told", net__core=last)
    assert "Shut the entries after their sizes were told" not in texts(mined(repository), "commit")


def test_what_names_its_answer_is_a_category(repository: History) -> None:
    core = repository.root / "net" / "core.py"
    changed = core.read_text().replace(function("queue", 2), function("queue", 3))
    repository.commit("Let open_queue return one entry more", net__core=changed)
    assert texts(mined(repository), "commit")["Let open_queue return one entry more"] == "commit, named"


def test_many_functions_tell_of_no_one_place(repository: History) -> None:
    core = repository.root / "net" / "core.py"
    changed = core.read_text()
    for noun in NOUNS[:5]:
        changed = changed.replace(function(noun, 2), function(noun, 3))
    repository.commit("Return one entry more from everything", net__core=changed)
    assert "Return one entry more from everything" not in texts(mined(repository), "commit")


def test_it_is_kept_until_there_is_another_commit(repository: History) -> None:
    folder = mined(repository)
    made = (folder / "topics.tsv").stat().st_mtime_ns
    (repository.root / "net" / "core.py").write_text("")
    assert mined(repository) == folder
    assert (folder / "topics.tsv").stat().st_mtime_ns == made
    repository.commit("Empty the module of the whole network")
    assert mined(repository) != folder
    assert not folder.exists()


def made_elsewhere(root: Path, cache: Path, seed: str) -> Path:
    command = (sys.executable, "-m", "plait", "eval", "--mine", str(root), "--look", "1", "--cache", str(cache))
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": seed})
    (place,) = (cache / "mined").glob("*/*")
    return place


def test_the_same_again(repository: History, tmp_path: Path) -> None:
    first, second = (made_elsewhere(repository.root, tmp_path / seed, seed) for seed in "12")
    names = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert len(names) == 5
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_without_git_nothing_is_asked_of_commits(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(OTHERS)
    folder = mine(tmp_path, Settings.load(tmp_path, {}), lambda *_: None)
    assert [topic.id for topic in load(folder).topics] == ["docstring-1"]
    assert load(folder).description == (
        f"1 question (1 from docstrings). The code is {tmp_path.name} as it is now, without its tests."
    )


def test_nothing_to_ask(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("def f(): pass\n")
    with pytest.raises(BadCollection, match="no commit, documentation or test asks for something"):
        mine(tmp_path, Settings.load(tmp_path, {}), lambda *_: None)


FLOW = '''
def serve(given):
    """Answer one request after another until it ends."""
    found = read(given)
    return write(found)


def read(given):
    return parsed(given)


def parsed(given):
    return given.strip()


def write(found):
    return str(found)
'''


def test_flows_are_a_collection_of_their_own(repository: History) -> None:
    (repository.root / "net" / "core.py").write_text("")
    git(repository.root, "checkout", "-q", "--orphan", "other")
    repository.commit("Begin again", net__serve=FLOW, net__core=OTHERS)
    folder = mined(repository)
    flows = load(folder / FLOWS)
    assert [(topic.text, topic.category) for topic in flows.topics] == [
        ("Answer one request after another until it ends", "flow")
    ]
    assert [qrel.symbol for qrel in flows.qrels] == [
        "net/serve.py:parsed().", "net/serve.py:read().", "net/serve.py:write()."
    ]  # fmt: skip
    assert "derived from the call graph: they say nothing for it" in flows.description
    assert not [topic for topic in load(folder).topics if topic.id.startswith("flow")]
    assert "until it ends" not in (folder / "corpus" / "net" / "serve.py").read_text()
    assert (folder / FLOWS / SOURCES).read_text() == "flow-1\tnet/serve.py:serve().\n"


def test_judging_on_it(repository: History) -> None:
    result = plait("eval", "--mine", repository.root, "--strategy", "lexical", "--strategy", "vector", "--json")
    assert result.exit_code == 0
    assert result.stderr == f"{load(mined(repository)).description}\nmined collection: {mined(repository)}\n"
    found = json.loads(result.stdout)
    assert found["collection"] == "repository, mined"
    assert [len(found["measures"]["RR"][label]["topics"]) for label in found["strategies"]] == [14, 14]


def test_looking_at_it(repository: History) -> None:
    found = json.loads(plait("eval", "--mine", repository.root, "--look", "3", "--json").stdout)
    assert (found["schema"], found["total"], len(found["questions"])) == ("plait.look.v1", 14, 3)
    told = plait("eval", "--mine", repository.root, "--look", "14").stdout.splitlines()
    assert told[0] == (
        "14 questions (12 from commits, 1 from docstrings, 1 from tests). The code is repository as of 2020-09-26 "
        f"(commit {git(repository.root, 'rev-parse', '--short=12', 'HEAD~12')}), before every commit that is asked "
        "about, without its tests."
    )
    assert "docstring-1  [docstring]" in told
    assert "    -> net/core.py:backoff()." in told


def test_exporting_it(repository: History, tmp_path: Path) -> None:
    result = plait("eval", "--mine", repository.root, "--strategy", "lexical", "--export", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    again = load(tmp_path / "out")
    assert again.corpus == tmp_path / "out" / "corpus"
    assert again.topics == load(mined(repository)).topics
    queries = [json.loads(row) for row in (tmp_path / "out" / "queries.jsonl").read_text().splitlines()]
    assert [query["_id"] for query in queries] == [topic.id for topic in again.topics]
    documents = [json.loads(row)["_id"] for row in (tmp_path / "out" / "corpus.jsonl").read_text().splitlines()]
    assert len(documents) == 26, "functions, tests not among them"


def test_own_questions_join_it(repository: History, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "- {query: who may not come in, relevant: [core.refused]}\n"
        "- {query: where is nothing, id: lost, relevant: [core.never]}\n"
    )
    asked = ("eval", "--mine", repository.root, "--queries", own, "--strategy", "lexical", "--json")
    result = plait(*asked)
    assert result.exit_code == 0, result.stderr
    assert "lost is left out: in the state that the mined questions are about, no symbol is called" in result.stderr
    topics = json.loads(result.stdout)["measures"]["RR"]["lexical(depth=1000)"]["topics"]
    assert len(topics) == 15
    assert "written-1" in topics


def test_own_questions_alone(repository: History, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("- {query: who may not come in, relevant: [core.refused]}\n")
    result = plait("eval", repository.root, "--queries", own, "--strategy", "lexical", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["topics"] == 1
    own.write_text("- {query: where is nothing, relevant: [core.never]}\n")
    result = plait("eval", repository.root, "--queries", own, "--strategy", "lexical")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no symbol is called 'core.never'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["eval"], "give a COLLECTION, --mine for one made of a repository, or --queries FILE"),
        (["eval", "shop", "--mine", "."], "give a COLLECTION or --mine, not both"),
    ],
)
def test_what_cannot_be_chosen(arguments: list[str], problem: str) -> None:
    result = plait(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr
