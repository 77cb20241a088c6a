"""`python -m training WORK [fetch mine train score]`: all steps, or those named; WORK is outside the repository."""

from __future__ import annotations

import sys
from pathlib import Path

from training import general, mine, packages


def main(work: Path, steps: list[str], options: list[str]) -> None:
    for step in steps or ["fetch", "mine", "train", "score"]:
        if step == "fetch":
            from training import minilm

            minilm.fetch(work)
            general.fetch(work)
            packages.fetch(work)
        elif step == "mine":
            general.mine(work)
            mine.mine(work)
        elif step == "train":
            from training import train

            train.main(work, options)
        elif step == "score":
            from training import score

            score.main(work, options)
        else:
            raise SystemExit(f"no step {step!r}; the steps are fetch, mine, train and score")


if __name__ == "__main__":
    named = [one for one in sys.argv[2:] if one in ("fetch", "mine", "train", "score")]
    main(Path(sys.argv[1]).resolve(), named, [one for one in sys.argv[2:] if one not in named])
