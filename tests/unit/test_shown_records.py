"""Records as people and notebooks see them: short, escaped, and as tables."""

import copy
import importlib.util
import json
import pickle
import re
from dataclasses import replace
from html.parser import HTMLParser

import pyarrow as pa
import pytest
from markdown_it import MarkdownIt

from schema import (
    Context,
    ContextPack,
    ContextPiece,
    DocumentInfo,
    IndexReport,
    LibraryMissingError,
    Link,
    ResultPage,
    Results,
    SearchResult,
    Section,
    SectionaryError,
    SectionLink,
    SectionLinks,
    SimilarSection,
    Snippet,
    Translation,
    Window,
)
from schema.notebook import MOST_SHOWN
from schema.result_list import COLUMNS

HOSTILE = "<script>alert(1)</script>![x](http://evil.test/x.png)</pre>\x1b[31m\u202e\n```\n# Not a heading\n$x$ <img src=//evil.test>"
LINK = SectionLink(
    id="0" * 24, document_path="docs/a.md", heading="A", depth=1, parent_id=None, order=0, position=0, anchor="a",
    start_line=1, end_line=2, token_count=3, section_number=(),
)  # fmt: skip
SECTION = Section(
    id="1" * 24, document_path="docs/a.md", heading="B", depth=2, content="## B\n\n" + "long text " * 500, token_count=9,
    parent_id="0" * 24, order=0, heading_path=("A", "B"), anchor="b", start_line=3, end_line=8, body_start=6,
    document_title="A", tags=("x",), summary="On B.",
)  # fmt: skip
HIT = SearchResult(
    section=SECTION, score=0.5, relevance=0.71234, context=Context((LINK,), LINK, None, (LINK,)),
    snippet=Snippet(text="long text here", start=6, end=20, start_line=5, end_line=5, matches=(Window(5, 9),)),
    similar=(SimilarSection(id="2" * 24, document_path="old/a.md", heading="B", start_line=7),),
)  # fmt: skip
EVIL = replace(
    HIT,
    section=replace(
        SECTION, heading=HOSTILE, heading_path=(HOSTILE,), document_path="docs/<b>`|.md", document_title=HOSTILE
    ),
    snippet=replace(HIT.snippet, text=HOSTILE, matches=(Window(0, 8), Window(3, 9), Window(9000, 9001))),
    url='https://x.test/"onclick="alert(1)',
)
PIECE = ContextPiece(
    section_id="1", citation="docs/a.md#b:L3-L8", text="word " * 99, start_line=3, end_line=8, is_whole=True, token_count=99
)
PACK = ContextPack(text="the text", token_count=2, max_tokens=9, pieces=(PIECE,), left_out=("docs/b.md:L1-L2",))


# -- repr and str ------------------------------------------------------------------------------------------------------


def test_repr_names_place_heading_relevance_and_the_first_words():
    assert repr(HIT) == "SearchResult('docs/a.md:5', 'B', relevance=0.71, 'long text here')"
    assert repr(SECTION).startswith("Section('docs/a.md:3-8', 'B', 'long text long text")


def test_repr_of_a_section_has_sixty_characters_of_its_text():
    shown = re.fullmatch(r"Section\('docs/a.md:3-8', 'B', '(.*)'\)", repr(SECTION))[1]
    assert (len(shown), shown[-1]) == (60, "…")


@pytest.mark.parametrize(
    "record", [HIT, SECTION, EVIL, EVIL.section, PIECE, PACK, ResultPage(results=(HIT,), relevance=0.7, min_relevance=0.3)]
)
def test_repr_is_one_short_printable_line(record):
    assert len(repr(record)) < 260
    assert repr(record).isprintable()


def test_repr_of_a_converted_file_names_the_page():
    assert "'docs/a.md, page 3'" in repr(replace(SECTION, place="page 3"))


def test_str_of_a_hit_is_its_place_trail_and_snippet():
    assert str(HIT) == "docs/a.md:5  A > B  (relevance 0.71)\nlong text here"


def test_str_of_a_section_is_its_place_and_the_beginning_of_its_text():
    head, text = str(SECTION).split("\n")
    assert head == "docs/a.md:3-8  A > B"
    assert (len(text) <= 480, text[:9], text[-1]) == (True, "long text", "…")


