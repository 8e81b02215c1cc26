"""Everything that writes: Markdown files become sections, sections become vectors, both become rows."""
