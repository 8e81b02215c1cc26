"""A link as written, in its document → the section it leads to, or why it leads to none.

The rule is that no link is called broken that may work. What a site makes, moves or serves from elsewhere cannot be known
from the folder: such a link is `unknown`. Nothing is fetched, and nothing outside the project's folder is looked at.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from indexer.sync.folder_files import FolderFiles
from indexer.sync.link_names import Anchors, Notes, Pages, published, without_ending
from schema.index_files.links import DocumentNames, Resolution
from schema.links import Link, LinkStatus

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
#: Targets that a program fills in.
_FILLED_IN = re.compile(r"\{\{|\{%|\$\{|<%|\$\(")
#: Anchors that are made when a page is: footnotes, lines of code, parts of a text, routes.
_MADE_ANCHOR = re.compile(r"(?:user-content-)?fn(?:ref)?[-:]?\w*\Z|:~:|L\d+|[/!]|.*=", re.IGNORECASE)
#: Pages that generators make.
_MADE_PAGES = frozenset({"print", "toc", "search", "404", "genindex", "modindex", "index", "sitemap"})
#: Endings of documents, whether or not they are indexed, and of pages.
_DOCUMENTS = frozenset({"md", "mdx", "markdown", "mkd", "qmd", "rmd", "ipynb", "rst", "adoc"})
_PAGES = frozenset({"", "html", "htm"})
#: Folders whose files a site serves from its root.
_STATIC = ("public", "static", "assets", ".vuepress/public", ".vitepress/public", "docs/public", "src/public")
#: Files that send addresses to others.
_REDIRECTS = ("_redirects", "public/_redirects", "static/_redirects", "vercel.json", "netlify.toml", "redirects.json")
_VAULTS = (".obsidian", ".foam", "logseq")
_NOTES = frozenset({"wiki", "embed"})
#: The first part of an address that names a language, whose pages may not be in the folder.
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][a-z]{2,4})?\Z", re.IGNORECASE)
_ENDING = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,9})\Z")


#: The verdict on whether any wikilink leads to a note.
_HAS_NOTES = "notes"


class Target(NamedTuple):
    """Where a link leads: the document and the section's id, empty where there is none."""

    status: LinkStatus
    path: str = ""
    section: str = ""


class _Doubt(NamedTuple):
    """A link that leads to nothing here. It is broken if most links of its kind do lead somewhere, unless it may work."""

    kind: str
    may_work: bool = False


