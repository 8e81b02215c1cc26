"""A document of an index → its file on this machine, and the address that opens it in an editor.

Refuses files that must not be looked at: those of an index that is not the user's own, and those behind a link out of their
root. Only readers on this machine may learn what is made here.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from schema.errors import QueryError
from schema.index_files.layout import is_own, manifest_path, store_dir
from schema.index_files.manifest import read_manifest
from schema.index_files.roots import IndexRoots, roots_of
from schema.text.characters import one_line


def document_file(roots: IndexRoots, path: str) -> Path:
    """Return the file of a document, which is in its root.

    Raises:
        QueryError: it must not be looked at, leads out of its root, or is gone.
    """
    location = roots.locate(path)
    if location is None:
        raise QueryError(f"{one_line(path)[:500]} is in a folder that is not to be looked at; allow it with `index trust`.")
    name = path.partition("/")[0]
    folder = roots.folders.get(name) or roots.project
    real = Path(os.path.realpath(location))
    if not real.is_relative_to(os.path.realpath(folder)):
        raise QueryError(f"{one_line(path)[:500]} leads outside of {one_line(str(folder))}; it is not opened.")
    if not real.is_file():
        raise QueryError(f"{one_line(path)[:500]} is not there any more; `index scan` takes it out of the index.")
    return location


def editor_address(index_dir: Path, document_path: str, line: int) -> str:
    """Return the address that opens a document in Visual Studio Code at a line, 1-based; "" if the index is not the user's
    own, or the file cannot be opened.
    """
    if not is_own(index_dir):
        return ""
    manifest = read_manifest(manifest_path(store_dir(index_dir)), [document_path])
    roots = roots_of(index_dir, manifest.metadata, is_own=True)
    try:
        return vscode_address(document_file(roots, document_path), line)
    except (QueryError, OSError, ValueError):
        return ""


def vscode_address(path: Path, line: int) -> str:
    """Return the address of a file at a line that Visual Studio Code and the editors made of it open.

    >>> from pathlib import PurePosixPath
    >>> vscode_address(PurePosixPath("/home/me/my notes/a#1.md"), 12)
    'vscode://file/home/me/my%20notes/a%231.md:12'
    """
    given = path.as_posix()
    drive = "" if given.startswith("/") else "/"
    return f"vscode://file{drive}{quote(os.fsencode(given), safe='/')}:{line}"
