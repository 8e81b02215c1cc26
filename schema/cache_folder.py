"""The setting `cache_dir` → the folder for what serves all indexes, as models' graphs, and for copies of indexes elsewhere.

All in it can be made again.
"""

from __future__ import annotations

from pathlib import Path


def cache_folder(cache_dir: str) -> Path | None:
    """The folder, by default the user's cache folder; None where there is neither.

    >>> cache_folder("/var/cache/models").as_posix()
    '/var/cache/models'
    """
    try:
        return Path(cache_dir).expanduser().absolute() if cache_dir else user_cache()
    except RuntimeError:  # of a path that begins with ~
        return None


def user_cache() -> Path | None:
    """The user's cache folder for this program; None for a user without a home."""
    from platformdirs import user_cache_dir

    folder = Path(user_cache_dir("sectionary", appauthor=False))
    return folder if folder.is_absolute() else None
