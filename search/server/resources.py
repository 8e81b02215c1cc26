"""What agents' users can attach to a question by its address: the list of documents, and a document's Markdown.

Texts come from the index, not from files, and are within the largest token budget. Refuses addresses that name nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from schema.protocols import TokenCounter
from schema.text.characters import to_json
from search.answers.budget import Budget
from search.server import tool_answers
from search.server.arguments import MAX_TOKENS, ArgumentError

if TYPE_CHECKING:
    from search.answers.service import SearchService

DOCUMENTS = "sectionary://documents"
_DOCUMENT = "sectionary://document/"
#: An address in which {path} is the path of a document, with or without percent-encoding.
DOCUMENT_TEMPLATE = f"{_DOCUMENT}{{path}}"
MARKDOWN, JSON = "text/markdown", "application/json"


@dataclass(frozen=True, slots=True)
class ResourceText:
    """The text at an address, and its media type."""

    text: str
    media_type: str


def read_resource(answers: SearchService, uri: str, counter: TokenCounter) -> ResourceText:
    """The text at an address; where it is not all, its last line or its `advice` says how to read on.

    Raises:
        SectionaryError: there is nothing at this address.
    """
    budget = Budget(MAX_TOKENS, counter)
    if uri == DOCUMENTS:
        listed = tool_answers.list_documents(answers, {"prefix": "", "offset": 0}, budget)
        return ResourceText(to_json(listed), JSON)
    path = unquote(uri.removeprefix(_DOCUMENT)) if uri.startswith(_DOCUMENT) else ""
    if not path:
        raise ArgumentError(f"There is nothing at this address; there are {DOCUMENTS} and {DOCUMENT_TEMPLATE}.")
    found = tool_answers.get_section(answers, {"document_path": path, "offset": 0}, budget)
    text = "".join(section["content"] for section in found["sections"])
    if "next_offset" in found:
        text += f"\n\n(This is a part. get_section with this document_path and offset {found['next_offset']} reads on.)\n"
    return ResourceText(text, MARKDOWN)
