"""Attached files → their text, and what is said of files that have none."""

import io
import os
import sys
import time
import zipfile
from itertools import pairwise

import pytest

from indexer.convert import conversion, limits, pandoc
from indexer.convert import pdf as pdf_reader
from indexer.llm import attachments
from indexer.llm.attachments import attachment_text
from schema.errors import AttachmentError
from tests.attached import NEEDS_CONVERT, cell, docx, encrypted, notebook, pdf, said, table, word

pytestmark = NEEDS_CONVERT


@pytest.fixture
def library(monkeypatch, tmp_path):
    """Put a module in the place of a library, for the processes that are started."""

    def put(name, code):
        (tmp_path / f"{name}.py").write_text(code)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))

    return put


def test_text_keeps_its_paragraphs():
    assert attachment_text("a.txt", "一行目\r\n二行目\r\n \r\n\r\n次".encode()) == "一行目\n二行目\n\n次"


def test_text_in_an_old_encoding_is_read():
    assert attachment_text("a.MD", ("契約の期間は一年とする。" * 4).encode("cp932")).startswith("契約の期間は一年とする。")


@pytest.mark.process
def test_every_page_of_a_pdf_is_a_paragraph_at_least():
    assert attachment_text("a.pdf", pdf("First page.", "Second page.")) == "First page.\n\nSecond page."


@pytest.mark.process
def test_paragraphs_and_tables_of_a_word_file_stand_in_their_order():
    data = docx("甲は乙に", [["項目", "値"], ["期間", "1年"]], "通知する。")
    text = attachment_text("契約.docx", data)
    assert text == "甲は乙に\n\n| 項目 | 値  |\n|------|-----|\n| 期間 | 1年 |\n\n通知する。"


@pytest.mark.process
def test_a_notebook_is_read_with_its_results():
    text = attachment_text("a.ipynb", notebook("# Sum", ("1 + 1", "2")))
    assert text == "# Sum\n\n<!-- cell 2 -->\n\n```python\n1 + 1\n```\n\n```text\n2\n```"


@pytest.mark.process
def test_a_pdf_with_an_empty_password_is_read():
    assert attachment_text("a.pdf", encrypted(pdf("Open."), "")) == "Open."


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.exe", b"MZ", "of no kind that can be read"),
        ("a", b"text", "of no kind that can be read"),
        ("a.txt", b"\x00\x01\x02" * 100, "is no text file"),
        ("a.txt", b" \n", "holds no text"),
        ("a.pdf", b"%PDF-1.4 nonsense", "cannot be read as PDF"),
        ("a.pdf", b"", "cannot be read as PDF"),
        ("a.docx", b"PK nonsense", "cannot be read as a Word file"),
        ("a.ipynb", b"[]", "cannot be read as a notebook"),
        ("../../secret/a.docx", b"", "^a.docx cannot"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(name, data, said):
    with pytest.raises(AttachmentError, match=said):
        attachment_text(name, data)


@pytest.mark.process
def test_a_protected_pdf_is_refused():
    with pytest.raises(AttachmentError, match="password"):
        attachment_text("a.pdf", encrypted(pdf("Secret."), "key"))


@pytest.mark.process
def test_a_pdf_of_pictures_holds_no_text():
    with pytest.raises(AttachmentError, match="text recognition"):
        attachment_text("a.pdf", pdf(""))


@pytest.mark.process
def test_a_zip_that_is_no_word_file_is_refused():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        packed.writestr("a.txt", "x")
    with pytest.raises(AttachmentError, match="cannot be read as a Word file"):
        attachment_text("a.docx", data.getvalue())


@pytest.mark.process
def test_a_damaged_word_file_is_refused():
    data = bytearray(docx("x" * 5000))
    for place in range(100, 600):  # inside of the first packed file
        data[place] ^= 0xFF
    with pytest.raises(AttachmentError, match="cannot be read as a Word file"):
        attachment_text("a.docx", bytes(data))


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(attachments, "MAX_BYTES", 10)
    with pytest.raises(AttachmentError, match="at most 10"):
        attachment_text("a.txt", b"x" * 11)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (" " * 100_000, None),
        ("a" + " " * 100_000 + "b", "a" + " " * 100_000 + "b"),
        ("a" + " \t" * 50_000 + "\n" * 100_000 + "b", "a\n\nb"),
        ("a  \nb\n \n\t\n\nc", "a  \nb\n\nc"),
    ],
)
def test_blanks_take_no_time(text, read):
    started = time.process_time()
    if read is None:
        with pytest.raises(AttachmentError, match="holds no text"):
            attachment_text("a.txt", text.encode())
    else:
        assert attachment_text("a.txt", text.encode()) == read
    assert time.process_time() - started < 1


# -- files that take much -----------------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_cell_over_a_million_columns_is_read_once():
    wide = cell("wide", '<w:gridSpan w:val="1000000"/>')
    text = attachment_text("a.docx", word(table(wide + cell("b"), cell("c"))))
    assert text.count("wide") == 1
    assert len(text) < 1000


@pytest.mark.process
def test_cells_merged_down_a_table_are_read_once():
    rows = [cell("first", '<w:vMerge w:val="restart"/>') + cell("a")]
    rows += [cell("", "<w:vMerge/>") + cell(str(i)) for i in range(500)]
    text = attachment_text("a.docx", word(table(*rows)))
    assert text.count("first") == 1
    assert ">499<" in text


@pytest.mark.process
def test_tables_in_a_cell_are_read_with_it():
    inner = table(cell("in") + cell("side"))
    text = attachment_text("a.docx", word(table(f"<w:tc>{said('out')}{inner}</w:tc>" + cell("b"))))
    assert [word for word in ("out", "in", "side", "b") if word not in text] == []


