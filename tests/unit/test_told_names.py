"""Who types an identifier gets a section that tells of it before those that only have it in a block of code."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.mentions import told_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

EXAMPLE = '# Example\n\nThis starts it.\n\n```json\n{"max_model_len": 4096}\n```\n'
OTHER = "# Other\n\nIt says max model len somewhere.\n"


def first(query, **documents):
    """The path of the first hit, where the given order was that of the scores, a hundredth apart."""
    index = snapshot(**documents)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    paths = list(documents)
    total = np.array([0.6 - 0.01 * paths.index(index.path(row).removesuffix(".md")) for row in range(index.rows)])
    ranking = replace(ranking, total=total, order=np.argsort(-total))
    return index.path(told_first(index, asked, ranking).order[0]).removesuffix(".md")


@pytest.mark.parametrize(
    "told",
    [
        "# Memory\n\nLower `max_model_len` if the model does not fit.\n",
        "# Memory\n\n- Lower max_model_len.\n",
        "# Memory\n\n| name | what |\n|---|---|\n| `max_model_len` | tokens |\n",
        "# Memory\n\nSet `llm(max_model_len=2)`.\n",
        "# Memory\n\n- ```sh\n  serve\n  ```\n\nLower max_model_len so.\n",
        "# Memory\n\n```serve``` starts it.\n\nLower max_model_len so.\n",
        "# Memory\r\r```\rserve\r```\r\rLower max_model_len so.\r",
        "# Memory\n\n```python\n# max_model_len is what fits.\nllm(max_model_len=2)\n```\n",
    ],
)
def test_section_that_tells_of_an_identifier_stands_before_an_example(told):
    assert first("max_model_len", example=EXAMPLE, told=told) == "told"


@pytest.mark.parametrize(
    "also",
    [
        "# Longer\n\nUse `max_model_len_left` here.\n",  # another name
        "# Code\n\n~~~\nmax_model_len = 1\n~~~\n",
        "# Code\n\n```\nmax_model_len = 1\n",  # to the end
        "# Code\n\n- ```sh\n  max_model_len = 1\n  ```\n\nSet it so.\n",
        "# Code\n\n```sh\nserve \\\n  --max_model_len 4096 \\\n  --port 1\n```\n",
        "# Code\n\n```c\n#define max_model_len 1\n```\n",
        "# Code\r\r```\rmax_model_len = 1\r```\r",
        OTHER,
    ],
)
def test_section_without_the_identifier_in_its_prose_stays_behind(also):
    assert first("max_model_len", example=EXAMPLE, also=also) == "example"


def test_name_in_a_line_of_code_counts_half_beside_a_section_that_tells_of_it():
    imports = "# Example\n\nThis starts it.\n\n```python\nfrom engine import (\n    RetryError,\n)\n```\n"
    told = "# Errors\n\n| error | when |\n|---|---|\n| RetryError | all attempts failed |\n"
    index = snapshot(imports=imports, told=told)
    asked = parse_query("RetryError")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    (row,) = [row for row in range(index.rows) if index.path(row) == "imports.md"]
    assert ranking.parts["name"][row] > 0
    after = told_first(index, asked, ranking)
    assert after.parts["told"][row] == pytest.approx(-0.5 * after.parts["name"][row])
    assert index.path(after.order[0]) == "told.md"


def test_question_of_more_than_an_identifier_keeps_its_order():
    told = "# Memory\n\nLower `max_model_len` if the model does not fit.\n"
    assert first("example of max_model_len", example=EXAMPLE, told=told) == "example"


def test_heading_with_the_member_of_a_name_counts_as_told():
    page = "# hydrateRoot(node)\n\nIt makes a page live.\n\n```js\nReactDOM.hydrateRoot(node)\n```\n"
    post = "# Post\n\n`ReactDOM.hydrateRoot` is there now.\n"
    assert first("ReactDOM.hydrateRoot", page=page, post=post) == "page"


def test_ending_of_a_file_is_no_member():
    manifest = "# Manifest of a package\n\nIt starts so.\n\n```\npackage.json\n```\n"
    assert first("package.json", manifest=manifest, output="# Output as json\n\nOf the package.\n") == "manifest"


@pytest.mark.parametrize(
    ("told", "expected"),
    [("The next step is the next page.", "example"), ("It calls next() then.", "told"), ("Use `next` for it.", "told")],
)
def test_call_with_the_name_of_a_word_is_told_of_as_code(told, expected):
    example = "# Example\n\nThis starts it.\n\n```js\nnext()\n```\n"
    assert first("next()", example=example, told=f"# Steps\n\n{told}\n") == expected


def test_call_is_the_name_that_it_calls():
    example = "# Example\n\nThis starts it.\n\n```js\nuseThing()\n```\n"
    assert first("useThing()", example=example, told="# Things\n\nCall `useThing` first.\n") == "told"


MENTION = "# Server\n\nIt acts as the formatter does with `--fast`, and as it does with `--fast` on a file.\n"


@pytest.mark.parametrize(
    "question", ["--fast", "what does --fast do", "the `--fast` flag", "--fast とは何ですか", "--fast 옵션"]
)
@pytest.mark.parametrize(
    "line",
    [
        "#### `--fast` / `--safe`\n\nLeaves out a check.",
        "#### `-f`, `--fast`\n\nLeaves out a check.",
        "- `-f, --fast`: leaves out a check.",
        "| option | what |\n|---|---|\n| `--fast` | leaves out a check |",
        "    --fast  leaves out a check",
    ],
)
def test_section_with_a_line_of_its_own_for_an_option_stands_before_one_that_mentions_it(question, line):
    assert first(question, mention=MENTION, options=f"# Options\n\n{line}\n") == "options"


@pytest.mark.parametrize(
    "line", ["- `X-Fast`: as `--fast` does", "#### `--fast-enough`\n\nLike `--fast`.", "Give\n`--check` or `--fast`."]
)
def test_line_that_begins_otherwise_is_no_line_of_the_option(line):
    assert first("what does --fast do", mention=MENTION, other=f"# Other\n\n{line}\n") == "mention"


def test_question_for_more_than_an_option_keeps_its_order():
    options = "# Options\n\n- `--fast`: leaves out a check.\n"
    assert first("does the server take --fast", mention=MENTION, options=options) == "mention"
