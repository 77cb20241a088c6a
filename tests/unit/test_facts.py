"""Facts come back from pickling as they went."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, is_dataclass

from plait.extraction import parse
from plait.facts import ParsedFile
from plait.model import SourceFile

SOURCE = '''\
import os
from a import b as c

__all__ = ["A"]


class A(c.Base):
    """Of b."""

    x: int = 3

    def run(self, *more, key=None):
        return [c(self.x) for one in more if os.path] or key
'''


def types_in(value: object) -> set[type]:
    if is_dataclass(value):
        inner = [types_in(getattr(value, field.name)) for field in fields(value)]
        return {type(value)}.union(*inner)
    return set().union(*map(types_in, value)) if isinstance(value, tuple) else set()


def test_facts_come_back_from_pickling_as_they_went() -> None:
    facts = parse(SourceFile("m.py", "python", SOURCE + "x = (\n", "digest"), flow=True)
    assert isinstance(facts, ParsedFile)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(facts, protocol)) == facts
    assert copy.deepcopy(facts) == facts


def test_every_kind_of_fact_is_pickled_at_once() -> None:
    facts = parse(SourceFile("m.py", "python", SOURCE + "x = (\n", "digest"), flow=True)
    kinds = types_in(facts)
    assert len(kinds) == 10
    assert [kind.__name__ for kind in kinds if "__reduce__" not in vars(kind)] == []