@pytest.mark.parametrize("record", [EVIL, EVIL.section, Results([EVIL])])
def test_str_spells_out_what_could_fake_a_terminal(record):
    assert set("\x1b\u202e").isdisjoint(str(record))


def test_str_of_a_pack_is_its_text():
    assert str(PACK) == "the text"
    assert repr(PACK) == "ContextPack(2 of 9 tokens, pieces=1)"


def test_repr_of_a_long_heading_is_cut():
    assert len(repr(replace(SECTION, heading="x" * 100_000))) < 200


# -- plain values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (LINK, {"id", "heading", "depth", "anchor", "start_line", "end_line", "token_count", "summary", "place"}),
        (DocumentInfo("a.md", "A", 1, 2, ("x",), {"k": 1}), {"path", "title", "section_count", "token_count", "tags"}),
        (Translation(path="a.md", title="A", language="ja"), {"path", "title", "language"}),
        (HIT.snippet, {"text", "start", "end", "start_line", "end_line", "place", "answer", "matches"}),
        (PACK, {"answered", "max_tokens", "token_count", "text", "pieces", "left_out"}),
        (ResultPage(results=(HIT,), relevance=0.7, min_relevance=0.3), {"answered", "min_relevance", "results"}),
        (HIT.context, {"ancestors", "previous", "next", "children"}),
    ],
)
def test_plain_values_have_the_names_of_the_json(record, names):
    told = record.to_dict()
    assert set(told) == names
    assert json.loads(json.dumps(told)) == told


def test_plain_values_of_a_hit_hold_those_of_its_section():
    told, section = HIT.to_dict(), SECTION.to_dict()
    assert {name: told[name] for name in section} == section
    assert (told["document_path"], told["start_line"], told["relevance"]) == ("docs/a.md", 3, 0.7123)
    assert told["similar"] == [{"id": "2" * 24, "document_path": "old/a.md", "heading": "B", "start_line": 7, "place": ""}]


def test_plain_values_of_a_report_are_its_fields():
    told = IndexReport(documents_added=2, left_out={".pdf": 1}).to_dict()
    assert (told["documents_added"], told["left_out"], told["failed"]) == (2, {".pdf": 1}, [])


def test_plain_values_of_links_name_the_other_end():
    link = Link(document_path="a.md", section_id="1", line=4, kind="markdown", target="b.md", to_path="b.md", to_id="2")
    told = SectionLinks(links=(link,), backlinks=(link,), link_count=1, backlink_count=1).to_dict()
    assert (told["links"][0]["document_path"], told["backlinks"][0]["document_path"]) == ("b.md", "a.md")
    assert (told["links"][0]["id"], told["backlinks"][0]["id"], told["links"][0]["heading"]) == ("2", "1", None)


# -- documents of other programs --------------------------------------------------------------------------------------


def test_metadata_of_a_section_is_flat():
    assert SECTION.to_metadata() == {
        "path": "docs/a.md",
        "title": "A",
        "heading_path": "A > B",
        "anchor": "b",
        "start_line": 3,
        "end_line": 8,
        "section_id": "1" * 24,
    }


def test_metadata_of_the_text_before_the_first_heading_names_the_document():
    preamble = replace(SECTION, depth=0, heading="(document root)", heading_path=("(document root)",))
    assert preamble.to_metadata()["heading_path"] == "A"
    assert replace(preamble, document_title="").to_metadata()["heading_path"] == "docs/a.md"


def test_metadata_of_a_hit_are_those_of_its_section_and_how_well_it_answers():
    assert HIT.to_metadata() == SECTION.to_metadata() | {"relevance": 0.71234, "score": 0.5, "stale": False}
    assert replace(HIT, stale=True).to_metadata()["stale"] is True


def test_metadata_of_a_hit_of_which_nothing_is_known_still_have_every_name():
    bare = SearchResult(section=replace(SECTION, document_title="", anchor=""), score=0.0)
    assert bare.to_metadata().keys() == HIT.to_metadata().keys()


