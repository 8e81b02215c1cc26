"""The prose of a Markdown text: what is dropped, what is kept, where sentences end."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.markdown.prose import prose_sentences
from indexer.summaries.extractive import summarize
from schema.text.sentences import split_sentences

# --- blocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "markdown",
    [
        "# Title",
        "Title\n=====",
        "Title\n---",
        "> Title\n> ===",
        "```py\nx = 1\n```",
        "~~~\nx = 1\n~~~",
        "````\n```\nx\n````",
        "```\nnever closed",
        "    indented code",
        "- \n\n      indented code in an item",
        "| a | b |\n|---|---|\n| c | d |",
        "a | b\n--|--\nc | d",
        "| row | without | head |",
        "| broken | in |\ntwo | here |",
        "+---+\n| a |\n+---+",
        "<script>\nlet a = 1\n\nlet b = 2\n</script>",
        "<script>\nnever closed",
        "<pre>\ncode\n</pre>",
        "<table>\n<tr><td>cell</td></tr>\n\n<tr><td>cell</td></tr>\n</table>",
        "<svg viewBox='0'>\n<text>a</text>\n</svg>",
        "<svg />",
        "<style>a { b: c }</style>",
        '<h1 align="center">Name</h1>',
        "<details><summary>More</summary></details>",
        "<!-- a comment -->",
        "<!-- a comment\n\nof many lines -->",
        "<!-- never closed",
        "{/* a comment */}",
        "{/* a comment\n\nof many lines */}",
        "<Intro>",
        "<Sandpack>\n\n```js\na()\n```\n\n</Sandpack>",
        '<Foo\n  bar={{baz: 1}}\n  qux="a > b"\n/>',
        "<!DOCTYPE html>",
        "import x from 'y'",
        "import {\n  a,\n  b\n} from 'y'",
        "import './style.css'",
        "export const a = {\n  b: 1,\n\n  c: 2,\n}",
        "export default function App() {\n  return 1\n}",
        "::: tip Hint\n:::",
        ":::warning",
        "> [!NOTE]",
        "- [ ] ",
        "---\ntitle: a\n---\n",
        "+++\ntitle = 'a'\n+++\n",
        "[a]: http://b.c",
        "[a]: <b c> 'title'",
        "[a]: b\n  'title'",
        "[a]:\nhttp://b.c",
        "![alt text](picture.png)",
        "![alt text][picture]",
        "![alt text]",
        "![[picture.png]]",
        "[![alt](a.png)](b)",
        "$$\na + b\n$$",
        "$$a + b$$",
        "---",
        "* * *",
        "- - -",
        "https://example.com/a",
        "<https://example.com/a>",
        "www.example.com",
        "{{#include a.rs}}",
        "{: .note}",
        '!!! note "Title"',
        "***",
        "...",
        "",
        "\n\n",
        '<a id="x"></a>',
    ],
)
def test_what_is_no_prose_is_dropped(markdown):
    assert prose_sentences(markdown) == []
    assert summarize(markdown) is None


@pytest.mark.parametrize(
    ("markdown", "sentences"),
    [
        ("# Title\nText", ["Text"]),
        ("#hashtag", ["#hashtag"]),
        ("Text\n# Title", ["Text"]),
        ("Text\n- - -\nmore", ["Text", "more"]),
        ("> Text\n---\nmore", ["Text", "more"]),
        ("Text\n```\ncode\n```\nmore", ["Text", "more"]),
        ("```\ncode\n   ```\nText", ["Text"]),
        ("```\ncode\n    ```\n```\nText", ["Text"]),
        ("```a`b``` text", ["a`b text"]),
        ("Text\n    goes on", ["Text goes on"]),
        ("- a\n- b\n\n  c\n- d", ["a", "b", "c", "d"]),
        ("- a\n  - b\n\n    c\n\nd", ["a", "b", "c", "d"]),
        ("- a\n  ```\n  code\n  ```\n  b", ["a", "b"]),
        ("- a\n  ```\n  code\nb", ["a", "b"]),
        ("- a\nb", ["a b"]),
        ("-\n  a", ["a"]),
        ("1. a\n2) b", ["a", "b"]),
        ("- [x] done\n- [ ] to do", ["done", "to do"]),
        ("See\n1986. A year", ["See 1986.", "A year"]),
        ("See\n-\nthere", ["there"]),
        ("See\n+\nthere", ["See + there"]),
        ("> a\nb\n> c\n\nd", ["a b c", "d"]),
        (">a\n>\n>b", ["a", "b"]),
        ("> a\n\n> ```\n> code\ntext", ["a", "text"]),
        ("> - a\n>   b\n> - c", ["a b", "c"]),
        ("> [!NOTE]\n> Mind it.", ["Mind it."]),
        ("> [!WARNING] Hot\n> Mind it.", ["Hot", "Mind it."]),
        ("Text\n| a |\n|---|\n| b |\n\nmore", ["Text", "more"]),
        ("Text\n|---|\n| b |\n\nmore", ["Text", "more"]),
        ("| a |\n|---|\n| b |\n# c\n> d\n\nmore", ["d", "more"]),
        ("a | b in a text", ["a | b in a text"]),
        ("| alone", ["| alone"]),
        ("a <table> b", ["a", "b"]),
        ("<Intro>\n\nText.\n\n</Intro>", ["Text."]),
        ("<div>\n    Text\n</div>\nmore", ["Text", "more"]),
        ("<div>\n    <p>Text</p>\n</div>", ["Text"]),
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>", ["one", "two"]),
        ("one<br>two", ["one two"]),
        ("<Tag>Text</Tag> more", ["Text more"]),
        ("<template> without an end", ["without an end"]),
        ("<svg> without an end\n\n<svg> again", ["without an end", "again"]),
        ("<pre>code</pre> text", ["text"]),
        ("<script>\na\n</script> text", ["text"]),
        ("<!-- a --> text <!-- b -->", ["text"]),
        ("text <!-- c\nd --> more", ["text more"]),
        ("text <!-- never closed", ["text <!-- never closed"]),
        ("text\n<!-- a\n\nb -->\nmore", ["text more"]),
        ("text {/* a */} more", ["text more"]),
        ("{/* never closed", ["{/* never closed"]),
        ("text {/* never closed", ["text {/* never closed"]),
        ("text\n{/* a\n\nb */}\nmore", ["text", "more"]),
        ("text\n$$\na\n$$\nmore", ["text", "more"]),
        ("$$ is a sign", ["$$ is a sign"]),
        ("import x from 'y'\n\nText", ["Text"]),
        ("import {\n  a\n} from 'y'\n\nText", ["Text"]),
        ("export const a = {\n\n}\n\nText", ["Text"]),
        ("import duty is due", ["import duty is due"]),
        ("export of goods", ["export of goods"]),
        ("each of them", ["each of them"]),
        ("::: details Title\nText\n:::", ["Text"]),
        (": a colon", [": a colon"]),
        ("!!! note\n    Text", ["Text"]),
        ("??? note\n    Text\n\nmore", ["Text", "more"]),
        ("!important", ["!important"]),
        ("[a]: b\n'title'\nText", ["Text"]),
        ("[a]: b\nText", ["Text"]),
        ("[a]: b\n'said' is said", ["'said' is said"]),
        ("[a]: some words here", ["a: some words here"]),
        ("[^1]: A note.\n    More of it.\n\nText", ["A note.", "More of it.", "Text"]),
        ("---\ntitle: a\n---\nText", ["Text"]),
        ("$5 is enough", ["$5 is enough"]),
        ("{a} is a set", ["{a} is a set"]),
        ("~tilde", ["~tilde"]),
        ("a\u2028b\r\nc\rd", ["a b c d"]),
        ("\ufeffa\0b\ufdd0", ["ab"]),
        ("\ta\n\nb", ["b"]),
        ("-\ta\n-\tb", ["a", "b"]),
    ],
)
def test_prose_around_the_rest_is_kept(markdown, sentences):
    assert prose_sentences(markdown) == sentences


def test_containers_deeper_than_anyone_nests_are_read_as_text():
    assert prose_sentences("> " * 45 + "deep") == ["> > > > > deep"]


def test_containers_open_over_lines_are_not_more_than_anyone_nests():
    sentences = prose_sentences("".join("  " * i + "- a\n" for i in range(60)))
    assert (sentences[:40], sentences[-1].endswith("- a")) == (["a"] * 40, True)


# --- inside of a paragraph --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**bold** and *emphasis*", "bold and emphasis"),
        ("__bold__ and _emphasis_", "bold and emphasis"),
        ("***both*** of **bold *and* more**", "both of bold and more"),
        ("**half* of it", "*half of it"),
        ("算出は**大切（重要）**を使う", "算出は大切（重要）を使う"),
        ("_참조_를 봅니다", "참조를 봅니다"),
        ("snake_case_name and __init__.py", "snake_case_name and init.py"),
        ("a * b and 2 ** 3", "a * b and 2 ** 3"),
        ("f(*args, **kwargs)", "f(*args, **kwargs)"),
        ("~~gone~~ here", "here"),
        ("~~*a~~ b*", "b*"),
        ("a ~~ b", "a ~~ b"),
        ("~~[a~~ b]", "b]"),
        ("`snake_case` and `*a*`", "snake_case and *a*"),
        ("`` a`b `` x", "a`b x"),
        ("`open", "open"),
        ("``a` b", "a b"),
        ("`two\nlines`", "two lines"),
        ("[text](url)", "text"),
        ('[text](url "title") x', "text x"),
        ("[text](<a b> 'title')", "text"),
        ("[text](a(b(c)) (title))", "text"),
        ("[text]()", "text"),
        ("[text](not a link)", "[text](not a link)"),
        ("[text][label] x", "text x"),
        ("[text][] x", "text x"),
        ("[`Vec`] x", "Vec x"),
        ("[text] x", "[text] x"),
        ("a[0][1] x", "a[0][1] x"),
        ('see ![alt](a "b") here', "see here"),
        ("see *![al*t](a)* here", "see * here"),
        ("see ![a [b](c)](d) here", "see here"),
        ("see [a ![b] c", "see [a c"),
        ("see ]", "see ]"),
        ("see [[Page]] and [[Page|name]]", "see Page and name"),
        ("noted[^1] here", "noted here"),
        ("&lt;div&gt; &amp; &#65; &nosuch; AT&T", "<div> & A &nosuch; AT&T"),
        ("\\*a\\* b\\c", "*a* b\\c"),
        ("a\\\nb", "a b"),
        ("a\\", "a\\"),
        ("a <b>c</b> <CodeStep step={1}>d</CodeStep>", "a c d"),
        ("a <Foo bar={() => { b({c: 1}) }} /> d", "a d"),
        ("a <button>OK</button> b", "a b"),
        ("a <button> b", "a b"),
        ("a <select/> b", "a b"),
        ("a <b and c> d", "a d"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("a <?php b ?> c", "a c"),
        ("<me@example.com> writes", "me@example.com writes"),
        ("see <https://a.b> there", "see https://a.b there"),
        ("a{' '}b", "a b"),
        ("a {'b'} c", "a c"),
        ("a {'b' c", "a {'b' c"),
        ("<span>a</span><span>b</span>", "a b"),
        ("긴급한<sup>Urgent</sup> 갱신", "긴급한(Urgent) 갱신"),
        ("x<sup>2</sup>", "x2"),
        ("<sup>a</sup>", "a"),
        ("긴급한<sup>Urgent", "긴급한Urgent"),
        ("算出\nプロパティ", "算出プロパティ"),
        ("산출\n속성", "산출 속성"),
        ("one\n  \u3000two  three", "one two three"),
        ("参照 <sup/>。", "参照。"),
    ],
)
def test_inline_signs_are_read(markdown, text):
    assert prose_sentences(markdown) == [text]


def test_a_label_defined_in_the_text_makes_a_link():
    assert prose_sentences("See [Cargo] of x[a][cargo].\n\n[cargo]: http://a.b") == ["See Cargo of xa."]


# --- sentences --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("一。二！三？四", ["一。", "二！", "三？", "四"]),
        ("「一。」二", ["「一。」", "二"]),
        ("「はい。」と言う。", ["「はい。」と言う。"]),
        ("『一。二。』三。", ["『一。二。』", "三。"]),
        ("何？と聞く。", ["何？と聞く。"]),
        ("３．５だ。", ["３．５だ。"]),
        ("終わり．次", ["終わり．", "次"]),
        ("よいですか?いいえ!次", ["よいですか?", "いいえ!", "次"]),
        ("Use e.g. a, i.e. b vs. c, etc. in d", ["Use e.g. a, i.e. b vs. c, etc. in d"]),
        ("Use a, b, etc. Then c", ["Use a, b, etc.", "Then c"]),
        ("Mr. A and Dr. B", ["Mr. A and Dr. B"]),
        ("See No. 5. No. It is", ["See No. 5.", "No.", "It is"]),
        ("Version 3.4 of a.b", ["Version 3.4 of a.b"]),
        ("2024. 4. 25. 출시", ["2024. 4. 25.", "출시"]),
        ("J. K. Rowling wrote", ["J. K. Rowling wrote"]),
        ("Vitamin C.", ["Vitamin C."]),
        ("1. First", ["1. First"]),
        ("(See it. Twice.) Then", ["(See it. Twice.)", "Then"]),
        ("He said (so.) and left", ["He said (so.) and left"]),
        ('"One." Two', ['"One."', "Two"]),
        ("And so ... on. Then... Next", ["And so ... on.", "Then...", "Next"]),
        ("(a [b) c. d", ["(a [b) c.", "d"]),
        ("(a (b. c) d. e) f. g", ["(a (b. c) d. e) f.", "g"]),
        ("(a」 b. c", ["(a」 b.", "c"]),
        (f"(a. b {'c' * 300}) d", ["(a.", f"b {'c' * 300}) d"]),
        ("एक। दो", ["एक।", "दो"]),
        ("...", []),
        ("a. https://b.c/d", ["a."]),
    ],
)
def test_sentences_end_at_their_stops(text, sentences):
    assert list(split_sentences(text)) == sentences


def test_a_stop_in_code_ends_no_sentence():
    assert prose_sentences("Use `a. b` and `panic!` here. Then") == ["Use a. b and panic! here.", "Then"]


@given(st.text(alphabet="ab 。.!?*_`[](){}<>!#|-:\\/&$~=+\"'\n\t「」ー가", max_size=80))
def test_any_text_gives_clean_sentences_and_a_summary_within_its_limits(text):
    sentences = prose_sentences(text)
    assert all(s == s.strip() and "\n" not in s and any(map(str.isalnum, s)) for s in sentences)
    summary = summarize(text, max_characters=20)
    assert (summary is None) == (sentences == [])
    assert summary is None or 0 < len(summary) <= min(20, len(text))


@pytest.mark.parametrize(
    "part",
    [
        *"[ ![ [a]( **a ` ``a <!-- {/* (a 「あ。 ~~a & [[a| \\ {'".split(),
        *["_a ", "<a ", "<a {", "<a '", "<svg>\n", "$$\n", "> ", "- ", "1. ", "a. ", "\n\n", "[a]: <"],
        *["|a|\n", "a|b\n-|-\n", "export const a = {\n\n"],
    ],
)
@pytest.mark.usefixtures("untraced")
def test_nothing_takes_more_than_linear_time(part):
    start = time.process_time()
    summarize(part * (100_000 // len(part)))
    assert time.process_time() - start < 5
