"""PDF, Word and notebook files as tests make them."""

import io
import json
import zipfile

import pytest

from indexer.convert.pandoc import program

#: For tests that read files of other formats; the extra `convert` reads them.
NEEDS_CONVERT = pytest.mark.skipif(program() is None, reason="the extra convert is not installed")


def pdf(*pages, title="", outline=()):
    """A PDF of these pages, each a text of one or more lines, English, Japanese or Korean.

    `outline` are its bookmarks: for each its level from 0, its text and the number of its page, from 1.
    """
    fonts = "/F1 3 0 R /F2 4 0 R /F3 6 0 R /F4 8 0 R"
    objects = ["<< /Type /Catalog /Pages 2 0 R{outlines} >>", ""]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for name, encoding, ordering in (
        ("HeiseiMin-W3", "UniJIS-UTF16-H", "Japan1"),
        ("HYSMyeongJo", "UniKS-UTF16-H", "Korea1"),
    ):
        number = len(objects) + 2
        objects.append(
            f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /{encoding} /DescendantFonts [{number} 0 R] >>"
        )
        objects.append(
            f"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /{name} /CIDSystemInfo << /Registry (Adobe) "
            f"/Ordering ({ordering}) /Supplement 2 >> >>"
        )
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>")
    numbers = [len(objects) + 1 + 2 * i for i in range(len(pages))]
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(f'{number} 0 R' for number in numbers)}] /Count {len(pages)} >>"
    for number, text in zip(numbers, pages, strict=True):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {number + 1} 0 R "
            f"/Resources << /Font << {fonts} >> >> >>"
        )
        shown = "".join(f"{_shown(line)} 0 -14 Td " for line in text.split("\n"))
        stream = f"BT 20 700 Td {shown}ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    outlines = f" /Outlines {len(objects) + 1} 0 R" if outline else ""
    if outline:
        objects += _outlines(outline, numbers, len(objects) + 1)
    objects[0] = objects[0].replace("{outlines}", outlines)
    objects.append(f"<< /Title <feff{title.encode('utf-16-be').hex()}> >>")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    return (
        out
        + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R "
        f"/Info {len(objects)} 0 R >>\nstartxref\n{len(out)}\n%%EOF\n".encode()
    )


def _shown(line):
    """Operators that show a line in the font of its language; a line behind a tab is code, shown with its indent."""
    if line.startswith("\t"):
        text = line[1:].lstrip()
        indent = 7.2 * (len(line) - 1 - len(text))
        return f"/F4 12 Tf {indent} 0 Td ({text}) Tj {-indent} 0 Td"
    if line.isascii():
        return f"/F1 12 Tf ({line}) Tj"
    font = "F3" if any("\uac00" <= character <= "\ud7a3" for character in line) else "F2"
    return f"/{font} 12 Tf <{line.encode('utf-16-be').hex()}> Tj"


def _outlines(outline, pages, first):
    """The objects of bookmarks; the first one has the number `first`."""
    parents, children = [0], {0: []}
    for i, (level, _, _) in enumerate(outline, start=1):
        del parents[level + 1 :]
        children.setdefault(parents[-1], []).append(i)
        children[i] = []
        parents.append(i)
    made = []
    for i in range(len(outline) + 1):
        parts = ["/Type /Outlines"] if i == 0 else []
        if children[i]:
            parts.append(
                f"/First {first + children[i][0]} 0 R /Last {first + children[i][-1]} 0 R /Count {len(children[i])}"
            )
        if i:
            _, text, page = outline[i - 1]
            parent = next(key for key, ones in children.items() if i in ones)
            at = children[parent].index(i)
            parts.append(f"/Title <feff{text.encode('utf-16-be').hex()}> /Parent {first + parent} 0 R")
            parts.append(f"/Dest [{pages[page - 1]} 0 R /XYZ 0 null 0]")
            parts += [f"/Prev {first + children[parent][at - 1]} 0 R"] if at else []
            parts += [f"/Next {first + children[parent][at + 1]} 0 R"] if at + 1 < len(children[parent]) else []
        made.append(f"<< {' '.join(parts)} >>")
    return made


def encrypted(data, password):
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def notebook(*cells, language="python"):
    """A notebook of these cells: a text is Markdown, a pair is code and what it printed."""
    made = []
    for cell in cells:
        if isinstance(cell, str):
            made.append({"cell_type": "markdown", "metadata": {}, "source": cell.splitlines(keepends=True)})
        else:
            code, printed = cell
            outputs = [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else []
            made.append({"cell_type": "code", "metadata": {}, "execution_count": 1, "source": code, "outputs": outputs})
    metadata = {"language_info": {"name": language}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": made}).encode()


def docx(*blocks):
    from docx import Document

    document = Document()
    for block in blocks:
        if isinstance(block, str) and block.startswith("#"):
            marks, _, text = block.partition(" ")
            document.add_heading(text, len(marks))
        elif isinstance(block, str):
            document.add_paragraph(block)
        else:
            table = document.add_table(len(block), len(block[0]))
            for row, cells in zip(table.rows, block, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


def word(body, before=""):
    """A Word file with this XML as its content."""
    data = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx())) as plain, zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        for entry in plain.namelist():
            if entry != "word/document.xml":
                packed.writestr(entry, plain.read(entry))
        packed.writestr(
            "word/document.xml",
            f'{before}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
            f"<w:body>{body}</w:body></w:document>",
        )
    return data.getvalue()


def said(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def cell(text, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{said(text)}</w:tc>"


def table(*rows):
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
