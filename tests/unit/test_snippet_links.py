"""Snippets of sections whose links have words of the question."""

from tests.unit.test_snippet import FILLER, ask


def test_sentence_that_says_it_is_shown_before_one_that_links_to_it():
    body = f"It ends a server. {FILLER}\n\nFor more information, see [Ending a server in the cloud](end.html).\n"
    assert ask(body, heading="Command", server=0.5, cloud=0.3).text.startswith("It ends a server.")


def test_link_is_shown_where_nothing_else_has_its_words():
    body = f"It ends one. {FILLER}\n\nFor more information, see [Ending a server in the cloud](end.html).\n"
    assert "Ending a server" in ask(body, heading="Command", server=0.5, cloud=0.3).text


def test_text_in_brackets_that_is_no_link_counts_fully():
    body = f"It ends a server. {FILLER}\n\nFor more information, see [Ending a server in the cloud].\n"
    assert "in the cloud" in ask(body, heading="Command", server=0.5, cloud=0.3).text


def test_words_of_an_address_which_is_not_shown_count_nothing():
    links = "[Read there](/effects#why-an-effect-runs-twice) how this helps. It is [here][runs-twice]."
    body = f"React runs the setup one extra time. {FILLER}\n\n{links}\n"
    assert ask(body, heading="Mount", effect=0.4, twice=0.5).text.startswith("React runs the setup")


def test_brackets_of_code_are_no_link():
    body = f"It ends a server. {FILLER}\n\n```js\nhandlers[name](event)\n```\n"
    assert "handlers[name](event)" in ask(body, heading="Command", event=0.9).text


def test_attributes_of_an_image_within_a_link_are_not_shown():
    body = (
        "Its buffer: [![Version 2](https://x.org/v.svg){ loading=lazy .badge }](https://x.org/p) and [text](a.html){ .b }.\n"
    )
    assert ask(body).text == "Its buffer: Version 2 and text{ .b }."
