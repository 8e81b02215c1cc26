"""The files of an index beside its table: where they are, the files that were read, the statistics."""
