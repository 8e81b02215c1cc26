"""Markdown as sites and note takers write it → what of it is markup, which no reader should find or see."""
