"""Settings → the source of summaries that they describe."""

from __future__ import annotations

from collections.abc import Callable

from schema.errors import SettingsError
from schema.protocols import Summarizer, TokenCounter
from schema.settings import Settings


def make_summarizer(settings: Settings, counter: Callable[[], TokenCounter]) -> Summarizer | None:
    """Return the source that the settings ask for, None for none; `counter` is called where a source counts tokens.

    Raises:
        SettingsError: a language model is needed, and the settings do not name one.
    """
    s = settings
    if s.summaries == "none":
        return None
    # these imports take 0.12 s, which a run without summaries need not wait for
    from indexer.llm.client import OpenAIChatClient
    from indexer.summaries.extractive import ExtractiveSummarizer
    from indexer.summaries.model import ModelSummarizer, TranslatingSummarizer

    client = OpenAIChatClient.of(s) if asks_model(s) else None
    source: Summarizer = ExtractiveSummarizer()
    if client is not None and s.summaries == "llm":
        source = ModelSummarizer(
            client,
            model=s.llm_model,
            counter=counter(),
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
    """Return the language of a setting such as ja-JP.

    Raises:
        SettingsError: summaries cannot be asked for in it.
    """
    from indexer.llm.prompts import LANGUAGES

    plain = code.replace("_", "-").partition("-")[0].strip().lower()
    if plain not in LANGUAGES:
        raise SettingsError(f"The setting summary_language must be one of {', '.join(LANGUAGES)}, not {code!r}.")
    return plain


def asks_model(settings: Settings) -> bool:
    """Return whether the summaries that the settings ask for need a language model."""
    return settings.summaries == "llm" or (settings.summaries != "none" and bool(settings.summary_language))
