"""A section → its `terms` column, lines of terms with one field in each line; and how much prose of its own it has.

The first `FIXED_LINES` lines are the fields below, every further line is a sentence of the text; the last line of a
document's first section has the properties of the document. The line of names holds the terms of names that no heading has,
and keys: one for each name that the section may be looked up by (see `name_key`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from schema.sections import Section, file_name
from schema.text.analyzer import marked_terms, term_lines, terms
from schema.text.dates import day_terms
from schema.text.normal_form import compatible
from schema.text.properties import properties
from schema.text.runs import MAX_TERM_CHARACTERS
from schema.text.spelling import without_final_marks

#: The section's own heading, the headings above it and the document's title, its names, its path, its summary.
HEADING, ABOVE, NAMES, PATH, SUMMARY = range(5)
FIXED_LINES = 5

_KEY, _TEXT_KEY, _IDENTIFIER_KEY = "=", "==", "~"
_BLANKS, _SEPARATORS = re.compile(r"\s+"), re.compile(r"[-_]+")
# Korean compounds are written with blanks or without
_BLANKS_OF_KOREAN = re.compile(r"(?<=[가-힣])\s+(?=[가-힣])")
#: Longer headings are cut: nobody looks for single identifiers in them (characters).
_MAX_HEADING = 300
_MAX_NAMES = 50
#: A longer description of a page is cut (characters).
_MAX_DESCRIPTION = 1_000
# words that are not prose: an inner capital or underscore or dot or slash, a call, an option, capitals with digits
_IDENTIFIER = re.compile(
    r"(?<![\w-])(?:--?[A-Za-z][\w-]*|[/@$#:]?[A-Za-z_][\w]*(?:[./:_-]+\w+)+|[@$][A-Za-z_]\w*|[A-Za-z_]\w*(?=\()|[a-z]+[A-Z]\w*"
    r"|[A-Z][a-z]+[A-Z]\w*|[A-Z]{1,5}\d+[A-Za-z\d]*|[A-Z]*_[A-Z_\d]+)",
    re.ASCII,
)
_ARGUMENTS = re.compile(r"\([^()]*\)")
#: What stands before the arguments of a call; prose in parentheses stands after a blank.
_CALLED = re.compile(r"[\w$\]]", re.ASCII)
#: What stands between identifiers in a heading, and what one of them is given.
_LISTED = re.compile(r", +(?=[-@$A-Za-z_])| *(?:\||/| or ) *(?=[-@$A-Za-z_])")
_GIVEN = re.compile(r"(?>(?:(?>\([^()]*\)|(?:\[?[=:]|\[)\S*| ?<[^<>]*>| ?\"[^\"]*\"| \([^()]*\)))*)")
_FENCE = re.compile(r"[ >]{0,20}(```+|~~~+)")
# comments, definitions of links, imports, directives, marks of a table of contents, lines of tags or expressions alone
_NO_TEXT = re.compile(
    r"\s*(?:<!--|\[[^\]\n]{1,200}\]:|import\s.{0,200}\sfrom\s|export\s|:::|\{\{|\{%|\[\[?_?(?:TOC|toc)_?\]?\]\s*$|\{:\s?toc|</?[A-Za-z][^<>\n]{0,500}>\s*$|[-=*_|:\s]+$|#{1,6}\s)"
)
#: A line of tags, such as `#project #draft`.
_TAGS_ALONE = re.compile(r"[ \t]*(?:#[^\s#]{1,100}[ \t]*){1,50}$")
_HTML_HEADING, _HTML_HEADING_END = (
    re.compile(r"\s*(?P<tag><h[1-6])[\s>]", re.IGNORECASE),
    re.compile(r"</h[1-6]\s*>", re.IGNORECASE),
)
#: What the front matter of a page begins with, and a field in it that only names or announces the page.
_FRONT_MATTER = re.compile(r"(?:---|\+\+\+)[ \t]*[\r\n]")
_FIELD, _ANNOUNCING = re.compile(r"[\"']?([\w.-]+)[\"']?\s*[:=]"), frozenset({"title", "description", "summary", "subtitle"})
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s|\s*\|")
_LINK = re.compile(
    r"!?\[[^\[\]\n]{0,500}\](?:\([^)\n]{0,1000}\)|\[[^\]\n]{0,200}\])|<?https?://[^\s)>]{1,1000}>?|<[^<>\n]{1,500}>"
)
#: Fields of the front matter with what a page is about, beside its tags.
_TOPICS = ("keywords", "keyword", "categories", "category")
_WORDS = re.compile(r"[^\W_]+")
#: A heading of two names, the second in parentheses; and an abbreviation, which may be in the plural.
_TWO_NAMES = re.compile(r"([^()]{2,200}) \(([^()]{2,200})\)")
_ABBREVIATION = re.compile(r"([A-Z][A-Za-z\d]{0,6}[A-Z\d])s?")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_QUOTED = re.compile(r" {0,3}>")
_NOTE = re.compile(r" {0,3}>\s*(?:\[!|\*\*|__|[^\s:]{1,20}(?: [^\s:]{1,20})?[:：])")
#: Weights of a word of a list or table, and of code or a quotation; one of a sentence counts 1.
_ITEM_WEIGHT, _QUOTED_WEIGHT = 0.5, 0.25
#: Prose beyond this makes a section no better (words).
MAX_PROSE = 1000


def section_terms(section: Section, front_matter: Mapping[str, Any]) -> str:
    """Return the lines that full text finds a section by: the fixed lines, and a line of terms for each sentence.

    The line of the summary has only terms that are not in the section itself, which would count twice. What the front
    matter says of the page is in that of the first section, and its names are among the section's. The document's summary
    is left out: with it, a first section that is only a heading would rank above sections that answer.
    """
    own = section.heading if section.depth else section.document_title
    above = [without_arguments(part) for part in section.breadcrumb if part != own]
    called = without_arguments(own)
    (heading, known), (others, also), (path, _) = map(_line, (called, "\n".join(above), section.document_path))
    heading, others = (
        " ".join((line, *marked_terms(text))) for line, text in ((heading, called), (others, "\n".join(above)))
    )
    names = _names(section, front_matter)
    about = (
        () if section.position else (*section.tags, *(word for name in _TOPICS for word in _texts(front_matter.get(name))))
    )
    words = [_line(name.casefold())[0] for name in (*names, *about[:_MAX_NAMES])]
    more = dict.fromkeys(term for line in (*words, _line(own)[0]) for term in line.split(" "))
    more = {term: None for term in more if term and term not in known and term not in also}
    more |= dict.fromkeys(day_terms("" if section.position else str(front_matter.get("date", ""))))
    # a day in the name of the file is what the whole document is of, as a heading above is
    days = dict.fromkeys(day_terms(file_name(section.document_path)))
    others = " ".join(filter(None, (others, *(day for day in days if day not in known and day not in also))))
    sentences = [*term_lines(section.body), *_line_of_properties(section, front_matter)]
    said = "\n".join(filter(None, (section.summary, page_description(section, front_matter))))
    of_summary = terms(said) if said else []
    added = set(of_summary)
    for line in (heading, others, *sentences) if added else ():
        added.difference_update(line.split(" "))
    summary = " ".join(term for term in of_summary if term in added)
    return "\n".join((heading, others, " ".join((*_name_keys(own, section, names), *more)), path, summary, *sentences))


def told_properties(section: Section, front_matter: Mapping[str, Any]) -> dict[str, str]:
    """The properties of a document, which belong to its first section; none for others.

    A page that is made of its front matter has them in its text already.
    """
    return {} if section.position or is_front_matter(section) else properties(front_matter)


def _line_of_properties(section: Section, front_matter: Mapping[str, Any]) -> list[str]:
    """The terms of all properties as one line, none for none: each alone would be a short sentence, which counts much."""
    told = "\n".join(f"{name}: {value}" for name, value in told_properties(section, front_matter).items())
    return list(filter(None, [" ".join((*terms(told), *marked_terms(told)))]))


def page_description(section: Section, front_matter: Mapping[str, Any]) -> str:
    """What the front matter says of the page, in one line, for its first section; empty for others.

    A page that is made of its front matter has it in its text already.
    """
    value = front_matter.get("description")
    if section.position or not isinstance(value, str) or is_front_matter(section):
        return ""
    return " ".join(value[:_MAX_DESCRIPTION].split())


def is_front_matter(section: Section) -> bool:
    """Whether a section is the front matter of a page without text, which a site may fill from elsewhere."""
    return section.depth == 0 and _FRONT_MATTER.match(section.content) is not None


@lru_cache(maxsize=1024)  # sections have headings above, titles and names such as "Parameters" in common
def _line(text: str) -> tuple[str, frozenset[str]]:
    """The terms of a text, in order in one line, and each once."""
    found = terms(text)
    return " ".join(found), frozenset(found)


def name_key(name: str) -> str:
    """Return a key for a name as a whole: equal for names of the same terms in the same order; empty for a blank one.

    >>> name_key("Raw Identifiers") == name_key("raw identifier")
    True
    >>> name_key("렌더 트리") == name_key("렌더트리")
    True
    >>> name_key("サーバー") == name_key("サーバ")
    True
    >>> name_key("`?`")
    '=`?`'
    """
    plain = without_final_marks(compatible(name.casefold()))
    words, _ = _line(_BLANKS_OF_KOREAN.sub("", plain))
    key = words.replace(" ", "_") or _BLANKS.sub("_", compatible(name).strip())
    return _KEY + key[: 4 * MAX_TERM_CHARACTERS] if key else ""


def text_key(name: str) -> str:
    """Return a key for a name as it is written: equal for names that differ in blanks alone.

    >>> text_key("Loops") == text_key("loops")
    False
    """
    key = "_".join(name[:_MAX_HEADING].split())
    return _TEXT_KEY + key if key else ""


def identifier_key(name: str) -> str:
    """Return a key for an identifier that is a part of a heading."""
    key = name_key(name)
    return _IDENTIFIER_KEY + key[1:] if key else ""


def is_identifier_key(term: str) -> bool:
    """Whether an entry of the names line is the key of an identifier in the heading."""
    return term.startswith(_IDENTIFIER_KEY)


def is_key(term: str) -> bool:
    """Whether an entry of the names line is a key, which no term of a text can be."""
    return term.startswith((_KEY, _IDENTIFIER_KEY))


def first_key(text: str) -> str:
    r"""The first key in the names of a `terms` string; empty where there is none.

    >>> first_key("loop\n\n==Loops =loop\n\n")
    '==Loops'
    """
    names = text.split("\n", NAMES + 1)[NAMES : NAMES + 1]
    key = names[0].split(" ", 1)[0] if names else ""
    return key if is_key(key) else ""


def without_arguments(heading: str) -> str:
    """A heading without the arguments of the calls in it: they say little about what the section is about.

    >>> without_arguments("`fs.mkdir(path[, options], callback)` and setup (optional)")
    '`fs.mkdir` and setup (optional)'
    >>> without_arguments("on(name, (event) => {})")
    'on'
    """
    plain: list[str] = []
    begin = depth = 0
    for at, character in enumerate(heading):
        if depth:
            depth += (character == "(") - (character == ")")
            if not depth and not heading[begin : at + 1].isascii():  # a word in another script explains the one before
                plain.append(heading[begin : at + 1])
        elif character == "(" and at and _CALLED.match(heading[at - 1]):
            begin, depth = at, 1
        else:
            plain.append(character)
    return heading if depth else "".join(plain)


def _names(section: Section, front_matter: Mapping[str, Any]) -> list[str]:
    """Return names of the section beside its heading; names of the document lead to its first section."""
    names = [section.anchor]
    if section.position == 0:
        names += [section.document_title, *_texts(front_matter.get("title")), *_texts(front_matter.get("aliases"))]
        names += [*_texts(front_matter.get("alias")), _SEPARATORS.sub(" ", file_name(section.document_path))]
    return [name[:_MAX_HEADING] for name in names[:_MAX_NAMES]]


def _name_keys(own: str, section: Section, names: Sequence[str]) -> Iterable[str]:
    path = section.document_path
    paths = [path, path.rpartition("/")[2], file_name(path)] if section.position == 0 else []
    keys = [text_key(own), *(name_key(name) for name in (own, *names, *paths))]
    if section.depth:
        keys += [
            key for name in signed_names(section.heading) for key in (text_key(name), text_key(f"{name}()"), name_key(name))
        ]
        keys += [identifier_key(found) for found in identifiers(section.heading)]
        keys += [key for name in short_names(section.heading) for key in (text_key(name), name_key(name))]
    return dict.fromkeys(key for key in keys if key)


def identifiers(heading: str) -> Iterator[str]:
    """The identifiers that a heading names.

    >>> list(identifiers("createRoot(domNode, options?) and --time-budget"))
    ['createRoot', '--time-budget']
    """
    return (match.group() for match in _IDENTIFIER.finditer(_ARGUMENTS.sub("()", heading[:_MAX_HEADING])))


def signed_names(heading: str) -> list[str]:
    """The identifiers of a heading that has nothing else but what each is given: arguments, values, kinds.

    >>> signed_names("fs.rm(path[, options], callback)"), signed_names("`-i`, `--inspect[=[host:]port]`")
    (['fs.rm'], ['-i', '--inspect'])
    >>> signed_names("--title=title"), signed_names("--max-old-space-size=SIZE (in MiB)"), signed_names("Class: fs.Dir")
    (['--title'], ['--max-old-space-size'], [])
    >>> signed_names("fs.rm and fs.rmdir"), signed_names("createRoot(node) in a test")
    ([], [])
    """
    plain = _ARGUMENTS.sub("()", heading[:_MAX_HEADING].replace("`", ""))
    names = []
    for part in _LISTED.split(without_arguments(plain)):
        found = _IDENTIFIER.match(plain, plain.find(part)) if part else None
        if found is None or not _GIVEN.fullmatch(part, len(found.group())):
            return []
        names.append(found.group())
    return names


def short_names(heading: str) -> tuple[str, ...]:
    """The names in a heading of which one abbreviates the other, each alone; none where it has no such two.

    >>> short_names("Virtual Routing and Forwarding (VRF)"), short_names("RIRs (Regional Internet Registries)")
    (('VRF', 'Virtual Routing and Forwarding'), ('RIR', 'Regional Internet Registries'))
    >>> short_names("Bulk Import (CSV)"), short_names("December 5 (APAC)")
    ((), ())
    """
    found = _TWO_NAMES.fullmatch(heading[:_MAX_HEADING].strip())
    for one, other in (found.groups(), found.groups()[::-1]) if found else ():
        short = _ABBREVIATION.fullmatch(one)
        if short and _abbreviates(short[1].lower(), other.lower()):
            return short[1], other
    return ()


def _abbreviates(short: str, name: str) -> bool:
    """Whether the letters of `short` stand in a name in this order, most of them at the beginnings of words."""
    begins = [match.start() for match in _WORDS.finditer(name)]
    at, at_begins = -1, 0
    for letter in short:
        place = next((place for place in begins if place > at and name[place] == letter), -1)
        at_begins += place >= 0
        at = place if place >= 0 else name.find(letter, at + 1)
        if at < 0:
            return False
    return 2 * at_begins > len(short)


def _texts(value: Any) -> list[str]:
    return [str(one) for one in (value if isinstance(value, list) else [value]) if isinstance(one, str | int | float)]


def prose_words(section: Section) -> int:
    """How much a section says itself, in words, at most `MAX_PROSE`: the texts of links, markup and headings do not count,
    a word of a list or table counts half, one of code or of a quotation a quarter, a Chinese or Japanese character half a
    word. A quotation that begins with a mark such as `[!NOTE]` or a bold word is the section's own. Title and
    description of a page that is made of its front matter count a quarter: they announce a page where there is none."""
    own, quoted = own_and_quoted_words(section)
    return round(min(own + _QUOTED_WEIGHT * quoted, MAX_PROSE))


def own_and_quoted_words(section: Section) -> tuple[float, float]:
    """The words of a section's own sentences, lists and tables, and those of its code, quotations and announcements, counted
    as `prose_words` does but without the weight of the second kind; a long section is read until `MAX_PROSE`."""
    own = quoted = 0.0
    fence = ""
    is_note = is_heading = is_announced = False
    has_fields = is_front_matter(section)
    end = section.body_start
    for line in section.text[section.body_start :].splitlines(keepends=True):
        written, end = section.content[end : end + len(line)], end + len(line)
        if has_fields:
            field = _FIELD.match(written)
            is_announced = is_announced if field is None else field.group(1).lower() in _ANNOUNCING
        tag = None if fence else _HTML_HEADING.match(written)
        if is_heading or (tag is not None and line[tag.start("tag")] != "<"):  # a tag that is shown is code
            is_heading = _HTML_HEADING_END.search(written) is None
            continue
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
            continue
        if not fence and (_NO_TEXT.match(line) or _TAGS_ALONE.match(line)):
            continue
        text = line if fence else _LINK.sub(" ", line)
        is_quoted = not fence and _QUOTED.match(line) is not None
        is_note = is_quoted and (is_note or _NOTE.match(written) is not None)
        wide = len(_WIDE.findall(text))
        words = len(_WORDS.findall(_WIDE.sub(" ", text) if wide else text)) + wide / 2
        if fence or (is_quoted and not is_note) or is_announced:
            quoted += words
        else:
            own += words * (_ITEM_WEIGHT if _ITEM.match(line) else 1.0)
        if own + _QUOTED_WEIGHT * quoted >= MAX_PROSE:
            break
    return own, quoted
