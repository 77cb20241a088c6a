"""The command that lists what can embed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from plait.doors.options import Common, common
from plait.doors.render import Json
from plait.doors.terminal import emit
from plait.embedders import Offer, survey
from plait.protocols import About
from plait.settings import Settings


@click.command()
@click.argument("descriptions", nargs=-1, metavar="[EMBEDDER]...")
@common("embedder")
def models(descriptions: tuple[str, ...], common: Common) -> None:
    """List the embedders: what each is, what it costs and whether it can be used here and now.

    An EMBEDDER is what --embedder takes, as a name or as name(parameter=value, ...); without one, all are listed, `*`
    before the one that the settings of the current folder choose. Nothing is downloaded, embedded or sent; servers are
    asked whether they are there.
    """
    found = survey(Settings.load(Path.cwd(), common.settings).embedder, descriptions)
    emit(_json(found), _text(found), as_json=common.as_json)


def _json(found: Sequence[Offer]) -> Json:
    return {
        "schema": "plait.models.v1",
        "embedders": [
            {
                "name": one.name,
                "description": one.description,
                "chosen": one.chosen,
                "at_hand": one.at_hand,
                "found": one.found if one.at_hand else "",
                "problem": "" if one.at_hand else one.found,
                "dim": one.dim,
                "about": None if one.about is None else asdict(one.about),
            }
            for one in found
        ],
    }


def _text(found: Sequence[Offer]) -> Iterator[str]:
    for one in found:
        yield f"{'*' if one.chosen else ' '} {one.description}  {'at hand' if one.at_hand else 'NOT at hand'}"
        if one.about is not None:
            yield f"    {one.about.what}"
            yield from (f"    {label:9}{told}" for label, told in _costs(one.about, one.dim))
        yield f"    {'found' if one.at_hand else '->':9}{one.found}"
    if not any(one.chosen for one in found):
        return
    yield "choose with --embedder EMBEDDER, PLAIT_EMBEDDER or `embedder` in plait.toml"


def _costs(about: About, dim: int | None) -> Iterator[tuple[str, str]]:
    yield "weights", about.weights + (f"; {dim} numbers for a text" if dim else "")
    yield "network", about.network or "none"
    if about.key:
        yield "key", about.key
    if about.rate is None:
        yield "speed", "the server's"
    else:
        shown = " to ".join(dict.fromkeys(f"{round(one, -2) or one:,}" for one in about.rate))
        yield "speed", f"{shown} functions a second on one core, from long ones to short ones"
