"""The help of the keys is true: each key that it lists is pressed, and does what it says."""

import pytest

from tests.browser.views import FIRST, SECTION, expect_text, focused, headings

pytestmark = pytest.mark.browser

LIST, TREE = "/?q=buffer", "/?view=documents"


def focus_field(page):
    page.locator("#page-query").focus()


def focus_entry(page, number=0):
    page.locator("#page-view [data-step]").nth(number).focus()


def no_focus(page):
    page.evaluate("document.activeElement.blur()")


def folder(page, number=0):
    return page.locator(".folder > button").nth(number)


def shows_list_and_text(page):
    return page.locator(".hits").is_visible() and page.locator("#page-query").input_value() == "buffer"


#: Where a key works, and the key → the address, what is done before it is pressed, and what holds soon after.
CASES = {
    ("anywhere", "/"): (LIST, no_focus, lambda page: focused(page) == "page-query"),
    ("anywhere", "o"): (LIST, focus_entry, lambda page: page.locator(".outline a[aria-current]:focus").count() == 1),
    ("anywhere", "?"): (LIST, no_focus, lambda page: page.locator("#page-help").is_visible()),
    ("field", "ArrowDown"): (LIST, focus_field, lambda page: focused(page) == headings(page)[0]),
    ("field", "Enter"): (LIST, focus_field, lambda page: focused(page) == headings(page)[0]),
    ("field", "Escape"): (LIST, focus_field, lambda page: page.locator(".welcome").is_visible()),
    ("list", "ArrowDown"): (LIST, focus_entry, lambda page: focused(page) == headings(page)[1]),
    ("list", "j"): (LIST, focus_entry, lambda page: focused(page) == headings(page)[1]),
    ("list", "ArrowUp"): (LIST, lambda page: focus_entry(page, 1), lambda page: focused(page) == headings(page)[0]),
    ("list", "k"): (LIST, lambda page: focus_entry(page, 1), lambda page: focused(page) == headings(page)[0]),
    ("list", "Enter"): (LIST, focus_entry, lambda page: page.locator(".heading").is_visible()),
    ("list", "Escape"): (LIST, focus_entry, lambda page: focused(page) == "page-query"),
    ("tree", "ArrowRight"): (
        TREE,
        lambda page: (folder(page).click(), folder(page).focus()),
        lambda page: folder(page).get_attribute("aria-expanded") == "true",
    ),
    ("tree", "ArrowLeft"): (TREE, focus_entry, lambda page: folder(page).get_attribute("aria-expanded") == "false"),
    ("section", "j"): (SECTION, no_focus, lambda page: heading_is(page, "If a key has been stolen")),
    ("section", "k"): (SECTION, no_focus, lambda page: heading_is(page, "What the signing key protects")),
    ("section", "u"): (SECTION, no_focus, lambda page: heading_is(page, "Security")),
    ("section", "c"): (SECTION, no_focus, lambda page: page.locator(".said").inner_text() == "The link is copied."),
    ("section", "Escape"): (SECTION, no_focus, lambda page: page.locator(".hits").is_visible()),
}


def heading_is(page, text):
    return page.locator(".heading").is_visible() and page.locator(".heading").inner_text() == text


def table(page):
    return page.evaluate(
        "import('/assets/0/keys.js').then(({ KEYS }) => KEYS.flatMap(({ at, keys }) => keys.map((key) => [at, key])))"
    )


def test_every_key_of_the_table_is_pressed_here(visit):
    assert {tuple(one) for one in table(visit.go())} == set(CASES)


def test_help_lists_every_key_of_the_table_in_its_place(visit):
    page = visit.go()
    bound = table(page)
    page.get_by_role("button", name="Keys and help").click()
    shown = page.locator("#page-help .keys > div")
    assert shown.count() == 17
    signs = {"ArrowDown": "↓", "ArrowUp": "↑", "ArrowRight": "→", "ArrowLeft": "←", "Escape": "Esc"}
    assert page.locator("#page-help kbd").all_inner_texts() == [signs.get(key, key) for _, key in bound]
    assert all(shown.locator("dd").all_inner_texts())
    assert focused(page) == "Keys"


