"""Extractive summaries of real documentation, held against what markdown-it says is prose, code and tables."""

import gc
import re
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from indexer.decoding import decode
from indexer.discover import discover
from indexer.markdown.prose import split_sentences
from indexer.reading import read_file
from indexer.splitter import MarkdownSplitter
from indexer.summaries.extractive import ExtractiveSummarizer
from schema.sections import Section

CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
NAMES = ("rust-book", "vue-docs-ja", "react-ko")

pytestmark = pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora of real documentation are not beside the project")

TAG = re.compile(r"</?[A-Za-z][^<>]*>")
#: What a sentence may hold though code holds it too: a word or a name.
LEAST_CODE = 12


@dataclass(frozen=True)
class Oracle:
    """What markdown-it reads in a section: paragraphs' text, lines of code, rows of tables, tags."""

    prose: str
    texts: str
    code: tuple[str, ...]
    rows: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def has_prose(self):
        return sum(map(str.isalpha, self.prose)) >= 20


def squeezed(text):
    return " ".join(text.split())


def read(markdown):
    parser = MarkdownIt("commonmark").enable("table")
    prose, texts, code, rows, tags = [], [], [], [], []
    in_paragraph = in_cell = False
    for token in parser.parse(markdown):
        if token.type in ("paragraph_open", "paragraph_close"):
            in_paragraph = token.type == "paragraph_open"
        elif token.type in ("th_open", "td_open", "th_close", "td_close"):
            in_cell = token.type.endswith("open")
        elif token.type in ("fence", "code_block"):
            code += [squeezed(line) for line in token.content.split("\n")]
        elif token.type == "html_block":
            tags += TAG.findall(token.content)
            texts.append(TAG.sub(" ", token.content))
        elif token.type == "inline" and in_cell:
            rows.append(squeezed(token.content))
        elif token.type == "inline" and in_paragraph:
            for child in token.children or ():
                if child.type == "html_inline":
                    tags.append(child.content)
                elif child.type in ("text", "code_inline"):
                    texts.append(child.content)
                    prose += [child.content] if child.type == "text" else []
                elif child.type == "softbreak":
                    texts.append(" ")
            texts.append("\n")
    return Oracle(
        "".join(prose),
        squeezed("".join(texts)),
        tuple(line for line in code if len(line) >= LEAST_CODE),
        tuple(row for row in rows if len(row) >= LEAST_CODE),
        tuple(tag for tag in tags if TAG.fullmatch(tag)),
    )


@cache
def summaries(name):
    """Every section of a corpus with its summary, and the mean time of one in milliseconds."""
    sections: list[Section] = []
    splitter = MarkdownSplitter()
    for file in discover([CORPORA / name], root=CORPORA).files:
        sections += splitter.split(decode(read_file(file)).text, file.path)
    summarizer = ExtractiveSummarizer()
    gc.collect()
    gc.freeze()  # the collector would walk through all sections again and again
    start = time.process_time()
    made = [summarizer.summarize_section(section, document="", document_summary=None) for section in sections]
    milliseconds = (time.process_time() - start) / len(sections) * 1000
    gc.unfreeze()
    return list(zip(sections, made, strict=True)), milliseconds


@cache
def judged(name):
    """Sections of a corpus, summaries and what the oracle reads."""
    return [(section, summary, read(section.body)) for section, summary in summaries(name)[0]]


def remains(summary, oracle):
    """What a summary holds that is code, a table or markup, and is not said in the prose too."""
    found = [sign for sign in ("```", "~~~", "|---", "| ---") if sign in summary]
    found += [line for line in (*oracle.code, *oracle.rows) if line in squeezed(summary) and line not in oracle.texts]
    found += [tag for tag in oracle.tags if tag in summary and tag not in oracle.texts]
    found += [match for match in re.findall(r"import \w+ from\b", summary) if match not in oracle.texts]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_sections_with_prose_have_a_summary_of_one_or_two_sentences(name):
    with_prose = [(section, summary) for section, summary, oracle in judged(name) if oracle.has_prose]
    good = [s for _, s in with_prose if s is not None and 1 <= len(list(split_sentences(s))) <= 2]
    print(f"\n{name}: {len(good)} of {len(with_prose)} sections with prose, {len(judged(name))} sections in all")
    print(f"{name}: {summaries(name)[1]:.2f} ms a section")
    assert len(good) >= 0.9 * len(with_prose) > 300


@pytest.mark.parametrize("name", NAMES)
def test_no_summary_holds_remains_of_code_tables_or_markup(name):
    found = [
        (section.document_path, section.heading, left)
        for section, summary, oracle in judged(name)
        if summary is not None and (left := remains(summary, oracle))
    ]
    assert found == []


@pytest.mark.parametrize("name", NAMES)
def test_no_summary_is_empty_or_longer_than_its_section(name):
    wrong = [
        (section.document_path, section.heading)
        for section, summary, _ in judged(name)
        if summary is not None and not 0 < len(summary) <= min(300, len(section.body))
    ]
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_no_summary_ends_in_a_colon(name):
    assert [s for _, s, _ in judged(name) if s is not None and s.rstrip().endswith((":", "："))] == []
