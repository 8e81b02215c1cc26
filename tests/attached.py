"""PDF and Word files as tests attach them."""

import io
import zipfile


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