class LinkTargets:
    """Resolves links between documents with these names; `files` are those of the folders of the index.

    `verdicts` are those of an earlier pass over all links, where only some are resolved now.
    """

    def __init__(
        self, names: Mapping[str, DocumentNames], files: FolderFiles, *, verdicts: Mapping[str, bool] | None = None
    ) -> None:
        self._names = names
        self._files = files
        self._pages = Pages(names)
        self._notes = Notes(names)
        self._anchors: dict[str, Anchors] = {}
        self._labels: dict[str, Target] | None = None
        self._known: dict[tuple[str, str, str], Target | _Doubt] = {}
        #: For each kind of links that can be in doubt, how many different targets lead somewhere.
        self._proven: Counter[str] = Counter()
        #: What was learnt of each kind from all links: whether a missing target of it is broken.
        self.verdicts: dict[str, bool] = dict(verdicts or {})
        self._is_vault = any(files.exists(f"{folder}/{name}".lstrip("/")) for folder in files.folders for name in _VAULTS)

    def resolve(self, links: Iterable[tuple[int, Link]]) -> Iterator[tuple[Resolution, Link]]:
        """Yield where each link leads. Without earlier verdicts, all links are needed to tell which of them are broken."""
        given = list(links)
        for _, link in given:  # first, since they tell a vault, in which other links can name a note, too
            if link.kind in _NOTES:
                self._target(link)
        found = [(number, link, self._target(link)) for number, link in given]
        doubts = Counter(target.kind for target in self._known.values() if isinstance(target, _Doubt))
        own = {kind: self._proven[kind] >= count or (kind == "note" and self._is_vault) for kind, count in doubts.items()}
        self.verdicts = {_HAS_NOTES: bool(self._proven["note"])} | own | self.verdicts
        for number, link, target in found:
            if isinstance(target, _Doubt):
                is_broken = self.verdicts[target.kind] and not target.may_work
                target = Target("no file" if is_broken else "unknown")  # noqa: PLW2901 — decided only here
            yield Resolution(target.status, target.path, target.section, number), link

    def anchors(self, path: str) -> Anchors:
        """The anchors of a document."""
        if path not in self._anchors:
            self._anchors[path] = Anchors(self._names[path])
        return self._anchors[path]

    def _target(self, link: Link) -> Target | _Doubt:
        is_note = link.kind in _NOTES
        # relative targets depend on the document, and wikilinks are the nearer ones
        key = (link.document_path, "note" if is_note else "", link.target)
        if key not in self._known:
            self._known[key] = self._note(link) if is_note else self._page(link)
        return self._known[key]

    # -- wikilinks -----------------------------------------------------------------------------------------------------

    def _note(self, link: Link) -> Target | _Doubt:
        name, _, fragment = link.target.partition("#")
        name = name.strip()
        if _SCHEME.match(name) and "://" in name:
            return Target("external")
        if not name:
            found = [link.document_path]
        elif name.startswith(("./", "../")):
            path = _joined(link.document_path.rpartition("/")[0], name)
            page = None if path is None else self._pages.at(path)
            found = [page] if page else []
        else:
            found = self._notes.named(name, near=link.document_path)
        if found:
            if name:
                self._proven["note"] += 1
            target = self._at_heading(found[0], fragment)
            return target._replace(status="ambiguous") if len(found) > 1 and target.status == "section" else target
        ending = _ENDING.search(name)
        if ending is not None and ending[1].lower() not in _DOCUMENTS:
            is_there = self._files.has_name(name.replace("\\", "/").rpartition("/")[2])
            return Target("file") if is_there else Target("unknown") if is_there is None else _Doubt("note")
        if self._is_file(link.document_path, name, fallback=("md",)):
            return Target("file")
        return _Doubt("note")

    def _at_heading(self, path: str, fragment: str) -> Target:
        """Return the target in a note for Heading, Heading#Heading below it, or ^block."""
        anchors = self.anchors(path)
        parts = [part.strip() for part in fragment.split("#") if part.strip()]
        if not parts:
            return Target("section", path, anchors.first)
        last = parts[-1]
        section = anchors.block(last[1:]) if last.startswith("^") else anchors.find(last)
        if section is None and "^" in last[1:]:
            section = anchors.block(last.rpartition("^")[2])
        if section is None:
            return Target("unknown" if anchors.has_includes else "no anchor", path)
        return Target("section", path, section)

    # -- other links ---------------------------------------------------------------------------------------------------

    def _page(self, link: Link) -> Target | _Doubt:
        target = link.target.strip()
        if target.startswith("@site/"):  # Docusaurus: the folder of the site
            target = target.removeprefix("@site")
        elif is_external(target):
            return Target("external")
        if _FILLED_IN.search(target) or target.startswith(("@", "~", "{")):
            return Target("unknown")
        address, _, fragment = target.partition("#")
        address = address.partition("?")[0]
        if not address:
            return self._at_anchor(link.document_path, unquote(fragment)) if fragment else Target("unknown")
        for spelling in dict.fromkeys((unquote(address), address)):
            path = self._document(link.document_path, spelling)
            if path is not None:
                self._proven[_kind_of(link.document_path, spelling)] += 1
                return self._at_anchor(path, unquote(fragment))
        return self._without_document(link, unquote(address), unquote(fragment))

    def _document(self, source: str, address: str) -> str | None:
        """Return the document at an address."""
        if address.startswith("/"):
            found = self._pages.at_address(address)
            first, _, rest = address.strip("/").partition("/")
            # the first part may be where the site stands on its host
            paths = [address] if not rest or _LANGUAGE.match(first) else [address, rest]
            # a file with its ending is most likely one of the repository, an address one of the site
            roots = list(self._roots(source))
            if _ending(address) in _DOCUMENTS or not first:
                roots.reverse()
            return found or next(filter(None, (self._in_root(root, path) for path in paths for root in roots)), None)
        folder = source.rpartition("/")[0]
        path = _joined(folder, address)
        found = None if path is None else self._pages.at(path) if path else self._pages.at("index")
        if found is None and path:
            found = self._pages.at_address(path)
        if found is None and not _ending(address):
            # a page whose address ends with a slash is a folder to its links
            path = _joined(without_ending(source), address)
            found = None if not path else self._pages.at(path)
        if found is None and not address.startswith("../"):
            found = self._in_content(source, address)
        if found is None and (self._is_vault or self._proven["note"] or self.verdicts.get(_HAS_NOTES)):
            name = address.removeprefix("./")
            near = self._notes.named(name, near=source) if not name.startswith("../") else []
            found = near[0] if near else None
        return found

    def _in_content(self, source: str, address: str) -> str | None:
        """Return the page that Hugo finds: below the folder `content` or a language in it, or the only one so called."""
        folders = source.split("/")[:-1]
        if "content" not in folders:
            return None
        depth = folders.index("content") + 1
        roots = dict.fromkeys("/".join(folders[:end]) for end in (depth, depth + 1))
        found = next(filter(None, (self._in_root(root, address) for root in roots)), None)
        if found is None and "/" not in address and _ending(address) in _DOCUMENTS:
            named = [path for path in self._notes.with_name(without_ending(address)) if "content" in path.split("/")]
            found = named[0] if len(named) == 1 else None
        return found

    def _in_root(self, root: str, address: str) -> str | None:
        path = _joined(root, address.lstrip("/"))
        return self._pages.at(path) if path else None

    def _without_document(self, link: Link, address: str, fragment: str) -> Target | _Doubt:
        """Return what a link means that leads to no document."""
        source = link.document_path
        ending = _ending(address)
        if self._is_file(source, address):
            return Target("file")
        if address.startswith("/"):
            if ending not in _PAGES and ending not in _DOCUMENTS:
                return Target("unknown")  # a file that the site serves, from a folder that its settings name
            if self._has_redirects(source) or "/" not in address.strip("/"):
                return Target("unknown")
            parents = (_joined(root, address.strip("/").rpartition("/")[0]) for root in self._roots(source))
            is_home = any(parent in self._pages.homes for parent in parents if parent)
            return _Doubt(_kind_of(source, address)) if is_home else Target("unknown")
        path = _joined(source.rpartition("/")[0], address)
        if path is None or self._files.leads_out(source, path):
            return Target("outside")
        label = self._label(address) if "/" not in address and not ending else None
        if label is not None:
            return label
        parent, _, name = path.rpartition("/")
        if self._files.exists(path) is None:  # behind a link
            return Target("unknown")
        if ending in _DOCUMENTS:
            return Target("no file")
        if ending in _PAGES:
            stem = without_ending(name)
            is_made = ending != "" and stem.lower() in _MADE_PAGES
            if ending and not is_made:
                # books are published in other folders than they are written in
                place = _joined(published(source).rpartition("/")[0], without_ending(address))
                found = self._pages.at_published(place or "")
                named = self._notes.with_name(stem) if "/" not in address.lstrip("./") else []
                if len(found) == 1 or (not found and len(named) == 1):
                    return self._at_anchor((found or named)[0], fragment)
                if found or named:
                    return _Doubt(_kind_of(source, address), may_work=True)
            is_home = bool(name) and parent in self._pages.homes and not is_made
            return _Doubt(_kind_of(source, address)) if is_home else Target("unknown")
        # pictures and the like may be kept elsewhere, with their whole folder
        return Target("no file" if self._files.exists(parent) else "unknown")

    def _at_anchor(self, path: str, fragment: str) -> Target:
        anchors = self.anchors(path)
        if not fragment or fragment.lower() == "top":
            return Target("section", path, anchors.first)
        name = fragment.removeprefix("user-content-")
        section = anchors.find(name)
        if section is None and name.startswith("^"):
            section = anchors.block(name[1:])
        if section is not None:
            return Target("section", path, section)
        is_made = anchors.has_includes or _MADE_ANCHOR.match(fragment) is not None
        label = self._label(fragment)
        if label is not None:
            return label
        return Target("unknown" if is_made else "no anchor", path)

    def _label(self, name: str) -> Target | None:
        """Return the target of a label of MyST, which may be in any document."""
        if self._labels is None:
            self._labels = {}
            for path, names in self._names.items():
                for anchor in names.anchors:
                    if anchor.kind == "label":
                        section = self.anchors(path).find(anchor.name) or ""
                        self._labels.setdefault(anchor.name.casefold(), Target("section", path, section))
        return self._labels.get(name.casefold())

    def _is_file(self, source: str, address: str, *, fallback: Iterable[str] = ()) -> bool:
        """Whether a file or folder that is no document of the index is at an address."""
        if address.startswith("/"):
            bases = [
                base for root in self._roots(source) for base in (root, *(f"{root}/{each}".lstrip("/") for each in _STATIC))
            ]
        else:
            folder = source.rpartition("/")[0]
            bases = [folder, without_ending(source), *_STATIC, *(f"{folder}/{each}".lstrip("/") for each in _STATIC[:2])]
        name = address.strip("/")
        for base in bases:
            path = _joined(base, address.lstrip("/") if address.startswith("/") else name)
            if path is None:
                continue
            if path in self._pages.folders and path != "":
                return True
            if any(self._files.exists(one) for one in (path, *(f"{path}.{ending}" for ending in fallback))):
                return True
        return False

    def _has_redirects(self, source: str) -> bool:
        return any(self._files.exists(f"{root}/{name}".lstrip("/")) for root in self._roots(source) for name in _REDIRECTS)

    def _roots(self, source: str) -> Iterator[str]:
        """Yield the folders that may be the root of the site that a document is on, nearest first."""
        folder = source.rpartition("/")[0]
        while folder:
            yield folder
            folder = folder.rpartition("/")[0]
        yield ""


def is_external(target: str) -> bool:
    """Whether a target has a scheme or a host."""
    return target.startswith("//") or _SCHEME.match(target) is not None


def _joined(folder: str, address: str) -> str | None:
    """Return the path of an address in a folder; None if it leads out of the project's folder."""
    path = posixpath.normpath(posixpath.join(folder, address.lstrip("/") if address.startswith("/") else address))
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path


def _kind_of(source: str, address: str) -> str:
    """Return what tells the links that work together or not at all.

    That is the first folder of an address on the site, or the folder in which addresses of pages are written.
    """
    if address.startswith("/"):
        return "/" + address.strip("/").partition("/")[0].casefold()
    return f"pages in {source.rpartition('/')[0]}" if _ending(address) in _PAGES else "files"


def _ending(address: str) -> str:
    found = _ENDING.search(address.rstrip("/"))
    return found[1].lower() if found and not address.endswith("/") else ""
