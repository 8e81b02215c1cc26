"""Documents and addresses of somebody who means harm: they are text in the page, and nothing else."""

import json
import urllib.parse

import pytest

from tests.browser.conftest import served

pytestmark = pytest.mark.browser

PAYLOADS = [
    "<script>window.__xss=1</script>",
    "<img src=x onerror=window.__xss=1>",
    "<img src=https://evil.example/x.png>",
    "<svg onload=window.__xss=1>",
    "<svg><script>window.__xss=1</script></svg>",
    "<iframe srcdoc='<script>parent.__xss=1</script>'></iframe>",
    "<details open ontoggle=window.__xss=1>",
    "<a href=javascript:window.__xss=1>zebra</a>",
    "[zebra](javascript:window.__xss=1)",
    "[zebra](JaVaScRiPt:alert`1`)",
    "![zebra](https://evil.example/pixel.png)",
    "![zebra](x onerror=window.__xss=1)",
    "<math><mtext><img src=x onerror=window.__xss=1></mtext></math>",
    "<style>@import 'https://evil.example/x.css';*{display:none}</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<form action=https://evil.example/><input name=q autofocus onfocus=window.__xss=1></form>",
    "<object data=https://evil.example/x.swf></object>",
    "<template><script>window.__xss=1</script></template>",
    "<p id=page-query name=page-view class=hits style=position:fixed>",
    '"><script>window.__xss=1</script>',
    "'-alert(1)-'",
    "${window.__xss=1}{{constructor.constructor('window.__xss=1')()}}",
    "<noscript><p title='</noscript><img src=x onerror=window.__xss=1>'>",
    "\u202egnp.exe\U000e0041<script>window.__xss=1</script>",
    "</title></textarea></script><script>window.__xss=1</script>",
    "<video><source onerror=window.__xss=1></video>",
]

#: What stands in the page but is none of ours.
FOUND = """() => {
  const ours = /^(A|ARTICLE|BLOCKQUOTE|BR|BUTTON|CAPTION|CODE|DATALIST|DD|DETAILS|DIV|DL|DT|EM|FIELDSET|H2|H3|H4|H5|H6|HR|INPUT|KBD|LABEL|LEGEND|LI|MARK|NAV|OL|OPTION|P|PRE|S|SECTION|SPAN|STRONG|SUB|SUMMARY|SUP|TABLE|TBODY|TD|TH|THEAD|TR|UL)$/;
  const strange = [];
  for (const element of document.querySelectorAll("#page-view *, #page-rail *, #page-notice *")) {
    const names = element.getAttributeNames();
    const href = element.getAttribute("href") ?? "/";
    if (!(ours.test(element.tagName) || element.matches("form.filters")) || names.some((name) => name.startsWith("on") || name === "src" || name === "action")
        || (names.includes("style") && !element.matches(".share")) || (element.id && !element.id.startsWith("page-"))
        || element.id === "page-query" || !/^(\\/|\\?|#|https?:|mailto:|vscode:\\/\\/file\\/)/.test(href)) strange.push(element.outerHTML.slice(0, 200));
  }
  return [strange, window.__xss ?? null, document.querySelectorAll("script:not([src^='/assets/'])").length];
}"""


def write(project):
    for i, payload in enumerate(PAYLOADS):
        name = payload.replace("/", "\u2215")[:60]
        matter = f"---\ntitle: {json.dumps(payload)}\ntags: [{json.dumps(payload)}]\n---\n"
        body = (
            f"{payload}\n\n```{payload}\nzebra {payload}\n```\n\n|{payload}|\n|-|\n|zebra {payload}|\n\n[zebra]({payload})\n"
        )
        for folder in ("docs", "docs/copies"):  # the copies are folded into the others
            project.write(f"{folder}/{i:02} {name}.md", f"{matter}# zebra {payload}\n\n{body}\n## {payload}\n\n{body}\n")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    server = served(tmp_path_factory.mktemp("hostile") / "<img src=x onerror=window.__xss=1>", write)
    yield server
    server.stop()


def assert_inert(page):
    page.wait_for_timeout(20)
    assert page.evaluate(FOUND) == [[], None, 0]


@pytest.mark.parametrize("address", ["/", "/?q=zebra&n=100", "/?q=script&n=100", "/?view=documents", "/?view=index"])
def test_documents_stay_text_in_every_list(open_page, hostile, address):
    page = open_page(hostile).go(address)
    assert "onerror" in page.locator("main").inner_text() or "script" in page.locator("main").inner_text()
    assert_inert(page)


def test_snippets_trails_and_similar_sections_stay_text(open_page, hostile):
    page = open_page(hostile).go("/?q=zebra&n=100")
    for fold in page.locator(".similar summary").all():
        fold.click()
    assert "onerror" in " ".join(page.locator(".similar li").all_inner_texts())
    assert "onerror" in " ".join(page.locator(".snippet").all_inner_texts())
    assert "onerror" in " ".join(page.locator(".crumbs").all_inner_texts())
    assert_inert(page)


def test_passages_of_opened_sections_stay_text(open_page, hostile):
    visit = open_page(hostile)
    page = visit.go("/?q=zebra&n=100")
    for href in [link.get_attribute("href") for link in page.locator(".hit h3 a").all()][:12]:
        assert "line=" in href
        assert_inert(visit.go(href))


def test_documents_stay_text_in_their_sections_and_outlines(open_page, hostile):
    visit = open_page(hostile)
    page = visit.go("/?view=documents")
    links = page.locator(".tree a")
    assert links.count() == 2 * len(PAYLOADS)
    for i in range(len(PAYLOADS), 2 * len(PAYLOADS)):
        links.nth(i).click()
        page.locator(".heading").wait_for()
        visit.shown()
        assert_inert(page)
        page.go_back()
        page.locator(".tree").first.wait_for()


def test_links_of_documents_run_nothing(open_page, hostile):
    visit = open_page(hostile)
    page = visit.go("/?q=zebra&n=100")
    for link in page.locator(".prose a").all():
        assert link.get_attribute("href").startswith("/?doc=")
    page.locator(".hit h3 a").first.click()
    page.locator(".heading").wait_for()
    hrefs = [link.get_attribute("href") for link in page.locator(".prose a").all()]
    assert [href for href in hrefs if not href.startswith(("?doc=", "http"))] == []


@pytest.mark.parametrize(
    "address", ["/?q={0}&tag={0}&path={0}&language={0}&mode={0}&n={0}&view={0}", "/?doc={0}&q={0}&tag={0}#{0}"]
)
def test_addresses_stay_text(open_page, hostile, address):
    visit = open_page(hostile)
    visit.expected = "Failed to load resource"
    for payload in PAYLOADS:
        assert_inert(visit.go(address.format(urllib.parse.quote(payload, safe=""))))


def test_signs_that_reorder_text_are_spelt_out(open_page, hostile):
    page = open_page(hostile).go("/?q=gnp.exe")
    assert "\u202e" not in page.locator("main").inner_text()
    assert "\U000e0041" not in page.locator("main").inner_text()
    assert "\\u202egnp.exe\\U000e0041" in page.locator(".hit").first.inner_text()
