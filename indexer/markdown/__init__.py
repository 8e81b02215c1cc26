"""Markdown → headings, front matter and plain text."""
