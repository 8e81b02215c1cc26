"""Summaries in one language: translated by a language model where they are in another."""

import pytest

from indexer.summaries.model import TranslatingSummarizer
from schema.errors import SettingsError, SummaryError
from schema.protocols import ChatReply
from schema.sections import Section
from schema.settings import Settings
from tests.chat_server import ChatServer
from tests.integration.test_model_summaries import ENGLISH, index, is_section, settings_of, stored, told

pytest.importorskip("openai")


class Fixed:
    name = "fixed/1"

    def summarize_document(self, text, *, title):
        return None

    def summarize_section(self, section, *, document, document_summary):
        return section.content


def translating(*replies):
    waiting = list(replies)

    class Client:
        def chat(self, messages, *, format=None, max_tokens=None):
            return ChatReply(waiting.pop(0))

    return TranslatingSummarizer(Fixed(), Client(), model="m", language="ja")


def section_of(text):
    return Section(id="1", document_path="a.md", heading="A", depth=1, content=text, token_count=1, parent_id=None, order=0)


def test_summaries_in_another_language_are_translated():
    made = translating("## 要約\n\n鍵は九十日ごとに更新される。")
    text = "The key is rotated."
    assert made.summarize_section(section_of(text), document=text, document_summary=None) == "鍵は九十日ごとに更新される。"


def test_summaries_in_the_language_are_left_alone():
    text = "鍵は更新される。"
    assert translating().summarize_section(section_of(text), document=text, document_summary=None) == text
    assert translating().summarize_document(text, title="") is None


def test_a_translation_in_the_wrong_language_fails():
    with pytest.raises(SummaryError, match="not written in Japanese"):
        translating("## 要約\n\nThe key.").summarize_section(
            section_of("The key is rotated."), document="x", document_summary=None
        )


@pytest.mark.parametrize("code", ["Japanese", "xx", "-"])
def test_a_language_that_is_none_is_refused(project, code):
    project.write("docs/a.md", ENGLISH)
    with pytest.raises(SettingsError, match="summary_language must be one of"):
        project.index(
            settings=Settings(summaries="extractive", summary_language=code, llm_base_url="http://x", llm_model="m")
        )


def test_a_translation_that_fails_keeps_the_summary_that_was_made(project):
    made = {True: "The operator rotates the key every ninety days.", False: "The document is about keys."}
    is_failing = True

    def is_translation(body):
        return body["messages"][0]["role"] == "user"  # the other requests begin with the rules for summaries

    def script(body):
        if not is_translation(body):
            return told(made[is_section(body)])
        fails = is_failing and made[True] in body["messages"][0]["content"]
        return {"text": "no translation" if fails else "## 要約\n\n鍵は九十日ごとに更新される。"}

    with ChatServer(script) as server:
        report = index(project, server, summary_language="ja")
    assert (report.summaries_written, report.summaries_failed) == (1, 1)
    is_failing = False
    with ChatServer(script) as again:
        report = project.indexer(settings=settings_of(again, summary_language="ja")).summarize()
    assert report.summaries_written == 1
    assert list(map(is_translation, again.requests)) == [True]
    assert stored(project).section.summary == "鍵は九十日ごとに更新される。"


def test_english_documents_are_found_by_japanese_summaries(project):
    project.write("docs/a.md", ENGLISH)
    project.write("docs/b.md", "# Buffers\n\nA full buffer drops the oldest of the events.\n")

    def script(body):
        prompt = body["messages"][0]["content"]
        return {
            "text": "## 要約\n\n"
            + ("署名鍵の更新を説明する。" if "key" in prompt.split("<<<SUMMARY")[2] else "満杯のときの動作。")
        }

    with ChatServer(script) as server:
        settings = Settings(summaries="extractive", summary_language="ja-JP", llm_base_url=server.url, llm_model="m")
        report = project.index(settings=settings)
    assert report.summaries_written == 4
    hits = project.engine().search("署名鍵の更新", mode="lexical")
    assert [hit.section.heading for hit in hits] == ["Rotation"]
