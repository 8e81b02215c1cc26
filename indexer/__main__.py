"""`python -m indexer`: the same as the command."""

from indexer.cli import main

if __name__ == "__main__":
    main()
