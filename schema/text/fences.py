"""Where a Markdown text has blocks of code between fences."""

from __future__ import annotations

import re

#: A block of code, also as an item of a list or in a quotation: up to a line with its mark alone, or to the end.
BLOCK_OF_CODE = re.compile(
    r"^[ \t>]{0,20}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,3}(?:(?P<ticks>`{3,9})[^`\n]*|(?P<tildes>~{3,9}).*)$"
    r"(?s:.*?)(?:^[ \t>]{0,40}(?:(?P=ticks)`*|(?P=tildes)~*)[ \t]*$|\Z)",
    re.MULTILINE,
)
