"""Answers of every kind in their JSON form, for tests of token budgets."""

from indexer.tokens import TokenCounter
from search.answers.budget import Budget

COUNTER = TokenCounter()
LINE = "All work and no play makes Jack a dull boy.\n"


def within(tokens):
    return Budget(tokens, COUNTER)


def link(number=1, summary=None):
    return {
        "id": f"{number:024x}", "heading": f"Heading {number}", "depth": 2, "anchor": f"heading-{number}", "start_line": number,
        "end_line": number + 3, "token_count": 20, "summary": summary,
    }  # fmt: skip


def hit(number=1, content="## Heading\n\nText.\n", children=0, **changed):
    return {
        "id": f"{number:024x}", "document_path": f"docs/{number}.md", "document_title": "Title", "heading": "Heading",
        "heading_path": ["Title", "Heading"], "trail": ["Title", "Heading"], "depth": 2, "anchor": "heading", "content": content, "body_start": 12,
        "token_count": COUNTER.count(content), "start_line": 1, "end_line": 9, "section_number": [1, 2], "hidden": [], "place": "", "tags": [],
        "relevance": 0.5, "snippet": None, "properties": {}, "similar": [], "score": 0.5,
        "scores": {"dense": 0.5}, "parts": {"dense": 0.5}, "window": {"start": 0, "end": len(content)}, "passage": None,
        "matches": [[3, 10]], "is_dirty": False, "is_pending": False, "stale": False, "gone": False, "url": "", "summary": None, "document_summary": None,
        "context": {"ancestors": [link(7)], "previous": link(8), "next": None, "children": [link(n) for n in range(children)]},
        **changed,
    }  # fmt: skip


def found(*hits, query="a question", **changed):
    return {
        "schema_version": 1, "query": query, "mode": "hybrid", "took_ms": 1.5, "answered": True, "min_relevance": 0.3,
        "results": list(hits), **changed,
    }  # fmt: skip


def section(**changed):
    return {"schema_version": 1, **hit(**changed)}


def outlined(size, path="docs/a.md"):
    return {"schema_version": 1, "document_path": path, "sections": [link(n) for n in range(size)]}


def documented(*paths):
    entries = [{"path": path, "title": path.upper(), "section_count": 3, "token_count": 99, "tags": []} for path in paths]
    return {"schema_version": 1, "documents": entries}


def state(**changed):
    return {
        "schema_version": 1, "name": "project", "documents": 2, "sections": 9, "dirty": 0, "summaries": 0, "stale": [], "orphans": [], "roots": [],
        "failed": [], "paths": ["docs"], "last_run": None, "is_being_written": False, "model": "m", "dimension": 32, **changed,
    }  # fmt: skip


def packer(sections):
    """Packs whole sections of known sizes as far as they fit, as `SearchService.context` does."""
    asked = []

    def ask(tokens):
        asked.append(tokens)
        pieces, text, left_out = [], "", []
        for number, content in enumerate(sections):
            citation = f"docs/a.md#s{number}:L{number}-L{number}"
            longer = f"{text}\n\n[{citation}]\n{content}".strip()
            if COUNTER.count(longer) <= tokens:
                text = longer
                pieces.append({"section_id": f"{number:024x}", "citation": citation, "text": content, "start_line": number,
                               "end_line": number, "is_whole": True, "token_count": COUNTER.count(content), "language": "en",
                               "place": "", "stale": False})  # fmt: skip
            else:
                left_out.append(citation)
        return {"schema_version": 1, "query": "q", "answered": True, "max_tokens": tokens, "token_count": COUNTER.count(text), "text": text,
                "pieces": pieces, "left_out": left_out}  # fmt: skip

    ask.asked = asked
    return ask
