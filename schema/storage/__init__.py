"""The table of sections in LanceDB: rows, indexes, commits and upkeep."""
