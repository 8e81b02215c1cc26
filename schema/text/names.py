"""A name (a path, a tag, a field of front matter) → the form in which names are compared.

Some systems store names with accents and syllables taken apart (Unicode's form NFD, as macOS does), where a keyboard gives
them composed (NFC). Both are the same name.
"""

from __future__ import annotations

import unicodedata

#: Longer texts are no names (characters): a row of marks is composed in quadratic time.
_MAX_NAME = 1000


def composed(name: str) -> str:
    """Return a name in Unicode's form NFC; one of more than 1,000 characters as it is.

    >>> composed("cafe\u0301") == "caf\xe9"
    True
    """
    return unicodedata.normalize("NFC", name) if len(name) <= _MAX_NAME else name


def caseless(name: str) -> str:
    """Return a name, composed, without differences of case.

    >>> caseless("CAFE\u0301") == caseless("caf\xe9")
    True
    """
    return composed(name).casefold()
