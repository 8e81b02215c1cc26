"""What the tests of replies share: what they ask for, and what a reply was refused for."""

import pytest

from indexer.llm.reply import Field, ReplyError, ReplySpec, parse_reply

JSON = ReplySpec()
KNOWLEDGE = ReplySpec(
    format="markdown",
    fields=(
        Field("title", aliases=("タイトル", "Title"), source="h1"),
        Field("summary", aliases=("要約", "概要", "Summary")),
        Field("content", aliases=("内容", "Content")),
    ),
)
TRANSLATION = ReplySpec(format="markdown", fields=(Field("summary", aliases=("要約", "概要", "Summary")),))
SUMMARY = ReplySpec(format="tags", fields=(Field("TITLE", required=False), Field("SUMMARY")))
#: JSON whose fields are known.
FORGIVING = ReplySpec(fields=(Field("title", aliases=("タイトル",)), Field("summary_content", aliases=("内容",))))
A = {"a": 1}


def refusals(default):
    """Two functions of a reply, and a specification unless it is the default: its error, and the error's kind."""

    def refusal(reply, spec=default, **options):
        with pytest.raises(ReplyError) as caught:
            parse_reply(reply, spec, **options)
        return caught.value

    return refusal, lambda reply, spec=default: refusal(reply, spec).kind
