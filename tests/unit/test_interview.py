"""The interview in a terminal: what is said, what is written, and that no file is replaced without asking."""

import json

import pytest
import yaml

from indexer.llm.interview import HELP, Interview, entry_markdown, file_name
from indexer.llm.turns import PromptFlow
from schema.errors import ChatError, ChatUnavailableError, SourceError
from schema.protocols import ChatReply

ENTRY = {
    "contract_type": "業務委託契約",
    "knowledge_title": "再委託の制限",
    "target_clause": "第8条",
    "review_points": "# 事前承諾\n\n承諾の方法を見る。",
    "action_plan": "",
    "clause_sample": "乙は、甲の書面による承諾なく再委託してはならない。",
}


def turn(message, mode="interview", record=None):
    return json.dumps(
        {
            "control": {"schema_version": "1.0", "mode": mode},
            "state": {"phase": "collect_case", "missing_info": []},
            "assistant_message": message,
            "knowledge_json": record,
        }
    )


class Talk:
    """An interview with scripted lines of the user, turns of the model, and answers to questions."""

    def __init__(self, out, lines, replies, answers=()):
        self.asked, self.said, self.questions = [], [], []
        self.replies, self.answers = list(replies), list(answers)
        lines = iter(lines)
        self.interview = Interview(
            PromptFlow(self), out=out, read=lambda: next(lines, None), say=self.said.append, confirm=self._confirm
        )

    def chat(self, messages, **_):
        self.asked.append(messages[-1]["content"])
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return ChatReply(reply)

    def _confirm(self, question, default):
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else default

    def run(self):
        return self.interview.run()


def test_a_finished_entry_becomes_a_document(tmp_path):
    talk = Talk(tmp_path / "knowledge", ["話です"], [turn("できました", "finalize", ENTRY)])
    assert talk.run() == [tmp_path / "knowledge" / "再委託の制限.md"]
    text = talk.interview.written[0].read_text(encoding="utf-8")
    assert text == entry_markdown(ENTRY)
    assert "できました" in talk.said


def test_a_document_has_front_matter_a_title_and_a_heading_for_every_field_that_says_something():
    text = entry_markdown(ENTRY)
    front = yaml.safe_load(text.split("---\n")[1])
    assert front == {"title": "再委託の制限", "tags": ["knowledge"]}
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# 再委託の制限", "## 契約種別", "## 対象条項", "## レビュー観点", "### 事前承諾", "## 条項例"
    ]  # fmt: skip


def test_an_english_entry_has_english_headings_and_unknown_fields_their_names():
    text = entry_markdown(
        {"knowledge_title": "Notice\nperiods", "action_plan": "Ask for it.", "own_field": "The rest of it."}
    )
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# Notice periods",
        "## Action plan",
        "## Own field",
    ]


@pytest.mark.parametrize(
    ("title", "name"),
    [("再委託の制限", "再委託の制限"), ("../../etc/passwd", "etc-passwd"), ("A / B: C?", "a-b-c"), ("", "entry"), ("…", "entry"),
     ("CON\0x", "con-x"), ("x" * 100, "x" * 60)],
)  # fmt: skip
def test_a_file_is_named_by_letters_of_its_title_only(title, name):
    assert file_name({"knowledge_title": title}) == name


def test_a_file_that_is_there_stays_unless_the_user_says_so(tmp_path):
    old = tmp_path / "再委託の制限.md"
    old.write_text("mine")
    talk = Talk(tmp_path, ["a"], [turn("m", "finalize", ENTRY)], [True, False])
    assert talk.run() == [tmp_path / "再委託の制限-2.md"]
    assert old.read_text() == "mine"
    assert "Replace it?" in talk.questions[1]


def test_a_third_file_of_the_name_takes_the_next_number(tmp_path):
    for name in ("再委託の制限.md", "再委託の制限-2.md"):
        (tmp_path / name).write_text("mine")
    assert Talk(tmp_path, ["a"], [turn("m", "finalize", ENTRY)], [True, False]).run() == [tmp_path / "再委託の制限-3.md"]


def test_a_file_is_replaced_when_the_user_says_so(tmp_path):
    old = tmp_path / "再委託の制限.md"
    old.write_text("mine")
    assert Talk(tmp_path, ["a"], [turn("m", "finalize", ENTRY)], [True, True]).run() == [old]
    assert old.read_text(encoding="utf-8") == entry_markdown(ENTRY)
    assert [path.name for path in tmp_path.iterdir()] == [old.name]


def test_a_draft_is_written_by_command_and_offered_at_the_end(tmp_path):
    by_command = Talk(tmp_path / "a", ["x", "/save", "/save"], [turn("m", "clarify", ENTRY)])
    assert len(by_command.run()) == 1
    assert "There is no entry to write yet." in by_command.said
    assert len(Talk(tmp_path / "b", ["x"], [turn("m", "clarify", ENTRY)], [True]).run()) == 1
    assert Talk(tmp_path / "c", ["x", "/quit", "never"], [turn("m", "clarify", ENTRY)], [False]).run() == []


