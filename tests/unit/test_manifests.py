"""What the manifests of a table on the disk tell, whatever their bytes are."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from schema.formats.protobuf import read_fields
from schema.index_files import lance_manifests
from schema.index_files.lance_manifests import Manifests, read_manifests

STORE = "0123456789abcdef" * 2


def manifest(*fields):
    message = b"".join(fields)
    return struct.pack("<I", len(message)) + message + struct.pack("<QHH", 0, 2, 0) + b"LANC"


def text(number, data):
    return (
        bytes([(number << 3 & 127) | 2 | (128 if number > 15 else 0)])
        + (b"\x01" if number > 15 else b"")
        + bytes([len(data)])
        + data
    )


def told(folder, *files):
    versions = folder / "_versions"
    versions.mkdir(exist_ok=True)
    for number, data in enumerate(files):
        (versions / f"{number}.manifest").write_bytes(data)
    return read_manifests(folder)


def test_the_ids_of_all_versions_are_told(tmp_path):
    one = manifest(text(5, f'{{"store_id": "{STORE}"}}'.encode()), b"\x18\x05")
    assert told(tmp_path, one, one) == Manifests(frozenset({STORE}))


def test_a_manifest_that_names_other_folders_is_told(tmp_path):
    assert told(tmp_path, manifest(b"\x18\x05"), manifest(text(18, b"s3://x"))).leads_out == "1.manifest"


def test_a_manifest_is_parsed_once_and_again_when_its_bytes_are_others(tmp_path, monkeypatch):
    parsed = []
    monkeypatch.setattr(lance_manifests, "read_fields", lambda message: parsed.append(message) or read_fields(message))
    harmless, leading = manifest(b"\x18\x07"), manifest(text(18, b"s3://y"))
    found = [told(tmp_path, data).leads_out for data in (harmless, harmless, leading, harmless)]
    assert (found, len(parsed)) == (["", "", "0.manifest", ""], 2)


def test_a_manifest_that_is_cut_off_is_told(tmp_path):
    assert told(tmp_path, manifest(b"\x18\x05")[3:]).unreadable == "0.manifest"
    assert told(tmp_path, b"").unreadable == "0.manifest"
    assert told(tmp_path, manifest(b"\x12\x7fab")).unreadable == "0.manifest"
    assert told(tmp_path, manifest(b"\xff" * 12)).unreadable == "0.manifest"
    assert told(tmp_path, manifest(b"\x0b")).unreadable == "0.manifest"
    assert told(tmp_path, manifest(b"\x09" + b"x" * 8, b"\x0d" + b"x" * 4)).unreadable == ""


def test_a_table_that_is_not_there_tells_nothing(tmp_path):
    assert read_manifests(tmp_path / "none") == Manifests()


@given(st.binary(max_size=200))
def test_no_bytes_end_in_an_error(tmp_path_factory, data):
    told(tmp_path_factory.mktemp("m"), data, manifest(data))
