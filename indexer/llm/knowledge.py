"""A document → an entry of a knowledge base, a translated summary or a report, written by a model in a fixed form."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from indexer.llm.asking import Message, ask
from indexer.llm.prompts import as_data, language_name, load_prompt, new_nonce
from indexer.llm.reply import KNOWLEDGE, SUMMARY_ALIASES, Field, ReplyError, ReplySpec, parse_reply
from indexer.llm.reply.spec import reply_error
from schema.protocols import ChatClient, ChatReply
from schema.text.language import language as language_of

T = TypeVar("T")
TRANSLATION = ReplySpec(format="markdown", fields=(Field("summary", aliases=SUMMARY_ALIASES),))
REPORT = ReplySpec(
    format="tags",
    fields=(Field("ANALYSIS"), Field("SUMMARY"), Field("RISKS", required=False), Field("METRICS", required=False)),
)
_FIGURES = ReplySpec(format="json")
#: The prompts, and what introduces the example of a reply at their ends.
ENTRY_PROMPT, REPORT_PROMPT = "knowledge_extraction", "report"
_EXAMPLE = "A filled example for another text:\n"
#: Languages that letters show, so that a reply in another one is noticed, and what each may look like: Japanese without kana
#: looks like Chinese.
_SHOWN_BY_LETTERS = {"ja": ("ja", "zh"), "ko": ("ko",), "th": ("th",), "zh": ("zh",)}
#: A text and its summary in each language: the example in prompts that ask for a summary.
EXAMPLES = {
    "en": (
        "An access token is valid for 60 minutes. Use the refresh token to get a new one; the user need not log in again.",
        "Access tokens last one hour; a refresh token renews them without another login.",
    ),
    "ja": (
        "アクセストークンは60分間有効です。新しいトークンはリフレッシュトークンで取得でき、ユーザーが再びログインする必要はありません。",
        "アクセストークンの有効期限は1時間で、リフレッシュトークンを使うと再ログインなしで更新できる。",
    ),
    "ko": (
        "액세스 토큰은 60분 동안 유효합니다. 새 토큰은 갱신 토큰으로 받을 수 있으며 사용자가 다시 로그인할 필요는 없습니다.",
        "액세스 토큰은 한 시간 동안 유효하며, 갱신 토큰으로 다시 로그인하지 않고 갱신할 수 있다.",
    ),
    "zh": (
        "访问令牌的有效期为60分钟。可以用刷新令牌获取新的令牌，用户无需再次登录。",
        "访问令牌有效期为一小时，可以用刷新令牌续期，无需重新登录。",
    ),
}


@dataclass(frozen=True, slots=True)
class Knowledge:
    """An entry of a knowledge base: `summary` is one or two sentences, `summary_content` is Markdown."""

    title: str
    summary: str
    summary_content: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report: prose in Markdown as the model wrote it, and its figures, {} if it gave none."""

    analysis: str
    summary: str
    risks: str
    metrics: Mapping[str, Any]


class KnowledgeExtractor:
    """Asks a model for entries and reports, in the language with this code, or in that of the document for "".

    Raises, in every method:
        ReplyError: the replies, repairs included, could not be read, are the example of the prompt or in another language.
        ChatError: there was no reply.
    """

    def __init__(self, client: ChatClient, *, language: str = "en", max_tokens: int = 2000) -> None:
        self._client = client
        self._language = language
        self._max_tokens = max_tokens

    def extract(self, text: str) -> Knowledge:
        """Return the entry for a document."""
        record = self._ask(ENTRY_PROMPT, text, KNOWLEDGE, "summary")
        return Knowledge(record["title"], record["summary"], record["summary_content"])

    def report(self, text: str) -> Report:
        """Return a report about a document; its figures are read as JSON from their section."""
        record = self._ask(REPORT_PROMPT, text, REPORT, "SUMMARY")
        figures = parse_reply(record["METRICS"], _FIGURES) if record.get("METRICS") else {}
        return Report(record["ANALYSIS"], record["SUMMARY"], record.get("RISKS") or "", figures)

    def translate(self, summary: str) -> str:
        """Return a summary translated into the extractor's language."""
        return translate_summary(self._client, summary, language=self._language, max_tokens=self._max_tokens)

    def _ask(self, prompt: str, text: str, spec: ReplySpec, summary: str) -> dict[str, Any]:
        """Return the record of a reply; `summary` is the field whose text shows the language of all."""
        wanted = language_name(self._language) if self._language else "the language of the document"
        words = load_prompt(prompt).fill(document=as_data(text, label="DOCUMENT", nonce=new_nonce()), language=wanted)

        def read(reply: ChatReply) -> dict[str, Any]:
            record = parse_reply(reply.text, spec, finish_reason=reply.finish_reason)
            if record == _example(prompt, spec):
                raise reply_error("schema", reply.text, 0, "it is the example of the instructions; use the document itself")
            expected = _SHOWN_BY_LETTERS.get(self._language)
            if expected and language_of(record[summary]) not in expected:
                raise reply_error("schema", reply.text, 0, f"it is not written in {wanted}")
            if record.get("METRICS"):  # unreadable figures are asked for again, like a missing section
                parse_reply(record["METRICS"], _FIGURES)
            return record

        return read_or_raise(self._client, [{"role": "user", "content": words}], read, max_tokens=self._max_tokens)


@functools.cache
def _example(prompt: str, spec: ReplySpec) -> dict[str, Any]:
    """Return the record of the example in a prompt, which small models repeat."""
    return parse_reply(load_prompt(prompt).text.split(_EXAMPLE, 1)[1], spec)


def translate_summary(client: ChatClient, summary: str, *, language: str, max_tokens: int) -> str:
    """Return a summary translated into the language with this code.

    Raises:
        ReplyError, ChatError: there is none.
    """
    words = load_prompt("summary_translation").fill(
        summary=as_data(summary, label="SUMMARY", nonce=new_nonce()),
        language=language_name(language),
        example=EXAMPLES.get(language, EXAMPLES["en"])[1],
    )

    def read(reply: ChatReply) -> str:
        return str(parse_reply(reply.text, TRANSLATION, finish_reason=reply.finish_reason)["summary"])

    return str(read_or_raise(client, [{"role": "user", "content": words}], read, max_tokens=max_tokens))


def read_or_raise(
    client: ChatClient,
    messages: Sequence[Message],
    read: Callable[[ChatReply], T],
    *,
    max_tokens: int,
    format: Mapping[str, Any] | None = None,
) -> T:
    """Return the value read from the reply to these messages, after repairs if they are needed.

    Raises:
        ReplyError, ChatError: there is none.
    """
    answer = ask(client, messages, read, format=format, max_tokens=max_tokens)
    if answer.error is not None or answer.value is None:
        raise answer.error or ReplyError("empty_reply", 0, "", answer.raw)
    return answer.value
