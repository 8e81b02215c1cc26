"""The rules of languages: characters, words, sentences, terms."""
