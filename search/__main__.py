"""`python -m search`: the same as the command."""

from search.cli import main

if __name__ == "__main__":
    main()
