"""What the first line of a block of Markdown, MDX, VitePress or MkDocs looks like, for the rules of `prose_blocks`.

Every pattern takes time that grows with the length of the line.
"""

from __future__ import annotations

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.markdown.prose_tags import TAG

FENCE = re.compile(r"(?:(`{3,})[^`]*|(~{3,}).*)\Z")
HEADING = re.compile(r"#{1,6}(?:[ \t]|\Z)")
#: The marker of a list item: a bullet, or a number in group 1.
ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?= |\Z)")
#: The box of a task, behind the marker of its item.
TASK = re.compile(r"\[[ xX]\] ")
#: The first or last line of a container of VitePress.
COLONS = re.compile(r":{3,}")
#: The first line of an alert of GitHub or a callout of Obsidian, in a quote: [!NOTE].
ALERT = re.compile(r"\[![A-Za-z-]+\][+-]?")
#: The first line of an admonition or a tab of MkDocs; its text is indented below.
INDENTING_MARKER = re.compile(r"(?:!!!|\?\?\?\+?|===) +\S")
FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,100}\]:")
_TITLE = r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\))"
DEFINITION = re.compile(rf"\[(?!\^)(?:[^\[\]\\]|\\.){{1,999}}+\]:(?: *(?:<[^<>]*>|\S+)(?: +{_TITLE})?)? *\Z")
DEFINITION_TITLE = re.compile(rf"{_TITLE} *\Z")
#: Attributes of the block above, as kramdown has them: {: .class }.
ATTRIBUTES = re.compile(r"\{:[^{}]*\} *\Z")
#: The first line of an import or export of MDX.
STATEMENT = re.compile(
    r"""import\ +(?:["'][^"']+["']|\{[^{}]*\Z|[\w*{$][^"']*\ from\ +["'])"""
    r"""|export\ +(?:\{|\*\ +from\b|default\ +(?:async\b|function\b|class\b|[({\[]|[\w.$]+;?\ *\Z)"""
    r"""|(?:const|let|var)\ +(?:[{\[]|[\w$]+\ *[=:])|(?:async\ +)?function\b[ *]+[\w$]+\ *\("""
    r"""|class\ +[\w$]+\ *(?:\{|extends\b))""",
    re.VERBOSE,
)
#: An element that is left out whole.
SILENT_ELEMENT = re.compile(
    r"<(script|style|pre|textarea|svg|table|template|iframe|video|audio|select|math)(?=[\s/>]|\Z)", re.IGNORECASE
)
#: Their closing tag may be missing: then the rest of the text is theirs (CommonMark, HTML blocks, type 1).
SILENT_TO_END = frozenset({"script", "style", "pre", "textarea"})
ONLY_TAGS = re.compile(rf"(?:{TAG.pattern}|\s)+\Z")
FORMULA_END = re.compile(r"\$\$")
#: The characters of a thematic break, of the row below the head of a table, and of a line of a grid table.
BREAK_CHARACTERS = frozenset("*-_")
DELIMITER_ROW_CHARACTERS = frozenset("|-: ")
GRID_CHARACTERS = frozenset("+-=|: ")


def is_thematic_break(line: str) -> bool:
    """Whether a line that is not blank has three or more of one of `*-_`, and nothing else but blanks."""
    mark = line[0]
    return mark in BREAK_CHARACTERS and line.count(mark) >= 3 and not line.replace(" ", "").strip(mark)
