"""A file that was read before → its record as it is now, and whether it only looks changed: its bytes are the same."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from indexer.reading import FoundFile, read_file
from schema.index_files.manifest import FileRecord

#: A file changed less than this before it was read may change again and keep its time: clocks of files are coarse (ns).
RACY_NS = 2_000_000_000


def record_of(file: FoundFile, data: bytes, *, read_as: str) -> FileRecord:
    """Return the record of a file with these bytes, without what its text says."""
    digest = hashlib.sha256(data).hexdigest()
    return FileRecord(file.path, file.size, file.mtime_ns, _trusted_change(file), digest, read_as=read_as)


def renewed(before: FileRecord, record: FileRecord) -> FileRecord | None:
    """Return a new record with what the text said before; None if the bytes are others."""
    if before.hash != record.hash:
        return None
    return replace(record, title=before.title, front_matter=before.front_matter, warnings=before.warnings)


def renewed_if_same(file: FoundFile, before: FileRecord) -> FileRecord | None:
    """Return the record of a file that is read again, as it was read before; None if its bytes are others or it cannot be
    read."""
    try:
        data = read_file(file)
    except (OSError, ValueError):
        return None
    return renewed(before, record_of(file, data, read_as=before.read_as))


def _trusted_change(file: FoundFile) -> int:
    """Return when the file was last changed, or -1 (never equal) if the next change could leave its times the same."""
    age = time.time_ns() - max(file.mtime_ns, file.ctime_ns)
    # a time in the far future is left from before the clock was set back; the next change will have another one
    return -1 if -RACY_NS < age < RACY_NS else file.ctime_ns
