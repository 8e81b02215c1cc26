"""Embedding models: texts → vectors. What `search` borrows, since queries need the same vectors."""
