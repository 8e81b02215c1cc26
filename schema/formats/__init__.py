"""Readers of small file formats: patterns of .gitignore, TOML, protocol buffers."""
