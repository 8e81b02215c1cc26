"""Markdown of strangers as HTML in our page: what is shown, where links lead, and what never gets through."""

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.text.characters import printable
from search.server.markup import MAX_CHARACTERS, MAX_HTML, link_target, plain_html, section_html

ALLOWED = {
    "a": {"href", "rel"},
    "code": {"class"},
    "details": {"class", "open"},
    "div": {"class"},
    "ol": {"start"},
    "p": {"class"},
    "pre": {"class"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class"},
}
PLAIN = "b blockquote br em h4 h5 h6 hr i kbd li s strong sub summary sup table tbody thead tr ul".split()


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def html_of(text, path="docs/guide/a.md"):
    return section_html(text, document_path=path)


def elements(html):
    parser = Elements()
    parser.feed(html)
    parser.close()
    return parser.found


def assert_harmless(html):
    for tag, attributes in elements(html):
        assert tag in ALLOWED or tag in PLAIN, tag
        assert set(attributes) <= ALLOWED.get(tag, set()), (tag, attributes)
        if tag == "a":
            assert attributes["href"].startswith(("?doc=", "http://", "https://", "mailto:"))
            assert attributes["rel"] == "noopener noreferrer nofollow"
    assert html == printable(html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("3. a", '<ol start="3">\n<li>a</li>\n</ol>'),
        ("> a\n\n---", "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>"),
        ("```{code-block} py\nx < 1\n```", '<pre><code class="language-py">x &lt; 1\n</code></pre>'),
        ("```py\nx < 1\n```", '<pre><code class="language-py">x &lt; 1\n</code></pre>'),
        ("    x", "<pre><code>x\n</code></pre>"),
        ("a  \nb", "<p>a<br>\nb</p>"),
        (
            "Press <kbd>Ctrl</kbd>, H<sub>2</sub>O,<br/>x<SUP>2</SUP>",
            "<p>Press <kbd>Ctrl</kbd>, H<sub>2</sub>O,<br>x<sup>2</sup></p>",
        ),
        ("", ""),
    ],
)
def test_markdown_becomes_elements(text, html):
    assert html_of(text).strip() == html


def test_table_is_framed_and_aligned_by_classes():
    html = html_of("|a|b|c|\n|:-|-:|-|\n|1|2|3|")
    assert html.startswith('<div class="table"><table>')
    assert html.rstrip().endswith("</table></div>")
    assert '<th class="left">a</th>\n<th class="right">b</th>\n<th>c</th>' in html
    assert '<td class="left">1</td>\n<td class="right">2</td>\n<td>3</td>' in html


@pytest.mark.parametrize(
    "info", ["py extra words", 'py" onclick="x', "py<b>", "p" * 40, "py{1,2}", "{.py}", "py,ignore", "py\u202e"]
)
def test_language_of_a_code_block_is_one_plain_class_or_none(info):
    html = html_of(f"```{info}\nx\n```")
    assert_harmless(html)
    assert 'class="language-py"' in html or "class" not in html


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("#### a\n##### b\n###### c\n#### d", [4, 5, 6, 4]),
        ("###### a\n###### b", [4, 5]),
        ("> # a\n\n- ## b\n", [4, 4]),
        ("a\n=\n\nb\n-\n", [4, 4]),
    ],
)
def test_headings_stand_below_the_sections_own_without_gaps(text, levels):
    assert [int(tag[1]) for tag, _ in elements(html_of(text)) if tag[0] == "h"] == levels


def test_image_is_its_description():
    html = html_of('![a *b* `c` ![d](e.png)\n<f>](https://x.example/y.png "title")')
    assert html == '<p><span class="image">a b c d &lt;f&gt;</span></p>\n'


def test_image_without_description_is_called_one():
    assert html_of("![](x.png)") == '<p><span class="image">image</span></p>\n'


def test_html_is_shown_as_text():
    assert html_of("a <u onclick=x>c</u>") == "<p>a &lt;u onclick=x&gt;c&lt;/u&gt;</p>\n"
    assert (
        html_of("<div>\n*a*\n</div>") == '<pre><code class="language-html">&lt;div&gt;\n*a*\n&lt;/div&gt;\n</code></pre>\n'
    )


def test_closed_comments_are_left_out():
    assert html_of("<!-- a\nb -->\n\nc <!-- d --> e") == "<p>c  e</p>\n"
    assert "open" in html_of("<!-- a --> <!-- open")


@pytest.mark.parametrize(("text", "html"), [("a</b> b", "a b"), ("<b>a</i> b</b>", "<b>a b</b>")])
def test_closing_tag_that_fits_no_opened_one_is_left_out(text, html):
    assert html_of(text) == f"<p>{html}</p>\n"


def test_opened_tag_that_is_not_closed_is_left_out():
    assert html_of("a <b>b") == "<p>a b</p>\n"


