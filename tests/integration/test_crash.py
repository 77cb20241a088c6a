"""A writer that is killed at any moment leaves the last commit or the new one, and the next one goes on."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random

import pytest
from processes import CONTEXT, VARIANTS, committed, opened, renew, write, write_for_ever

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill -9 is POSIX's")

ROUNDS = int(os.environ.get("PLAIT_KILLS", "50"))
"""`make test-slow` asks for more."""


class Repository:
    """One that is indexed, and what a clean index of each of its variants holds."""

    def __init__(self, place: Path) -> None:
        self.root, self.cache = place / "repository", place / "cache"
        self.dumps: list[list[str]] = []
        for variant in range(len(VARIANTS)):
            write(self.root, variant)
            clean = place / f"clean{variant}"
            opened(self.root, clean).index()
            self.dumps.append(committed(self.root, clean))
        assert len(set(map(tuple, self.dumps))) == len(VARIANTS)
        write(self.root, 0)
        opened(self.root, self.cache).index()

    def left(self) -> list[Path]:
        """What is there besides the index and the facts."""
        index = opened(self.root, self.cache).path
        return sorted(path for path in index.parent.iterdir() if path.name.endswith(".new"))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def moments(repository: Repository, kill_at: int) -> int | None:
    """Renew the index in another process; return how many moments that has, None if it was killed."""
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=renew, args=(repository.root, repository.cache, kill_at, theirs))
    process.start()
    theirs.close()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return int(ours.recv()) if process.exitcode == 0 else None


def test_a_writer_killed_at_any_moment(repository: Repository) -> None:
    random = Random(4)
    most = {}
    for variant in range(len(VARIANTS)):
        write(repository.root, variant)
        most[variant] = moments(repository, 0) or 0
        assert committed(repository.root, repository.cache) == repository.dumps[variant]
    before, killed, new = variant, 0, 0
    for _ in range(ROUNDS):
        variant = random.choice([one for one in range(len(VARIANTS)) if one != before])
        write(repository.root, variant)
        killed += moments(repository, random.randint(1, most[variant])) is None
        found = committed(repository.root, repository.cache)
        assert found in (repository.dumps[before], repository.dumps[variant])
        new += found == repository.dumps[variant]
        opened(repository.root, repository.cache).snapshot()
        assert committed(repository.root, repository.cache) == repository.dumps[variant]
        before = variant
    assert killed > ROUNDS * 3 // 4
    assert new < ROUNDS


def test_a_writer_killed_at_any_time(repository: Repository) -> None:
    random = Random(5)
    for _ in range(max(ROUNDS // 10, 3)):
        ours, theirs = CONTEXT.Pipe(duplex=False)
        process = CONTEXT.Process(target=write_for_ever, args=(repository.root, repository.cache, theirs))
        process.start()
        ours.recv()
        time.sleep(random.uniform(0, 0.3))
        process.kill()
        process.join()
        assert committed(repository.root, repository.cache) in repository.dumps
        for variant in (1, 0):
            write(repository.root, variant)
            opened(repository.root, repository.cache).snapshot()
            assert committed(repository.root, repository.cache) == repository.dumps[variant]


def test_what_killed_writers_left_is_swept(repository: Repository) -> None:
    write(repository.root, 1)
    count = moments(repository, 0) or 0
    variant = 1
    for kill_at in range(count // 10, count, count // 10):
        variant = 3 - variant
        write(repository.root, variant)
        moments(repository, kill_at)
        opened(repository.root, repository.cache).snapshot()
    assert repository.left(), "no writer was killed while it wrote"
    for path in repository.left():
        os.utime(path, (0, 0))
    write(repository.root, 0)
    opened(repository.root, repository.cache).snapshot()
    assert repository.left() == []
