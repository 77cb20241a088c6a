"""Progress is shown to people, and to nobody else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")

SHOW = """
import time
from plait.doors.terminal import ProgressBar
bar = ProgressBar()
bar.PATIENCE = 0
for done in range(0, 41, 4):
    bar("parsing", done, 40)
    time.sleep(0.02)
bar.close()
"""


@pytest.mark.parametrize(("out", "err"), [(True, True), (True, False), (False, True), (False, False)])
def test_progress_is_shown_only_on_a_terminal(out: bool, err: bool) -> None:
    ours, theirs = os.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", SHOW],
        stdout=theirs if out else subprocess.PIPE,
        stderr=theirs if err else subprocess.PIPE,
        env=environment,
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while more := os.read(ours, 10_000):
                shown += more
        except OSError:  # Linux's way to say that the other end is closed
            pass
        piped = [stream.read() for stream in (process.stdout, process.stderr) if stream]
    os.close(ours)
    assert process.returncode == 0
    assert b"".join(piped) == b""
    if out and err:
        assert b"parsing" in shown
        assert b"40/40" in shown
        assert b"/s" in shown, "the rate"
        assert b"0:00:0" in shown, "the time left"
    else:
        assert shown == b""
