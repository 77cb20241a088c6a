"""What embedders there are, what each costs, and whether it can be used here and now. Nothing is downloaded or sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Thread
from typing import Any

from plait import plugins
from plait.errors import CannotEmbed, MissingExtra, PlaitError
from plait.protocols import About, Listed

PATIENCE = 2.0
"""Seconds for what runs elsewhere to be looked at: finding out that there is no network can take longer than a server
is asked for."""


@dataclass(frozen=True, slots=True)
class Offer:
    name: str
    description: str
    """what to give as `embedder` to have this one"""
    chosen: bool
    """whether the settings name it"""
    at_hand: bool
    found: str
    """what was found, or the problem with its mend"""
    dim: int | None
    """None if it is not at hand, and where only a server could tell"""
    about: About | None
    """None for one of another package that tells nothing"""


def survey(chosen: str, also: Sequence[str] = ()) -> list[Offer]:
    """Return an embedder for each known name, the package's own first; the chosen description stands for its name.

    With descriptions in `also`, these alone, in their order. Raises UnknownPlugin and BadParameter for one of them, and
    for the chosen one.
    """
    name = plugins.described("embedder", chosen)
    if also:
        return [_look(plugins.described("embedder", one), one, chosen=one == chosen) for one in also]
    return [_look(one, chosen if one == name else one, chosen=one == name) for one in plugins.names("embedder")]


def _look(name: str, description: str, *, chosen: bool) -> Offer:
    about: About | None = None
    try:
        about = getattr(plugins.load("embedder", name), "about", None)
        if about is not None and about.library and find_spec(about.library) is None:
            raise MissingExtra(f"the embedder {name!r}", about.library, about.extra or None)
        embedder: Any = plugins.build("embedder", description)
        if about is None:
            return Offer(name, description, chosen, True, "not known before it is used", None, None)
        listed: Listed = embedder
        if about.rate is None:
            return Offer(name, description, chosen, True, _soon(listed.at_hand, description), None, about)
        return Offer(name, description, chosen, True, listed.at_hand(), embedder.dim, about)
    except PlaitError as error:
        return Offer(name, description, chosen, False, str(error), None, about)
    except ImportError as error:  # of another package's
        return Offer(name, description, chosen, False, f"{name}: cannot be imported ({error})", None, about)


def _soon(look: Callable[[], str], what: str) -> str:
    """Return what the look returns, or raise what it raises, unless it takes too long."""
    ended: list[Any] = []

    def run() -> None:
        try:
            ended.append(look())
        except PlaitError as error:
            ended.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    if not ended:
        raise CannotEmbed(what, f"no answer in {PATIENCE:.0f} seconds", "start the server, or check url=")
    if isinstance(ended[0], PlaitError):
        raise ended[0]
    return str(ended[0])
