"""The embedding models that come with the installation, and what each costs and is good for."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from indexer.models.model_files import ENGLISH_MODEL, ENGLISH_PACKAGE_MODULE
from indexer.models.multilingual import MODULE, MULTILINGUAL_MODEL
from schema.settings import DEFAULT_MODEL

_LANGUAGES = (
    "Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, "
    "Thai, Turkish"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """A model by the name that the setting `model` takes.

    `dimension` is the length of a vector (0 where the model decides), `megabytes` what its files take (0 where they are
    not installed).
    """

    name: str
    languages: str
    good_for: str
    dimension: int = 0
    megabytes: int = 0
    is_installed: bool = True
    is_default: bool = False


def known_models() -> list[KnownModel]:
    """The models by name, the default first, then every other that there is or could be."""
    many, english = _megabytes(MODULE), _megabytes(ENGLISH_PACKAGE_MODULE)
    return [
        KnownModel(
            name=DEFAULT_MODEL,
            languages=_LANGUAGES,
            dimension=512,
            megabytes=many + english,
            is_installed=bool(many and english),
            is_default=True,
            good_for="Everything: questions in one language find sections in another, and English is read a second time.",
        ),
        KnownModel(
            name=MULTILINGUAL_MODEL,
            languages=_LANGUAGES,
            dimension=512,
            megabytes=many,
            is_installed=bool(many),
            good_for="The same in a third of the time and without torch; English questions are answered less well.",
        ),
        KnownModel(
            name=ENGLISH_MODEL,
            languages="English",
            dimension=384,
            megabytes=english,
            is_installed=bool(english),
            good_for="English documents and English questions alone; other languages are found by their words.",
        ),
        KnownModel(
            name="a folder, or a name that sentence-transformers knows",
            languages="as the model has them",
            good_for="A model of your own with safetensors weights; docs/models.md tells what it needs.",
        ),
    ]


def _megabytes(module: str) -> int:
    """What the files of a package take; 0 if it is not installed."""
    spec = importlib.util.find_spec(module)
    folders = spec.submodule_search_locations if spec else None
    files = [file for folder in folders or () for file in Path(folder).rglob("*") if file.is_file()]
    return round(sum(file.stat().st_size for file in files) / 1e6)
