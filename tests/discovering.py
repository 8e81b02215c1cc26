"""A folder of files of many kinds, walked."""

from indexer.discover import discover


def found(root, *paths, **options):
    return [f.path for f in discover([root / p for p in paths] or [root], root=root, **options).files]


def reasons(root, **options):
    return {f.path: f.reason for f in discover([root], root=root, **options).failed}


def warned(root, **options):
    """The one warning of a walk that finds a.md whatever .gitignore files say."""
    seen = discover([root], root=root, **options)
    assert [f.path for f in seen.files] == ["a.md"]
    [warning] = seen.warnings
    assert warning.startswith(f"{root}/.gitignore is not respected: ")
    return warning
