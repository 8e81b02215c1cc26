"""Ranked sections → results with passages, snippets, neighbours and a context pack."""