# -- links -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("b.md", "?doc=docs/guide/b.md"),
        ("./b.md#Some-anchor", "?doc=docs/guide/b.md#Some-anchor"),
        ("../b.md", "?doc=docs/b.md"),
        ("../../b.md", "?doc=b.md"),
        ("/docs/b.markdown", "?doc=docs/b.markdown"),
        ("#here", "?doc=docs/guide/a.md#here"),
        ("b%20c.md#%E6%A4%9C", "?doc=docs/guide/b%20c.md#%E6%A4%9C"),
        ("b.md?raw=1#x", "?doc=docs/guide/b.md#x"),
        ("a&b=c#d.md", None),
        ("%26q=x.md", "?doc=docs/guide/%26q%3Dx.md"),
        ("b.md#a&b", "?doc=docs/guide/b.md#a%26b"),
        ("../../../b.md", None),
        ("../../..", None),
        ("/../b.md", None),
        ("%2e%2e/%2e%2e/%2e%2e/etc/passwd.md", None),
        ("image.png", None),
        ("folder/", None),
        ("", None),
        ("?q=x", None),
        ("?doc=other.md", None),
        ("//evil.example/b.md", None),
        ("http:b.md", None),
        ("https://e.example/x?y#z", "https://e.example/x?y#z"),
        ("HTTP://e.example", "HTTP://e.example"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("mailto:", None),
        ("javascript:alert(1)", None),
        ("JaVaScRiPt:alert(1)", None),
        ("data:text/html,x", None),
        ("vbscript:x", None),
        ("file:///etc/passwd", None),
        ("ftp://e.example/x.md", None),
        ("C:\\x.md", None),
        ("http://[", None),
    ],
)
def test_links_lead_to_the_web_or_to_documents_only(href, target):
    assert link_target(href, "docs/guide/a.md") == target


def test_link_that_leads_nowhere_is_text():
    assert html_of("[a](x.png) [b](b.md)") == (
        '<p><span>a</span> <a href="?doc=docs/guide/b.md" rel="noopener noreferrer nofollow">b</a></p>\n'
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the [rules][semver] say", "the rules say"),
        ("[`target`][griffe.Alias.target]", "<code>target</code>"),
        ("これは[リンク][参照]です", "これはリンクです"),
        ("a [`Worker`][] or [two words][].", "a <code>Worker</code> or two words."),
        ("[own][]\n\n[own]: b.md", '<a href="?doc=docs/b.md" rel="noopener noreferrer nofollow">own</a>'),
        ("text[][] and [x][] and [1, 2][] and [][]", "text[][] and [x][] and [1, 2][] and [][]"),
        ("[b][own]\n\n[own]: b.md", '<a href="?doc=docs/b.md" rel="noopener noreferrer nofollow">b</a>'),
        ("[see [rules][semver] now](b.md)", '<a href="?doc=docs/b.md" rel="noopener noreferrer nofollow">see rules now</a>'),
        ("[Fixed][#12](b.md)", '[Fixed]<a href="?doc=docs/b.md" rel="noopener noreferrer nofollow">#12</a>'),
        ("[Fixed][issue](b.md)", '[Fixed]<a href="?doc=docs/b.md" rel="noopener noreferrer nofollow">issue</a>'),
        ("[one][two][three]", "[one][two][three]"),
        ("[one][two]: three", "[one][two]: three"),
        ("[x][main] done", "[x][main] done"),
        ("matrix[row][column]", "matrix[row][column]"),
        ("x = [1, 2][0]", "x = [1, 2][0]"),
        ("[x] see [a][x]", "[x] see [a][x]"),
        ("note[^one] and [see][^one]", "note[^one] and [see][^one]"),
        ("`[from][to]` use [to]", "<code>[from][to]</code> use [to]"),
        (r"\[row][column]", "[row][column]"),
        ("[open][", "[open]["),
    ],
)
def test_link_whose_label_another_section_defines_is_its_text(text, shown):
    assert section_html(text, document_path="docs/a.md") == f"<p>{shown}</p>\n"


def test_path_of_the_document_cannot_add_to_the_query():
    html = html_of("[x](#y)", 'a&view=b"><script>.md')
    assert html == '<p><a href="?doc=a%26view%3Db%22%3E%3Cscript%3E.md#y" rel="noopener noreferrer nofollow">x</a></p>\n'


