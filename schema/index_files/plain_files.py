"""A folder of an index → the refusal of links and special files in it, and of a file that cannot be written."""

from __future__ import annotations

import os
from pathlib import Path

from schema.errors import IndexAccessError, IndexUntrustedError


def refuse_links(folder: Path, *, index_dir: Path) -> None:
    """Make sure that everything in a folder of the index is a plain file or a folder, so that nothing leads out of it.

    Raises:
        IndexUntrustedError: naming what is none.
    """
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        if path.is_symlink():
            raise _leads_out(path, index_dir)
        try:
            entries = list(os.scandir(path))
        except OSError:  # not there, or not readable: opening its files raises the reason
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False) and os.path.lexists(entry.path):
                raise _leads_out(Path(entry.path), index_dir)


def refused_write(path: Path, error: OSError, *, index_dir: Path) -> IndexAccessError:
    """Return the error for a file of the index that cannot be written."""
    if path.is_dir():
        message = f"A folder stands in place of the file {path}; move it away and run `index` again."
    else:
        message = f"The index folder {index_dir} cannot be written: {error.strerror or error}; correct its rights."
    return IndexAccessError(message, index_dir=index_dir)


def _leads_out(path: Path, index_dir: Path) -> IndexUntrustedError:
    if path == index_dir:
        message = f"The index folder {index_dir} is a link, which is not followed; give the folder it leads to with --index."
    else:
        message = (
            f"The index folder {index_dir} holds {path.relative_to(index_dir)}, which is a link or no plain file and so is "
            "not used; delete the index folder and run `index FOLDER` again."
        )
    return IndexUntrustedError(message, index_dir=index_dir)
