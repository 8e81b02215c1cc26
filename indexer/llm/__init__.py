"""Talks to a language model: prompts go out, replies are read into validated records; knows no table."""
