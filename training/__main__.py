"""`python -m training WORK [fetch mine train score]`: all steps, or the named ones, in a work folder outside the repository."""

from __future__ import annotations

import sys
from pathlib import Path


def main(work: Path, steps: list[str]) -> None:
    for step in steps or ["fetch", "mine", "train", "score"]:
        if step == "fetch":
            from training.packages import fetch

            fetch(work)
        elif step == "mine":
            from training.mine import mine

            mine(work)
        else:
            raise SystemExit(f"no step {step!r}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
