"""Settings → the source of summaries that they describe."""

from __future__ import annotations

from schema.errors import SettingsError
from schema.protocols import Summarizer, TokenCounter
from schema.settings import Settings


def make_summarizer(settings: Settings, counter: TokenCounter) -> Summarizer | None:
    """The source that the settings ask for, None for none.

    Raises:
        SettingsError: a language model is needed, and the settings do not say which.
    """
    s = settings
    if s.summaries == "none":
        return None
    # a run that makes no summaries must not wait for what makes them: .12 s of imports
    from indexer.llm.client import OpenAIChatClient
    from indexer.summaries.extractive import ExtractiveSummarizer
    from indexer.summaries.model import ModelSummarizer, TranslatingSummarizer

    client = OpenAIChatClient.of(s) if asks_model(s) else None
    source: Summarizer = ExtractiveSummarizer()
    if client is not None and s.summaries == "llm":
        source = ModelSummarizer(
            client,
            model=s.llm_model,
            counter=counter,
            reply_format=s.llm_reply_format,
            max_tokens=s.llm_max_tokens,
            document_tokens=s.llm_document_tokens,
        )
    if client is not None and s.summary_language:
        source = TranslatingSummarizer(
            source, client, model=s.llm_model, language=_language(s.summary_language), max_tokens=s.llm_max_tokens
        )
    return source


def _language(code: str) -> str:
    """The language that a setting such as ja-JP means.

    Raises:
        SettingsError: it is none that a summary can be asked for in.
    """
    from indexer.llm.prompts import LANGUAGES

    plain = code.replace("_", "-").partition("-")[0].strip().lower()
    if plain not in LANGUAGES:
        raise SettingsError(f"The setting summary_language must be one of {', '.join(LANGUAGES)}, not {code!r}.")
    return plain


def asks_model(settings: Settings) -> bool:
    """Whether summaries as the settings describe them need a language model."""
    return settings.summaries == "llm" or (settings.summaries != "none" and bool(settings.summary_language))
