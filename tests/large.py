"""Documents that make an index of some hundreds of sections, and the table of an index."""

from schema.index_files.layout import store_dir
from schema.storage.table import SectionTable

WORDS = (
    "amber birch cedar delta ember fjord grove heath inlet jetty knoll larch maple north ocean pearl quartz ridge".split()
)


def page(number):
    """A document of six sections, each of words that few others have together."""
    sections = [f"---\ntags: [part/{number % 3}]\nstatus: {'draft' if number % 2 else 'final'}\n---\n# Guide {number}\n"]
    for place in range(5):
        key = number * 5 + place
        said = " ".join(WORDS[(key * step + step) % len(WORDS)] for step in range(1, 12))
        sections.append(f"## Section {key}\n\nHere the {said}. It is {WORDS[key % 18]} and {WORDS[key % 7]}.\n")
    return "\n".join(sections)


def table_of(project):
    return SectionTable.open(store_dir(project.index_dir.resolve()))
