"""The formats of the files beside the table, as this version writes them."""

from __future__ import annotations

#: Raised when the tables of the manifest change; a manifest of another format is emptied.
MANIFEST = "3"
#: Raised when the tables of the file of changes change.
CHANGES = "1"
#: Raised when the tables of the file of links, or the rules by which links are read or resolved, change.
LINKS = "4"
#: Raised when the tables of the statistics or the rules of `schema.index_files.term_counts` change.
STATISTICS = "1"
