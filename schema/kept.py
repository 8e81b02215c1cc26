"""An index → the settings that it was made with, which hold where nobody says otherwise."""

from __future__ import annotations

from pathlib import Path

from schema.index_files.lance_manifests import read_stamp
from schema.index_files.layout import TABLE_FOLDER, is_own, store_dir
from schema.remote.folders import remote_of
from schema.settings import CHOICES, DEFAULT_MODEL
from schema.storage.fingerprint import SERVER_MODEL, is_prompted, model_names

#: The models that come with the installation: an index that somebody else made can only choose among these.
_INSTALLED = {DEFAULT_MODEL, *model_names(DEFAULT_MODEL)}


def kept_settings(index_dir: Path) -> dict[str, str]:
    """Return the model and the vocabulary that an index was made with, as settings, for `load_settings`.

    Both are left out where they cannot be read or named by a setting, and of an index in an object store. A model that does
    not come with the installation is only taken from an index that this user made or allowed.
    """
    if remote_of(index_dir) is not None:
        return {}
    stamp = read_stamp(store_dir(index_dir) / TABLE_FOLDER)
    kept = {}
    model, encoding = stamp.get("model"), stamp.get("token_encoding")
    if isinstance(model, str) and (model in _INSTALLED or (_is_nameable(model) and is_own(index_dir))):
        kept["model"] = model
    if isinstance(encoding, str) and encoding in CHOICES["token_encoding"]:
        kept["token_encoding"] = encoding
    return kept


def _is_nameable(model: str) -> bool:
    return bool(model.strip()) and not model.startswith(SERVER_MODEL) and not is_prompted(model)
