"""`s3://bucket/prefix`, `gs://…` or `az://…` → the address of an index in an object store; other kinds are refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from schema.errors import ArgumentError

#: Kinds of object store, by what an address begins with.
SCHEMES = {"s3": "Amazon S3 and stores that speak its protocol", "gs": "Google Cloud Storage", "az": "Azure Blob Storage"}
#: An address, also one that passed through a path, which leaves one slash. A drive of Windows has a single letter.
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{1,20}):/{1,2}(.+)", re.DOTALL)
#: Schemes that are refused even where a path took a slash away; any other word before one slash may be a folder.
_OTHERS = frozenset({"abfs", "abfss", "adl", "azure", "file", "ftp", "gcs", "hdfs", "http", "https", "memory", "s3a", "s3n"})
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,221}[A-Za-z0-9]")
#: Characters that every store takes in the name of an object and that mean the same in an address.
_PART = re.compile(r"[A-Za-z0-9!_.*'()=+@,~ -]+")
_MAX_PREFIX = 500


@dataclass(frozen=True, slots=True)
class Address:
    """Where an index is: all its objects' names begin with `prefix` and a slash, or with nothing if that is ""."""

    scheme: str
    bucket: str
    prefix: str

    @property
    def uri(self) -> str:
        """The address as one text, without a slash at its end."""
        return f"{self.scheme}://{self.bucket}/{self.prefix}".rstrip("/")


def parse_address(text: str) -> Address | None:
    """Return the address that a text is; None for a path of this machine.

    >>> parse_address("s3://manuals/team/docs/").uri
    's3://manuals/team/docs'
    >>> parse_address("docs/.sectionary") is None
    True

    Raises:
        ArgumentError: it is the address of something else, or has no bucket or a name that stores may not take.
    """
    found = _ADDRESS.fullmatch(text.replace("\\", "/"))
    if found is None:
        return None
    scheme, rest = found[1].lower(), found[2]
    shown = f"{scheme}://{rest}"
    if scheme not in SCHEMES:
        if "://" not in text and scheme not in _OTHERS:
            return None
        raise _refused(
            shown, f"an index can be in a folder or in an object store: {', '.join(f'{one}://' for one in SCHEMES)}"
        )
    bucket, _, prefix = rest.partition("/")
    parts = [part for part in prefix.split("/") if part]
    if not _BUCKET.fullmatch(bucket):
        raise _refused(
            shown,
            f"name a bucket, as in {scheme}://bucket/prefix; its name has 3 characters or more",
        )
    if len(prefix) > _MAX_PREFIX or any(part in (".", "..") or not _PART.fullmatch(part) for part in parts):
        raise _refused(shown, f"the prefix may have letters, digits, spaces and !_.*'()=+@,~- (at most {_MAX_PREFIX})")
    return Address(scheme, bucket, "/".join(parts))


def _refused(text: str, advice: str) -> ArgumentError:
    return ArgumentError(f"An index cannot be at {text[:100]!r}; {advice}.")
