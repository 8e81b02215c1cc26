"""Addresses of indexes in object stores, and the local folders that stand for them."""

import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from schema.errors import SHOWN_AS, ArgumentError, IndexNotFoundError, LibraryMissingError, SettingsError
from schema.remote.address import parse_address
from schema.remote.folders import (
    folder_of,
    index_place,
    note_project,
    point_to,
    project_of,
    remote_of,
    store_address,
    write_whole,
)  # fmt: skip
from schema.remote.objects import objects_of


@pytest.fixture
def caches(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("s3://bucket/team/docs", "s3://bucket/team/docs"),
        ("S3://bucket/team//docs/", "s3://bucket/team/docs"),
        ("gs://my-bucket", "gs://my-bucket"),
        ("az://container/a b/c=d", "az://container/a b/c=d"),
        ("s3:/bucket/team", "s3://bucket/team"),  # what a path makes of it
    ],
)
def test_address_is_read(text, uri):
    assert parse_address(text).uri == uri
    assert parse_address(str(Path(text))).uri == uri


@pytest.mark.parametrize(
    "text", [".sectionary", "/srv/index", "C:/index", "C:\\index", "notes:/x", "s3", "s3:", "./s3:/x", ""]
)
def test_path_is_no_address(text):
    assert parse_address(text) is None
    assert index_place(text or ".") == Path(text or ".")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("http://example.org/x", "s3://, gs://, az://"), ("https:/example.org/x", "s3://, gs://, az://"), ("file:///etc", "object store"),
        ("memory://bucket/x", "object store"), ("abfs://bucket/x", "object store"), ("what://bucket/x", "object store"),
        ("s3://b", "name a bucket"), ("s3://user@bucket/x", "name a bucket"), ("s3://bucket?x=1", "name a bucket"),
        ("s3://bucket/a/../b", "prefix"), ("s3://bucket/a?b", "prefix"), ("s3://bucket/a%2e", "prefix"), ("s3://bucket/日本", "prefix"),
        ("s3://bucket/a\nb", "prefix"), ("s3://bucket/" + "x" * 501, "prefix"), ("s3://bucket/a#b", "prefix"),
    ],
)  # fmt: skip
def test_address_that_cannot_hold_an_index_is_refused(text, reason):
    with pytest.raises(ArgumentError, match=reason) as caught:
        parse_address(text)
    assert "\n" not in str(caught.value)


def test_address_has_one_folder_in_the_users_cache_which_only_the_user_can_read(caches):
    folder = folder_of("s3://bucket/team/docs/")
    assert folder == folder_of(Path("s3://bucket/team/docs"))
    assert folder.parent == caches / "indexes"
    assert remote_of(folder).address.uri == "s3://bucket/team/docs"
    assert folder != folder_of("s3://bucket/team/doc")
    assert os.name == "nt" or folder.stat().st_mode & 0o077 == 0