def test_metadata_have_an_address_and_a_place_only_where_there_is_one():
    assert HIT.to_metadata().keys().isdisjoint({"url", "place"})
    told = replace(HIT, url="https://x.test/a", section=replace(SECTION, place="page 3")).to_metadata()
    assert (told["url"], told["place"]) == ("https://x.test/a", "page 3")


def test_metadata_of_a_snippet_have_its_own_lines_and_place():
    assert HIT.to_metadata(snippet=True) == HIT.to_metadata() | {"start_line": 5, "end_line": 5}
    section, snippet = replace(SECTION, place="page 3"), replace(HIT.snippet, place="page 4")
    hit = replace(HIT, section=section, snippet=snippet)
    assert (hit.to_metadata()["place"], hit.to_metadata(snippet=True)["place"]) == ("page 3", "page 4")


def test_metadata_of_hostile_sections_are_texts_numbers_and_booleans():
    told = EVIL.to_metadata(snippet=True)
    assert {type(value) for value in told.values()} <= {str, int, float, bool}
    assert told["heading_path"] == HOSTILE


def test_text_of_a_hit_is_its_section_without_markup_and_outer_blanks():
    section = replace(SECTION, content="<Tabs>\n## B\r\n\ntext\n\n", hidden=(0, 6))
    assert replace(HIT, section=section).to_text() == "## B\r\n\ntext"


def test_str_of_a_page_has_all_hits_and_says_where_none_answers():
    page = ResultPage(results=(HIT, EVIL), relevance=0.7, min_relevance=0.3)
    assert str(page) == f"{HIT}\n\n{EVIL}"
    assert str(replace(page, relevance=0.1)) == f"No section answers this. The nearest are:\n\n{HIT}\n\n{EVIL}"
    assert str(replace(page, results=())) == "No result."


def test_results_are_pickled_without_their_links():
    with_links = replace(HIT, linked=SectionLinks)
    page = ResultPage(results=(HIT, with_links), relevance=0.7, min_relevance=0.3)
    for record in (with_links, Results([HIT, with_links]), page):
        assert pickle.loads(pickle.dumps(record)) == record
    assert copy.copy(with_links).links == copy.deepcopy(with_links).links == ()
    again = pickle.loads(pickle.dumps(with_links))
    assert (again.snippet, again.context, HIT.links) == (HIT.snippet, HIT.context, ())
    with pytest.raises(SectionaryError, match=r"ask SearchEngine\.section_links for them"):
        _ = again.links


def test_text_of_a_hit_is_its_snippet_where_that_is_wanted_and_there():
    assert HIT.to_text(snippet=True) == "long text here"
    without = replace(HIT, snippet=None)
    assert without.to_text(snippet=True) == without.to_text()
    assert without.to_metadata(snippet=True) == without.to_metadata()


@pytest.mark.parametrize(
    ("relevance", "least", "count"), [(0.7, 0.3, 1), (0.3, 0.3, 1), (0.1, 0.3, 0), (0.1, 0.0, 1), (0.0, 0.0, 1)]
)
def test_page_gives_no_hit_for_an_answer_that_is_none(relevance, least, count):
    assert len(ResultPage(results=(HIT,), relevance=relevance, min_relevance=least).answering) == count


# -- notebooks ---------------------------------------------------------------------------------------------------------


class _Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


SHOWN = [EVIL, Results([EVIL, HIT]), ResultPage(results=(EVIL,), relevance=0.7, min_relevance=0.3)]


@pytest.mark.parametrize("shown", SHOWN)
def test_html_holds_hostile_text_as_text(shown):
    page = _Elements(shown._repr_html_())
    assert {tag for tag, _ in page.elements} <= {"div", "strong", "small", "br", "a", "code", "pre", "mark", "p"}
    assert {name for _, attributes in page.elements for name in attributes} <= {"style", "href", "rel"}
    assert page.open == []
    assert "<script>alert(1)</script>" in "".join(page.texts)
    assert set("\x1b\u202e").isdisjoint(shown._repr_html_())


@pytest.mark.parametrize("shown", SHOWN)
def test_html_loads_nothing(shown):
    assert all("url(" not in attributes.get("style", "") for _, attributes in _Elements(shown._repr_html_()).elements)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", ""])
