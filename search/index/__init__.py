"""One version of an index as a query reads it: words, vectors, documents."""
