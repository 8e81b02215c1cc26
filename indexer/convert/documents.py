"""`DocumentReader`: a file's bytes → the Markdown that is split: a Markdown file is decoded, another one converted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from indexer.convert.cache import ConversionCache
from indexer.convert.conversion import convert, format_of
from indexer.convert.limits import FORMATS, Places
from indexer.decoding import decode, is_binary
from schema.errors import ConversionError, SettingsError

#: Globs of the files that are converted.
CONVERTED_FILES = tuple(f"**/*{ending}" for ending in FORMATS)
_BINARY = "holds NUL bytes, so it is binary and no text; save it as UTF-8, or name it in .gitignore"


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document's Markdown, warnings about it, and for a converted file where its parts stood in the file."""

    text: str
    warnings: tuple[str, ...] = ()
    places: Places = ()
    is_converted: bool = False


def require_converters() -> None:
    """Refuse to convert files without the packages that do it.

    Raises:
        SettingsError: they are not installed.
    """
    from indexer.convert.pandoc import program  # few projects convert files

    if find_spec("pypdfium2") is None or program() is None:
        raise SettingsError(
            "The setting convert needs packages that are not installed; install them with "
            "`pip install 'sectionary[convert]'`, or set convert to false."
        )


class DocumentReader:
    """Reads documents. With `cache`, a folder, files of other formats are converted, and what comes of it is kept there."""

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = ConversionCache(cache) if cache is not None else None

    def converts(self, path: str) -> bool:
        """Whether the document `path` is converted."""
        return self._cache is not None and format_of(path) is not None

    def read(self, path: str, data: bytes, *, is_plain: bool = False) -> DocumentText:
        """Return the text of the document `path`, which is not converted if it `is_plain`.

        Raises:
            ConversionError: the file cannot be converted, or is binary.
        """
        if self._cache is None or is_plain or not self.converts(path):
            if is_binary(data):
                raise ConversionError(_BINARY, name=path)
            decoded = decode(data)
            return DocumentText(decoded.text, decoded.warnings)
        # the name is part of the key, since a PDF without a title has that of its file
        key = hashlib.sha256(Path(path).name.encode("utf-8", "surrogatepass") + b"\0" + data).hexdigest()
        result = self._cache.get(key)
        if result is None:
            try:
                result = convert(path, data)
            except ConversionError as error:
                if error.is_lasting:
                    self._cache.put(key, error.reason)
                raise
            self._cache.put(key, result)
        if isinstance(result, str):
            raise ConversionError(result, name=path)
        return DocumentText(result.text, result.warnings, result.places, is_converted=True)

    def trim(self) -> None:
        """Delete what the cache holds beyond its limit."""
        if self._cache is not None:
            self._cache.trim()
