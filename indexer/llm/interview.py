"""An interview in a terminal → a new Markdown document for each entry; no file is replaced without asking.

A line that begins with `/` is a command: `/attach FILE` adds a file's text to the next message, `/save` writes the entry as
it is, `/quit` ends. The caller gives the functions for input and output.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from indexer.llm.attachments import MAX_BYTES, attachment_text
from indexer.llm.documents import below_heading, front_matter, replace_document, safe_name, safe_title, write_new
from indexer.llm.turns import PromptFlow, TurnOutcome
from schema.errors import AttachmentError, ChatUnavailableError, SourceError
from schema.text.language import language

_LABELS = {
    "contract_type": {"en": "Contract type", "ja": "契約種別", "ko": "계약 유형"},
    "target_clause": {"en": "Clause", "ja": "対象条項", "ko": "대상 조항"},
    "review_points": {"en": "Review points", "ja": "レビュー観点", "ko": "검토 사항"},
    "action_plan": {"en": "Action plan", "ja": "対応方針", "ko": "대응 방안"},
    "clause_sample": {"en": "Sample clause", "ja": "条項例", "ko": "조항 예시"},
}
_TITLE = "knowledge_title"
HELP = "/attach FILE adds a file to your next message, /save writes the entry as it is, /quit ends."


@dataclass(slots=True)
class Interview:
    """A talk that writes its entries into the folder `out`.

    `read` returns the user's next line, or None at the end of input; `say` shows a line; `confirm` asks a yes-or-no
    question, and its second argument is the answer if nobody can be asked.
    """

    flow: PromptFlow
    out: Path
    read: Callable[[], str | None]
    say: Callable[[str], None]
    confirm: Callable[[str, bool], bool]
    written: list[Path] = field(default_factory=list)
    _attached: list[str] = field(default_factory=list)
    _entry: Mapping[str, str] | None = None

    def run(self) -> list[Path]:
        """Talk until the user ends it, and return the files that were written. A draft is also written after an error.

        Raises:
            ChatUnavailableError: the model cannot be asked at all.
            SourceError: the folder cannot be written.
        """
        self.say(f"Tell what happened, in your own words. {HELP}")
        try:
            self._talk()
        except BaseException:
            if self._entry is not None:
                self._save(may_replace=False)
            raise
        if self._entry is not None and self.confirm("The last draft is not written yet. Write it?", True):
            self._save()
            if self._entry is not None:
                raise SourceError(
                    f"{self.out} cannot be written; the draft stands above. Choose another --out.", path=self.out
                )
        return self.written

    def _talk(self) -> None:
        for line in self._lines():
            command, _, rest = line.partition(" ")
            if command == "/quit":
                break
            if command == "/attach":
                self._attach(rest.strip())
            elif command == "/save":
                self._save_or_say_why()
            elif command.startswith("/"):
                self.say(f"There is no command {command}. {HELP}")
            else:
                self._send(line)

    def _lines(self) -> Iterator[str]:
        while (line := self.read()) is not None:
            if line.strip():
                yield line.strip()

    def _send(self, line: str) -> None:
        outcome = self.flow.send(line, self._attached)
        if not outcome.ok:
            self._say_failure(outcome)
            return
        self._attached = []
        self.say(outcome.assistant_message)
        if outcome.knowledge and outcome.knowledge[0] != self._entry:
            self._entry = outcome.knowledge[0]
            self.say(entry_markdown(self._entry))
        # the model proposes to finish, and the user decides
        if outcome.mode == "finalize" and self._entry is not None and self.confirm("Write this entry?", True):
            self._save()

    def _say_failure(self, outcome: TurnOutcome) -> None:
        if outcome.error_kind == "unavailable":
            raise ChatUnavailableError(outcome.error)
        if outcome.error_kind == "transport":
            self.say(outcome.error)
        else:
            self.say(f"The model's reply could not be used ({outcome.error_kind}: {outcome.error}). It was:")
            self.say(outcome.raw or "(nothing)")
        self.say("Say it again; what you attached is still attached.")

    def _attach(self, name: str) -> None:
        try:
            path = Path(name)
            with contextlib.suppress(RuntimeError, ValueError):  # no user has this name: a file may, as ~$letter.docx
                path = path.expanduser()
            if not path.is_file():
                raise AttachmentError(f"There is no file {name!r}; give the path of one after /attach.")
            with path.open("rb") as file:
                text = attachment_text(path.name, file.read(MAX_BYTES + 1))
        except AttachmentError as error:
            self.say(str(error))
        except OSError as error:
            self.say(f"{name} cannot be read: {error.strerror or error}.")
        else:
            self._attached.append(text)
            self.say(f"{path.name} goes with your next message ({len(text):,} characters).")

    def _save_or_say_why(self) -> None:
        if self._entry is None:
            self.say("There is no entry to write yet.")
        else:
            self._save()

    def _save(self, *, may_replace: bool = True) -> None:
        """Write the entry; if that fails, keep it as the draft."""
        assert self._entry is not None
        name = file_name(self._entry)
        path = self.out / f"{name}.md"
        text = entry_markdown(self._entry)
        try:
            if may_replace and os.path.lexists(path) and self.confirm(f"{path} exists already. Replace it?", False):
                replace_document(path, text)
            else:
                path = write_new(self.out, name, text)
        except OSError as error:
            self.say(f"{path} cannot be written: {error.strerror or error}.")
            return
        self.written.append(path)
        self._entry = None
        self.say(f"Written to {path}.")


def entry_markdown(entry: Mapping[str, str]) -> str:
    """Return an entry as a Markdown document: its title as H1, and each field that is not blank under its heading."""
    code = language(" ".join(entry.values()))
    title = safe_title(entry.get(_TITLE, ""))
    parts = [front_matter({"title": title, "tags": ["knowledge"]}).rstrip("\n"), f"# {title}"]
    for name, text in entry.items():
        if name != _TITLE and text.strip():
            label = _LABELS.get(name, {}).get(code) or _LABELS.get(name, {}).get("en") or name.replace("_", " ").capitalize()
            parts.append(f"## {label}\n\n{below_heading(text.strip(), 2)}")
    return "\n\n".join(parts) + "\n"


def file_name(entry: Mapping[str, str]) -> str:
    """Return a file's name for an entry without its ending: letters and digits of its title, joined by hyphens."""
    return safe_name(entry.get(_TITLE, ""))
