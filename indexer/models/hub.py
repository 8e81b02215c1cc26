"""The name of a model that is no folder → whether this machine has it, or a model hub that can be reached.

The libraries that load models ask a hub again and again for more than a minute when there is no network. So their cache is
looked at first, and a hub is asked once.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from schema.settings import DEFAULT_MODEL
from schema.storage.fingerprint import model_names

#: Who made a model whose name says nothing of it.
_DEFAULT_OWNER = "sentence-transformers"
#: What every model has.
_CONFIGURATION, _WEIGHTS = "config.json", "*.safetensors"
#: Seconds that a hub has to answer in.
_PATIENCE_S = 10.0


def is_on_this_machine(name: str) -> bool:
    """Tell whether the cache of this machine has a model; False where it has to be taken from the hub, which knows it.

    A model without its weights, as an interrupted download leaves it, is not there.

    Raises:
        LookupError: neither this machine nor a hub that answers has a model of this name; the text says which.
    """
    from huggingface_hub import constants
    from huggingface_hub.errors import HFValidationError

    places = repositories(name)
    try:
        if any(map(_has_weights, places)):
            return True
    except HFValidationError:
        raise LookupError(f"there is no such folder{_hint(name)}") from None
    if constants.HF_HUB_OFFLINE:
        raise LookupError(f"this machine does not have it, and HF_HUB_OFFLINE forbids to look for it{_hint(name)}")
    if not any(_hub_has(place) for place in places):
        raise LookupError(f"neither this machine nor the model hub has it{_hint(name)}")
    return False


def repositories(name: str) -> Sequence[str]:
    """Return the names in full that a model's name may stand for, in the order in which they are tried."""
    return [name] if "/" in name else [f"{_DEFAULT_OWNER}/{name}", name]


def _has_weights(repository: str) -> bool:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(repository, local_files_only=True))
    except LocalEntryNotFoundError:
        return False
    return any(folder.rglob(_WEIGHTS))


def _hub_has(repository: str) -> bool:
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    try:
        get_hf_file_metadata(hf_hub_url(repository, _CONFIGURATION), timeout=_PATIENCE_S)
    except (EntryNotFoundError, GatedRepoError):
        return True  # whoever loads it says more about it
    except RepositoryNotFoundError:
        return False
    except Exception as error:  # what its library for HTTP raises, which is not the same in all versions
        raise LookupError(f"this machine does not have it, and no model hub answers{_hint(repository)}") from error
    return True


def _hint(name: str) -> str:
    """Return which model that comes with the installation is nearly called like this, "" if none is."""
    known = {known.lower(): known for known in model_names(DEFAULT_MODEL)}
    word = name.rpartition("/")[2].lower()
    near = [each for each in known if len(word) > 2 and word in each] or difflib.get_close_matches(word, known, n=1)
    return f"; the nearest name of one that it has is {known[near[0]]}" if near else ""
