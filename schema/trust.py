"""What the user allowed, remembered in the user's own configuration folder and never in the folder that it is about.

A folder that came from somebody else can hold settings and an index. The index, and
settings that could do harm, are used only if this user made or allowed them on this machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path

#: Names another folder for the user's own settings and for what the user allowed.
CONFIG_VARIABLE = "SECTIONARY_CONFIG_DIR"
#: Larger files are refused: ours have a few lines (bytes).
_MAX_BYTES = 1_000_000


def user_folder() -> Path | None:
    """The folder of the user's own configuration; None for a user without a home."""
    given = os.environ.get(CONFIG_VARIABLE)
    if given:
        return Path(given).expanduser().absolute()
    from platformdirs import user_config_dir

    folder = Path(user_config_dir("sectionary", appauthor=False))
    return folder if folder.is_absolute() else None


def remembered(subject: str) -> tuple[str, ...] | None:
    """The texts remembered about a subject; None for nothing, and where nothing can be read."""
    path = _path(subject)
    try:
        found = json.loads(read_small_file(path)) if path else {}
        texts = tuple(found["texts"])
        return texts if found["subject"] == subject and all(isinstance(text, str) for text in texts) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def remember(subject: str, texts: Sequence[str] = ()) -> bool:
    """Remember these texts about a subject, in place of earlier ones; False where that cannot be done."""
    import tempfile

    path = _path(subject)
    text = json.dumps({"subject": subject, "texts": list(texts)}, indent=1)
    if path is None or len(text) > _MAX_BYTES:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        number, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except (OSError, ValueError):
        return False
    return True


def can_remember() -> bool:
    """Whether the user's configuration folder can be written."""
    home = user_folder()
    try:
        if home is not None:
            (home / "allowed").mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.access(home / "allowed", os.W_OK)
    except OSError:
        pass
    return False


def forget(subject: str) -> None:
    """Remember nothing about a subject."""
    path = _path(subject)
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def read_small_file(path: Path, *, limit: int = _MAX_BYTES) -> bytes:
    """The bytes of a plain file of at most `limit` bytes; no link is followed and no pipe waited for.

    Raises:
        OSError: it cannot be read, is larger, or is no plain file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError("it is no plain file")
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise OSError(f"it is larger than {limit:,} bytes")
    return data


def _path(subject: str) -> Path | None:
    """The file about a subject; one file for each, so that processes do not wait for each other."""
    home = user_folder()
    name = hashlib.sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return home / "allowed" / f"{name}.json" if home else None
