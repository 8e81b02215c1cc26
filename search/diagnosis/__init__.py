"""An installation and an index → what is in order, what is not, and what to do about it. Nothing is written."""
