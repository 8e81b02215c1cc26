"""docs/**/*.md → the documentation site. Sphinx reads this file; `make docs` runs it.

Pages are written for a code host and read as they are. Added here: the navigation, which is the lists of docs/index.md;
screenshots, where the tests of the page have left some; addresses of files that are no pages; and llms.txt.
"""

import os
import re
import shutil
import tomllib
from pathlib import Path

from sphinx.search import languages
from sphinx.search.en import SearchEnglish

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SCREENSHOTS = Path(os.environ.get("SECTIONARY_SCREENSHOTS") or ROOT / "build" / "screenshots")
ABOUT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCE = ABOUT["urls"]["Source"]
VERSION = re.search(r'^VERSION = "(.+)"$', (ROOT / "schema" / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE)[1]

#: Scripts that are written without spaces between words, and Korean, whose words have endings.
CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff66-\uff9f"
_WORD = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")
_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
_PAGE = re.compile(r"\]\(([\w/-]+)\.md\)")
_LOCAL = re.compile(r"(?<!!)\[([^\]\n]+)\]\((?!\w+:|#)([^)#\s]+)\)")
_SCREENSHOT = re.compile(r"^<!-- screenshot (\w+): (.+) -->$", re.MULTILINE)


class SearchPairs(SearchEnglish):
    """English words with their stems; Japanese, Chinese and Korean text as overlapping pairs of characters."""

    js_splitter_code = f"""
var splitQuery = (query) =>
  (query.match(/[{CJK}]+|(?:(?![{CJK}])[\\p{{Letter}}\\p{{Number}}_])+/gu) || []).flatMap((run) =>
    run.length > 1 && /[{CJK}]/u.test(run) ? [...run.slice(1)].map((_, at) => run.slice(at, at + 2)) : [run]);
"""

    def split(self, text):
        """Return the words of a text, as `splitQuery` splits those of a query."""
        return [
            part
            for run in _WORD.findall(text)
            for part in ([run[at : at + 2] for at in range(len(run) - 1)] if re.match(f"[{CJK}].", run) else [run])
        ]


def navigation():
    """Return the pages under each heading of docs/index.md, in their order there."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    return {heading: list(dict.fromkeys(_PAGE.findall(body))) for heading, body in _SECTION.findall(text)}


def screenshot(match):
    """Return the pictures of a view of the page, light and dark; nothing where there are none."""
    name, text = match.groups()
    pictures = {theme: SCREENSHOTS / f"{name}-1440-{theme}.png" for theme in ("light", "dark")}
    if not all(picture.exists() for picture in pictures.values()):
        return ""
    return "\n".join(
        f"```{{image}} {os.path.relpath(picture, DOCS)}\n:alt: {text}\n:class: only-{theme}\n```"
        for theme, picture in pictures.items()
    )


def with_addresses(docname, text):
    """Return a page whose links to files and folders that are no pages lead to the code host."""
    folder = Path(docname).parent

    def linked(match):
        name, target = match.groups()
        path = os.path.normpath(Path("docs") / folder / target)
        is_page = target.endswith(".md") and path.startswith("docs")
        return match[0] if is_page or not (ROOT / path).exists() else f"[{name}]({SOURCE}/tree/main/{Path(path).as_posix()})"

    return _LOCAL.sub(linked, text)


def read_page(_app, docname, source):
    """Make a page as it stands in the repository one of the site."""
    text = _SCREENSHOT.sub(screenshot, with_addresses(docname, source[0]))
    if docname == "index":
        for heading, pages in navigation().items():
            text += f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n" + "\n".join(pages) + "\n```\n"
    source[0] = text


def write_texts(app, error):
    """Write llms.txt, llms-full.txt and the pages as Markdown beside the site."""
    if error is not None:
        return
    out = Path(app.outdir)
    texts = {
        name: with_addresses(name, (DOCS / f"{name}.md").read_text(encoding="utf-8"))
        for name in ("index", *(page for pages in navigation().values() for page in pages))
    }
    for name, text in texts.items():
        (out / f"{name}.md").parent.mkdir(exist_ok=True)
        (out / f"{name}.md").write_text(text, encoding="utf-8")
    for picture in DOCS.glob("*.svg"):
        shutil.copy(picture, out)
    title, rest = texts["index"].split("\n", 1)
    (out / "llms.txt").write_text(f"{title}\n\n> {ABOUT['description']}\n{rest}", encoding="utf-8")
    (out / "llms-full.txt").write_text("\n\n".join(text.strip() for text in texts.values()) + "\n", encoding="utf-8")


def setup(app):
    """Add the steps above to Sphinx's own."""
    app.connect("source-read", read_page)
    app.connect("build-finished", write_texts)


languages["pairs"] = SearchPairs

project = "Sectionary"
release = VERSION
html_title = f"Sectionary {VERSION}"
extensions = ["myst_parser"]
exclude_patterns = ["site"]
myst_heading_anchors = 4
smartquotes = False
html_theme = "furo"
html_theme_options = {"source_repository": SOURCE, "source_branch": "main", "source_directory": "docs/"}
html_search_language = "pairs"
html_copy_source = html_use_index = False
html_show_copyright = False
