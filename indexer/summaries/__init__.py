"""Summaries of sections and documents: where they come from, and how an index is given them."""