# -- hostile texts -----------------------------------------------------------------------------------------------------

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    '<a href="javascript:alert(1)">x</a>',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<form id=documentElement><input name=body></form>",
    "<style>*{display:none}</style>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<kbd onclick=alert(1)>x</kbd>",
    "<br onmouseover=alert(1)>",
    "<kbd/onclick=alert(1)//>",
    "</p></div></main><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x](&#1;javascript:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    '[x](https://e.example" onclick="alert(1))',
    '[x](<b.md" onclick="alert(1)>)',
    '![x" onerror="alert(1)](x)',
    "![x](x onerror=alert(1))",
    "<javascript:alert(1)>",
    "<https://e.example/\"onclick='alert(1)'>",
    '```"><script>alert(1)</script>\nx\n```',
    "```x onclick=alert(1) class=y\nx\n```",
    "[a]: javascript:alert(1)\n\n[a]",
    "<!--><script>alert(1)</script>-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<![CDATA[><script>alert(1)</script>]]>",
    "<?php <script>alert(1)</script> ?>",
    "|<script>alert(1)</script>|b|\n|:-:|-|\n|[x](javascript:0)|<img src=x>|",
    "# <script>alert(1)</script>",
    "{#id .class onclick=x}",
    "[x](b.md){target=_blank}",
    "`<img src=x onerror=alert(1)>`",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<scr\0ipt>alert(1)</script>",
    "\u202e<script>alert(1)</script>",
    "<x\u2028onclick=y>",
]


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize(
    "frame", ["{}", "a {} b", "- {}", "> {}", "**{}**", "[{}](b.md)", "![{}](x.png)", "<kbd>{}</sub>", "<!-- {}"]
)
def test_nothing_of_a_payload_is_alive(payload, frame):
    assert_harmless(html_of(frame.format(payload)))


@given(st.lists(st.one_of(st.sampled_from([*PAYLOADS, "\n\n", "<kbd>", "</sub>", "](", "![", "|", "`", "<", '"', "&"]), st.text()), max_size=8).map("".join))  # fmt: skip
def test_no_text_gets_through_alive(text):
    assert_harmless(html_of(text))


@pytest.mark.parametrize(
    "sign", ["\u202e", "\u061c", "\ufff9", "\x1b", "\x9b", "\ud800", "\xad", "\u200b", "\u2062", "\U000e0041", "\U000e0141"]
)
@pytest.mark.parametrize("frame", ["a {} b", "`{}`", "[x](b.md#{})", "![{}](x)", "```\n{}\n```", "<b {}>"])
def test_signs_that_reorder_or_hide_are_spelt_out(sign, frame):
    assert_harmless(html_of(frame.format(sign)))


def test_signs_in_entities_are_spelt_out_too():
    assert html_of("&#x202e;abc") == "<p>\\u202eabc</p>\n"


# -- long texts --------------------------------------------------------------------------------------------------------


def test_long_section_is_cut_at_a_line_end_with_a_note():
    html = html_of(("word " * 19 + "end.\n") * 1000)
    assert html.endswith('end.</p>\n<p class="cut">The rest of this section is not shown here: 60,000 characters.</p>\n')


def test_long_line_is_cut_where_the_limit_is():
    html = html_of("a" * (MAX_CHARACTERS + 5))
    assert (
        html
        == f'<p>{"a" * MAX_CHARACTERS}</p>\n<p class="cut">The rest of this section is not shown here: 5 characters.</p>\n'
    )


def test_text_that_would_grow_too_long_is_shown_as_written():
    text = "|a" * 5000 + "\n" + "|-" * 5000 + "\n" + "|\n" * 5000
    html = html_of(text)
    assert html.startswith('<pre class="plain">|a|a')
    assert len(html) <= MAX_HTML


@pytest.mark.parametrize(("begin", "end"), [("![", "](a)"), ("[", "](a)"), ("> - ![*", "*](a)"), ("*_", "_*"), ("> ", "")])
@pytest.mark.parametrize("depth", [15, 19, 25, 2000])
@pytest.mark.usefixtures("untraced")
def test_no_nesting_exhausts_the_stack(begin, end, depth):
    assert_harmless(html_of(begin * depth + "x" + end * depth))


MEGABYTE = 1_000_000
#: The costliest of some fifty texts of one repeated sign or construct.
HOSTILE = ["[", "![", "*_", "> ", "`", "<!--", "- a\n  ", "[](", "|a", "<http://a>"]


@pytest.mark.parametrize("part", HOSTILE)
@pytest.mark.usefixtures("untraced")
def test_a_megabyte_of_signs_takes_little_time_and_room(part):
    begun = time.process_time()
    html = html_of(part * (MEGABYTE // len(part)))
    assert time.process_time() - begun < 20  # a second at most; coverage takes six times as long
    assert len(html) < MAX_HTML + 1000
    assert_harmless(html)
    assert '<p class="cut">' in html


def test_plain_text_is_cut_escaped_and_without_hidden_signs():
    html = plain_html("<b>\u202e\ud800" + "x" * 2 * MAX_CHARACTERS)
    assert html.startswith('<pre class="plain">&lt;b&gt;\\u202e?x')
    assert len(html) < MAX_CHARACTERS + 200
