"""Reading the markup of any dialect takes time in proportion to the text, whatever the text is made of."""

import pytest

from indexer.dialects import read_markup
from schema.settings import DIALECTS
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]

SIZE = 80_000
PARTS = [
    "<a ", "<", "</", "<a>", "<A b", "{", "{{", "{{<", "{{< a ", "`", "`a``", "%%", "%% ", "[[", "![[a", "<!--", "<script>", ":::",
    "!!! a ", '=== "', "\\", "$", "$$a", "==", "#a ", "    a\n\n", "- a\n\n", "```\n", "~~~a\n", '<a b="', "<a b={", "{'", "{/*",
    "export ", "import {\n", "export {\n\n", "{{< highlight a >}}\n", "{{/*", "{#", "{%", "^a\n", " ^a", "> [!a\n", "<div\n", "\r", "# {#a} ", "    \n",
    "[[a|", "{{ #include ", "{.a ", "[", "#", "# a ",
]  # fmt: skip


def read(text):
    """Read it as plain Markdown, as MDX, and in all dialects at once."""
    for dialects in ((), ("mdx",), DIALECTS):
        read_markup(text, dialects)


@pytest.mark.parametrize("part", PARTS)
def test_markup_is_read_in_linear_time(part):
    assert_grows_linearly(Family(part, lambda size: fill(part, size), read, SIZE))
