"""Named arrays ↔ one file in the cache folder, which is mapped into memory, so that a process reads what it needs of it.

The file begins with a header that says what it was made of and the CRC-32 of all that follows: a header other than the
expected one means that the file is made again. Nothing of it is parsed; what is where follows from the layout alone.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import tempfile
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

#: For each array its type, as numpy writes it, and its shape.
Layout = Mapping[str, tuple[str, tuple[int, ...]]]

#: Raised when the meaning of an array changes, but not its type or shape.
_FORMAT = 1
#: Where arrays begin is a multiple of this, as the processor likes it (bytes).
_ALIGNMENT = 64
_HEADER_BYTES = 128
#: A file under a temporary name is debris of a process that died, or about to be renamed by one that lives (seconds).
_DEBRIS_AGE = 3600.0


class PreparedArrays:
    """The arrays of a layout in the file `path`; `made_of` is a text that says from what exactly."""

    def __init__(self, path: Path, layout: Layout, made_of: str) -> None:
        self._path = path
        self._layout = layout
        self._made_of = f"{_FORMAT} {dict(layout)} {made_of}"

    def load(self) -> dict[str, npt.NDArray[Any]] | None:
        """The arrays, mapped and not to be written to; None where there is no sound file of them.

        Like the graphs of other models it is checked against damage: who could forge it could forge its checksum.
        """
        try:
            if not self._path.is_file():
                return None
            with self._path.open("rb") as stream:
                if os.fstat(stream.fileno()).st_size != _HEADER_BYTES + sum(map(_room, self._layout.values())):
                    return None
                view = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return None
        if view[:_HEADER_BYTES] != self._header(zlib.crc32(memoryview(view)[_HEADER_BYTES:])):
            return None
        found = {}
        place = _HEADER_BYTES
        for name, (kind, shape) in self._layout.items():
            found[name] = np.frombuffer(view, kind, math.prod(shape), place).reshape(shape)
            place += _room((kind, shape))
        return found

    def save(self, arrays: Mapping[str, npt.NDArray[Any]], *, in_place_of: str = "") -> None:
        """Write the file, or let it take the place of another; whoever has mapped that one keeps it.

        Files beside it whose names match the pattern `in_place_of` are deleted, as those of earlier versions.

        Raises:
            OSError: the folder cannot be written.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._sweep()
        number, name = tempfile.mkstemp(dir=self._path.parent, prefix=f"{self._path.name}.")
        try:
            with os.fdopen(number, "wb") as stream:
                stream.write(bytes(_HEADER_BYTES))
                crc = 0
                for array_name, (kind, shape) in self._layout.items():
                    data = np.ascontiguousarray(arrays[array_name], kind).tobytes()
                    data += bytes(_room((kind, shape)) - len(data))
                    crc = zlib.crc32(data, crc)
                    stream.write(data)
                stream.seek(0)
                stream.write(self._header(crc))
            Path(name).replace(self._path)
            for place in self._path.parent.glob(in_place_of) if in_place_of else ():
                if place != self._path:
                    with contextlib.suppress(OSError):
                        place.unlink()
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _header(self, crc: int) -> bytes:
        text = f"sectionary arrays {zlib.crc32(self._made_of.encode('utf-8', 'replace')):08x} {crc:08x}\n"
        return text.encode("ascii").ljust(_HEADER_BYTES, b"\0")

    def _sweep(self) -> None:
        youngest = time.time() - _DEBRIS_AGE
        with contextlib.suppress(OSError):
            for place in self._path.parent.glob(f"{self._path.name}.*"):
                if place.stat().st_mtime < youngest:
                    place.unlink(missing_ok=True)


def _room(array: tuple[str, tuple[int, ...]]) -> int:
    """Bytes that an array takes in the file."""
    kind, shape = array
    return -(-np.dtype(kind).itemsize * math.prod(shape) // _ALIGNMENT) * _ALIGNMENT
