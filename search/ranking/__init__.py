"""A query → sections in order."""
