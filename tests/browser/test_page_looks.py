"""How text looks: wide tables, scripts from right to left, colours that the system forces, and paper."""

import pytest

from tests.browser.conftest import documents_served
from tests.browser.views import assert_no_barrier

pytestmark = [pytest.mark.browser, pytest.mark.slow]

COLUMNS = ("Component", "Networking", "Environment", "Responsibility", "Maintenance", "Documentation")
ROW = ("ibis-gateway", "[Networking](b.md) interfaces", "production", "infrastructure", "quarterly", "everything")


def table(*rows):
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])


DOCUMENTS = {
    "docs/wide.md": f"# Wide\n\n{table(COLUMNS, ROW)}\n",
    "docs/second.md": f"# Second\n\n{table(COLUMNS, ROW)}\n\n{table(COLUMNS, ROW)}\n",
    "docs/narrow.md": f"# Narrow\n\n{table(('Bird', 'Wing'), ('wren', 'short'))}\n",
    "docs/arabic.md": "# تغيير المفتاح\n\nيتغير المفتاح كل سنة.\n\n- أول خطوة\n- خطوة ثانية\n\n"
    "Left to right.\n\n```sh\nrotate --all\n```\n",
    "docs/b.md": "# B\n\nText.\n",
}
RTL = "/?doc=docs/arabic.md"
written = documents_served(DOCUMENTS)


def style(locator, name, pseudo=None):
    return locator.evaluate("(e, [name, pseudo]) => getComputedStyle(e, pseudo)[name]", [name, pseudo])


# -- tables ------------------------------------------------------------------------------------------------------------


def broken_words(page, selector):
    """The words of an element's text that stand on more than one line."""
    return page.evaluate(
        """(selector) => {
          const found = [];
          for (const root of document.querySelectorAll(selector)) {
            const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
            while (walker.nextNode())
              for (const match of walker.currentNode.data.matchAll(/[\\p{L}]+/gu)) {
                const range = document.createRange();
                range.setStart(walker.currentNode, match.index);
                range.setEnd(walker.currentNode, match.index + match[0].length);
                const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
                if (new Set(tops).size > 1) found.push(match[0]);
              }
          }
          return found;
        }""",
        selector,
    )


@pytest.mark.parametrize("width", [1280, 390])
def test_words_of_a_table_in_the_results_are_whole(open_page, written, width):
    page = open_page(written, width=width).go("/?q=ibis-gateway")
    page.locator(".snippet table").first.wait_for()
    assert broken_words(page, ".snippet td, .snippet th") == []


def test_words_of_a_table_in_a_section_are_whole(open_page, written):
    page = open_page(written, width=390).go("/?doc=docs/wide.md")
    assert broken_words(page, ".prose td, .prose th") == []


def test_table_in_the_results_that_scrolls_can_be_scrolled_by_keys(open_page, written):
    page = open_page(written, width=390).go("/?q=ibis-gateway")
    found = page.locator(".snippet .table").first
    assert (found.get_attribute("tabindex"), found.get_attribute("aria-label")) == ("0", "Table")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_several_scrolling_tables_keep_nobody_out(open_page, written):
    for address in ("/?q=ibis-gateway", "/?doc=docs/second.md"):
        assert_no_barrier(open_page(written, width=390).go(address))


def test_table_that_fits_is_no_stop_of_the_tab_key(open_page, written):
    page = open_page(written).go("/?q=wren+wing")
    assert page.locator(".snippet .table").first.get_attribute("tabindex") is None


def edges(page, found):
    """How dark the left and the right edge of an element are: the least sum of a pixel's colours, of 765."""
    import base64

    data = base64.b64encode(found.screenshot()).decode()
    return page.evaluate(
        """async (data) => {
          const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const canvas = new OffscreenCanvas(image.width, image.height);
          const context = canvas.getContext("2d", { willReadFrequently: true });
          context.drawImage(image, 0, 0);
          const darkest = (x) => {
            const { data: pixels } = context.getImageData(x, 4, 1, 1);
            return pixels[0] + pixels[1] + pixels[2];
          };
          return [darkest(1), darkest(image.width - 2)];
        }""",
        data,
    )


