"""What tags of HTML and JSX and comments look like, for the rules of blocks and those inside of a paragraph.

Every pattern takes time that grows with the length of what it reads.
"""

from __future__ import annotations

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

_NAME = r"[A-Za-z][A-Za-z0-9_.:-]{0,99}+"
# the braces of JSX may hold other braces; three levels are enough for what people write
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,500}+\}){0,500}+\}){0,500}+\}"
#: A tag. Groups: the slash of a closing tag, the name, the attributes; name and attributes may be missing.
TAG = re.compile(rf"<(/?)({_NAME})((?:[^<>\"'{{}}]|\"[^\"]{{0,2000}}+\"|'[^']{{0,2000}}+'|{_BRACES}){{0,500}}+)>|<>|</>")
#: Elements whose text is code, a table, a heading or a label.
SILENT = frozenset(
    """script style pre textarea svg table template iframe video audio select math
    h1 h2 h3 h4 h5 h6 summary button option title figcaption""".split()
)
#: The closing tags of the silent elements.
CLOSING = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in SILENT}
COMMENT_END = re.compile("-->")
JSX_COMMENT_END = re.compile(r"\*/\s*\}")
