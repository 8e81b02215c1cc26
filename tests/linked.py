"""The stored links of an index, as tests compare them."""

import sqlite3

from schema.index_files.layout import links_path, store_dir
from tests.integration.test_commands import run  # noqa: F401 — a fixture


def rows(project):
    """Every stored link, as document, line, target, status, and the path and heading it leads to."""
    headings = {identity: row.section.name for identity, row in project.stored().items()}
    with sqlite3.connect(links_path(store_dir(project.index_dir))) as file:
        found = file.execute(
            "select path, line, target, status, to_path, to_section from links order by path, line, id"
        ).fetchall()
    return [(*row[:5], headings.get(row[5], "")) for row in found]


def led(project, path):
    return [
        (target, status, to_path, heading) for where, _, target, status, to_path, heading in rows(project) if where == path
    ]


def shown(links):
    """Links as where they are, what they are to, and the heading above them."""
    return [(link.document_path, link.line, link.target, link.heading) for link in links]
