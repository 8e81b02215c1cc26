"""Names that a file system stores taken apart (NFD, as macOS does) are those that a keyboard gives composed (NFC)."""

import time
import unicodedata

import pytest

from indexer.splitter import MarkdownSplitter
from indexer.sync.plan import plan_document
from schema.clock import now
from schema.errors import NotIndexedError
from schema.filters import Filters
from schema.index_files.roots import IndexRoots, Root
from schema.storage.rows import get_sections_schema, to_arrow
from schema.text.names import caseless, composed
from search.answers.budget import fit_documents
from search.context.advice import emptied_by, nearest_paths
from search.context.references import find_document, find_place
from search.index.translations import page_name
from search.sources.held import HeldSource
from tests.budgets import documented, within

NAMES = ("안내/서버.md", "ガイド/データベース.md", "Référence/Café.md")


def apart(text):
    return unicodedata.normalize("NFD", text)


def held(*paths, text="# 서버\n\n본문.\n"):
    rows = []
    for path in paths:
        split = MarkdownSplitter().parse(text, path)
        rows += plan_document(split.sections, front_matter=split.front_matter, stored={}, reusable={}, now=now()).rows
    return HeldSource.of(to_arrow(rows, get_sections_schema(4)), dimension=4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("forms", [(apart, str), (str, apart)])
def test_paths_tags_and_fields_are_compared_in_one_form(name, forms):
    stored, typed = (form(name) for form in forms)
    folder, glob = typed.rpartition("/")[0] + "/", f"**/{typed.rpartition('/')[2][:2]}*.md"
    for pattern in (typed, folder, typed.upper().replace(".MD", ".md"), glob):
        assert Filters(path=(pattern,)).allows_document(stored)
        assert not Filters(without_path=(pattern,)).allows_document(stored)
    assert Filters(tags=(typed,)).allows_document("a.md", [stored])
    assert Filters(tags=(folder,)).allows_document("a.md", [stored])
    assert not Filters(without_tags=(typed,)).allows_document("a.md", [stored])
    assert Filters(fields=((typed, typed),)).allows_document("a.md", (), {stored: stored})


def no_holder(path, anchor):
    return None


@pytest.mark.parametrize("name", NAMES)
def test_document_and_its_section_are_found_by_a_path_in_either_form(name):
    for stored, typed in ((apart(name), name), (name, apart(name))):
        source = held(stored, text=apart("# 서버\n\n본문.\n"))
        path, links = find_document(source, typed)
        assert (path, [link.document_path for link in links]) == (stored, [stored])
        assert find_place(source, f"./{typed}#서버", no_holder)[0].document_path == stored
    with pytest.raises(NotIndexedError):
        find_place(source, "서버.md", no_holder)


def test_path_as_it_is_typed_goes_before_its_other_form():
    source = held(apart(NAMES[0]), NAMES[0])
    assert [find_document(source, path)[0] for path in (NAMES[0], apart(NAMES[0]))] == [NAMES[0], apart(NAMES[0])]


def test_translations_are_found_by_a_path_in_either_form():
    source = held(apart("ko/서버.md"), apart("ja/서버.md"), text="# 1\n")
    assert [page_name(one.path)[1] for one in source.documents.translations("ko/서버.md")] == ["ja"]


def test_root_list_of_documents_and_advice_compare_names_in_one_form(tmp_path):
    stored = apart(NAMES[0])
    assert IndexRoots(tmp_path, (Root(path=apart("안내")),)).called("안내") == Root(path=apart("안내"))
    listed = fit_documents(documented(stored, "b.md"), within(1000), prefix="안내/")
    assert [each["path"] for each in listed["documents"]] == [stored]
    assert nearest_paths("서버.md", [stored]) == [stored]
    assert "begins with" not in emptied_by([{"path": "안내/"}], [stored])


def test_row_of_marks_is_compared_as_it_is():
    marks = "a" + "\u0301\u0316" * 250_000
    begun = time.process_time()
    assert composed(marks) == marks
    assert caseless(marks) == marks
    assert time.process_time() - begun < 1
