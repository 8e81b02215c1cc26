"""Snippets of very long sections, of which the part around the best passage is read."""

from schema.results import Window
from schema.text.query_words import query_terms
from search.context.highlight import find_matches
from search.context.snippet import snippet_of
from tests.unit.test_snippet import FILLER, section_of


def test_inner_heading_far_from_the_best_passage_of_a_long_section_is_found():
    body = f"{'Plain words here. ' * 1500}\n\n#### `cache-size`\n\nHow many lines are kept.\n\n#### Rest\n\n" + FILLER * 30
    section = section_of(body)
    weights = query_terms("cache-size")
    spans = find_matches(section.content, weights)
    found = snippet_of(section, "cache-size", weights, spans, near=Window(100, 200))
    assert found.text == "`cache-size`\nHow many lines are kept."


def test_long_section_is_read_around_its_best_passage_before_the_nearest_window():
    section = section_of(
        f"{FILLER * 20}\n\nThe buffer holds ten lines.\n\n{FILLER * 40}\n\nA buffer again.\n\n{FILLER * 20}"
    )
    at, far = section.content.index("The buffer"), section.content.index("A buffer")
    spans = find_matches(section.content, {"buffer": 1.0})
    near, passage = Window(far, far + 15), Window(at, at + 27)
    found = snippet_of(section, "buffer", {"buffer": 1.0}, spans, near=near, passage=passage)
    assert "The buffer holds ten lines." in found.text


def test_snippet_of_a_long_section_is_the_answer_though_a_word_of_the_question_stands_everywhere_before():
    items = [f"- fastify-plugin-{number}: a plugin for fastify that adds a thing to fastify.\n" for number in range(600)]
    section = section_of("".join(items) + "- fastify-edge runs on Deno without changes.\n" + "".join(items[:9]))
    weights = {"fastifi": 0.5, "deno": 2.0}
    passage = Window(at := section.content.index("fastify-edge"), at + 40)
    near = Window(at - 2500, at - 1600)
    spans = find_matches(section.content, weights)
    found = snippet_of(section, "fastify on deno", weights, spans, near=near, passage=passage)
    assert "runs on Deno" in found.text