def test_shadow_shows_on_which_side_a_table_goes_on(open_page, written):
    page = open_page(written, width=390, color_scheme="light").go("/?doc=docs/wide.md")
    found = page.locator(".prose .table")
    left, right = edges(page, found)
    assert left > 740 > 700 > right
    found.evaluate("e => e.scrollTo(e.scrollWidth, 0)")
    left, right = edges(page, found)
    assert right > 740 > 700 > left


def test_table_that_fits_has_no_shadow(open_page, written):
    page = open_page(written, color_scheme="light").go("/?doc=docs/narrow.md")
    assert min(edges(page, page.locator(".prose .table"))) > 740


# -- from right to left ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selector", [".heading", ".prose p:first-child", ".prose ul", ".outline .entry"])
def test_text_from_right_to_left_runs_so_in_a_section(open_page, written, selector):
    assert style(open_page(written).go(RTL).locator(selector).first, "direction") == "rtl"


@pytest.mark.parametrize("selector", [".prose p:nth-of-type(2)", ".prose pre", ".views", ".section .meta"])
def test_other_text_beside_it_runs_from_left_to_right(open_page, written, selector):
    assert style(open_page(written).go(RTL).locator(selector).first, "direction") == "ltr"


@pytest.mark.parametrize("selector", [".hit h3", ".hit h3 a", ".snippet p"])
def test_text_from_right_to_left_runs_so_in_the_results(open_page, written, selector):
    assert style(open_page(written).go("/?q=المفتاح").locator(selector).first, "direction") == "rtl"


def test_signs_of_a_list_from_right_to_left_are_on_its_right(open_page, written):
    found = open_page(written).go(RTL).locator(".prose ul")
    assert (style(found, "paddingLeft"), style(found, "paddingRight") != "0px") == ("0px", True)


# -- forced colours ----------------------------------------------------------------------------------------------------


def test_only_the_view_that_is_shown_is_underlined_in_forced_colours(open_page, written):
    page = open_page(written, forced_colors="active").go("/?q=wren")
    ground = style(page.locator("body"), "backgroundColor")
    lines = [style(link, "borderBottomColor") != ground for link in page.locator(".views a").all()]
    assert lines == [True, False, False, False]


@pytest.mark.parametrize("address", ["/?q=wren", RTL, "/?view=index"])
def test_bars_are_seen_in_forced_colours(open_page, written, address):
    page = open_page(written, forced_colors="active").go(address)
    ground = style(page.locator("body"), "backgroundColor")
    bars = page.locator("span.share:not(.none)").all()
    assert bars
    assert ground not in [style(each, "backgroundColor", "::after") for each in bars]


# -- paper -------------------------------------------------------------------------------------------------------------


def test_paper_has_dark_text_whatever_the_theme(open_page, written):
    page = open_page(written, color_scheme="light").go("/?doc=docs/narrow.md")
    page.get_by_role("button", name="Dark theme").click()
    page.emulate_media(media="print")
    assert style(page.locator("body"), "color") == "rgb(23, 32, 29)"


@pytest.mark.parametrize("address", ["/?doc=docs/narrow.md", "/?q=wren&tag=none", "/?q=the+text"])
def test_paper_has_no_buttons(open_page, written, address):
    page = open_page(written).go(address)
    page.emulate_media(media="print")
    assert [each.inner_text() for each in page.locator("button, .button").all() if each.is_visible()] == []


def test_paper_has_all_of_a_wide_table(open_page, written):
    page = open_page(written, width=640).go("/?doc=docs/wide.md")
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(media="print")
    assert page.locator(".prose table").evaluate("e => e.getBoundingClientRect().right <= innerWidth")
