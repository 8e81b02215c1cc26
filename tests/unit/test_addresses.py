"""Addresses of pages, as the generators of sites make them."""

import pytest

from search.sources.addresses import page_address

BASE = "https://example.org/base/"
CASES = [
    ("plain", "docs/guide/keys.md", {"folder": "docs"}, "guide/keys.html"),
    ("plain, of the root", "keys.md", {}, "keys.html"),
    ("plain index", "docs/guide/README.md", {"folder": "docs"}, "guide/"),
    ("plain index of all", "docs/index.md", {"folder": "docs"}, ""),
    ("plain, clean", "docs/keys.md", {"folder": "docs", "style": "clean"}, "keys"),
    ("plain, as folders", "docs/keys.md", {"folder": "docs", "style": "folder"}, "keys/"),
    ("plain permalink", "docs/keys.md", {"folder": "docs", "front_matter": {"permalink": "/safe/keys/"}}, "safe/keys/"),
    ("blanks and marks", "docs/my keys #1.md", {"folder": "docs"}, "my%20keys%20%231.html"),
    ("Japanese", "docs/鍵.md", {"folder": "docs"}, "%E9%8D%B5.html"),
    ("vitepress", "docs/guide/keys.md", {"folder": "docs", "dialect": "vitepress"}, "guide/keys.html"),
    ("mkdocs", "docs/guide/keys.md", {"dialect": "mkdocs"}, "guide/keys/"),
    ("mkdocs index", "docs/guide/index.md", {"dialect": "mkdocs"}, "guide/"),
    ("mdbook", "book/src/ch01.md", {"folder": "book", "dialect": "mdbook"}, "ch01.html"),
    ("hugo", "content/en/My Page.md", {"dialect": "hugo"}, "en/my-page/"),
    ("hugo section", "content/en/docs/_index.md", {"dialect": "hugo"}, "en/docs/"),
    ("hugo slug", "content/docs/page.md", {"dialect": "hugo", "front_matter": {"slug": "other"}}, "docs/other/"),
    ("hugo url", "content/docs/page.md", {"dialect": "hugo", "front_matter": {"url": "/x/y"}}, "x/y"),
    ("starlight", "src/content/docs/Guide/My Keys (1.0).mdx", {"dialect": "starlight"}, "guide/my-keys-10/"),
    ("starlight index", "web/src/content/docs/guide/index.mdx", {"folder": "web", "dialect": "starlight"}, "guide/"),
    ("starlight slug", "src/content/docs/guide/keys.md", {"dialect": "starlight", "front_matter": {"slug": "a/safe"}}, "a/safe/"),
    ("starlight slug of the first page", "src/content/docs/a/b.md", {"dialect": "starlight", "front_matter": {"slug": "/"}}, ""),
    ("docusaurus", "docs/01-guide/02-keys.mdx", {"dialect": "docusaurus"}, "docs/guide/keys"),
    ("docusaurus post", "blog/2021-08-01-keys.mdx", {"dialect": "docusaurus"}, "blog/2021/08/01/keys"),
    ("docusaurus id", "docs/guide/keys.md", {"dialect": "docusaurus", "front_matter": {"id": "safe"}}, "docs/guide/safe"),
    ("docusaurus slug", "docs/guide/keys.md", {"dialect": "docusaurus", "front_matter": {"slug": "/safe"}}, "docs/safe"),
    ("slug that is no text", "docs/keys.md", {"dialect": "docusaurus", "front_matter": {"slug": ["/safe"]}}, "docs/keys"),
    ("slug that leads elsewhere", "docs/keys.md", {"dialect": "docusaurus", "front_matter": {"slug": "https://evil"}}, "docs/keys"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "given", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_address_is_that_of_the_sites_generator(path, given, expected):
    assert page_address(path, base_url=BASE, **given) == BASE + expected


def test_without_a_base_there_is_no_address():
    assert page_address("docs/a.md", base_url="") == ""
