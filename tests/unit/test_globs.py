"""Lines in .gitignore syntax: what they match, compared with git itself, and that no line takes long."""

import os
import re
import shutil
import subprocess
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.discover import discover
from schema.formats.globs import Globs, TooManyWildcardsError

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.mark.parametrize(
    ("line", "matched", "others"),
    [
        ("a", ["a", "x/a"], ["b", "a/b", "ab"]),
        ("/a", ["a"], ["x/a"]),
        ("a/b", ["a/b"], ["x/a/b", "b"]),
        ("a  ", ["a"], ["a  "]),
        ("a\\ ", ["a "], ["a"]),
        ("a\\\\ ", ["a\\"], ["a\\ "]),
        ("\\#a", ["#a"], ["a"]),
        ("\\!a", ["!a"], ["a"]),
        ("*.md", ["a.md", ".md", "x/a.md", "a\nb.md"], ["a.mdx", "a.md/b"]),
        ("a*", ["a", "ab"], ["ba"]),
        ("a*b*c", ["abc", "axbxc", "abcbc"], ["acb", "abcx"]),
        ("*ab", ["ab", "aab"], ["b", "aba"]),
        ("a*?", ["ab", "abc"], ["a"]),
        ("*?b", ["ab", "aab"], ["b"]),
        ("**", ["a", "x/a"], []),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("/*", ["a"], ["x/a"]),
        ("x/*", ["x/a"], ["x", "x/y/a"]),
        ("**/a", ["a", "x/a", "x/y/a"], ["a/b"]),
        ("**/a/b", ["a/b", "x/a/b"], ["b", "a/x/b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "x/a/b"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/x"]),
        ("a/**/**/b/*/c", ["a/b/x/c", "a/b/b/x/c"], ["a/b/c"]),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/c"], ["a/c", "b/c"]),
        ("/**", ["a", "x/a"], []),
        ("?", ["a", "あ"], ["", "ab"]),
        ("x/?", ["x/a"], ["x/", "x//"]),
        ("[ab]", ["a", "b"], ["c", "ab"]),
        ("[!ab]", ["c"], ["a", "cc"]),
        ("[^ab]", ["c"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[a-c]", ["b"], ["d", "-"]),
        ("[c-a]", ["c"], ["a", "b"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[a-\\]]", ["a"], ["\\", "]"]),
        ("[\\]]", ["]"], ["\\"]),
        ("x[.-0]y", ["x0y", "x.y"], ["x/y"]),
        ("x[a/b]y", ["xay"], ["x/y"]),
        ("x\\/y", ["x/y"], ["x\\/y"]),
        ("[[:digit:]x-]", ["7", "x", "-"], ["a", ":"]),
        ("[[:punct:]]", ["!", "~"], ["a"]),
        ("[[:x]", ["[", ":", "x"], ["a"]),
        ("[[:]", ["[", ":"], ["a"]),
        ("[あ-ん]", ["い"], ["a"]),
        *((line, [], ["a", "b", "[", "\\", "#"]) for line in ("", "  ", "#", "/", "!", "!/", "//a", "a//", "a\\")),
        *(
            (line, [], ["a", "b", "[", line])
            for line in ("[", "[a", "[!", "[a-", "[a\\", "[[:no:]]", "[[:alpha:", "*[", "\\")
        ),
    ],
)
def test_line_matches_what_git_says(line, matched, others):
    globs = Globs([line])
    assert [path for path in [*matched, *others] if globs.decides(path)] == matched


def test_line_for_folders_matches_no_file():
    globs = Globs(["a/", "x/*/"])
    assert [globs.decides("a", is_folder=kind) for kind in (False, True)] == [None, True]
    assert [globs.decides("x/b", is_folder=kind) for kind in (False, True)] == [None, True]


@pytest.mark.parametrize("line", ["b/*", "/b/*", "b/*/", "b/**", "*/*"])
def test_star_behind_a_slash_is_not_the_folder_before_it(line):
    globs = Globs([line])
    assert globs.decides("b", is_folder=True) is None
    assert globs.decides("b/a", is_folder=True) is True


def test_last_line_decides():
    globs = Globs(["*.md", "!a.md", "x/?.md", "!x/b.md", "*c.md"])
    said = {path: globs.decides(path) for path in ("a.md", "b.md", "x/a.md", "x/b.md", "x/c.md", "a.txt")}
    assert said == {"a.md": False, "b.md": True, "x/a.md": True, "x/b.md": False, "x/c.md": True, "a.txt": None}


def test_what_is_said_of_a_folder_counts_below_it():
    globs = Globs(["docs/*", "!docs/api/", "*.txt"])
    said = [globs.decides_below(path) for path in ("docs/a/b.md", "docs/api/b.md", "docs/api/b.txt", "docs", "x")]
    assert said == [True, False, True, None, None]


def test_only_lines_that_can_match_are_counted():
    assert (len(Globs(["a", "*", "#a", "", "[a"])), len(Globs([]))) == (2, 0)


def test_too_many_wildcards_are_refused():
    assert Globs(["*aaa"] * 10, most=40).wildcards == 40
    with pytest.raises(TooManyWildcardsError):
        Globs(["*aaa"] * 11, most=40)
    assert len(Globs(["a" * 100], most=0)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "*a*a*a*a*a*a*a*b",
        "*a" * 10_000 + "b",
        "?*" * 10_000 + "b",
        "*" + "a" * 127 + "b",
        "**/a/" * 5_000 + "b",
        "**/*/" * 5_000 + "b",
        "[!b]*" * 5_000 + "b",
        "x/" + "*[ab]" * 20 + "[cd]",
    ],
    ids=lambda line: line[:12],
)
@pytest.mark.parametrize(
    "path", ["a" * 63, "a" * 255, "x/" + "ab" * 100 + "a", "a/" * 2000 + "a"], ids=lambda path: f"{len(path)}"
)
def test_no_line_takes_long_for_any_path(line, path):
    globs = Globs([line])
    started = time.process_time()
    assert globs.decides(path) is None
    assert time.process_time() - started < 1


# -- git itself --------------------------------------------------------------------------------------------------------


class Repository:
    """An empty repository whose ignore rules are asked for."""

    def __init__(self, place):
        self.place = place
        self.settings = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", "init", "-q", "--template=", place], check=True, env=self.settings)

    def ignored(self, paths):
        """Those of the paths that git leaves out."""
        asked = [
            "git",
            "-c",
            f"core.excludesFile={os.devnull}",
            "-C",
            self.place,
            "check-ignore",
            "--no-index",
            "-z",
            "--stdin",
        ]
        done = subprocess.run(
            asked,
            check=False,
            input=b"\0".join(b"./" + os.fsencode(p) for p in paths),
            capture_output=True,
            env=self.settings,
        )
        assert done.returncode in {0, 1}, done.stderr
        return sorted(os.fsdecode(path).removeprefix("./") for path in done.stdout.split(b"\0")[:-1])


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def is_documented(line):
    """`a**/b` is like `a*/b`, as git's manual says; git itself takes it for one or the other."""
    return "/" not in line or re.search(r"[^/!]\*\*|\*\*[^/]", line) is None


PIECES = [
    *("a", "b", "ab", "A", "1", ".", "-", "!", "#", " ", "\\ ", "\\", "\\a", "\\*", "\t", "é"),
    *(
        "*",
        "*",
        "?",
        "**",
        "**/",
        "/**",
        "/**/",
        "/",
        "/",
        "*.a",
        "[",
        "]",
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[c-a]",
        "[a-]",
    ),
    *("[--0]", "[]a]", "[\\]]", "[a/b]", "[[:a]", "[[:alpha:]]", "[![:upper:][:digit:]]", "[[:punct:]]", "[[:nope:]]"),
]
LINES = st.lists(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).filter(is_documented), min_size=1, max_size=4
)
NAMES = st.lists(st.sampled_from(list("abcA1-][*. !#\\\t:\n")), min_size=1, max_size=3).map("".join)
PATHS = st.lists(
    st.lists(NAMES.filter(lambda name: name not in {".", ".."}), min_size=1, max_size=4).map("/".join),
    min_size=1,
    max_size=12,
    unique=True,
)


