"""What an index was made with, and the refusal of one that was made with something else."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schema.errors import IndexIncompatibleError

#: Raised whenever stored rows or terms change their meaning; an index of another version is refused.
SCHEMA_VERSION = 17
#: No model's vectors have more floats.
MAX_DIMENSION = 1 << 16
#: What the name of a model begins with whose vectors a server makes.
SERVER_MODEL = "server:"
#: Stands between the names of two models that read the same sections.
_JOINT = "+"
#: Stands between the name of a model and the prompt that documents have.
_PROMPT = " with prompt "
#: Most characters that an error repeats of a value that an index gives.
_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What an index was made with; an index with another fingerprint cannot be searched or added to.

    `second_dimension` is the length of the vectors of the second model, 0 where there is none.
    """

    model: str
    dimension: int
    token_encoding: str
    schema_version: int = SCHEMA_VERSION
    second_dimension: int = 0

    def __post_init__(self) -> None:
        kinds = {"model": str, "dimension": int, "token_encoding": str, "schema_version": int, "second_dimension": int}
        wrong = [name for name, kind in kinds.items() if type(getattr(self, name)) is not kind]
        if wrong or not 1 <= self.dimension <= MAX_DIMENSION or not 0 <= self.second_dimension <= MAX_DIMENSION:
            raise ValueError(f"{wrong[0] if wrong else 'dimension'} has a value that no index has")


def joint_name(first: str, second: str) -> str:
    """The name of two models that read the same sections.

    >>> joint_name("many", "english")
    'many+english'
    """
    return f"{first}{_JOINT}{second}"


def model_names(name: str) -> tuple[str, str]:
    """The names of both models, the second empty where there is one only.

    >>> model_names("many+english")
    ('many', 'english')
    """
    first, _, second = name.partition(_JOINT)
    return first, second


def prompted_name(name: str, prompt: str) -> str:
    """The name of a model that reads documents behind a prompt, which changes every vector.

    >>> prompted_name("many", "passage: ")
    "many with prompt 'passage: '"
    """
    return f"{name}{_PROMPT}{prompt!r}" if prompt else name


def is_prompted(name: str) -> bool:
    """Tell whether the name of a model says that it reads documents behind a prompt."""
    return _PROMPT in name


def check_fingerprint(found: Mapping[str, Any], expected: Mapping[str, Any], *, index_dir: Path) -> None:
    """Compare the fingerprint read from an index with the expected values, by field name, and the schema version.

    Raises:
        IndexIncompatibleError: naming every value that differs, and what to do.
    """
    expected = {"schema_version": SCHEMA_VERSION, **expected}
    differing = {name: value for name, value in expected.items() if found.get(name) != value}
    if not differing:
        return
    was = {name: str(found.get(name))[:_SHOWN] for name in differing}
    wants = {name: str(value) for name, value in differing.items()}
    words = " and ".join(f"{name.replace('_', ' ')} {was[name]}, not {wants[name]}" for name in differing)
    is_servers = any(values.get("model", "").startswith(SERVER_MODEL) for values in (was, wants))
    settable = [name for name in differing if name in ("model", "token_encoding")]
    advice, option = "", ""
    if was.get("schema_version", "").isdecimal() and int(was["schema_version"]) > SCHEMA_VERSION:
        advice = "update Sectionary, or "
    if is_servers and settable == list(differing):
        servers = ["model, embedding_base_url, embedding_model" if name == "model" else name for name in settable]
        advice = f"set {' and '.join(servers)} to what it was made with, or "
    elif settable == list(differing):
        advice = f"name no {' and no '.join(one.replace('_', ' ') for one in settable)} to go on with that, or "
        option = f" --model {shlex.quote(wants['model'])}" if "model" in wants and not is_prompted(wants["model"]) else ""
    raise IndexIncompatibleError(
        f"The index in {index_dir} was made with {words}; {advice}rebuild it with `index FOLDER{option} --rebuild`.",
        index_dir=index_dir,
        expected=wants,
        found=was,
    )
