"""The hub that names of models are looked up on: is a model kept here, and can it be fetched at all?"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

PATIENCE = 5.0
"""Seconds for the hub to say that it has a model. Its own library would try again for a minute and more."""


def kept(model: str) -> Path | None:
    """Return the folder of a model that was downloaded before."""
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:  # what reads models brings it
        return None
    try:
        found = try_to_load_from_cache(model, "model.safetensors")
    except ValueError:  # no name on the hub
        return None
    return Path(found).parent if isinstance(found, str) else None


def ask(model: str) -> None:
    """Raise at once, whatever its library raises, if the hub cannot be reached or lacks the model, or it is a path."""
    if model.startswith(("/", ".", "~")):
        raise FileNotFoundError("no such folder")
    from huggingface_hub import HfApi

    HfApi().model_info(model, timeout=PATIENCE)


@cache
def state(model: str, *weights: str) -> str:
    """Return a digest of a folder's weights, the first of these files; a name on the hub stands for itself."""
    file = next((path for name in weights if (path := Path(model).expanduser() / name).is_file()), None)
    if file is None:
        return model
    summary = blake2b(digest_size=6)
    with file.open("rb") as opened:
        while part := opened.read(1 << 20):
            summary.update(part)
    return summary.hexdigest()
