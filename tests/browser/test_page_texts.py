"""Texts of the page: those that stand for the server's English, and those of a page with nothing to show."""

import pytest

from tests.browser.conftest import documents_served
from tests.browser.views import small, words
from tests.conftest import Project, WordEmbedder

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = "\n\n".join(f"Paragraph {i} says what the others say, and nothing else." for i in range(1000))
LANGUAGES = ("en", "ja", "ko")
long = documents_served({"docs/long.md": f"# Long\n\n![](x.png) and ![a plan](y.png)\n\n{LONG}\n"})


def said(locator):
    """What an element says, and in which language."""
    return words(locator), locator.evaluate("element => element.closest('[lang]').lang")


@pytest.mark.parametrize(
    ("code", "begins"),
    [("en", "The rest of this section is not"), ("ja", "このセクションの残り"), ("ko", "이 섹션의 나머지")],
)
def test_what_is_cut_off_is_said_in_the_language_of_the_page(open_page, long, code, begins):
    text, language = said(open_page(long, locale=code).go("/?doc=docs/long.md").locator(".cut"))
    assert language == code
    assert text.startswith(begins)
    assert "," in text  # the number of characters


@pytest.mark.parametrize(("code", "text"), [("en", "image"), ("ja", "画像"), ("ko", "이미지")])
def test_image_without_description_is_named_in_the_language_of_the_page(open_page, long, code, text):
    images = open_page(long, locale=code).go("/?doc=docs/long.md").locator(".image")
    assert said(images.first) == (text, code)
    assert words(images.nth(1)) == "a plan"


@pytest.mark.parametrize("code", LANGUAGES)
def test_placeholder_of_the_field_fits_on_a_telephone(open_page, long, code):
    page = open_page(long, locale=code, width=390).go()
    room, needed = page.locator("#page-query").evaluate(
        """(field) => {
          const shown = getComputedStyle(field, "::placeholder");
          const drawing = new OffscreenCanvas(1, 1).getContext("2d");
          drawing.font = `${shown.fontSize} ${shown.fontFamily}`;
          return [field.clientWidth, drawing.measureText(field.placeholder).width];
        }"""
    )
    assert needed <= room


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Nothing is indexed yet; sectionary index FOLDER fills the index."),
        ("ja", "索引にはまだ何もありません。sectionary index FOLDER で文書を追加できます。"),
        ("ko", "아직 색인된 문서가 없습니다. sectionary index FOLDER 명령으로 추가할 수 있습니다."),
    ],
)
def test_empty_index_is_told_with_the_command_that_fills_it(open_page, serve, tmp_path, code, text):
    project = Project(tmp_path / "none", WordEmbedder(max_tokens=256))
    project.write("docs/empty.txt.bak", "x")
    project.index()
    page = open_page(serve(project.index_dir), locale=code).go()
    assert words(page.locator(".lead")) == text


def test_folders_to_begin_with_are_first_those_at_the_top(open_page, serve, tmp_path):
    large = {f"docs/alpha/part{i}/a.md": "# A\n\nText.\n\n# B\n\nText.\n" for i in range(9)}
    server = serve(small(tmp_path / "two", {**large, "docs/omega/a.md": "# A\n\nText.\n"}).index_dir)
    names = open_page(server).go().locator(".starts a").all_inner_texts()
    assert (len(names), names[0], names[-1]) == (8, "docs/alpha/", "docs/omega/")