def test_only_addresses_of_the_web_become_links(url):
    assert "<a " not in replace(HIT, url=url)._repr_html_()
    assert '<a href="https://x.test/b"' in replace(HIT, url="https://x.test/b")._repr_html_()


def test_html_marks_the_words_of_the_question():
    assert "long <mark>text</mark> here" in HIT._repr_html_()


@pytest.mark.parametrize("shown", SHOWN)
def test_markdown_holds_hostile_text_as_text(shown):
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(shown._repr_markdown_())
    inside = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in (*tokens, *inside)}
    assert kinds <= {
        "paragraph_open", "paragraph_close", "inline", "fence", "text", "strong_open", "strong_close", "hardbreak",
        "text_special",
    }  # fmt: skip
    assert any("# Not a heading" in token.content for token in tokens if token.type == "fence")
    assert "$" not in shown._repr_markdown_().replace(HOSTILE.partition("\n")[2], "")


def test_page_that_is_not_answered_says_so():
    page = ResultPage(results=(HIT,), relevance=0.1, min_relevance=0.3)
    assert page._repr_html_().startswith("<div><p>No section answers this. The nearest are:</p>")
    assert page._repr_markdown_().startswith("No section answers this. The nearest are:\n\n**B**")


def test_no_result_says_so():
    assert Results()._repr_html_() == "<div><p>No result.</p></div>"
    assert (Results()._repr_markdown_(), str(Results()), repr(Results())) == ("No result.", "No result.", "[]")


def test_only_the_first_results_are_shown():
    many = Results([HIT] * (MOST_SHOWN + 7))
    assert many._repr_html_().count("<pre") == MOST_SHOWN
    assert many._repr_markdown_().endswith("… and 7 more.")


# -- lists and tables --------------------------------------------------------------------------------------------------


def test_results_are_a_list_whose_parts_are_results():
    hits = Results([HIT, EVIL])
    assert isinstance(hits, list)
    assert hits == [HIT, EVIL]
    assert (hits[0] is HIT, type(hits[:1]), hits[1:] == [EVIL]) == (True, Results, True)


def test_every_table_has_the_same_columns_and_types():
    empty, full = Results().to_arrow(), Results([HIT, replace(HIT, snippet=None)]).to_arrow()
    assert empty.schema == full.schema
    assert empty.schema.names == list(COLUMNS)
    assert (empty.num_rows, full.num_rows) == (0, 2)
    assert full.schema.field("heading_path").type == pa.list_(pa.string())
    assert full.schema.field("start_line").type == pa.int32()


def test_a_table_holds_the_fields_of_hits_and_the_text_of_their_snippets():
    row, without = Results([HIT, replace(HIT, snippet=None)]).to_arrow().to_pylist()
    assert (row["document_path"], row["heading_path"], row["tags"]) == ("docs/a.md", ["A", "B"], ["x"])
    assert (row["snippet"], row["snippet_start_line"], row["relevance"]) == ("long text here", 5, 0.7123)
    assert (without["snippet"], without["snippet_end_line"]) == (None, None)


def test_a_table_takes_texts_that_no_encoding_has():
    section = replace(SECTION, content="a\ud800b", heading_path=("\ud800",))
    assert Results([replace(HIT, section=section)]).to_arrow().to_pylist()[0]["content"] == "a?b"


@pytest.mark.skipif(importlib.util.find_spec("pandas") is not None, reason="pandas is installed")
def test_a_data_frame_without_pandas_says_what_to_install():
    with pytest.raises(LibraryMissingError, match="to_pandas needs pandas, which is not installed: `pip install pandas`"):
        Results([HIT]).to_pandas()


@pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="pandas is not installed")
def test_a_data_frame_has_the_columns_of_the_table():
    frame = Results([HIT]).to_pandas()
    assert list(frame.columns) == list(COLUMNS)
    assert frame["document_path"].tolist() == ["docs/a.md"]
    assert frame["start_line"].dtype == Results().to_pandas()["start_line"].dtype == "int32"


def test_a_hit_without_text_has_the_place_of_its_section_and_no_text():
    hit = replace(HIT, section=replace(SECTION, content="## B\n", body_start=5), snippet=None)
    assert (hit.location, hit.text) == ("docs/a.md:3", "")
