"""The site that `make docs` builds: it asks no other host, its links lead somewhere, and it can be searched in Japanese.

Skipped where no site was built.
"""

import importlib.util
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS, SITE = ROOT / "docs", ROOT / "build" / "site"
PAGES = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
#: Relations of <link> that make a browser ask for something.
LOADING = {
    "stylesheet",
    "icon",
    "shortcut",
    "preload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "modulepreload",
    "manifest",
}
#: What makes a style sheet or a script load something from another host.
FOREIGN = re.compile(
    r"""(?:url\(|@import|\bimport\b|\bfetch\(|\.src\s*=|\.href\s*=|\.open\()[\s("'`]*(?:https?:)?//""", re.IGNORECASE
)


class PageParser(HTMLParser):
    """Collects what a page loads, where it links to, and its ids."""

    def __init__(self):
        super().__init__()
        self.loaded, self.links, self.ids = [], [], set()

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "link" and LOADING & set(given.get("rel", "").split()):
            self.loaded.append(given["href"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loaded += [given[name] for name in ("src", "srcset", "poster", "data") if name in given]
        if FOREIGN.search(given.get("style", "")):
            self.loaded.append(given["style"])


@pytest.fixture(scope="module")
def site():
    if not (SITE / "index.html").exists():
        pytest.skip("no site was built; `make docs` builds one")
    parsed = {}
    for path in SITE.rglob("*.html"):
        parsed[path] = parser = PageParser()
        parser.feed(path.read_text(encoding="utf-8"))
    return parsed


def test_every_page_of_docs_is_in_the_site(site):
    assert [name for name in PAGES if SITE / f"{name}.html" not in site] == []


def test_pages_load_nothing_from_other_hosts(site):
    loaded = {address for parser in site.values() for address in parser.loaded}
    assert [address for address in loaded if "//" in address and not address.startswith("data:")] == []


def test_styles_and_scripts_load_nothing_from_other_hosts(site):
    files = [path for ending in ("css", "js") for path in SITE.rglob(f"*.{ending}") if path.name != "searchindex.js"]
    scripts = "".join(
        re.findall(r"<script[^>]*>(.*?)</script>", (SITE / "index.html").read_text(encoding="utf-8"), re.DOTALL)
    )
    assert len(files) > 5
    assert [path for path in files if FOREIGN.search(path.read_text(encoding="utf-8"))] == []
    assert FOREIGN.search(scripts) is None


def test_local_links_and_anchors_of_the_site_lead_somewhere(site):
    broken = []
    for path, parser in site.items():
        for link in [*parser.links, *parser.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and target in site and anchor not in site[target].ids):
                broken.append((path.name, link))
    assert broken == []


def test_texts_for_language_models_name_every_page(site):
    short, full = ((SITE / name).read_text(encoding="utf-8") for name in ("llms.txt", "llms-full.txt"))
    assert re.match(r"# Sectionary\n\n> .+\n\n", short)
    listed = re.findall(r"^\* \[[^\]]+\]\(([^)]+)\.md\): ", short, re.MULTILINE)
    assert sorted([*listed, "index"]) == PAGES
    assert [name for name in listed if not (SITE / f"{name}.md").exists()] == []
    assert all((DOCS / f"{name}.md").read_text(encoding="utf-8").split("\n", 1)[0] in full for name in PAGES)


def terms():
    text = (SITE / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    return {word: found["docnames"][at] for word, at in found["terms"].items() if isinstance(at, int)} | {
        word: [found["docnames"][one] for one in at] for word, at in found["terms"].items() if isinstance(at, list)
    }


def test_search_of_the_site_has_pairs_of_japanese_and_korean_characters(site):
    index = terms()
    for pair in ("有効", "期限", "버퍼"):
        assert "guides/japanese-korean" in index[pair]


QUERIES = ["証明書の有効期限", "버퍼 크기를", "rotate the key_2 サーバー設定", "a", "鍵", "x鍵y 鍵の", ""]


@pytest.mark.process
def test_search_of_the_site_splits_a_query_as_it_splits_the_pages(site):
    if shutil.which("node") is None or importlib.util.find_spec("sphinx") is None:
        pytest.skip("node or Sphinx is not here")
    spec = importlib.util.spec_from_file_location("site_conf", DOCS / "site" / "conf.py")
    conf = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conf)
    script = conf.SearchPairs.js_splitter_code + f"console.log(JSON.stringify({json.dumps(QUERIES)}.map(splitQuery)))"
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [conf.SearchPairs({}).split(query) for query in QUERIES]
