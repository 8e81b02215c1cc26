"""Dialects of Markdown: what is hidden, where headings begin, what is tagged; one case for each rule."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.dialects.folders import Dialects
from indexer.dialects.markup import read_markup
from indexer.found import Discovery
from indexer.reading import FoundFile
from indexer.splitter import MarkdownSplitter
from indexer.sync.documents import Documents
from schema.settings import DIALECTS
from tests.unit.test_dialect_liquid import CASES as LIQUID

#: Name, dialects, source, and the words that are shown.
CASES = [
    ("plain: comment", "", "one <!-- two --> three", "one three"),
    ("plain: target above a heading", "", "(a-b)=\n# One\n\ntwo", "# One two"),
    ("plain: targets and a blank line above a heading", "", "one\n\n(abc)=\n(b.c)=\n\n### Two", "one ### Two"),
    ("plain: target above a paragraph", "", "# One\n\n(labels/two)=\n\ntwo", "# One two"),
    ("plain: formula in a line", "", "f\n(x)=\ntwo (abc)= three", "f (x)= two (abc)= three"),
    ("plain: comment over lines", "", "one <!-- two\n\n# three --> four", "one four"),
    ("plain: comment in code", "", "`<!-- two -->`", "`<!-- two -->`"),
    ("plain: comment in a fence", "", "```\n<!-- two -->\n```", "``` <!-- two --> ```"),
    ("plain: element", "", '<div class="x">one</div>', "one"),
    ("plain: element over lines", "", '<div\n  class="x"\n>one</div>', "one"),
    ("plain: description of an image", "", '<img src="a.png" alt="a plan">', "a plan"),
    ("plain: element in indented code", "", "one\n\n    <div>two</div>\n", "one <div>two</div>"),
    ("plain: element in an item", "", "- one\n\n    <div>two</div>\n", "- one two"),
    ("plain: element in Japanese", "", "この<b>ガイド</b>を", "この ガイド を"),
    ("plain: expression in an attribute", "", "<span style={{a: 'b'}}>one</span>", "one"),
    ("plain: comment in braces", "", "one {/* two */} three", "one three"),
    ("plain: element within a word", "", "H<sub>2</sub>O", "H<sub>2</sub>O"),
    ("plain: element around words", "", "press <kbd>Enter</kbd>, x<sup>2</sup>.", "press Enter , x<sup>2</sup>."),
    ("plain: script", "", "one\n<script setup>\nconst a = 1 < 2\n</script>\ntwo", "one two"),
    ("plain: drawing", "", "<svg><text>x</text></svg> one", "one"),
    ("plain: type parameter", "", "a Vec<T> of it", "a Vec<T> of it"),
    ("plain: placeholder", "", "run it with <name> now", "run it with <name> now"),
    ("plain: comparison", "", "a < b and c > d", "a < b and c > d"),
    ("plain: component that is closed", "", "<Intro>\n\none\n\n</Intro>", "one"),
    ("plain: component that closes itself", "", '<Badge text="new" /> one', "new one"),
    ("plain: escape", "", r"\<div> one", r"\<div> one"),
    ("plain: title of an alert", "", "> [!NOTE] Read me\n> one", "> Read me > one"),
    ("plain: id of a heading", "", "#### One {#two}\nthree", "#### One three"),
    ("plain: braces", "", "{one} {{two}} {% three %}", "{one} {{two}} {% three %}"),
    ("plain: unclosed comment", "", "one <!-- two", "one <!-- two"),
    ("plain: unclosed tag", "", '<div class="one', '<div class="one'),
    ("mdx: import", "mdx", "import A from 'a'\n\none", "one"),
    ("mdx: imports in a row", "mdx", "import A from 'a'\nimport B from 'b'\n\none", "one"),
    ("mdx: import over lines", "mdx", "import {\n  A,\n\n  B\n} from 'a'\n\none", "one"),
    ("mdx: import in a sentence", "mdx", "one\nimport of goods", "one import of goods"),
    ("mdx: export", "mdx", "export const a = {b: 1}\n\none", "one"),
    ("mdx: component", "mdx", "<Card>one</Card>", "one"),
    ("mdx: attribute with a text", "mdx", '<Card title="one two" icon="x">three</Card>', "one two three"),
    ("mdx: attribute with an expression", "mdx", "<Card a={{b: '}'}} title={'one'}>two</Card>", "one two"),
    ("mdx: component over lines", "mdx", '<Card\n  title="one"\n  wide\n>\n  two\n</Card>', "one two"),
    ("mdx: fragment", "mdx", "<>one</>", "one"),
    ("mdx: comment", "mdx", "one {/* two\n# three */} four", "one four"),
    ("mdx: expression", "mdx", "one {two.three} four", "one four"),
    ("mdx: expression with braces", "mdx", "one {[1].map(x => { return '}' })} two", "one two"),
    ("mdx: element on a condition", "mdx", "one {a !== 'b' && (\n  <p>two {c}</p>\n)} three", "one two three"),
    ("mdx: fragment on a condition", "mdx", "{a && b.c && <>one</>}", "one"),
    ("mdx: element that is never shown", "mdx", "one {false && <p>two</p>} three", "one three"),
    ("mdx: elements that a function makes", "mdx", "{a && b.map(c => <p>one {c}</p>)} two", "two"),
    ("mdx: element or another", "mdx", "{a && <p>one</p> || b} two", "two"),
    ("mdx: text in an expression", "mdx", "one {'two'} three", "one two three"),
    ("mdx: expression in code", "mdx", "`{one}`", "`{one}`"),
    ("mdx: expression in a formula", "mdx", r"$\frac{a}{b}$ one", r"$\frac{a}{b}$ one"),
    ("mdx: escape", "mdx", r"\{one\}", r"\{one\}"),
    ("mdx: unclosed brace", "mdx", "one { two", "one { two"),
    (
        "mdx: texts in an object for a component",
        "mdx",
        "<T content={[{ name: 'a', type: 'b', description: 'one two.' }]} />",
        "a one two.",
    ),
    ("docusaurus: code that the site reads", "docusaurus", "```mdx-code-block\n<Tabs>\none\n</Tabs>\n```", "one"),
    ("mdx: code in a component", "mdx", "<Tab>\n    ```js\n    a = {b}\n    ```\n</Tab>", "```js a = {b} ```"),
    ("docusaurus: container", "docusaurus", ":::tip[Read me]\none\n:::", "Read me one"),
    ("docusaurus: container with a title", "docusaurus", ":::note Read me\none\n:::", "Read me one"),
    ("docusaurus: component", "docusaurus", "<Tabs>\n<TabItem label='npm'>one</TabItem></Tabs>", "npm one"),
    ("vitepress: value as text", "vitepress", "one <code v-pre>{{ two }}</code> {{ three }}", "one {{ two }}"),
    ("vitepress: value behind an open element", "vitepress", "<b v-pre>one\n\n{{ two }}", "one"),
    ("vitepress: container of text", "vitepress", "::: v-pre\n{{ one }}\n:::\n{{ two }}", "{{ one }}"),
    ("vitepress: open container of text", "vitepress", "::: v-pre\n{{ one }}", "{{ one }}"),
    ("vitepress: container", "vitepress", "::: tip Read me\none\n:::", "Read me one"),
    ("vitepress: container without a title", "vitepress", "::: tip\none\n:::", "one"),
    ("vitepress: code group", "vitepress", "::: code-group\n```sh [npm]\none\n```\n:::", "```sh [npm] one ```"),
    ("vitepress: value", "vitepress", "one {{ two }} three", "one three"),
    ("vitepress: contents", "vitepress", "[[toc]]\none", "one"),
    ("mkdocs: contents", "mkdocs", "[TOC]\none", "one"),
    ("vitepress: snippet", "vitepress", "<<< @/a.ts#two\none", "one"),
    ("vitepress: component", "vitepress", '<VTCodingAnchor :a="b > c" @click="d" />one', "one"),
    ("hugo: shortcode", "hugo", "one {{< two three >}} four", "one four"),
    ("hugo: shortcode with a text", "hugo", '{{< figure src="a.png" title="one" >}}', "one"),
    ("hugo: shortcode around text", "hugo", "{{% notice %}}one{{% /notice %}}", "one"),
    ("hugo: code", "hugo", "{{< highlight sh >}}\n# one\n{{< /highlight >}}", "# one"),
    ("hugo: comment", "hugo", "one {{/* two */}} three", "one three"),
    ("hugo: comment around text", "hugo", "one {{< comment >}} two {{< /comment >}} three", "one three"),
    ("hugo: text without a name", "hugo", '{{< tab "Windows" >}}one{{< /tab >}}', "Windows one"),
    ("hugo: keys", "hugo", '{{< kbd "Ctrl+C" >}} stops', "Ctrl+C stops"),
    ("hugo: term without a text", "hugo", 'The {{< glossary_tooltip term_id="kubelet" >}} runs', "The kubelet runs"),
    ("hugo: term with a text", "hugo", 'The {{< glossary_tooltip term_id="a" text="kubelet" >}} runs', "The kubelet runs"),
    ("hugo: name of a group", "hugo", '{{< tabs name="internal" >}}one{{< /tabs >}}', "one"),
    ("hugo: unclosed shortcode", "hugo", "one {{< two", "one {{< two"),
    ("mkdocs: admonition", "mkdocs", '!!! note "Read me"\n    one', "Read me one"),
    ("mkdocs: icon in a title", "mkdocs", '=== ":simple-npm: npm"\n    one', "npm one"),
    ("mkdocs: admonition without a title", "mkdocs", "??? warning\n    one", "one"),
    ("mkdocs: tab", "mkdocs", '=== "npm"\n    one', "npm one"),
    ("mkdocs: attributes", "mkdocs", "[one](b.md){ .md-button } two", "[one](b.md) two"),
    ("mkdocs: snippet", "mkdocs", '--8<-- "a.md"\none', "one"),
    ("mkdocs: snippet in code", "mkdocs", '```py\n--8<-- "a.py:main"\n```\none', "```py ``` one"),
    ("mkdocs: snippets in lines", "mkdocs", "--8<--\na.md\nb.md\n--8<--\none", "one"),
    ("mkdocs: block", "mkdocs", "/// tip\none\n///", "one"),
    ("mkdocs: block with a title", "mkdocs", "/// details | Read me\none\n///", "Read me one"),
    ("mkdocs: tabs", "mkdocs", "//// tab | npm\n\none\n\n////", "npm one"),
    ("mkdocs: slashes that are no block", "mkdocs", "one /// two", "one /// two"),
    ("mkdocs: included file", "mkdocs", "{* ../a.py hl[1,3] *}\n{!../b.py!}\none", "one"),
    ("mkdocs: included file in code", "mkdocs", "```py\n{!../b.py!}\n```\none", "```py ``` one"),
    ("mkdocs: braces that take in nothing", "mkdocs", "one {*two*} {! three", "one {*two*} {! three"),
    ("mkdocs: cut that is none", "mkdocs", "one 8< two", "one 8< two"),
    ("vitepress: part", "vitepress", "<!--@include: ./a.md{1,3}-->\none", "one"),
    ("vitepress: indented snippet", "vitepress", "  <<< ./a.ts#two{2 ts}\none", "one"),
    ("mkdocs: abbreviation", "mkdocs", "*[HTML]: Hyper Text\none", "one"),
    ("mkdocs: template", "mkdocs", "one {{ version }} {% if a %}two{% endif %}", "one two"),
    ("mkdocs: block from code", "mkdocs", "::: a.b.C\n    options:\n      x: y\n\none", "one"),
    ("mkdocs: id with a dot", "mkdocs", "## One {: #v1.2 }", "## One"),
    (
        "mkdocs: icon",
        "mkdocs",
        "-   :material-bow-tie:{ .lg .middle } **One** :octicons-arrow-right-24: two",
        "- **One** two",
    ),
    (
        "mkdocs: colons that are no icon",
        "mkdocs",
        "one :material: two :other-thing: three",
        "one :material: two :other-thing: three",
    ),
    ("mkdocs: braces that are text", "mkdocs", "{% raw %}{{ one }}{% endraw %} two", "{{ one }} two"),
    ("mdbook: include in code", "mdbook", "```rust\n{{#rustdoc_include a.rs:2:4}}\n```\none", "```rust ``` one"),
    ("mdbook: include", "mdbook", "{{#include a.md}} one {{#title two}}", "one"),
    ("mdbook: other braces", "mdbook", "`{{two}}` {{three}}", "`{{two}}` {{three}}"),
    ("obsidian: comment", "obsidian", "one %%two\n\n# three%% four", "one four"),
    ("obsidian: block id", "obsidian", "one ^two-3\n\n^four", "one"),
    ("obsidian: wikilink", "obsidian", "[[one]] two", "one two"),
    ("obsidian: wikilink with a text", "obsidian", "[[one#two|three]] four", "three four"),
    ("obsidian: embedded image", "obsidian", "![[one.png|200]] two", "two"),
    ("obsidian: part of an embedded file", "obsidian", "![[one.JPG#outline|100]] ![[a.pdf#page=3]] two", "two"),
    ("obsidian: note with a dot", "obsidian", "![[v1.2#png]]", "v1.2#png"),
    ("starlight: aside", "starlight", ":::note[Read me]\none\n:::", "Read me one"),
    ("starlight: aside with an icon", "starlight", ':::tip[Read me]{icon="star"}\none\n:::', "Read me one"),
    ("starlight: aside without a title", "starlight", ":::caution\n{one}\n:::", "{one}"),
    ("obsidian: embedded note", "obsidian", "![[one#two]]", "one#two"),
    ("obsidian: callout", "obsidian", "> [!tip]- Read me\n> one", "> Read me > one"),
    ("obsidian: callout with options", "obsidian", "> [!tip|wide] Read me", "> Read me"),
    ("obsidian: quotes in the title of a callout", "obsidian", '> [!note] Read "this" now', '> Read "this" now'),
    (
        "docusaurus: apostrophes in a title",
        "docusaurus",
        ":::tip Don't do what you can't\none\n:::",
        "Don't do what you can't one",
    ),
    ("mkdocs: block in an item", "mkdocs", "- a\n\n    !!! note\n        one", "- a one"),
    ("vitepress: container in a quote", "vitepress", "> ::: tip\n> one\n> :::", "> > one >"),
    ("mdx: blanks in an expression", "mdx", "{'+   '}one{' '}two", "+ one two"),
    ("obsidian: highlight", "obsidian", "one ==two three== four == five", "one two three four == five"),
    (
        "obsidian: two highlights",
        "obsidian",
        "==one== two (==three\nfour==), 五==六==七",
        "one two ( three four ), 五 六 七",
    ),
    ("obsidian: comparison", "obsidian", "if x==1, x==2 or !(y ==3), ?a==1", "if x==1, x==2 or !(y ==3), ?a==1"),
    ("obsidian: mark without an end", "obsidian", "one ==two\n\nthree== four", "one ==two three== four"),
    ("obsidian: query", "obsidian", "```dataview\nTABLE one\n```\ntwo", "two"),
    ("obsidian: wikilink in code", "obsidian", "`[[one]]`", "`[[one]]`"),
    ("no dialect: wikilink", "", "[[one#two|three]] and ![[four]] [[202411251230]]", "three and four 202411251230"),
    ("no dialect: embedded image", "", "![[one.png]] two", "two"),
    ("no dialect: number of a source", "", "one [[12]]", "one [[12]]"),
    ("no dialect: link in brackets", "", "[[one]](a.md) [[two]][three]", "[[one]](a.md) [[two]][three]"),
    ("no dialect: test of a shell", "", "if [[ -f one ]] then", "if [[ -f one ]] then"),
    ("no dialect: contents", "", "[[_TOC_]] [[TOC]] [[toc]]", "[[_TOC_]] [[TOC]] [[toc]]"),
    ("no dialect: wikilink in code", "", "`[[one]]`\n\n    [[two]]", "`[[one]]` [[two]]"),
    ("quarto: container", "quarto", '::: {.callout-note title="Read me"}\none\n:::', "Read me one"),
    ("quarto: attributes", "quarto", '![one](a.png){#fig width="5"} [two]{.smallcaps}', "![one](a.png) [two]"),
    ("quarto: keys", "quarto", "Press {{< kbd Shift-P >}} now", "Press Shift-P now"),
    ("quarto: shortcode", "quarto", "{{< include _a.qmd >}}\none", "one"),
]


def shown(source, dialects):
    return " ".join(read_markup(source, dialects.split()).shown(source).split())


#: Each kind of line ends a document can have.
LINE_ENDS = pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])


@LINE_ENDS
@pytest.mark.parametrize(("dialects", "source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_markup_of_a_dialect_is_hidden(dialects, source, expected, ends):
    assert shown(source.replace("\n", ends), dialects) == expected


HEADINGS = [
    ("code of a shortcode", "hugo", "{{< highlight sh >}}\n# no\n{{< /highlight >}}\n# yes\n", ["(document root)", "yes"]),
    ("shortcode before a heading", "hugo", "{{< one >}}\n# yes\n", ["yes"]),
    ("comment of a note", "obsidian", "%%\n# no\n%%\n# yes\n", ["yes"]),
    ("comment of a note in plain Markdown", "", "%%\n# yes\n%%\n", ["(document root)", "yes"]),
    ("expression", "mdx", "{/*\n# no\n*/}\n\n# yes\n", ["yes"]),
    ("template text of an export", "mdx", "export const a = `\n# no\n`\n\n# yes\n", ["yes"]),
    ("heading in a component", "mdx", "<Tabs>\n# yes\n</Tabs>\n", ["yes"]),
    ("heading in a component in plain Markdown", "", "<Tabs>\n# no\n</Tabs>\n", ["(document root)"]),
    ("indented heading in a component", "mdx", "<Tabs>\n  <Tab>\n    ## yes\n  </Tab>\n</Tabs>\n", ["yes"]),
    ("indented heading in code in a component", "mdx", "<Tab>\n    ```sh\n    # no\n    ```\n</Tab>\n## yes\n", ["(document root)", "yes"]),
    ("imports alone before the first heading", "mdx", "import A from 'a'\n\n# yes\n\none\n", ["yes"]),
    ("comment alone before the first heading", "", "<!-- one -->\n\n# yes\n", ["yes"]),
    ("value of the front matter", "vitepress", "---\ntitle: Keys\n---\n# About {{ $frontmatter.title }}\n", ["About Keys"]),
    ("value of the front matter in MDX", "mdx", "---\ntitle: Keys\n---\n# {frontMatter.title}\n", ["Keys"]),
    ("value that the front matter lacks", "mdx", "# About {props.name}\n", ["About {props.name}"]),
    ("shortcode in a heading", "hugo", '## {{% heading "next" %}}\n', ["next"]),
    ("code of another shortcode", "hugo", "{{< code-toggle >}}\n# no\n{{< /code-toggle >}}\n# yes\n", ["(document root)", "yes"]),
    ("code that the site reads", "docusaurus", "# A\n\n```mdx-code-block\n<Tabs>\n\n## yes\n\n</Tabs>\n```\n", ["A", "yes"]),
    ("id in a comment", "mdx", "# One {/*two*/}\n", ["One"]),
    ("component in a heading", "mdx", "# <Icon /> One\n", ["One"]),
    ("comment behind code", "mdx", "# yes\n\n```js\nx\n```\n\n{/*\n# no\n*/}\n\n<Tabs a='b'>\n\none\n\n</Tabs>\n", ["yes"]),
    ("import behind an import and a blank line", "mdx", "# yes\n\nimport A from 'a'\n\nexport const b = `\n# no\n`\n", ["yes"]),
]  # fmt: skip


@LINE_ENDS
@pytest.mark.parametrize(
    ("dialects", "source", "expected"), [case[1:] for case in HEADINGS], ids=[case[0] for case in HEADINGS]
)
def test_headings_of_a_dialect_begin_sections(dialects, source, expected, ends):
    sections = MarkdownSplitter().parse(source.replace("\n", ends), "a.md", dialects=dialects.split()).sections
    assert [section.heading for section in sections] == expected


def test_line_of_a_section_is_that_of_its_heading_below_imports():
    (section,) = MarkdownSplitter().split("import A from 'a'\n\n# One\n\ntext\n", "a.mdx")
    assert (section.start_line, section.content_line, section.anchor) == (3, 1, "one")


def test_ending_tells_the_dialect_unless_another_is_given():
    source = "import A from 'a'\n\n# One\n"
    assert len(MarkdownSplitter().parse(source, "a.mdx").sections) == 1
    assert len(MarkdownSplitter().parse(source, "a.mdx", dialects=()).sections) == 2


@pytest.mark.parametrize(
    ("source", "tags"),
    [
        ("one #two three", ("two",)),
        ("#project/infra and #日本語 and (#three)", ("project/infra", "日本語", "three")),
        ("issue #12, a#b, [x](#c), # heading\n#1a", ("1a",)),
        ("`#code`\n\n```\n#fence\n```", ()),
        ("#two #two", ("two",)),
    ],
)
def test_tags_in_the_text_of_a_note_are_found(source, tags):
    assert read_markup(source, ["obsidian"]).tags == tags


def test_tags_in_the_text_follow_those_of_the_front_matter():
    document = MarkdownSplitter().parse("---\ntags: [one]\n---\n# A\n\n#two #one\n", "a.md", dialects=["obsidian"])
    assert (document.tags, document.sections[0].tags) == (("one", "two"), ("one", "two"))


def test_hidden_parts_are_kept_with_their_section():
    first, second = MarkdownSplitter().split("# A\n\n<b>x</b>\n\n# B\n\n<div>y</div>\n", "a.md")
    assert (first.hidden, second.hidden) == ((5, 8, 9, 13), (5, 10, 11, 17))
    assert (second.content, second.body) == ("# B\n\n<div>y</div>\n", "y")
    assert second.content[second.body_offset :] == "y</div>\n"


@pytest.mark.parametrize(
    ("dialect", "source", "hidden"),
    [
        ("hugo", "# A  {#b}", (3, 9)),
        ("hugo", "# *A* {#b} \t", (6, 10)),
        ("hugo", "A {#b} c", ()),
        ("vitepress", "::: a B  {.c} \t", (0, 5, 7, 15)),
        ("vitepress", "::: {title=“B” .c}", (0, 12, 13, 18)),
        ("mkdocs", "A{.b  c }", (1, 9)),
        ("mkdocs", "A{.b }", (1, 6)),
        ("mkdocs", "A{.b" + " " * 400 + "c}", (1, 406)),
        ("mkdocs", "A{.b" + " c" * 151 + "}", ()),  # of more than 300 characters
        ("mdx", "<A />\n \nimport b\n", (0, 5, 8, 17)),
        ("mdx", "<A />\n \na\nimport b\n", (0, 5)),
    ],
)
def test_hidden_part_begins_and_ends_where_its_rule_says(dialect, source, hidden):
    found = read_markup(source, [dialect])
    assert found.hidden_in(0, len(source)) == hidden


def test_section_that_holds_markup_alone_has_no_text():
    (section,) = MarkdownSplitter().split("# A\n\n<Toc />\n", "a.mdx")
    assert (section.body, section.content) == ("", "# A\n\n<Toc />\n")


@given(st.text(alphabet="<>/{}[]()!%:#=`~\"'*-_ab \n\r\t$^|\\?.&;", max_size=400), st.sets(st.sampled_from(DIALECTS)))
def test_any_text_keeps_its_length_and_lines(text, dialects):
    markup = read_markup(text, dialects)
    assert all(start < end for start, end in markup.hidden)
    assert all(a[1] < b[0] for a, b in pairwise(markup.hidden))
    shown = markup.shown(text)
    assert len(shown) == len(text)
    assert [at for at, one in enumerate(shown) if one in "\r\n"] == [at for at, one in enumerate(text) if one in "\r\n"]
    document = MarkdownSplitter().parse(text, "a.md", dialects=dialects)
    contents = "".join(section.content for section in document.sections)
    assert document.front_matter_raw + contents == text or not text.strip()


LINES = sorted({line for _, _, source, _ in (*CASES, *LIQUID, *HEADINGS) for line in source.split("\n")})


@pytest.mark.parametrize("ends", ["\r\n", "\r"], ids=["CRLF", "CR"])
@given(st.lists(st.sampled_from(LINES), max_size=20).map("\n".join), st.sets(st.sampled_from(DIALECTS)))
def test_line_ends_of_any_text_make_no_difference(ends, text, dialects):
    other = text.replace("\n", ends)
    found, expected = read_markup(other, dialects), read_markup(text, dialects)
    assert found.shown(other) == expected.shown(text).replace("\n", ends)
    assert found.for_headings(other) == expected.for_headings(text).replace("\n", ends)
    assert found.tags == expected.tags


@pytest.mark.parametrize(
    ("paths", "kept"),
    [
        (["a/b/c.md"], {"ab": "hugo", "a/b/d": "mdbook", "e": "quarto"}),
        (["c.md"], {"a": "hugo", "a/b": "mkdocs", "ab": "hugo", "a/b/d": "mdbook", "e": "quarto"}),
        (["e/f.md", "e/g/h.md"], {"a": "hugo", "a/b": "mkdocs", "ab": "hugo", "a/b/d": "mdbook"}),
        (
            [],
            {
                "": "vitepress",
                "*": "auto hugo",
                "a": "hugo",
                "a/b": "mkdocs",
                "ab": "hugo",
                "a/b/d": "mdbook",
                "e": "quarto",
            },
        ),
    ],
)
def test_what_is_noted_about_folders_is_kept_where_no_document_was_found(tmp_path, paths, kept):
    noted = {"": "vitepress", "*": "auto hugo", "a": "hugo", "a/b": "mkdocs", "ab": "hugo", "a/b/d": "mdbook", "e": "quarto"}
    found = Discovery(files=[FoundFile(path, str(tmp_path / path), 1, 1, 1) for path in paths])
    documents = Documents(MarkdownSplitter(), Dialects(tmp_path))
    assert json.loads(documents.dialects_noted(found, json.dumps(noted))) == kept
