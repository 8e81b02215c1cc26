"""A server is asked only if its settings give the same answers."""

from dataclasses import fields

import pytest

from schema.settings import Settings
from search.answers.local_server import settings_digest

#: Settings of index runs, of language models, of a server itself, and of caches and logs.
OF_OTHERS = {
    "batch_tokens", "max_tokens_per_section", "include", "exclude", "dialects", "hidden", "convert", "gitignore", "summaries",
    "summary_language", "llm_base_url", "llm_model", "llm_api_key", "llm_timeout", "llm_retries", "llm_concurrency",
    "llm_max_tokens", "llm_document_tokens", "llm_reply_format", "embedding_api_key", "keep_warm", "server_token", "cache_dir",
    "workers", "cluster", "single_writer", "trace_queries",
}  # fmt: skip
VALUES = {str: "other", bool: True, int: 7, float: 0.25}


@pytest.mark.parametrize("field", [field for field in fields(Settings) if field.name not in OF_OTHERS], ids=lambda f: f.name)
def test_a_setting_that_changes_an_answer_is_in_the_digest(field):
    value = getattr(Settings(), field.name)
    changed = (not value) if isinstance(value, bool) else VALUES[type(value)]
    assert settings_digest(Settings(**{field.name: changed})) != settings_digest(Settings())


@pytest.mark.parametrize("name", sorted(OF_OTHERS))
def test_other_settings_exist_and_are_not(name):
    assert name in {field.name for field in fields(Settings)}
