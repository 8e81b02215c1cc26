"""Which documents are the same page in other languages."""

import pytest

from search.index.translations import Translations, page_name

ENGLISH = ["keys", "make-a-key", "rotate-a-key", "lost-keys", "keys-of-others"]


def translations(documents):
    """Documents as (path, language of the text, anchors)."""
    languages = {path: language for path, language, _ in documents}
    return Translations({path: anchors for path, _, anchors in documents}, languages.__getitem__)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/ja/guide/keys.md", ("docs/guide/keys.md", "ja")),
        ("content/pt_BR/keys.md", ("content/keys.md", "pt-br")),
        ("README.ko.md", ("README.md", "ko")),
        ("README_zh-Hant.md", ("README.md", "zh-hant")),
        ("docs/qq/keys.md", ("docs/qq/keys.md", "")),
        ("docs/keys.qq.md", ("docs/keys.qq.md", "")),
        ("ja.md", ("ja.md", "")),
        ("en/a.ja.md", ("a.ja.md", "en")),
    ],
)
def test_a_path_tells_its_page_and_its_language(path, expected):
    assert page_name(path) == expected


def test_the_same_path_below_folders_of_languages_is_the_same_page():
    found = translations([("docs/en/a.md", "en", []), ("docs/ja/a.md", "ja", []), ("docs/ja/b.md", "ja", [])])
    assert found.of("docs/en/a.md") == {"docs/ja/a.md": "ja"}
    assert found.of("docs/ja/a.md") == {"docs/en/a.md": "en"}
    assert found.of("docs/ja/b.md") == {}


def test_a_page_without_a_language_in_its_path_has_that_of_its_text():
    found = translations([("README.md", "en", []), ("README.ja.md", "ja", []), ("README.de.md", "", [])])
    assert found.of("README.de.md") == {"README.md": "en", "README.ja.md": "ja"}
    assert found.of("README.md") == {"README.de.md": "de", "README.ja.md": "ja"}


def test_pages_whose_texts_are_of_one_language_are_no_translations():
    found = translations([("notes/it/a.md", "en", []), ("notes/no/a.md", "en", [])])
    assert found.of("notes/it/a.md") == {}


def test_headings_with_the_same_anchors_tell_a_translation():
    found = translations([("english/keys.md", "en", ENGLISH), ("korean/열쇠.md", "ko", ENGLISH[:4])])
    assert found.of("english/keys.md") == {"korean/열쇠.md": "ko"}


def test_a_copy_in_the_same_language_is_no_translation():
    assert translations([("new/keys.md", "en", ENGLISH), ("old/keys.md", "en", ENGLISH)]).of("new/keys.md") == {}


def test_a_text_of_an_unknown_language_is_no_translation_by_its_anchors():
    assert translations([("a.md", "en", ENGLISH), ("b.md", "", ENGLISH)]).of("a.md") == {}
    assert translations([("a.md", "en", ENGLISH), ("b.md", "", ENGLISH)]).of("b.md") == {}


def test_pages_that_share_a_few_anchors_are_no_translations():
    assert translations([("a.md", "en", ENGLISH[:2]), ("b.md", "ja", ENGLISH[:2])]).of("a.md") == {}
    assert translations([("a.md", "en", ENGLISH), ("b.md", "ja", [*ENGLISH[:3], "x", "y"])]).of("a.md") == {}


def test_of_several_pages_in_one_language_the_one_whose_path_says_so_counts():
    found = translations([("docs/en/a.md", "en", ENGLISH), ("docs/ja/a.md", "ja", []), ("old/a.md", "ja", ENGLISH)])
    assert found.of("docs/en/a.md") == {"docs/ja/a.md": "ja"}
