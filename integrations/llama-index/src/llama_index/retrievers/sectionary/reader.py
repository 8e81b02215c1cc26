"""`SectionaryReader`: a folder → its documents as Sectionary's index reads them, each whole.

Which files are documents, how they are decoded or converted, and which dialect they are written in is decided by the
project's settings and by what `index` keeps about the folder. Documents are never written. What files of other formats are
converted to is kept in the folder of the index, as `index` does, if there is one and it is the user's own.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from indexer.convert.documents import DocumentReader
from indexer.dialects.folders import Dialects
from indexer.reading import FoundFile, read_file
from indexer.splitter import MarkdownSplitter
from indexer.sync.documents import Documents
from indexer.sync.roots import Roots
from schema.errors import ConversionError
from schema.index_files.layout import INDEX_FOLDER, converted_path, is_own
from schema.reports import Failure
from schema.settings import Settings, load_settings

_log = logging.getLogger(__name__)


class SectionaryReader(BaseReader):
    """Reads the documents under `folder`; their paths are relative to the project's folder `root`, by default `folder`.

    Give `root` the folder that holds the index where nodes shall have the ids of its sections. Files that cannot be read are
    left out, logged, and listed in `failed` once all are loaded.

    Raises:
        SourceError: when loading, there is no such folder.
        SettingsError: the project's settings cannot be used.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        root: str | os.PathLike[str] | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._folder = Path(folder)
        self._root = Path(folder if root is None else root).resolve()
        self._settings = settings or load_settings(self._root, environ={})
        self.failed: tuple[Failure, ...] = ()

    def lazy_load_data(self, *_given: Any, **_more: Any) -> Iterator[Document]:
        """Yield the documents by path; one without any text of its author (a drawing, a template) is left out."""
        index_dir, settings = self._root / INDEX_FOLDER, self._settings
        roots = Roots(index_dir, self._root, settings, is_trusted=False)
        found = roots.discover([self._folder])
        failed = list(found.failed)
        with ExitStack() as stack:
            # what the user's own index converted is not converted again
            known = is_own(index_dir)
            cache = converted_path(index_dir) if known else Path(stack.enter_context(TemporaryDirectory()))
            splitter = MarkdownSplitter(max_tokens_per_section=settings.max_tokens_per_section)
            documents = Documents(splitter, Dialects(self._root, settings.dialects), DocumentReader(cache))
            documents.find(found)
            for file in found.files:
                try:
                    document = _document(file, documents)
                except (OSError, ValueError) as error:
                    failed.append(Failure(file.path, str(error)))
                except ConversionError as error:
                    failed.append(Failure(file.path, error.reason))
                else:
                    if document is not None:
                        yield document
        self.failed = tuple(failed)
        for failure in failed:
            _log.warning("%s is left out: %s", failure.path, failure.reason)


def _document(file: FoundFile, documents: Documents) -> Document | None:
    split = documents.split(file.path, read_file(file))
    if not split.sections:
        return None
    read_as = documents.read_as(file.path)
    metadata = {
        "path": file.path,
        "title": split.title,
        **({"tags": ", ".join(split.tags)} if split.tags else {}),
        "dialects": "" if read_as == "converted" else read_as,
    }
    # the front matter and the contents of all sections, joined, are the text that was split
    text = split.front_matter_raw + "".join(section.content for section in split.sections)
    kept = ["dialects"]
    return Document(
        id_=file.path, text=text, metadata=metadata, excluded_embed_metadata_keys=kept, excluded_llm_metadata_keys=kept
    )
