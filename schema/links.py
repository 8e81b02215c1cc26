"""`Link`: a reference of one section to another, to a file or to an address, and where it leads; `SectionLinks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

#: How a link is written: `[text](target)`, `[text][label]`, `[[note]]`, `![[note]]`, `![text](target)`, `<https://…>`, or an
#: attribute of an HTML or component tag.
LinkKind = Literal["markdown", "reference", "wiki", "embed", "image", "autolink", "html"]
#: Where a link leads. `section`: to a section of the index. `file`: to a file of the folder that is not indexed.
#: `external`: to an address with a scheme or a host. `unknown`: to what the folder alone cannot tell, such as a page that a
#: site makes. `outside`: out of the project's folder, where nothing is looked at. `ambiguous`: to one of several notes of
#: the same name that are equally near. `no file` and `no anchor`: to nothing, so the link is broken.
LinkStatus = Literal["section", "file", "external", "unknown", "outside", "ambiguous", "no file", "no anchor"]
STATUSES: tuple[LinkStatus, ...] = get_args(LinkStatus)
BROKEN: tuple[LinkStatus, ...] = ("no file", "no anchor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link in line `line` (1-based) of a document, in the section `section_id`.

    `target` and `text` are as written. `to_path` and `to_id` are the document and the section it leads to; of a link
    to an anchor that is not there, the document alone. `heading` and `anchor` are those of the other section: the one it
    leads to, or, of a backlink, the one it is in. `place` is where the link stands in a file that was converted to Markdown,
    such as "cell 5", of which `line` says nothing.
    """

    document_path: str
    section_id: str
    line: int
    kind: LinkKind
    target: str
    text: str = ""
    status: LinkStatus = "unknown"
    to_path: str = ""
    to_id: str = ""
    heading: str = ""
    anchor: str = ""
    place: str = ""

    @property
    def is_broken(self) -> bool:
        """Whether it leads to nothing."""
        return self.status in BROKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionLinks:
    """The links of a section and the links to it from other sections, the first of each, and how many there are.

    Of a whole document: the links of all its sections, and the links to it from other documents. `broken_count` is how many
    of its own links lead to nothing.
    """

    links: tuple[Link, ...] = ()
    backlinks: tuple[Link, ...] = ()
    link_count: int = 0
    backlink_count: int = 0
    broken_count: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The links as plain values, by the names of the JSON of links; each with the document and section at its other end.

        Lines are 1-based and those of the document a link is in; what an end has not is None.
        """
        return {
            "link_count": self.link_count,
            "broken_count": self.broken_count,
            "links": [_to_dict(link, path=link.to_path, other=link.to_id) for link in self.links],
            "backlink_count": self.backlink_count,
            "backlinks": [_to_dict(link, path=link.document_path, other=link.section_id) for link in self.backlinks],
        }


def _to_dict(link: Link, *, path: str, other: str) -> dict[str, Any]:
    return {
        "line": link.line,
        "place": link.place,
        "kind": link.kind,
        "target": link.target,
        "text": link.text,
        "status": link.status,
        "document_path": path or None,
        "id": other or None,
        "heading": link.heading or None,
        "anchor": link.anchor or None,
    }
