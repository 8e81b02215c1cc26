"""`ModelSummarizer`: texts → validated summaries by a language model; `TranslatingSummarizer`: summaries → translated ones.

A prompt begins with the document, the same for all its sections, so that servers can cache what they have read. A reply is
untrusted: it becomes one line of bounded length in the expected language, or an error.
"""

from __future__ import annotations

import copy
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import regex

from indexer.llm.knowledge import EXAMPLES, read_or_raise, translate_summary
from indexer.llm.prompts import as_data, language_name, load_prompt
from indexer.llm.reply import SUMMARY_ALIASES, Field, ReplyError, ReplySpec, parse_reply
from indexer.llm.reply.spec import reply_error
from indexer.markdown.prose import prose_sentences
from indexer.summaries.cache import SummaryCache
from indexer.summaries.generator import SummaryGenerator
from schema.errors import ChatError, ChatUnavailableError, SummarizerUnavailableError, SummaryError
from schema.protocols import ChatClient, ChatReply, Summarizer, TokenCounter
from schema.sections import Section
from schema.text.language import language
from schema.text.sentences import SENTENCE_END

#: The most characters of a summary that the model is asked for, and the most that are kept.
TOLD_CHARACTERS, MAX_CHARACTERS = 300, 500
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["summary"],
    "properties": {"summary": {"type": "string"}},
}
_SPECS = {
    "json": ReplySpec(format="json", fields=(Field("summary"),), schema=_SCHEMA),
    "tags": ReplySpec(format="tags", fields=(Field("SUMMARY"),)),
    "markdown": ReplySpec(format="markdown", fields=(Field("summary", aliases=SUMMARY_ALIASES),)),
}
#: For each language, letters of which a summary must have at least one.
_SCRIPTS = {
    "ja": r"[\p{Hiragana}\p{Katakana}\p{Han}]",
    "ko": r"\p{Hangul}",
    "zh": r"\p{Han}",
    "th": r"\p{Thai}",
    "ru": r"\p{Cyrillic}",
}
_MARKS = re.compile(r"^(?:(?:#{1,6}|[>*-])\s+|summary\s*[:：]\s*)+", re.IGNORECASE)


class ModelSummarizer:
    """Asks a model for summaries in the language of the text.

    `document_tokens` limits the part of a document and of a section that it is shown, `max_tokens` its reply.
    """

    def __init__(
        self,
        client: ChatClient,
        *,
        model: str,
        counter: TokenCounter,
        reply_format: str = "json",
        max_tokens: int = 600,
        document_tokens: int = 3000,
    ) -> None:
        self._client = client
        self._counter = counter
        self._format = reply_format
        self._max_tokens = max_tokens
        self._document_tokens = document_tokens
        self._secret = secrets.token_bytes(16)
        versions = ".".join(
            str(load_prompt(name).version)
            for name in ("summary_rules", "section_summary", "document_summary", f"reply_{reply_format}")
        )
        self._name = f"llm/{model}/{reply_format}/{versions}"

    @property
    def name(self) -> str:
        """The kind of source, the model, the reply format and the versions of the prompts."""
        return self._name

    def summarize_document(self, text: str, *, title: str) -> str | None:
        """See `Summarizer`."""
        prose = prose_sentences(text)
        if not prose:
            return None
        whole = f"{title}\n\n{text}" if title and title not in text[:200] else text
        return self._ask("document_summary", language(" ".join(prose)), {"document": self._document(whole)})

    def summarize_section(self, section: Section, *, document: str, document_summary: str | None) -> str | None:
        """See `Summarizer`; a document that is too long to be shown whole is followed by its summary."""
        prose = prose_sentences(section.body)
        if not prose:
            return None
        shown = self._document(document)
        if document_summary and self._counter.count(document) > self._document_tokens:
            shown = f"{shown}\n\n{as_data(document_summary, label='SUMMARY', nonce=self._nonce(document))}"
        words = "\n".join((*section.heading_path[:-1], self._clip(section.content)))
        own = as_data(words, label="SECTION", nonce=self._nonce(document))
        code = language(" ".join(prose)) or language(document)
        return self._ask("section_summary", code, {"document": shown, "section": own})

    def _ask(self, prompt: str, code: str, values: Mapping[str, str]) -> str:
        text, summary = EXAMPLES.get(code, EXAMPLES["en"])
        instruction, form = load_prompt(f"reply_{self._format}").text.split("\n\n", 1)
        request = {
            # the model tells languages with Latin letters apart better than this program does
            "language": language_name(code) if code in _SCRIPTS else "the language of the text",
            "characters": str(TOLD_CHARACTERS),
        }
        example = {name: as_data(text, label=name.upper(), nonce="example") for name in values}
        # the example is a turn of its own, since small models repeat one that stands in the question
        messages = [
            {"role": "system", "content": load_prompt("summary_rules").fill(reply=instruction)},
            {"role": "user", "content": load_prompt(prompt).fill(**request, **example)},
            {"role": "assistant", "content": form.replace("{{example}}", summary)},
            {"role": "user", "content": load_prompt(prompt).fill(**request, **values)},
        ]
        spec = _SPECS[self._format]

        def read(reply: ChatReply) -> str:
            record = parse_reply(reply.text, spec, finish_reason=reply.finish_reason)
            return checked(next(iter(record.values())), code, reply.text, refused=summary)

        # with the schema a server ends the text at its limit; without one a longer text is cut, not refused
        bounded = {**_SCHEMA, "properties": {"summary": {"type": "string", "maxLength": MAX_CHARACTERS}}}
        schema = {"type": "json_schema", "json_schema": {"name": "Summary", "schema": bounded}}
        asked = schema if self._format == "json" else None
        return _or_error(lambda: read_or_raise(self._client, messages, read, max_tokens=self._max_tokens, format=asked))

    def _document(self, text: str) -> str:
        return as_data(self._clip(text), label="DOCUMENT", nonce=self._nonce(text))

    def _nonce(self, document: str) -> str:
        """Return one mark for all messages about a document in this run, which its author cannot know."""
        return hmac.new(self._secret, document.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]

    def _clip(self, text: str) -> str:
        """Return the text, or as much of its beginning as fits in `document_tokens`."""
        length = len(text)
        while length and (tokens := self._counter.count(text[:length])) > self._document_tokens:
            length = min(length - 1, int(length * self._document_tokens / tokens))
        return text if length == len(text) else text[:length].rstrip() + "\n[…]"


