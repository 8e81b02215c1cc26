"""The language of a question that quotes a message in another one."""

import pytest

from schema.text.language import question_language


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("TypeError: Object of type datetime is not JSON serializable と出る", "ja"),
        ("Form data requires python-multipart to be installed というエラー", "ja"),
        ("Form data requires python-multipart to be installed 오류가 나요?", "ko"),
        ("what does 서버 mean for the key", "en"),
        ("what is the meaning of the word カタカナ", "en"),
        ("检索", "zh"),
    ],
)
def test_question_is_in_the_language_that_it_ends_in(question, expected):
    assert question_language(question) == expected
