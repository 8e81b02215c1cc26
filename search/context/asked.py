"""`Asked`: what a question asks a passage for, besides its words: code, signs as they are typed, an option, a meaning."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from schema.text.fields import identifiers, signed_names
from search.ranking.definitions import defines, subject_of

#: Marks of a question about code: a call, an option, a path, an operator, an error code.
_CODE = re.compile(r"\w\(|(?<!\w)--?\w|[{}<>=&|;$@\\]|\w::\w|\w\.\w+\(|\w_\w|[a-z][A-Z]|/\w+[./]")
#: A word with a sign before or behind it, or only signs, in ASCII.
_SIGNED = re.compile(r"(?=.{2,64}$)(?:[!#-&*-.:<-@\\^|~][!-~]*|[!-~]*[!#-&*+:<-@^|~])")
_QUOTED = re.compile(r"\"([^\"]{2,200})\"")
#: The name of an option, and what stands around a name in a heading.
_OPTION, _AROUND_NAME = re.compile(r"(?<!\S)--?([A-Za-z][\w-]*)"), "# \t\r\n`*-"
#: How much a text that begins with an identifier of the question says what that is, and how many identifiers are looked for.
_EXPLAINED, _MAX_NAMES = 0.5, 5
#: What may stand before the identifier there: signs, with blanks where a tag of HTML was, a role of MyST, and the names that
#: it is a member of.
_ABOVE = (
    r"(?:[ \t]{0,99}[^\w\s]){0,8}[ \t]{0,99}"
    r"(?:\{[\w:-]{1,40}\}[^\w\r\n]{0,4})?(?:\w{1,64}(?:\.|::)){0,4}"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for.

    `typed`: its words that begin or end with a sign, and what stands in quotes, as they are typed, but for those in the
    section's heading. `options`:
    the names of options in it. `says`: how far a text, 0..1, says what the question asks the meaning of, or explains an
    identifier of it; None if it asks for neither.
    """

    is_for_code: bool
    typed: tuple[str, ...]
    options: frozenset[str]
    says: Callable[[str], float] | None

    @classmethod
    def of(cls, query: str, heading: str) -> Asked:
        """What a query asks a section with this heading for."""
        words = [word.rstrip(",.?!;:") for word in query.split()]
        signed = (word for word in words if _SIGNED.fullmatch(word))
        typed = tuple(dict.fromkeys(word for word in (*signed, *_QUOTED.findall(query)) if word not in heading))
        return cls(bool(_CODE.search(query)), typed, frozenset(_OPTION.findall(query)), _says(query, heading))

    def names_option(self, heading: str) -> bool:
        """Whether a line with a heading is the name of an option that is asked for, or several names with it.

        >>> Asked.of("npm audit --omit=dev", "Configuration").names_option("#### `omit`")
        True
        >>> Asked.of("what is --code", "Options").names_option("#### `-c`, `--code`")
        True
        """
        return any(name.strip(_AROUND_NAME) in self.options for name in (heading, *signed_names(heading.strip("# \t\r\n"))))


def _says(query: str, heading: str) -> Callable[[str], float] | None:
    """What tells how far a text says what the query asks the meaning of, or explains an identifier of the query, with which
    it begins then, as an item of a list of options does; None for a query that asks for neither.

    An identifier in the section's own heading is explained by the section as a whole.
    """
    subject, names = subject_of(query), [name for name in identifiers(query) if name not in heading][:_MAX_NAMES]
    defined = defines(subject) if subject else None
    if not names:
        return defined
    begins = re.compile(rf"{_ABOVE}(?:{'|'.join(map(re.escape, names))})(?![\w-])")
    return lambda text: max(_EXPLAINED if begins.match(text) else 0.0, defined(text) if defined is not None else 0.0)
