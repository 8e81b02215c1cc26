"""Includes of MkDocs and VitePress: which lines of which files they mean, in each other too, and what a terminal shows."""

import time

import pytest

from indexer.splitter import MarkdownSplitter
from schema.results import Context, SearchResult, Window
from search.answers.render import render_results
from search.context.include_forms import directives, part_lines, snippet_lines, targets
from search.context.includes import MAX_INCLUDES, Includes, with_includes

CODE = "import a\n// #region two\n  one();\n  // #region inner\n  two();\n  // #endregion inner\n// #endregion two\nend();\n"
TEXT = "---\ntitle: X\n---\n# Top\n\nfirst\n\n## The part {#own}\n\nsecond\n\n## More of it\n\nthird\n"


@pytest.fixture
def site(tmp_path):
    """A folder of documents with an index, and a file beside it."""
    root = tmp_path / "site"
    for name, text in {
        "docs/guide/a.ts": CODE,
        "snippets/a.ts": "top();\n",
        "docs/guide/text.md": TEXT,
        "docs/parts/outer.md": 'outer\n--8<-- "parts/inner.md"\nend\n',
        "docs/parts/inner.md": "inner\n",
        "docs/parts/loop.md": 'loop\n--8<-- "parts/loop.md"\n',
        "docs/parts/pair.md": '--8<-- "parts/other.md"\n',
        "docs/parts/other.md": 'other\n--8<-- "parts/pair.md"\n',
        "docs/marked.py": "x = 1\n# --8<-- [start:use]\ny = 2\n# --8<-- [end:use]\nz = 3\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / ".sectionary").mkdir()
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    return root


def text(site, name, argument, document="docs/guide/index.md"):
    return Includes(site / ".sectionary").text(document, name, argument)


@pytest.mark.parametrize(
    ("part", "lines"),
    [("", "abcd"), ("2", "bcd"), ("2:", "bcd"), (":2", "ab"), ("2:3", "bc"), ("1,3:4", "abcdcd"), ("-2:", "cd"), (":-2", "abc"),
     ("9", None), ("none", None)],
)  # fmt: skip
def test_lines_of_a_snippet_are_chosen_by_number(part, lines):
    assert snippet_lines(list("abcd"), part) == (None if lines is None else list(lines))


def test_section_of_a_snippet_is_chosen_by_name(site):
    assert text(site, "snippet", "docs/marked.py:use") == "y = 2"
    assert text(site, "snippet", "docs/marked.py") == "x = 1\ny = 2\nz = 3"


def test_snippet_is_looked_for_in_the_folders_above(site):
    assert text(site, "snippet", "parts/inner.md") == "inner"
    assert text(site, "snippet", "snippets/a.ts") == "top();"


def test_block_names_several_files(site):
    assert text(site, "snippet", "parts/inner.md\n\n; parts/none.md\ndocs/marked.py:use\n") == "inner\ny = 2"


def test_code_of_a_region_stands_in_a_fence(site):
    assert text(site, "code", "./a.ts#two{2}") == "```ts\none();\ntwo();\n```"
    assert text(site, "code", "./a.ts#two{1,2 js:line-numbers} [Use]") == "```js [Use]\none();\ntwo();\n```"
    assert text(site, "code", "./a.ts#none") is None


def test_path_at_the_source_of_the_site_is_looked_for_above(site):
    assert text(site, "code", "@/snippets/a.ts") == "```ts\ntop();\n```"


def test_fence_is_longer_than_any_in_the_code(site):
    (site / "docs/guide/b.md").write_text("```\nx\n```\n")
    assert text(site, "code", "./b.md").splitlines()[0] == "````md"


@pytest.mark.parametrize(
    ("argument", "begins", "lines"),
    [
        ("./text.md", "# Top", 11),
        ("./text.md{3,5}", "first", 3),
        ("./text.md{,3}", "# Top", 3),
        ("./text.md#own", "## The part {#own}", 4),
        ("./text.md#more-of-it{3,}", "third", 1),
    ],
)
def test_part_is_chosen_by_lines_and_headings(site, argument, begins, lines):
    found = text(site, "part", argument).split("\n")
    assert (found[0], len(found)) == (begins, lines)


def test_part_without_such_a_heading_or_lines_is_none():
    assert part_lines(["# A"], "b", "") is None
    assert part_lines(["# A"], "", "x") is None
    assert part_lines(["# A"], "", "5,") is None


def test_includes_in_an_include_are_read(site):
    assert text(site, "snippet", "parts/outer.md") == "outer\ninner\nend"


def test_include_of_itself_stays_as_it_is_written(site):
    assert text(site, "snippet", "parts/loop.md") == 'loop\n--8<-- "parts/loop.md"'
    assert text(site, "snippet", "parts/loop.md", document="docs/parts/loop.md") is None
    assert text(site, "snippet", "parts/pair.md") == 'other\n--8<-- "parts/pair.md"'


@pytest.mark.parametrize("name", ["snippet", "code", "part"])
@pytest.mark.parametrize(
    "path",
    ["../../../secret.md", "../secret.md", "@/../../secret.md", "@/../secret.md", "/etc/passwd", "@//etc/passwd", "link.md",
     "up/secret.md", "https://example.org/a.md", "../../.sectionary/x", "", "@/", "~/a"],
)  # fmt: skip
def test_nothing_out_of_the_folder_is_read(site, name, path):
    (site / "docs/guide/link.md").symlink_to(site.parent / "secret.md")
    (site / "docs/guide/up").symlink_to(site.parent)
    (site / ".sectionary/x").write_text("x")
    assert text(site, name, path) is None


def test_nested_includes_count_as_others(site):
    for number in range(30):
        (site / f"docs/parts/n{number}.md").write_text(f'line\n--8<-- "parts/n{number + 1}.md"\n')
    (site / "docs/parts/many.md").write_text('--8<-- "parts/inner.md"\n' * (MAX_INCLUDES + 5))
    assert text(site, "snippet", "parts/n0.md").count("line") == 5
    assert text(site, "snippet", "parts/many.md").count("inner\n") == MAX_INCLUDES - 1


def test_outer_folder_of_the_index_reads_its_own_files_alone(site, monkeypatch, tmp_path):
    from schema.index_files.roots import IndexRoots, Root
    from search.context import includes

    other = tmp_path / "notes"
    (other / "sub").mkdir(parents=True)
    (other / "a.md").write_text("of the notes\n")
    (other / "private.md").write_text("private\n")
    roots = IndexRoots(site, (Root(path="notes/sub"), Root(path="notes/a.md")), {"notes": other})
    monkeypatch.setattr(includes, "roots_of", lambda *_, **__: roots)
    assert text(site, "part", "../a.md", document="notes/sub/x.md") == "of the notes"
    assert text(site, "part", "../private.md", document="notes/sub/x.md") is None
    assert text(site, "part", "../../docs/marked.py", document="notes/sub/x.md") is None


# -- what a terminal shows ---------------------------------------------------------------------------------------------


def hit_of(source, dialects):
    section = MarkdownSplitter().parse(source, "docs/guide/index.md", dialects=dialects.split()).sections[0]
    at = source.find("word")
    matches = (Window(at, at + 4),) if at >= 0 else ()
    return SearchResult(
        section=section,
        score=0.0,
        scores={},
        parts={},
        window=None,
        passage=None,
        matches=matches,
        snippet=None,
        context=Context(),
    )


def shown(site, source, dialects):
    found = with_includes(hit_of(source, dialects), Includes(site / ".sectionary"))
    return found, [line.removeprefix("   |").strip() for line in render_results([found], full=True).split("\n")[1:]]


def test_terminal_shows_included_lines_where_they_belong(site):
    source = '# A\n\n<b>x</b>\n\n```py\n  --8<-- "docs/marked.py:use"\n```\n\n<i>the</i> word\n'
    found, lines = shown(site, source, "mkdocs")
    assert lines[1:] == ["# A", "", "x", "", "```py", "y = 2", "```", "", "the word"]
    (match,) = found.matches
    assert found.section.content[match.start : match.end] == "word"
    assert "  y = 2\n```" in found.section.content


def test_terminal_shows_an_include_that_cannot_be_had_as_it_is_written(site):
    for source, dialect in (
        ('--8<-- "none.md"', "mkdocs"),
        ("<!--@include: ./none.md-->", "vitepress"),
        ("<<< @/none.ts", "vitepress"),
        ("{{#include none.md}}", "mdbook"),
    ):
        assert shown(site, f"# A\n\n{source}\n", dialect)[1][-1] == source


def test_section_without_includes_is_the_same(site):
    hit = hit_of("# A\n\n<b>word</b>\n", "")
    assert with_includes(hit, Includes(site / ".sectionary")) is hit


def test_what_no_dialect_calls_an_include_is_text():
    assert list(directives('--8<-- "a.md"\n', ())) == []
    assert [one.argument for one in directives('--8<-- "a.md"\n', (0, 13))] == ["a.md"]


def test_odd_arguments_mean_nothing_in_linear_time():
    start = time.process_time()
    for argument in (" " * 900 + "]", "a" + " " * 900 + "{", "#" * 900, "{" * 900, "a:" + "1," * 450, ":" * 900):
        for name in ("code", "part", "snippet", "include"):
            for _, choose in targets(name, argument):
                choose(["/" + " " * 100_000, "#region", "--8<--" * 10_000])
    assert time.process_time() - start < 2