def test_folder_that_came_with_a_project_leads_nowhere(caches, tmp_path):
    clone = tmp_path / "clone" / ".sectionary"
    (clone / "store").mkdir(parents=True)
    (clone / "remote.json").write_text(json.dumps({"address": "s3://somebody/else"}))
    (clone / "store" / "remote").write_text("a" * 32)
    assert remote_of(clone) is None
    assert store_address(clone / "store") is None
    (caches / "indexes").mkdir(parents=True)
    moved = caches / "indexes" / ("0" * 32)
    clone.rename(moved)
    assert remote_of(moved) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"address": 7}', '{"address": "docs"}', "[" * 5000, '{"address": "ftp://x/y"}']
)
def test_mark_that_makes_no_sense_is_none(caches, tmp_path, text):
    (tmp_path / "remote.json").write_text(text)
    assert remote_of(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", "[" * 5000, '{"address": "s3://another/one"}'])
def test_damaged_mark_of_an_address_that_is_given_is_written_again(caches, text):
    folder = folder_of("s3://bucket/again")
    (folder / "remote.json").write_text(text)
    assert remote_of(folder).address.uri == "s3://bucket/again"
    SHOWN_AS.pop(str(folder))  # as in another process
    (folder / "remote.json").write_text(text)
    assert remote_of(folder_of("s3://bucket/again")).address.uri == "s3://bucket/again"
    assert json.loads((folder / "remote.json").read_text()) == {"address": "s3://bucket/again"}


def test_cache_that_is_removed_while_a_process_runs_is_made_again(caches):
    folder = folder_of("s3://bucket/gone")
    shutil.rmtree(caches)
    assert remote_of(folder).address.uri == "s3://bucket/gone"
    assert os.listdir(folder) == ["remote.json"]


def test_file_that_many_write_at_once_is_always_one_of_theirs(tmp_path):
    texts = [letter * 1000 for letter in "abcdefgh"]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: [write_whole(tmp_path / "x", text) for _ in range(20)], texts))
    assert (tmp_path / "x").read_text() in texts
    assert os.listdir(tmp_path) == ["x"]


def test_cache_folder_is_the_one_of_the_settings_as_for_models(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path))
    monkeypatch.delenv("SECTIONARY_CACHE_DIR")
    (tmp_path / "settings.toml").write_text(f"cache_dir = {json.dumps(str(tmp_path / 'file'))}")
    assert folder_of("s3://bucket/x").parent == tmp_path / "file" / "indexes"
    monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(tmp_path / "variable"))
    assert folder_of("s3://bucket/x").parent == tmp_path / "variable" / "indexes"
    assert index_place("s3://bucket/x", cache_dir=str(tmp_path / "given")).parent == tmp_path / "given" / "indexes"


def test_without_a_home_a_cache_folder_must_be_named(monkeypatch):
    monkeypatch.delenv("SECTIONARY_CACHE_DIR")
    monkeypatch.setattr("schema.cache_folder.user_cache", lambda: None)
    with pytest.raises(SettingsError, match="no home; name one with SECTIONARY_CACHE_DIR"):
        folder_of("s3://bucket/x")


def test_store_folder_points_to_one_of_the_object_store(caches):
    folder = folder_of("gs://bucket/x")
    (folder / "store").mkdir()
    assert store_address(folder / "store") is None
    point_to(folder / "store", "0123456789abcdef" * 2)
    assert store_address(folder / "store") == "gs://bucket/x/stores/0123456789abcdef0123456789abcdef"
    point_to(folder / "store", "../../other")
    assert store_address(folder / "store") is None


def test_project_is_the_working_folder_until_a_run_wrote_the_index_from_here(caches, tmp_path, monkeypatch):
    folder = folder_of("s3://bucket/x")
    monkeypatch.chdir(tmp_path)
    assert project_of(folder) == tmp_path
    assert remote_of(folder).project is None
    assert note_project(folder, tmp_path / "manual")
    assert project_of(folder) == tmp_path / "manual"
    assert not note_project(tmp_path, tmp_path)
    assert project_of(tmp_path / "manual" / ".sectionary") == tmp_path / "manual"


def test_library_that_is_not_installed_is_told_with_its_extra(caches, monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore.exceptions", None)
    with pytest.raises(LibraryMissingError, match=r"pip install 'sectionary\[remote\]'"):
        objects_of(remote_of(folder_of("s3://bucket/z")))


def test_errors_name_the_address(caches):
    folder = folder_of("s3://bucket/y")
    assert SHOWN_AS[str(folder)] == "s3://bucket/y"
    assert str(IndexNotFoundError(f"no index in {folder}!", index_dir=folder)) == "no index in s3://bucket/y!"


def test_refused_address_is_shown_with_both_slashes():
    with pytest.raises(ArgumentError, match="An index cannot be at 's3://no/such'; name a bucket, as in s3://bucket/prefix"):
        parse_address("s3:/no/such")
