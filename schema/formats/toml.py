"""TOML text → a mapping, in time proportional to the text.

Refuses keys of many parts: `tomllib` notes every beginning of every key, so that a key of a thousand parts takes a million
steps.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

#: Most parts of a dotted key.
MAX_PARTS = 32
#: Strings and comments, which may hold anything; what is not closed ends with the line or with the text.
_TEXT = re.compile(
    r'''"""(?:\\.|[^\\])*?(?:"{3,5}|\Z)|'{3}.*?(?:'{3,5}|\Z)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|\#[^\n]*''', re.DOTALL
)
_LONG_KEY = re.compile(rf"(?<![\w-])[\w-]+(?:[ \t]*\.[ \t]*[\w-]+){{{MAX_PARTS}}}")


def read_toml(text: str) -> dict[str, Any]:
    """The mapping that a TOML text holds.

    Raises:
        ValueError: it is not valid TOML, or a key has more than `MAX_PARTS` parts.
    """
    if _LONG_KEY.search(_TEXT.sub("_", text)):
        raise ValueError(f"a key has more than {MAX_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error
