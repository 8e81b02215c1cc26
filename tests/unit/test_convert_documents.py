"""Converted files in the cache, and documents of every kind as runs read them."""

import time

import pytest

from indexer.convert import pandoc
from indexer.convert.cache import ConversionCache
from indexer.convert.conversion import Converted, convert
from indexer.convert.documents import CONVERTED_FILES, DocumentReader, require_converters
from indexer.convert.limits import FORMATS
from schema.errors import ConversionError, SettingsError
from schema.formats.endings import CONVERTED
from schema.settings_files import needs_consent
from tests.attached import NEEDS_CONVERT, notebook


def test_a_cache_gives_back_what_was_kept(tmp_path):
    cache = ConversionCache(tmp_path / "converted")
    converted = Converted("鍵\r\n\n", ((0, "page 1"), (1, "page 2")), ("1 include",))
    cache.put("a", converted)
    cache.put("b", "is protected.")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (converted, "is protected.", None)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data.replace(b"page 1", b"page 2")]
)
def test_a_damaged_entry_counts_as_missing(tmp_path, damage):
    cache = ConversionCache(tmp_path)
    cache.put("a", Converted("text", ((0, "page 1"),)))
    (entry,) = tmp_path.iterdir()
    entry.write_bytes(damage(entry.read_bytes()))
    assert cache.get("a") is None


def test_a_cache_deletes_old_versions_and_what_is_unused(tmp_path, monkeypatch):
    (tmp_path / "a.0.conv").write_bytes(b"old")
    cache = ConversionCache(tmp_path)
    for key in "abc":
        cache.put(key, Converted(key * 1000))
        time.sleep(0.01)
    assert cache.get("a") is not None  # used last
    monkeypatch.setattr("indexer.convert.cache.MAX_BYTES", 2500)
    cache.trim()
    assert [cache.get(key) is not None for key in "abc"] == [True, False, True]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_cache_that_is_a_link_is_not_used(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "converted").symlink_to(tmp_path / "elsewhere")
    cache = ConversionCache(tmp_path / "converted")
    cache.put("a", "no")
    assert cache.get("a") is None
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    (tmp_path / "converted").write_text("a file")
    cache = ConversionCache(tmp_path / "converted")
    cache.put("a", Converted("text"))
    assert cache.get("a") is None


def test_markdown_is_read_as_it_is(tmp_path):
    document = DocumentReader().read("a.pdf", b"# not converted\n")
    assert (document.text, document.places, document.is_converted) == ("# not converted\n", (), False)


@NEEDS_CONVERT
@pytest.mark.process
def test_a_file_is_converted_once(tmp_path, monkeypatch):
    reader = DocumentReader(tmp_path)
    first = reader.read("a.ipynb", notebook("# Sum"))
    monkeypatch.setattr("indexer.convert.documents.convert", None)
    assert DocumentReader(tmp_path).read("sub/a.ipynb", notebook("# Sum")) == first
    assert first.places == ((0, "cell 1"),)


@NEEDS_CONVERT
@pytest.mark.process
def test_a_refusal_is_kept_too(tmp_path, monkeypatch):
    for _ in range(2):
        with pytest.raises(ConversionError, match=r"a.ipynb cannot be read as a notebook"):
            DocumentReader(tmp_path).read("a.ipynb", b"{}")
        monkeypatch.setattr("indexer.convert.documents.convert", None)


def test_a_missing_extra_is_said_with_how_to_install_it(monkeypatch):
    monkeypatch.setattr("indexer.convert.pandoc.program", lambda: None)
    with pytest.raises(SettingsError, match=r"pip install 'sectionary\[convert\]'"):
        require_converters()


def test_no_pandoc_is_found_without_its_package(monkeypatch):
    monkeypatch.setattr(pandoc, "find_spec", lambda name: None)
    assert pandoc.program() is None


def test_files_are_known_by_their_endings():
    assert {"**/*.pdf", "**/*.ipynb", "**/*.adoc"} <= set(CONVERTED_FILES)
    with pytest.raises(ConversionError, match=r"a.txt is of no kind that can be converted \(.pdf, .docx"):
        convert("a.txt", b"")


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("indexer.convert.conversion.MAX_BYTES", 10)
    with pytest.raises(ConversionError, match=r"a.pdf has 11 bytes, more than 10; split it"):
        convert("a.pdf", b"x" * 11)


def test_a_text_format_with_zero_bytes_is_refused():
    with pytest.raises(ConversionError, match="is no text file"):
        convert("a.rst", b"\0" * 100)


@NEEDS_CONVERT
@pytest.mark.process
def test_a_text_format_without_text_is_no_failure():
    converted = convert("a.rst", b".. include:: b.rst\n")
    assert converted.text.strip() == ""
    assert converted.warnings == ("1 include of another file is left out", "it holds no text")


def test_a_project_needs_consent_to_convert():
    assert needs_consent("convert", True, False)
    assert not needs_consent("convert", False, False)


def test_endings_that_runs_tell_of_are_those_that_are_converted():
    assert set(FORMATS) == set(CONVERTED)
