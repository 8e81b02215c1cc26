"""`search --files`: documents are listed, so its limit and its offset count them."""

import pytest

from schema.requests import parameters
from search.answers.client import SearchClient
from tests.served import FakeEmbedder, served

MORE = "search: There are more documents; give a larger --limit.\n"


def many_documents(project):
    for number in range(9):
        parts = "".join(f"## Part {part}\n\nA walrus of the part {part}.\n\n" for part in range(30))
        project.write(f"docs/page{number}.md", f"---\ntags: [sea]\n---\n# Page {number}\n\n{parts}")
    project.index()


@pytest.fixture
def run(project, copied, command_in, monkeypatch, tmp_path):
    monkeypatch.setenv("SECTIONARY_STATE_DIR", str(tmp_path / "state"))
    return command_in(copied(many_documents, project))


def listed(run, *args):
    return run("--files", *args)[1].splitlines()


def test_limit_counts_documents_however_many_sections_each_has(run):
    assert len(set(listed(run, "-n", "7", "tag:sea"))) == 7
    assert sorted(listed(run, "-n", "1000", "since:1d")) == [f"docs/page{number}.md" for number in range(9)]


@pytest.fixture
def asked(monkeypatch):
    """The limits of the requests that are made."""
    limits, original = [], SearchClient.search

    def search(client, request):
        limits.append(request.limit)
        return original(client, request)

    monkeypatch.setattr(SearchClient, "search", search)
    return limits


def test_this_process_looks_at_twice_as_many_hits_each_time(run, asked):
    assert len(set(listed(run, "-n", "9", "tag:sea"))) == 9
    assert asked == [40, 80, 160]


@pytest.mark.process
def test_server_is_asked_for_no_more_hits_at_once_than_it_gives(project, command_in, asked):
    project.embedder = FakeEmbedder()
    many_documents(project)
    with served(project):
        assert len(set(listed(command_in(project), "-n", "9", "tag:sea"))) == 9
    assert asked == [40, 80, 100, 100]
    assert max(asked) == parameters("limit")[0].value_schema("http")["maximum"]


def test_offset_counts_documents(run):
    assert listed(run, "--offset", "7", "tag:sea") == listed(run, "-n", "9", "tag:sea")[7:]


def test_words_list_the_documents_of_the_best_sections(run):
    found = listed(run, "-n", "4", "walrus of the part 3")
    assert len(found) == len(set(found)) == 4


def test_more_documents_than_are_shown_are_told(run):
    assert run("--files", "-n", "8", "tag:sea")[2] == MORE
    assert run("--files", "-n", "9", "tag:sea")[2] == ""
    assert run("--files", "-q", "-n", "8", "tag:sea")[2] == ""


def test_a_ranking_has_always_more_and_does_not_tell_it(run):
    assert run("--files", "-n", "2", "walrus")[2] == ""


def test_number_of_a_listed_document_opens_it(run, project, monkeypatch):
    monkeypatch.setenv("VISUAL", "vim")
    third = listed(run, "tag:sea")[2]
    assert run("open", "--print", "3")[1].split()[-1] == f"{project.home}/{third}"
