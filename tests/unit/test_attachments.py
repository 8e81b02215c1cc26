"""Attached files → their text, and what is said of files that have none."""

import io
import sys
import zipfile

import pytest

from indexer.llm import attachments
from indexer.llm.attachments import attachment_text
from schema.errors import AttachmentError


def pdf(*pages):
    """A PDF with one line of text a page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for i, text in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        stream = f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    return (
        out
        + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
        f"startxref\n{len(out)}\n%%EOF\n".encode()
    )


def docx(*blocks):
    from docx import Document

    document = Document()
    for block in blocks:
        if isinstance(block, str):
            document.add_paragraph(block)
        else:
            table = document.add_table(len(block), len(block[0]))
            for row, cells in zip(table.rows, block, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


def encrypted(data, password):
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_text_keeps_its_paragraphs():
    assert attachment_text("a.txt", "一行目\r\n二行目\r\n \r\n\r\n次".encode()) == "一行目\n二行目\n\n次"


def test_text_in_an_old_encoding_is_read():
    assert attachment_text("a.MD", ("契約の期間は一年とする。" * 4).encode("cp932")).startswith("契約の期間は一年とする。")


def test_every_page_of_a_pdf_is_a_paragraph_at_least():
    assert attachment_text("a.pdf", pdf("First page.", "Second page.")) == "First page.\n\nSecond page."


def test_paragraphs_and_tables_of_a_word_file_stand_in_their_order():
    data = docx("甲は乙に", [["項目", "値"], ["期間", "1年"]], "通知する。")
    assert attachment_text("契約.docx", data) == "甲は乙に\n\n項目 | 値\n期間 | 1年\n\n通知する。"


def test_a_pdf_with_an_empty_password_is_read():
    assert attachment_text("a.pdf", encrypted(pdf("Open."), "")) == "Open."


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
        ("../../secret/a.docx", b"", "^a.docx cannot"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(name, data, said):
    with pytest.raises(AttachmentError, match=said):
        attachment_text(name, data)


def test_a_protected_pdf_is_refused():
    with pytest.raises(AttachmentError, match="password"):
        attachment_text("a.pdf", encrypted(pdf("Secret."), "key"))


def test_a_pdf_of_pictures_holds_no_text():
    with pytest.raises(AttachmentError, match="text recognition"):
        attachment_text("a.pdf", pdf(""))


def test_a_zip_that_is_no_word_file_is_refused():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        packed.writestr("a.txt", "x")
    with pytest.raises(AttachmentError, match="cannot be read as a Word file"):
        attachment_text("a.docx", data.getvalue())


def test_a_damaged_word_file_is_refused():
    data = bytearray(docx("x" * 5000))
    for place in range(100, 600):  # inside of the first packed file
        data[place] ^= 0xFF
    with pytest.raises(AttachmentError, match="cannot be read as a Word file"):
        attachment_text("a.docx", bytes(data))


def test_a_word_file_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(attachments, "_MAX_UNPACKED", 1000)
    with pytest.raises(AttachmentError, match="unpacks to more than"):
        attachment_text("a.docx", docx("x"))


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(attachments, "MAX_BYTES", 10)
    with pytest.raises(AttachmentError, match="at most 10"):
        attachment_text("a.txt", b"x" * 11)


@pytest.mark.parametrize(("name", "module", "package"), [("a.pdf", "pypdf", "pypdf"), ("a.docx", "docx", "python-docx")])
def test_a_missing_library_is_named(monkeypatch, name, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(AttachmentError, match=f"needs the package {package}"):
        attachment_text(name, b"x")
