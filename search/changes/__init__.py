"""What changed in an index, since a moment, since its last run or since a commit."""
