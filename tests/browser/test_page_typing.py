"""Typing: nothing moves, nothing flickers, nothing late is shown."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.views import FIRST, NETWORK, QUESTION, headings, query_of

pytestmark = pytest.mark.browser

#: Counts what the browser calls a layout shift, also right after a key, and where things are in every frame.
WATCH = """() => {
  const seen = (globalThis.seen = { shifts: [], places: new Set(), scrolls: new Set(), empty: 0 });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      seen.shifts.push([entry.value, entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName)]);
  });
  observer.observe({ type: "layout-shift" });
  const topOf = (selector) => {
    const found = document.querySelector(selector)?.getBoundingClientRect();
    return found ? [Math.round(found.left * 10), Math.round((found.top + scrollY) * 10)].join() : "";
  };
  const look = () => {
    seen.places.add([".brand", ".views", "#page-query", "#page-rail", "#page-status", "#page-view"].map(topOf).join(" "));
    const list = topOf(".hits") || topOf(".nothing");
    if (list) (seen.lists ??= new Set()).add(list);
    seen.scrolls.add(Math.round(scrollY));
    if (!document.querySelector("#page-view").childElementCount) seen.empty += 1;
    requestAnimationFrame(look);
  };
  look();
}"""
RESULT = "() => [seen.shifts, [...seen.places].length, [...(seen.lists ?? [])].length, [...seen.scrolls], seen.empty]"
#: Answered, not answered, answered by few, by nothing, and in another language.
QUERIES = (QUESTION, "pizza dough recipe", '"data diode"', '"zzqx vvv"', "証明書の有効期限")


def watched(page):
    page.wait_for_timeout(250)
    return page.evaluate(RESULT)


@pytest.mark.parametrize("width", [1280, 375])
def test_nothing_moves_while_several_queries_are_typed(open_page, sample, width):
    visit = open_page(sample, width=width)
    page = visit.go()
    page.locator("#page-query").click()
    page.evaluate(WATCH)
    for query in QUERIES:
        for letter in query:
            page.keyboard.type(letter)
            page.wait_for_timeout(30 if letter != " " else 120)
        page.wait_for_timeout(300)
        visit.shown()
        page.locator("#page-query").select_text()
    shifts, places, lists, scrolls, empty = watched(page)
    assert shifts == []
    assert (places, lists, scrolls, empty) == (1, 1, [0], 0)
    assert len(visit.searches()) > 2 * len(QUERIES)


def test_nothing_moves_while_typing_with_filters_in_use(open_page, sample):
    visit = open_page(sample)
    page = visit.go("/?q=key&depth=2&path=docs/")
    page.evaluate(WATCH)
    for query in ("rotate the key", "pizza dough recipe", "certificate"):
        page.locator("#page-query").select_text()
        visit.type(query)
        page.wait_for_timeout(200)
    shifts, places, lists, scrolls, _ = watched(page)
    assert (shifts, places, lists, scrolls) == ([], 1, 1, [0])


def test_page_stays_scrolled_while_typing(open_page, sample):
    visit = open_page(sample)
    page = visit.go("/?q=the+gateway&mode=lexical")
    page.locator("#page-query").focus()
    page.evaluate("scrollTo(0, 600)")
    page.wait_for_timeout(100)
    page.evaluate(WATCH)
    page.locator("#page-query").evaluate("field => field.select()")
    page.keyboard.type('"data diode"', delay=40)
    page.locator(".hits > li:nth-child(10)").wait_for(state="detached")
    visit.shown()
    shifts, _, lists, scrolls, _ = watched(page)
    assert (shifts, lists, scrolls) == ([], 1, [600])


#: Puts one text after another into the field, with no time between them.
AT_ONCE = """(texts) => {
  const field = document.querySelector("#page-query");
  for (const text of texts) {
    field.value = text;
    field.dispatchEvent(new InputEvent("input"));
  }
}"""


def asked_for(visit):
    return [parse_qs(urlsplit(address).query)["q"][0] for address in visit.searches()]


def test_first_question_waits_for_a_pause_in_typing(open_page, sample):
    visit = open_page(sample)
    page = visit.go()
    page.evaluate(AT_ONCE, ["k", "ke", "key"])
    page.locator(".hits").wait_for()
    assert asked_for(visit) == ["key"]


def test_key_is_asked_for_at_once_where_no_answer_is_awaited_and_else_after_a_pause(open_page, sample):
    visit = open_page(sample)
    visit.page.add_init_script("performance.now = () => 0")  # so each answer comes soon, on any machine
    page = visit.go("/?q=key")
    page.evaluate(AT_ONCE, ["a", "au", "aud", "audit log"])
    page.locator(".hits li:first-child h3", has_text="The audit log").wait_for()
    visit.shown()
    assert asked_for(visit) == ["key", "a", "audit log"]


def test_slow_server_is_asked_after_a_pause_alone(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    server.delays["key"] = 0.7
    visit = open_page(server)
    page = visit.go("/?q=key")
    page.evaluate(AT_ONCE, ["a", "au", "aud", "audit log"])
    page.locator(".hits li:first-child h3", has_text="The audit log").wait_for()
    visit.shown()
    assert asked_for(visit) == ["key", "audit log"]


def test_answers_that_come_out_of_order_are_dropped(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    server.delays["key"] = 0.7
    visit = open_page(server)
    page = visit.go()
    seen = []

    def saw(heading):
        seen.append(heading)

    page.expose_function("sawHit", saw)
    page.evaluate(
        """() => new MutationObserver(() => sawHit(document.querySelector(".hits h3")?.textContent ?? ""))
             .observe(document.querySelector("#page-view"), { childList: true })"""
    )
    with page.expect_request("**/api/search?q=key&*"):
        page.locator("#page-query").fill("key")
    page.locator("#page-query").fill("the audit log")
    page.locator(".hits h3", has_text="The audit log").first.wait_for()
    page.wait_for_timeout(1000)
    assert seen == ["The audit log"]
    assert query_of(page) == {"q": ["the audit log"]}


def test_list_stays_and_is_one_list_until_the_answer_comes(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    server.delays["the audit log"] = 3.0
    page = open_page(server).go("/?q=rotate+the+signing+key")
    page.evaluate(WATCH)
    page.locator("#page-query").fill("the audit log")
    page.wait_for_timeout(400)
    assert headings(page)[0] == FIRST
    assert page.locator("#page-status").inner_text().startswith("The best 10 sections")
    page.locator(".hits li:first-child h3", has_text="The audit log").wait_for()
    shifts, places, lists, _, empty = watched(page)
    assert (shifts, places, lists, empty) == ([], 1, 1, 0)


def test_field_that_is_half_typed_keeps_the_list_and_says_why(open_page, sample):
    visit = open_page(sample)
    visit.expected = NETWORK
    page = visit.go("/?q=key")
    before = headings(page)
    page.evaluate(WATCH)
    page.locator("#page-query").press("End")
    page.keyboard.insert_text(" since:7")  # at once: nothing is asked for between two keys
    page.locator("#page-status", has_text="This cannot be searched for").wait_for()
    assert headings(page) == before
    assert page.locator(".notice").count() == 0
    page.keyboard.type("d")
    page.locator("#page-status", has_text=" in ").wait_for()
    shifts, places, lists, _, _ = watched(page)
    assert (shifts, places, lists) == ([], 1, 1)


def test_results_while_hangul_is_composed_wait_for_the_word(visit):
    page = visit.go()
    page.locator("#page-query").click()
    keyboard = visit.context.new_cdp_session(page)
    for text in ("ㅂ", "버", "버ㅍ", "버퍼"):
        keyboard.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        page.wait_for_timeout(120)
    assert visit.searches() == []
    keyboard.send("Input.insertText", {"text": "버퍼"})
    page.locator(".hits").wait_for()
    assert query_of(page)["q"] == ["버퍼"]


def test_time_from_the_last_key_to_the_first_result_is_told(visit):
    """A number for who reads the log; it depends on the machine, so no bound is asserted."""
    page = visit.go()
    page.locator("#page-query").click()
    page.evaluate(
        """() => {
          globalThis.times = [];
          let last = 0;
          addEventListener("keydown", () => { last = performance.now(); }, true);
          new MutationObserver(() => {
            if (document.querySelector(".hits")) requestAnimationFrame(() => times.push(performance.now() - last));
          }).observe(document.querySelector("#page-view"), { childList: true });
        }"""
    )
    for word in ("sign", "ing", " key", " of", " the", " device"):
        with page.expect_response(lambda reply: "/api/search" in reply.url):
            page.keyboard.type(word, delay=20)
        visit.shown()
        page.wait_for_timeout(100)
    times = sorted(page.evaluate("times"))
    assert len(times) >= 5
    fetched = sorted(
        page.evaluate(
            "performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/search')).map((e) => e.duration)"
        )
    )
    print(f"\nanswers of the server: median {fetched[len(fetched) // 2]:.0f} ms")
    print(f"first result after the last key: median {times[len(times) // 2]:.0f} ms, longest {times[-1]:.0f} ms")
