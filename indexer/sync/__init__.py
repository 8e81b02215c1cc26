"""Files → rows of the table: what changed, its vectors, and the commits."""