def test_an_attached_file_goes_with_the_next_message_only(tmp_path):
    (tmp_path / "case.txt").write_text("the contract")
    talk = Talk(tmp_path, [f"/attach {tmp_path}/case.txt", "look", "again"], [turn("m"), turn("m")])
    talk.run()
    assert ["the contract" in text for text in talk.asked] == [True, False]


@pytest.mark.parametrize("name", ["", "/no/such/file", ".", "~$letter.docx", "~a\0b"])
def test_what_is_no_file_is_said_and_the_talk_goes_on(tmp_path, name):
    talk = Talk(tmp_path, [f"/attach {name}", "x"], [turn("m")])
    talk.run()
    assert any("There is no file" in line for line in talk.said)
    assert len(talk.asked) == 1


def test_a_tilde_that_names_no_user_is_part_of_the_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "~$letter.txt").write_text("the contract")
    talk = Talk(tmp_path, ["/attach ~$letter.txt", "look"], [turn("m")])
    talk.run()
    assert "the contract" in talk.asked[0]


def test_a_file_that_may_not_be_read_is_said(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("x")

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    talk = Talk(tmp_path, [f"/attach {tmp_path}/a.txt"], [])
    monkeypatch.setattr("pathlib.Path.open", refuse)
    talk.run()
    assert any("Permission denied" in line for line in talk.said)


def test_an_unknown_command_and_blank_lines_are_not_sent(tmp_path):
    talk = Talk(tmp_path, ["/what", "  "], [])
    talk.run()
    assert f"There is no command /what. {HELP}" in talk.said


def test_a_reply_that_cannot_be_used_is_shown_and_the_attachment_stays(tmp_path):
    (tmp_path / "case.txt").write_text("the contract")
    talk = Talk(tmp_path, [f"/attach {tmp_path}/case.txt", "a", "b"], ["x", "y", "", turn("m")])
    talk.run()
    assert any("empty_reply" in line for line in talk.said)
    assert "the contract" in talk.asked[-1]


def test_a_model_that_is_gone_ends_the_talk(tmp_path):
    with pytest.raises(ChatUnavailableError, match="gone"):
        Talk(tmp_path, ["a"], [ChatUnavailableError("gone")]).run()


def test_a_server_that_stumbles_ends_nothing(tmp_path):
    talk = Talk(tmp_path, ["a", "b"], [ChatError("HTTP 500"), turn("m")])
    assert talk.run() == []
    assert talk.said[1:] == ["HTTP 500", "Say it again; what you attached is still attached.", "m"]


@pytest.mark.parametrize("end", [ChatUnavailableError("gone"), KeyboardInterrupt()])
def test_a_draft_is_written_where_the_talk_breaks_off_and_replaces_nothing(tmp_path, end):
    (tmp_path / "再委託の制限.md").write_text("mine")
    with pytest.raises(type(end)):
        Talk(tmp_path, ["a", "b"], [turn("m", "clarify", ENTRY), end]).run()
    assert (tmp_path / "再委託の制限.md").read_text() == "mine"
    assert (tmp_path / "再委託の制限-2.md").read_text(encoding="utf-8") == entry_markdown(ENTRY)


def test_a_draft_is_shown_when_it_changes(tmp_path):
    replies = [
        turn("one", "clarify", ENTRY),
        turn("two", "clarify", ENTRY),
        turn("three", "clarify", {**ENTRY, "action_plan": "x"}),
    ]
    talk = Talk(tmp_path, ["a", "b", "c"], replies, [False])
    talk.run()
    assert [said == entry_markdown(ENTRY) for said in talk.said].count(True) == 1
    assert talk.said[-1] == entry_markdown({**ENTRY, "action_plan": "x"})


def test_the_model_is_shown_its_draft_again(tmp_path):
    talk = Talk(tmp_path, ["a", "shorter"], [turn("m", "clarify", ENTRY), turn("m")], [False])
    talk.run()
    assert ["再委託の制限" in text for text in talk.asked] == [False, True]


def test_an_entry_is_written_only_when_the_user_agrees(tmp_path):
    assert Talk(tmp_path, ["a"], [turn("m", "finalize", ENTRY)], [False, False]).run() == []


def test_a_folder_that_cannot_be_written_is_said_and_the_entry_kept(tmp_path):
    (tmp_path / "file").write_text("x")
    talk = Talk(tmp_path / "file", ["a"], [turn("m", "finalize", ENTRY)])
    with pytest.raises(SourceError, match="Choose another --out"):
        talk.run()
    assert any("cannot be written" in said for said in talk.said)


def test_headings_in_code_and_signs_that_begin_none_stay():
    text = "## A\n\n ```sh\n# comment\n```\n# B\n#tag\n~~~\n## c\n~~~~"
    made = entry_markdown({"knowledge_title": "t", "own": text})
    assert made.endswith("### A\n\n ```sh\n# comment\n```\n### B\n#tag\n~~~\n## c\n~~~~\n")
