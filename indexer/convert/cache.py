"""`ConversionCache`: what files were converted to, by a hash of their bytes, so that no file is converted twice.

It is a folder in the index folder, beside the store, and survives a rebuild. Losing it only costs time: an entry that cannot
be read or is not as it was written counts as missing, and one that cannot be written is not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

from indexer.convert.conversion import Converted
from indexer.convert.limits import MAX_PLACES, MAX_TEXT

#: Part of every entry's key: other versions of the converter give another text. Raise it with each change of what they give.
VERSION = "7"
#: The largest size of all entries (bytes); the ones not used for longest are deleted.
MAX_BYTES = 500_000_000
_ENDING = ".conv"


class ConversionCache:
    """The cache in `folder`, which is made when something is kept. One process at a time may use it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_used = not folder.is_symlink()
        self._is_changed = False

    def get(self, key: str) -> Converted | str | None:
        """Return what a file was converted to, or the reason for which it cannot be; None if the cache has neither."""
        if not self._is_used:
            return None
        path = self._path(key)
        try:
            if path.is_symlink() or path.stat().st_size > MAX_TEXT + MAX_PLACES:
                return None
            data = path.read_bytes()
            digest, _, rest = data.partition(b"\n")
            if digest.decode("ascii", "replace") != hashlib.sha256(rest).hexdigest():
                return None
            head, _, body = rest.partition(b"\n")
            reason, warnings, places = json.loads(head)
            with contextlib.suppress(OSError):
                os.utime(path)
        except (OSError, ValueError, TypeError):
            return None
        if reason is not None:
            return str(reason)
        return Converted(body.decode("utf-8"), tuple((int(at), str(label)) for at, label in places), tuple(warnings))

    def put(self, key: str, result: Converted | str) -> None:
        """Keep what a file was converted to, or the reason for which it cannot be."""
        if not self._is_used:
            return
        reason, converted = (result, Converted("")) if isinstance(result, str) else (None, result)
        head = json.dumps([reason, converted.warnings, converted.places]).encode()
        rest = head + b"\n" + converted.text.encode("utf-8", "replace")
        path = self._path(key)
        new = path.with_suffix(".new")
        with contextlib.suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            new.unlink(missing_ok=True)
            new.write_bytes(hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)
            new.replace(path)
            self._is_changed = True

    def trim(self) -> None:
        """Delete what other versions wrote, and the entries not used for longest until the others fit the limit."""
        if not self._is_changed:
            return
        self._is_changed = False
        kept = []
        with contextlib.suppress(OSError):
            for entry in os.scandir(self._folder):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(f".{VERSION}{_ENDING}"):
                    kept.append((status.st_mtime_ns, status.st_size, entry.path))
                else:
                    Path(entry.path).unlink()
        size = 0
        for _, bytes_, path in sorted(kept, reverse=True):
            size += bytes_
            if size > MAX_BYTES:
                with contextlib.suppress(OSError):
                    Path(path).unlink()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.{VERSION}{_ENDING}"