@pytest.mark.process
@pytest.mark.usefixtures("untraced")
def test_tables_thousands_deep_are_refused():
    deep = "<w:tbl><w:tr><w:tc>" * 5000 + said("in") + "</w:tc></w:tr></w:tbl>" * 5000
    with pytest.raises(AttachmentError, match=r"a.docx (takes more than|cannot be read)"):
        attachment_text("a.docx", word(deep))


@pytest.mark.process
def test_entities_that_grow_are_refused():
    names = "abcdefghi"
    grow = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise(names))
    before = f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{grow}]>'
    with pytest.raises(AttachmentError, match="cannot be read as a Word file"):
        attachment_text("a.docx", word(said("&i;"), before))


@pytest.mark.process
def test_entities_that_name_files_are_not_read(tmp_path):
    (tmp_path / "secret").write_text("secret")
    before = f'<!DOCTYPE x [<!ENTITY a SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
    with pytest.raises(AttachmentError, match="cannot be read as a Word file"):
        attachment_text("a.docx", word(said("open &a;"), before))


def test_a_word_file_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(pandoc, "MAX_UNPACKED", 1000)
    with pytest.raises(limits.Refusal, match="unpacks to more than 1,000 bytes"):
        pandoc.read_with_pandoc("docx", docx("x"))


def test_a_word_file_of_many_files_is_refused(monkeypatch):
    monkeypatch.setattr(pandoc, "MAX_PACKED_FILES", 3)
    with pytest.raises(limits.Refusal, match="packs more than 3 files"):
        pandoc.read_with_pandoc("docx", docx("x"))


@pytest.mark.process
@pytest.mark.usefixtures("untraced")
def test_a_file_with_too_much_text_is_refused():
    with pytest.raises(AttachmentError, match=r"a.docx holds more than 20,000,000 bytes of text"):
        attachment_text("a.docx", word(said("x" * 7_000_000) * 3))


def test_a_pdf_with_too_many_pages_is_refused(monkeypatch):
    monkeypatch.setattr(pdf_reader, "MAX_PAGES", 1)
    with pytest.raises(limits.Refusal, match="has 2 pages, more than 1; split it"):
        pdf_reader.read_pdf(pdf("a", "b"), "a")


@pytest.mark.process
@pytest.mark.parametrize("name", ["a.docx", "a.pdf"])
def test_a_file_that_takes_too_long_is_given_up(monkeypatch, name):
    monkeypatch.setattr(conversion, "MAX_SECONDS", 1)
    data = word(said("x") * 500_000) if name == "a.docx" else pdf(*["\n".join(["x" * 100] * 300)] * 500)
    started = time.monotonic()
    with pytest.raises(AttachmentError, match="takes more than 1 seconds to read; split it"):
        attachment_text(name, data)
    assert time.monotonic() - started < 20


@pytest.mark.process
def test_a_file_that_waits_for_ever_is_given_up(monkeypatch, library):
    monkeypatch.setattr(conversion, "MAX_SECONDS", 1)
    library("pypdfium2", "import time; time.sleep(1000)")
    with pytest.raises(AttachmentError, match="takes more than 1 seconds"):
        attachment_text("a.pdf", b"x" * 1_000_000)


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="no other system limits the memory of a process")
@pytest.mark.parametrize("code", ["bytearray(10**10)", "raise MemoryError"])
def test_a_file_that_takes_too_much_memory_is_given_up(library, code):
    library("pypdfium2", code)
    with pytest.raises(AttachmentError, match="takes more than 2,000,000,000 bytes of memory"):
        attachment_text("a.pdf", b"x")


@pytest.mark.process
@pytest.mark.parametrize(
    "code", ["import os; os.abort()", "import os; os.kill(os.getpid(), 9)", "1 / 0", "raise SystemExit(9)"]
)
def test_a_file_that_crashes_its_reader_is_refused(library, code):
    library("pypdfium2", code)
    with pytest.raises(AttachmentError, match="cannot be read: it made the program that reads such files fail"):
        attachment_text("a.pdf", b"x")


@pytest.mark.process
def test_a_reader_that_writes_without_end_is_stopped(library):
    library("pypdfium2", "import sys\nwhile True: sys.stdout.buffer.write(bytes(65536))")
    with pytest.raises(AttachmentError, match="holds more than 20,000,000 bytes of text"):
        attachment_text("a.pdf", b"x")


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "module"), [("a.pdf", "pypdfium2"), ("a.docx", "pypandoc"), ("a.docx", "zipfile"), ("a.pdf", "indexer")]
)
def test_no_module_of_the_working_folder_reads_an_attachment(monkeypatch, tmp_path, name, module):
    (tmp_path / f"{module}.py").write_text("open('was_here', 'w')")
    monkeypatch.chdir(tmp_path)
    assert attachment_text(name, pdf("Text.") if name == "a.pdf" else docx("Text.")) == "Text."
    assert not (tmp_path / "was_here").exists()


@pytest.mark.process
def test_a_missing_library_is_named(library):
    library("pypdfium2", "raise ImportError")
    with pytest.raises(AttachmentError, match=r"a.pdf needs the package pypdfium2"):
        attachment_text("a.pdf", b"x")


@pytest.mark.process
def test_a_missing_pandoc_is_named(library):
    library("pypandoc", "")
    with pytest.raises(AttachmentError, match=r"a.docx needs the package pypandoc-binary"):
        attachment_text("a.docx", docx("Text."))
