"""Other systems over the same files, beside ours: `python -m benchmarks.peers`."""
