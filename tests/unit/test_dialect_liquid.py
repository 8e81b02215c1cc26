"""Jekyll and GitBook: statements and values of Liquid and attributes of kramdown are hidden; one case for each rule."""

import pytest

from indexer.dialects.markup import read_markup
from indexer.splitter import MarkdownSplitter

#: Name, dialect, source, and the words that are shown.
CASES = [
    ("jekyll: attributes of a heading", "jekyll", "## One\n{: .no_toc }\n\ntwo", "## One two"),
    ("jekyll: attributes in a line", "jekyll", '[one](a.md){:target="_blank"} two {: .label }', "[one](a.md) two"),
    ("jekyll: contents", "jekyll", "1. TOC\n{:toc}\n\none", "one"),
    ("jekyll: item of a list before attributes", "jekyll", "- one\n{: .wide }", "- one"),
    ("jekyll: option of kramdown", "jekyll", '{::options parse_block_html="true" /}\none', "one"),
    (
        "jekyll: statements and values",
        "jekyll",
        "one {% if a %}two{% endif %} {{ site.url | upcase }} three",
        "one two three",
    ),
    ("jekyll: statement with blanks taken away", "jekyll", "one {%- include a.html -%} two", "one two"),
    ("jekyll: text that a file is given", "jekyll", '{% include note.html content="Read me" type="x" %} one', "Read me one"),
    (
        "jekyll: link",
        "jekyll",
        "[one](/a/) and [two]({% link a.md %}#b), ![three]({{ a }}/b.png)",
        "[one](/a/) and two , three",
    ),
    ("jekyll: comment", "jekyll", "one {% comment %} two {{ a }} {% endcomment %} three", "one three"),
    ("jekyll: raw text", "jekyll", "{% raw %}{{ one }}{% endraw %} {{ two }} three", "{{ one }} three"),
    ("jekyll: code", "jekyll", "{% highlight sh %}\n# one {{ two }}\n{% endhighlight %}\nthree", "# one {{ two }} three"),
    ("jekyll: braces in code", "jekyll", "`{{ one }}` `{: .two }`", "`{{ one }}` `{: .two }`"),
    ("jekyll: unclosed statement", "jekyll", "one {% two", "one {% two"),
    ("jekyll: braces that are closed far below", "jekyll", "one {{ two\n\n# three\n\nfour }}", "one {{ two # three four }}"),
    ("jekyll: statement over a blank line", "jekyll", "one {% two\n\nthree %}", "one {% two three %}"),
    ("jekyll: statement over lines", "jekyll", '{% include a.html\n  content = "one"\n%}\ntwo', "one two"),
    ("jekyll: percents in braces", "jekyll", "50{% of it. 20%} two", "50{% of it. 20%} two"),
    ("jekyll: value that a statement keeps", "jekyll", '{% assign title="one" %}two', "two"),
    (
        "jekyll: formula",
        "jekyll",
        "$$W_{:,j} = \\frac{{a}}{{b}}$$ and $A_{:,j}$ one",
        "$$W_{:,j} = \\frac{{a}}{{b}}$$ and $A_{:,j}$ one",
    ),
    ("jekyll: braces with a colon that are text", "jekyll", "format {:.2f} and {:one} two", "format {:.2f} and {:one} two"),
    ("jekyll: comment of kramdown", "jekyll", "one {::comment}two{:/comment} three", "one three"),
    ("jekyll: link of two values", "jekyll", '[one]({{ a }}{% link b.md %}) [two](/a/{{ b }}/c "d")', "one two"),
    ("gitbook: value is text", "gitbook", "one {{ two }}", "one {{ two }}"),
    ("gitbook: hint", "gitbook", '{% hint style="info" %}\none\n{% endhint %}', "one"),
    ("gitbook: tab", "gitbook", '{% tabs %}\n{% tab title="npm" %}\none\n{% endtab %}\n{% endtabs %}', "npm one"),
    ("gitbook: attributes are no markup", "gitbook", "one {: .two }", "one {: .two }"),
]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("dialect", "source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_markup_of_liquid_is_hidden(dialect, source, expected, ends):
    written = source.replace("\n", ends)
    assert " ".join(read_markup(written, [dialect]).shown(written).split()) == expected


@pytest.mark.parametrize(
    ("source", "headings"),
    [
        ("{% highlight sh %}\n# no\n{% endhighlight %}\n# yes\n", ["(document root)", "yes"]),
        ("{% comment %}\n# no\n{% endcomment %}\n# yes\n", ["yes"]),
    ],
)
def test_no_heading_begins_in_code_or_a_comment_of_liquid(source, headings):
    sections = MarkdownSplitter().parse(source, "a.md", dialects=["jekyll"]).sections
    assert [section.heading for section in sections] == headings
