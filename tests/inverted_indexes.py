"""Small inverted index for tests, and queries whose terms all count 1."""

import pyarrow as pa

from search.index.inverted_index import InvertedIndex


def inverted_index(*texts, summaries=()):
    """One section for each text: heading | path | sentence | sentence …, and their summaries, if any."""
    lines = []
    for i, text in enumerate(texts):
        head, path, *sentences = (part.strip() for part in text.split("|"))
        lines.append("\n".join([head, "", "", path, summaries[i] if summaries else "", *sentences]))
    return InvertedIndex(pa.array(lines, pa.string()))


def ones(*terms):
    return dict.fromkeys(terms, 1.0)
