"""Which sections are surely in another language than a question."""

import numpy as np
import pytest

from tests.unit.test_relevance import snapshot


@pytest.mark.parametrize(
    ("query", "others"),
    [
        ("how do I rotate the keys", ["ja", "zh", "ko"]),
        ("鍵を交換するには", ["en", "zh", "ko"]),
        ("予約方法", ["en", "ko"]),  # Japanese or Chinese
        ("열쇠를 바꾸는 방법", ["en", "ja", "zh"]),
        ("useState", []),  # no language is known
    ],
)
def test_section_is_in_another_language_where_both_are_known(query, others):
    codes = ["en", "ja", "zh", "ko", ""]
    index = snapshot(**{f"page{number}": "# Page\n\nText.\n" for number in range(len(codes))})
    index.languages = np.array(codes)
    assert np.array(codes)[index.in_other_languages(query)].tolist() == others