def test_each_key_does_what_the_help_says(open_page, sample):
    visit = open_page(sample, permissions=["clipboard-read", "clipboard-write"])
    failed = []
    for (place, key), (address, before, holds) in CASES.items():
        visit.page.goto("about:blank")  # or an address that differs in its fragment alone would not be loaded again
        page = visit.go(address)
        before(page)
        page.keyboard.press(key)
        for _ in range(60):
            if holds(page):
                break
            page.wait_for_timeout(50)
        else:
            failed.append((place, key))
    assert failed == []


def test_keys_move_through_the_tree(visit):
    page = visit.go(TREE)
    folder(page).focus()
    seen = []
    for key in ("ArrowLeft", "ArrowRight", "ArrowRight", "j", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        seen.append(focused(page).split("/")[0])
    assert seen == ["docs", "docs", "guide", "Buffering", "guide", "guide"]
    assert [folder(page, i).get_attribute("aria-expanded") for i in (0, 1)] == ["true", "false"]
    page.keyboard.press("Enter")
    assert folder(page, 1).get_attribute("aria-expanded") == "true"


def test_letters_typed_into_the_filter_of_documents_are_letters(visit):
    page = visit.go(TREE)
    page.locator("#page-documents").focus()
    page.keyboard.type("jo?/")
    assert page.locator("#page-documents").input_value() == "jo?/"


def test_fields_are_explained_beside_the_box(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    place = page.locator(".hits").bounding_box()
    page.locator("#page-fields summary").click()
    assert page.locator("#page-fields dt").all_inner_texts()[:2] == ["path:guide/", "tag:api"]
    assert page.locator("#page-fields dd").first.is_visible()
    assert page.locator(".hits").bounding_box() == place
    page.keyboard.press("Escape")
    assert not page.locator("#page-fields dl").is_visible()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.locator("#page-fields summary").click()
    page.locator(".hits").click(position={"x": 5, "y": 200})
    expect_text(page.locator("#page-fields summary"), "Fields")
    assert not page.locator("#page-fields dl").is_visible()


def test_fields_of_a_query_work_on_the_page(visit):
    page = visit.go("/?q=key+path:docs/ja/")
    assert {text.split("/")[1] for text in page.locator(".hit .place").all_inner_texts()} == {"ja"}
    assert FIRST in headings(visit.go("/?q=rotate+the+signing+key"))


DROPPED = [
    ("/?q=buffer&tag=guide&mode=lexical", ".chip", ".chip"),
    ("/?q=buffer&mode=lexical", ".chip", "#page-main"),
    ("/?view=documents&path=docs/guide/", ".chip", "#page-main"),
    ("/?view=changes&since=all&path=docs/guide/", ".chip", "#page-main"),
    ("/?q=rotate+the+signing+key&tag=nowhere", ".nothing button", "#page-main"),
]


@pytest.mark.parametrize(("address", "used", "next_"), DROPPED)
def test_focus_is_not_lost_with_the_filter_that_is_dropped(visit, address, used, next_):
    page = visit.go(address)
    page.locator(used).first.focus()
    before = page.locator(used).count()
    page.keyboard.press("Enter")
    page.locator(used).nth(before - 1).wait_for(state="detached")
    page.locator(f"{next_}:focus").wait_for()


@pytest.mark.parametrize("beneath", [".hits h3 a", ".hit .number", ".views a[data-view=index]", "input[name=depth]"])
@pytest.mark.parametrize("has_touch", [False, True])
def test_click_that_closes_the_fields_does_nothing_else(open_page, sample, beneath, has_touch):
    visit = open_page(sample, has_touch=has_touch)
    page = visit.go("/?q=rotate+the+signing+key")
    before = page.url
    page.locator("#page-fields summary").click()
    under = page.locator(beneath).first
    under.tap() if has_touch else under.click()
    page.locator("#page-fields:not([open])").wait_for(state="attached")
    page.wait_for_timeout(150)
    assert page.url == before


def test_click_after_the_one_that_closed_the_fields_opens_a_result(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    page.locator("#page-fields summary").click()
    for _ in range(2):
        page.locator(".hits h3 a").nth(1).click(position={"x": 3, "y": 10})
    page.locator(".heading").wait_for()


def test_key_on_a_result_opens_it_after_a_click_beside_the_fields_that_came_to_nothing(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    page.locator("#page-fields summary").click()
    page.mouse.move(600, 600)
    page.mouse.down()
    focus_entry(page)
    page.keyboard.press("Enter")
    page.locator(".heading").wait_for()
