"""JSON with halves of surrogate pairs, as it can be read."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from search.server.envelopes import readable

LONE = re.compile("[\ud800-\udfff]")


@given(st.lists(st.sampled_from([*'\\"u\ud83d\udd11\ud800\udfff🔑aé', "\\ud83d"])))
def test_each_lone_half_becomes_a_question_mark_and_nothing_else_changes(parts):
    text = "".join(parts)
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # halves that meet are a character
    assert json.loads(readable(json.dumps(text))) == LONE.sub("?", joined)


def test_escaped_backslash_before_a_u_is_no_escape_of_a_half():
    assert readable(r'"\\ud83d \\\ud83d"') == r'"\\ud83d \\\u003f"'


def test_json_keeps_its_length():
    assert len(readable(r'"\uD83D"')) == len(r'"\uD83D"')
