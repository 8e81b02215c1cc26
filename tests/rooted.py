"""The roots that an index keeps, as tests compare them."""

import json

from schema.index_files.roots import FileChoice
from schema.storage.table import SectionTable

TEXTS = FileChoice(include=("**/*.txt", "**/*.md"))


def documents(project):
    return sorted(SectionTable.open(project.index_dir / "store").paths())


def roots_file(project):
    return project.index_dir / "roots.json"


def kept(project):
    return {one["path"]: one for one in json.loads(roots_file(project).read_text())["roots"]}
