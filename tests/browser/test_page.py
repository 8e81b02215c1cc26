"""The page as a reader meets it: asking, moving, opening, narrowing down, coming back, and what goes wrong."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import SCREENSHOTS, Served
from tests.conftest import Project, WordEmbedder

pytestmark = pytest.mark.browser

QUESTION = "rotate the signing key"
FIRST = "Rotate the signing key"
SECTION = "/?doc=docs/guide/security.md&q=signing+key#rotate-keys"
VIEWS = {
    "welcome": "/",
    "results": "/?q=rotate+the+signing+key",
    "filtered": "/?q=buffer&tag=tls&depth=2&mode=lexical",
    "nothing": "/?q=%22zzqx+vvv%22&mode=lexical",
    "section": SECTION,
    "japanese": "/?doc=docs/ja/certificates.md",
    "table": "/?doc=docs/guide/reference.md#settings-by-table",
    "documents": "/?view=documents",
    "index": "/?view=index",
}
NETWORK = r"Failed to load resource"


def headings(page):
    return page.locator(".hits h3").all_inner_texts()


def heading(page):
    return page.locator(".heading").inner_text()


def query_of(asked):
    """The query of a page's or a request's address."""
    return parse_qs(urlsplit(asked.url).query)


def focused(page):
    return page.evaluate("document.activeElement.textContent || document.activeElement.id")


def expect_text(locator, text):
    from playwright.sync_api import expect

    expect(locator).to_have_text(text)


# -- asking ------------------------------------------------------------------------------------------------------------


def test_typing_shows_the_best_section_first(visit):
    visit.go()
    page = visit.type(QUESTION)
    assert headings(page)[0] == FIRST


def test_result_tells_where_it_stands(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    hit = page.locator(".hit").first
    assert hit.locator(".crumbs").inner_text() == "Security"
    assert hit.locator(".number").inner_text() == "§ 1.2"
    assert re.fullmatch(r"docs/guide/security\.md:\d+–\d+", hit.locator(".place").inner_text())
    assert re.fullmatch(r"[01]\.\d\d", hit.locator(".score").inner_text())


def test_words_asked_for_are_marked(visit):
    page = visit.go("/?q=signing")
    marked = {text.lower() for text in page.locator(".hits mark").all_inner_texts()}
    assert "signing" in marked
    assert all(text.startswith("sign") for text in marked)


def test_a_match_with_a_hyphen_is_marked(open_page, tmp_path):
    server = Served(small(tmp_path / "p", {"docs/a.md": "# Headers\n\nThe content-type matters.\n"}).index_dir)
    try:
        page = open_page(server).go("/?q=content-type")
        assert page.locator(".hits mark").all_inner_texts() == ["content-type"]
    finally:
        server.stop()


def test_number_of_results_is_announced(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    assert re.fullmatch(r"The best 10 sections in [\d,]+ ms", page.get_by_role("status").first.inner_text())


def test_letters_typed_quickly_are_one_question(visit):
    visit.go()
    visit.type("buffer")
    visit.page.wait_for_timeout(300)
    assert len(visit.searches()) <= 2
    assert "q=buffer&" in visit.searches()[-1]


def test_outdated_question_is_aborted_and_never_shown(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    server.delays["certificate"] = 0.8
    visit = open_page(server)
    page = visit.go()
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    with page.expect_request("**/api/search?q=certificate&*"):
        page.locator("#page-query").fill("certificate")
    page.locator("#page-query").fill(QUESTION)
    page.locator(".hits h3", has_text=FIRST).wait_for()
    page.wait_for_timeout(900)
    assert headings(page)[0] == FIRST
    assert [url for url in failed if "q=certificate" in url]


def test_old_results_stay_while_new_ones_load(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    server.delays["the audit log"] = 1.0
    page = open_page(server).go("/?q=rotate+the+signing+key")
    page.locator("#page-query").fill("the audit log")
    page.locator("#page-progress").wait_for(state="visible")
    assert headings(page)[0] == FIRST
    page.locator(".hits li:first-child h3", has_text="The audit log").wait_for()


def test_emptied_field_shows_the_beginning(visit):
    page = visit.go("/?q=buffer")
    page.locator("#page-query").fill("")
    page.locator(".welcome").wait_for()
    assert query_of(page) == {}


def test_more_sections_are_added_below(visit):
    page = visit.go("/?q=the+gateway")
    before = headings(page)
    page.get_by_role("button", name="More sections").click()
    page.locator(".hit").nth(len(before)).wait_for()
    assert headings(page)[: len(before)] == before
    assert query_of(page)["n"] == ["20"]
    assert focused(page) == headings(page)[len(before)]


def test_nothing_found_comes_with_advice(visit):
    page = visit.go('/?q="zzqx+vvv"&mode=lexical&tag=audit')
    page.get_by_role("link", name="search without filters").click()
    visit.shown()
    assert query_of(page) == {"q": ['"zzqx vvv"']}


def test_marks_stand_right_after_signs_beyond_the_basic_plane(open_page, tiny):
    page = open_page(tiny).go("/?q=zebra")
    assert set(page.locator(".hits mark").all_inner_texts()) == {"zebra"}


@pytest.mark.parametrize("code", ["ja", "ko"])
def test_section_says_its_language(visit, code):
    question = {"ja": "証明書", "ko": "버퍼"}[code]
    page = visit.go(f"/?q={question}")
    assert page.locator(".hit .preview").first.get_attribute("lang") == code
    page.locator(".hit h3 a").first.click()
    assert visit.shown().locator(".section > .prose").get_attribute("lang") == code


# -- input methods -----------------------------------------------------------------------------------------------------


def test_no_search_in_the_middle_of_a_composition(visit):
    page = visit.go()
    page.locator("#page-query").click()
    keyboard = visit.context.new_cdp_session(page)
    for text in ("し", "しょ", "しょうめいしょ"):
        keyboard.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        page.wait_for_timeout(200)
    assert visit.searches() == []
    with page.expect_response("**/api/search*"):
        keyboard.send("Input.insertText", {"text": "証明書"})
    visit.shown()
    assert len(visit.searches()) == 1
    assert query_of(page)["q"] == ["証明書"]


# -- keys --------------------------------------------------------------------------------------------------------------


def test_slash_goes_to_the_field(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("/")
    assert focused(page) == "page-query"
    assert page.locator("#page-query").input_value() == "buffer"


def test_arrows_and_j_k_move_through_the_results(visit):
    page = visit.go("/?q=buffer")
    names = headings(page)
    page.keyboard.press("/")
    moved = []
    for key in ("ArrowDown", "ArrowDown", "j", "k", "ArrowUp"):
        page.keyboard.press(key)
        moved.append(focused(page))
    assert moved == [names[0], names[1], names[2], names[1], names[0]]


def test_up_from_the_first_result_leads_back_to_the_field(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "page-query"


def test_enter_in_the_field_leads_to_the_first_result_and_opens_it(visit):
    page = visit.go()
    page.locator("#page-query").click()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.locator(".hit h3 a:focus").wait_for()
    page.keyboard.press("Enter")
    expect_text(page.locator(".heading"), FIRST)


def test_escape_leads_back_to_the_result_that_was_opened(visit):
    page = visit.go("/?q=buffer")
    third = headings(page)[2]
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator(".heading").wait_for()
    page.keyboard.press("Escape")
    page.locator(".hits").wait_for()
    visit.shown()
    assert focused(page) == third


def test_escape_leads_to_the_results_where_the_section_was_opened_directly(visit):
    page = visit.go(SECTION)
    page.keyboard.press("Escape")
    page.locator(".hits").wait_for()
    assert query_of(page) == {"q": ["signing key"]}


def test_question_mark_shows_the_keys_and_escape_closes_them(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    page.locator("#page-help").wait_for(state="hidden")


def test_question_mark_is_a_sign_in_the_field(visit):
    page = visit.go()
    page.locator("#page-query").click()
    page.keyboard.type("why?")
    assert page.locator("#page-query").input_value() == "why?"
    assert not page.locator("#page-help").is_visible()


def test_o_goes_to_the_outline_of_the_result(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.locator(".outline a[aria-current]:focus").wait_for()
    assert page.locator(".outline a[aria-current] .entry").inner_text() == FIRST


def test_j_k_and_u_turn_to_neighbours_and_up(visit):
    page = visit.go(SECTION)
    seen = []
    for key in ("j", "k", "u"):
        page.keyboard.press(key)
        visit.shown()
        page.wait_for_timeout(100)
        seen.append(heading(page))
    assert seen == ["If a key has been stolen", FIRST, "Security"]


def test_keys_with_modifiers_are_left_to_the_browser(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("Control+j")
    assert page.evaluate("document.activeElement.tagName") in ("BODY", "INPUT", "MAIN")
    page.keyboard.press("Alt+o")
    assert page.locator(".hits").is_visible()


# -- one section -------------------------------------------------------------------------------------------------------


def test_section_is_shown_whole_with_its_place(visit):
    page = visit.go(SECTION)
    assert heading(page) == FIRST
    assert page.locator(".section .document").inner_text() == "Security"
    assert page.locator(".section > .number").inner_text() == "§ 1.2"
    assert page.locator(".section .prose pre").count() >= 2
    assert "old key" in page.locator(".section > .prose").inner_text()


def test_words_asked_for_are_marked_in_the_section_too(visit):
    page = visit.go(SECTION)
    assert {"signing", "key"} <= {text.lower() for text in page.locator(".prose mark").all_inner_texts()}


def test_outline_shows_where_the_reader_is_and_how_long_sections_are(visit):
    page = visit.go(SECTION)
    entries = page.locator(".outline .entry").all_inner_texts()
    assert entries[:3] == ["Security", "What the signing key protects", FIRST]
    assert page.locator(".outline a[aria-current] .entry").inner_text() == FIRST
    assert re.fullmatch(r"\d+ tokens", page.locator(".outline .tokens .small").first.inner_text())


def test_outline_leads_to_another_section(visit):
    page = visit.go(SECTION)
    page.locator(".outline a", has_text="The audit log").click()
    expect_text(page.locator(".heading"), "The audit log")
    assert focused(page) == "The audit log"


def test_heading_alone_leads_to_the_sections_below(visit):
    page = visit.go("/?doc=docs/guide/reference.md")
    below = page.get_by_role("navigation", name="Sections below")
    assert below.get_by_role("link").count() >= 3
    below.get_by_role("link", name="Value types").click()
    expect_text(page.locator(".heading"), "Value types")


def test_next_and_previous_lead_through_the_document(visit):
    page = visit.go(SECTION)
    page.get_by_role("link", name="Next").click()
    expect_text(page.locator(".heading"), "If a key has been stolen")
    page.get_by_role("link", name="Previous").click()
    expect_text(page.locator(".heading"), FIRST)


def test_link_to_another_document_stays_in_the_page(open_page, tiny):
    visit = open_page(tiny)
    page = visit.go("/?doc=docs/a.md&q=zebra")
    page.get_by_role("link", name="the other one").click()
    expect_text(page.locator(".heading"), "Second part")
    assert query_of(page) == {"doc": ["docs/sub/b.md"], "q": ["zebra"]}
    assert len([address for address in visit.asked if address.startswith("/?")]) == 1


def test_link_to_the_web_tells_nobody_where_it_was(open_page, tiny):
    page = open_page(tiny).go("/?doc=docs/a.md")
    link = page.get_by_role("link", name="the web")
    assert (link.get_attribute("href"), link.get_attribute("rel")) == (
        "https://example.org/",
        "noopener noreferrer nofollow",
    )


def test_heading_without_text_has_a_name_and_an_address(open_page, tiny):
    visit = open_page(tiny)
    page = visit.go("/?doc=docs/signs.md")
    page.locator(".outline a", has_text="(no heading)").click()
    expect_text(page.locator(".heading"), "(no heading)")
    assert "Under a picture" in page.locator(".prose").inner_text()
    assert page.url.endswith("#L5")


def test_front_matter_is_not_shown(open_page, tiny):
    page = open_page(tiny).go("/?doc=docs/a.md")
    assert "secret-field" not in page.locator("body").inner_text()


def test_changed_file_is_told(open_page, tmp_path):
    project = small(tmp_path / "p", {"docs/a.md": "# A\n\nzebra\n"})
    server = Served(project.index_dir)
    project.write("docs/a.md", "# A\n\nzebra and more than before\n")
    try:
        page = open_page(server).go("/?q=zebra")
        assert page.locator(".hit .flag").inner_text() == "file changed"
        visit = open_page(server)
        page = visit.go("/?view=index")
        page.get_by_text("1 file changed since").click()
        assert page.locator(".paths li").all_inner_texts() == ["docs/a.md"]
    finally:
        server.stop()


def test_section_without_a_fresh_vector_is_told(open_page, tmp_path):
    project = small(tmp_path / "p", {"docs/a.md": "# A\n\nzebra\n"})
    project.write("docs/a.md", "# A\n\nzebra changed\n")
    project.indexer().scan(project.home / "docs")
    server = Served(project.index_dir)
    try:
        page = open_page(server).go("/?q=zebra")
        assert page.locator(".hit .flag").inner_text() == "vector pending"
        page = open_page(server).go("/?q=zebra&clean=true")
        assert headings(page) == []
    finally:
        server.stop()


# -- narrowing down ----------------------------------------------------------------------------------------------------


def test_filter_narrows_the_results_and_stands_in_the_address(visit):
    page = visit.go("/?q=key")
    page.get_by_label("audit").check()
    visit.shown()
    page.locator(".chip").wait_for()
    assert query_of(page)["tag"] == ["audit"]
    assert {text.split(":")[0] for text in page.locator(".hit .place").all_inner_texts()} == {"docs/guide/security.md"}


def test_filter_keeps_the_focus(visit):
    page = visit.go("/?q=key")
    page.get_by_label("Second level").focus()
    page.keyboard.press("Space")
    page.locator(".chip").wait_for()
    visit.shown()
    assert page.evaluate("document.activeElement.value") == "2"


def test_chip_drops_its_filter(visit):
    page = visit.go("/?q=key&depth=2&mode=lexical")
    page.get_by_role("button", name="Second level").click()
    page.locator(".chip").nth(1).wait_for(state="detached")
    assert query_of(page) == {"q": ["key"], "mode": ["lexical"]}


def test_path_filter_takes_a_folder(visit):
    page = visit.go("/?q=key")
    page.get_by_label("Path").fill("docs/ja/")
    page.keyboard.press("Enter")
    page.locator(".chip").wait_for()
    visit.shown()
    assert {text.split("/")[1] for text in page.locator(".hit .place").all_inner_texts()} == {"ja"}


def test_mode_is_asked_for(visit):
    page = visit.go("/?q=key")
    page.get_by_label("Words", exact=True).check()
    page.locator(".chip").wait_for()
    assert "mode=lexical" in visit.searches()[-1]


def test_filters_fold_away_where_there_is_little_room(open_page, sample):
    page = open_page(sample, width=375).go("/?q=key&depth=2")
    assert not page.get_by_label("Path").is_visible()
    page.get_by_text("Filters (1)").click()
    assert page.get_by_label("Path").is_visible()


def test_documents_are_narrowed_down_by_typing(visit):
    page = visit.go("/?view=documents")
    page.get_by_label("Narrow down").fill("secur")
    assert page.locator(".documents a").all_inner_texts() == ["Security"]


# -- addresses ---------------------------------------------------------------------------------------------------------


def test_back_and_forward_restore_what_was_shown(visit):
    page = visit.go()
    visit.type(QUESTION)
    page.locator(".hit h3 a").first.click()
    expect_text(page.locator(".heading"), FIRST)
    page.go_back()
    page.locator(".hits").wait_for()
    assert page.locator("#page-query").input_value() == QUESTION
    page.go_back()
    page.locator(".welcome").wait_for()
    assert page.locator("#page-query").input_value() == ""
    page.go_forward()
    page.go_forward()
    expect_text(page.locator(".heading"), FIRST)


def test_back_restores_the_place_in_the_list(visit):
    page = visit.go("/?q=the+gateway")
    link = page.locator(".hit h3 a").nth(7)
    link.scroll_into_view_if_needed()
    page.wait_for_timeout(50)
    before = page.evaluate("scrollY")
    assert before > 0
    link.click()
    page.locator(".heading").wait_for()
    assert page.evaluate("scrollY") == 0
    page.go_back()
    page.locator(".hits").wait_for()
    visit.shown()
    assert abs(page.evaluate("scrollY") - before) < 5


@pytest.mark.parametrize("name", ["filtered", "section", "documents", "index"])
def test_address_alone_gives_the_same_page(open_page, sample, name):
    first = open_page(sample).go(VIEWS[name]).locator("main").inner_text()
    second = open_page(sample).go(VIEWS[name]).locator("main").inner_text()
    strip = re.compile(r"in [\d,]+ ms|\d+ \w+ ago|just now")
    assert strip.sub("", first) == strip.sub("", second)


def test_typing_on_adds_no_steps_to_the_history(visit):
    page = visit.go()
    visit.type("sign")
    steps = page.evaluate("history.length")
    visit.type("ing")
    visit.type(" key")
    assert page.evaluate("history.length") == steps


def test_title_names_what_is_shown(visit):
    assert visit.go("/?q=signing+key").title() == "signing key – Sectionary"
    assert visit.go(SECTION).title() == f"{FIRST} – Sectionary"


def test_address_of_a_section_that_is_gone_shows_its_document(visit):
    page = visit.go("/?doc=docs/guide/security.md#no-such-part")
    assert heading(page) == "Security"
    assert "no such section" in page.locator("#page-status").inner_text()


@pytest.mark.parametrize("address", ["/?doc=docs/none.md", "/?doc=../../etc/passwd"])
def test_document_that_is_not_there_is_told(visit, address):
    visit.expected = NETWORK
    page = visit.go(address)
    assert page.locator(".notice h2").inner_text() == "Not in the index"


@pytest.mark.parametrize(
    "address", ["/?q=x&depth=9&n=-5&mode=odd&language=<b>", "/?view=nowhere", "/?doc=", "/?q=%F0%28%8C%28", "/#page-main"]
)
def test_odd_addresses_are_shown_as_far_as_they_make_sense(visit, address):
    page = visit.go(address)
    assert page.locator("#page-view > *").count() > 0


# -- themes ------------------------------------------------------------------------------------------------------------


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_theme_follows_the_system(open_page, sample):
    light = background(open_page(sample, color_scheme="light").go())
    dark = background(open_page(sample, color_scheme="dark").go())
    assert (light, dark) == ("rgb(253, 253, 252)", "rgb(18, 21, 20)")


def test_chosen_theme_is_kept(open_page, sample):
    visit = open_page(sample, color_scheme="light")
    page = visit.go()
    page.get_by_role("button", name="Dark theme").click()
    assert background(page) == "rgb(18, 21, 20)"
    page.reload()
    visit.shown()
    assert background(page) == "rgb(18, 21, 20)"
    assert page.get_by_role("button", name="Dark theme").get_attribute("aria-pressed") == "true"


def test_less_motion_is_respected(open_page, sample):
    page = open_page(sample, reduced_motion="reduce").go()
    assert page.evaluate("getComputedStyle(document.getElementById('page-progress'), '::after').animationName") == "none"


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def test_server_that_is_gone_is_told_and_found_again(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    visit = open_page(server)
    visit.expected = NETWORK
    page = visit.go("/?q=rotate+the+signing+key")
    server.stop()
    page.locator("#page-query").fill("the audit log")
    page.get_by_role("heading", name="The server is gone").wait_for()
    assert headings(page)[0] == FIRST
    server.start()
    page.get_by_role("button", name="Try now").click()
    page.locator(".notice").wait_for(state="detached")
    visit.shown()
    assert headings(page)[0] == "The audit log"


def test_busy_server_is_asked_again_by_itself(visit):
    visit.expected = NETWORK
    page = visit.go()
    answers = iter([503, None])

    def once(route):
        if next(answers, None) is None:
            return route.continue_()
        body = '{"error": {"kind": "busy", "message": "Too many questions at a time."}}'
        return route.fulfill(status=503, headers={"retry-after": "1", "content-type": "application/json"}, body=body)

    page.route("**/api/search?*", once)
    page.locator("#page-query").fill(QUESTION)
    page.get_by_role("heading", name="The server is busy").wait_for()
    page.locator(".hits").wait_for()
    assert headings(page)[0] == FIRST
    assert page.locator(".notice").count() == 0


def test_index_that_is_not_there_yet_is_told_and_found_later(open_page, serve, tmp_path):
    project = Project(tmp_path / "new", WordEmbedder(max_tokens=256))
    project.write("docs/a.md", "# A\n\nzebra\n")
    visit = open_page(serve(project.index_dir))
    visit.expected = NETWORK
    page = visit.go("/?q=zebra")
    page.get_by_role("heading", name="No index to search yet").wait_for()
    project.index()
    page.get_by_role("button", name="Try now").click()
    page.locator(".hits").wait_for()
    assert headings(page) == ["A"]


def test_server_that_wants_a_token_asks_for_it(open_page, serve, sample):
    visit = open_page(serve(sample.answers.index_dir, token="right-" * 8))
    visit.expected = NETWORK
    page = visit.go("/?q=rotate+the+signing+key")
    dialog = page.get_by_role("dialog", name="This server wants a token")
    dialog.get_by_role("textbox", name="Token").fill("wrong")
    page.keyboard.press("Enter")
    page.get_by_text("does not take this token").wait_for()
    dialog.get_by_role("textbox", name="Token").fill("right-" * 8)
    page.keyboard.press("Enter")
    dialog.wait_for(state="hidden")
    visit.shown()
    assert headings(page)[0] == FIRST


def test_token_is_kept_in_the_tab_and_never_in_an_address(open_page, serve, sample):
    token = "secret" * 6
    visit = open_page(serve(sample.answers.index_dir, token=token))
    visit.expected = NETWORK
    page = visit.go("/?q=buffer")
    page.get_by_role("textbox", name="Token").fill(token)
    page.keyboard.press("Enter")
    page.locator(".hits").wait_for()
    page.reload()
    page.locator(".hits").wait_for()
    assert page.evaluate("[JSON.stringify(localStorage), document.cookie]") == ["{}", ""]
    assert not [address for address in (*visit.asked, page.url) if token in address]


# -- for everybody -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VIEWS)
def test_no_barrier_in_either_theme(visit, name):
    assert_no_barrier(visit.go(VIEWS[name]))


def test_no_barrier_on_a_narrow_screen_and_in_the_help(open_page, sample):
    page = open_page(sample, width=375).go("/?q=key&depth=2")
    page.get_by_text("Filters (1)").click()
    assert_no_barrier(page)
    page.get_by_role("button", name="Keys and help").click()
    assert_no_barrier(page)


def test_no_barrier_where_something_went_wrong(visit):
    visit.expected = NETWORK
    refused = {"busy": 503, "token": 401}
    body = '{"error": {"kind": "busy", "message": "Busy."}}'
    visit.context.route(
        "**/api/search?*", lambda route: route.fulfill(status=refused[query_of(route.request)["q"][0]], body=body)
    )
    assert_no_barrier(visit.go("/?q=busy"))
    assert_no_barrier(visit.go("/?q=token"))


def assert_no_barrier(page):
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(Axe().axe_script)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # or colours would still be on their way
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert [
            (theme, each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"]) for each in found
        ] == []


def test_skip_link_leads_to_the_content(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "page-main"
    assert page.locator(".hits").is_visible()


def test_focus_can_be_seen(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("j")
    assert page.evaluate("getComputedStyle(document.activeElement.closest('.hit'), '::before').borderLeftWidth") == "3px"
    page.get_by_label("Path").focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_nothing_is_wider_than_the_smallest_screen(open_page, sample):
    visit = open_page(sample, width=320)
    assert {name: overflow(visit.go(address)) for name, address in VIEWS.items()} == dict.fromkeys(VIEWS, 0)


def overflow(page):
    """By how much one would have to scroll sideways."""
    return page.evaluate("Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 768, 1440])
def test_page_fits_the_screen_in_pictures(open_page, sample, width, theme):
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    visit = open_page(sample, width=width, color_scheme=theme)
    for name in ("results", "section", "japanese", "index"):
        page = visit.go(VIEWS[name])
        page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{theme}.png")
        assert overflow(page) == 0


# -- small projects ----------------------------------------------------------------------------------------------------

TINY = {
    "docs/a.md": (
        "---\ntitle: First\nsecret-field: hidden\n---\n# First\n\n😀😀𝔘𝔫𝔦 a zebra and a zebra.\n\n"
        "See [the other one](sub/b.md#second-part), [the web](https://example.org/) and ![a picture](x.png).\n"
    ),
    "docs/signs.md": "# Signs\n\nText.\n\n## <!-- -->\n\nUnder a picture.\n",
    "docs/sub/b.md": "# Other\n\nText.\n\n## Second part\n\nMore text.\n",
}


def small(home, files):
    project = Project(home, WordEmbedder(max_tokens=256))
    for path, text in files.items():
        project.write(path, text)
    project.index()
    return project


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    server = Served(small(tmp_path_factory.mktemp("tiny"), TINY).index_dir)
    yield server
    server.stop()