@pytest.mark.process
@needs_git
@given(lines=LINES, paths=PATHS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_git_decides_the_same_for_every_path(repository, lines, paths):
    (repository.place / ".gitignore").write_text("\n".join(lines), encoding="utf-8", newline="")
    globs = Globs(lines)

    def is_ignored(path):
        ends = [match.start() for match in re.finditer("/", path)]
        return any(globs.decides(path[:end], is_folder=True) for end in ends) or bool(globs.decides(path))

    assert sorted(filter(is_ignored, paths)) == repository.ignored(paths)


TREES = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "ab", "a.b"]), min_size=1, max_size=4).map("/".join),
    st.lists(
        st.builds(
            "{}{}{}".format,
            st.sampled_from(["", "", "!"]),
            st.lists(st.sampled_from(["a", "b", "*", "?", "/", "**/", "[ab]", "."]), min_size=1, max_size=4).map("".join),
            st.sampled_from(["", "", "/", " ", "\r"]),
        ).filter(is_documented),
        max_size=3,
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.process
@needs_git
@given(tree=TREES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_git_leaves_the_same_files_of_a_tree(repository, tree):
    for entry in repository.place.glob("[!.]*"):
        shutil.rmtree(entry)
    (repository.place / ".gitignore").unlink(missing_ok=True)
    for folder, lines in tree.items():
        (repository.place / folder).mkdir(parents=True, exist_ok=True)
        (repository.place / folder / "b.a").write_text("x")
        (repository.place / folder / "c").write_text("x")
        (repository.place / folder / ".gitignore").write_text("\n".join(lines), newline="")
    files = sorted(f"{folder}/{name}" for folder in tree for name in ("b.a", "c"))
    found = [file.path for file in discover([repository.place], root=repository.place, include=("**",)).files]
    ignored = set(repository.ignored(files))
    assert found == [path for path in files if path not in ignored]
