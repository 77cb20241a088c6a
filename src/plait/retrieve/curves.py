"""The additive model: a curve for each column, as a small table of numbers beside this file (`curves.json`).

A generalised additive model (Hastie and Tibshirani 1986) of steps: learned as boosted stumps for LambdaRank (Burges
2010) by `benchmarks/quality_learn.py`, which tells of what. Nothing of a boosting library is needed to read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A step function: values[i] from ends[i - 1] (not included) up to ends[i]."""

    ends: NDArray[np.float64]
    """ascending"""
    values: NDArray[np.float64]
    """one more than ends"""

    def of(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.values[np.searchsorted(self.ends, column)]


@cache
def curves() -> Mapping[str, Curve]:
    """Return the curve of each column that counts. A curve is 0 where its column is."""
    table = json.loads(files("plait.retrieve").joinpath("curves.json").read_text())
    return {name: Curve(np.array(one["ends"]), np.array(one["values"])) for name, one in table["curves"].items()}