class TranslatingSummarizer:
    """Makes the summaries of another source, translated by a model if they are not in the wanted language."""

    def __init__(self, source: Summarizer, client: ChatClient, *, model: str, language: str, max_tokens: int = 600) -> None:
        self._source = source
        self._making = SummaryGenerator(source)
        self._client = client
        self._model = model
        self._language = language
        self._max_tokens = max_tokens

    @property
    def name(self) -> str:
        """The source's name with language, model and version of the prompt; another language is another kind of source."""
        kind, _, rest = self._source.name.partition("/")
        return f"{kind}@{self._language}/{rest}/{self._model}/{load_prompt('summary_translation').version}"

    def keeping(self, cache: SummaryCache) -> TranslatingSummarizer:
        """Return a copy that keeps what a model as its source makes, so that a translation that fails costs only itself."""
        other = copy.copy(self)
        if isinstance(self._source, ModelSummarizer):
            other._making = SummaryGenerator(self._source, cache=cache)
        return other

    def summarize_document(self, text: str, *, title: str) -> str | None:
        """See `Summarizer`."""
        return self._translated(self._making.generate_document_summary(text, title=title))

    def summarize_section(self, section: Section, *, document: str, document_summary: str | None) -> str | None:
        """See `Summarizer`."""
        return self._translated(
            self._making.generate_section_summary(section, document=document, document_summary=document_summary)
        )

    def _translated(self, summary: str | None) -> str | None:
        if summary is None or language(summary) == self._language:
            return summary

        def translate() -> str:
            text = translate_summary(self._client, summary, language=self._language, max_tokens=self._max_tokens)
            return checked(text, self._language, text, refused=EXAMPLES.get(self._language, EXAMPLES["en"])[1])

        return _or_error(translate)


def checked(text: str, code: str, raw: str, *, refused: str) -> str:
    """Return a summary as one line of at most `MAX_CHARACTERS`.

    Raises:
        ReplyError: it has no letters, is the prompt's own example (`refused`), or is not in the language `code`.
    """
    line = _MARKS.sub("", " ".join(text.split()))
    if not any(map(str.isalpha, line)):
        raise reply_error("missing_field", raw, 0, "the summary says nothing")
    if line.rstrip(".。") == refused.rstrip(".。"):
        raise reply_error("schema", raw, 0, "it is the example of the instructions; summarise the text that was given")
    script = _SCRIPTS.get(code)
    is_fit = bool(regex.search(script, line)) if script else not code or language(line) not in _SCRIPTS
    if not is_fit:
        raise reply_error("schema", raw, 0, f"the summary is not written in {language_name(code)}")
    if len(line) <= MAX_CHARACTERS:
        return line
    ends = [match.end() for match in SENTENCE_END.finditer(line) if match.end() <= MAX_CHARACTERS]
    return line[: ends[-1]] if ends else line[: MAX_CHARACTERS - 1].rstrip() + "…"


def _or_error(make: Callable[[], str]) -> str:
    """Return what `make` returns; raise its errors as those of a summarizer."""
    try:
        return make()
    except ChatUnavailableError as error:
        raise SummarizerUnavailableError(str(error)) from error
    except ChatError as error:
        raise SummaryError(str(error), is_silent=True) from error
    except ReplyError as error:
        raise SummaryError(f"the model's replies could not be used, the last one since {error.kind}: {error}") from error
