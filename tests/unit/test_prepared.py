"""Arrays kept in one file: what comes back, and which files are not used."""

import os
import threading
import time

import numpy as np
import pytest

from indexer.models.multilingual.prepared import PreparedArrays

LAYOUT = {"words": ("|S3", (2,)), "table": ("<f4", (2, 3)), "tiny": ("<f8", ())}
ARRAYS = {
    "words": np.array([b"a", b"abc"]),
    "table": np.arange(6, dtype=np.float32).reshape(2, 3),
    "tiny": np.array(1e-12),
}


@pytest.fixture
def kept(tmp_path):
    found = PreparedArrays(tmp_path / "models" / "it.bin", LAYOUT, "it, version 1")
    found.save(ARRAYS)
    return found


@pytest.fixture
def file(tmp_path, kept):
    return tmp_path / "models" / "it.bin"


def test_arrays_come_back_as_they_were_kept(kept):
    found = kept.load()
    assert list(found) == list(LAYOUT)
    assert {name: (array.dtype.str, array.shape) for name, array in found.items()} == LAYOUT
    assert all(np.array_equal(found[name], ARRAYS[name]) for name in LAYOUT)


def test_arrays_that_were_kept_cannot_be_written_to(kept):
    assert not any(array.flags.writeable for array in kept.load().values())


def test_nothing_comes_back_where_nothing_was_kept(tmp_path):
    assert PreparedArrays(tmp_path / "it.bin", LAYOUT, "it").load() is None


def test_arrays_made_of_something_else_are_not_used(kept, file):
    assert PreparedArrays(file, LAYOUT, "it, version 2").load() is None


def test_arrays_of_another_layout_and_the_same_size_are_not_used(kept, file):
    other = LAYOUT | {"table": ("<i4", (2, 3))}
    assert PreparedArrays(file, other, "it, version 1").load() is None


def test_file_with_any_changed_byte_is_not_used(kept, file):
    sound = file.read_bytes()
    for place in range(len(sound)):
        file.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
        assert kept.load() is None, place


@pytest.mark.parametrize(
    "change", [lambda data: b"", lambda data: data[:-1], lambda data: data + b"\0", lambda data: data[:64]]
)
def test_file_of_another_length_is_not_used(kept, file, change):
    file.write_bytes(change(file.read_bytes()))
    assert kept.load() is None


def test_folder_or_pipe_in_place_of_the_file_is_not_used(kept, file):
    file.unlink()
    file.mkdir()
    assert kept.load() is None
    file.rmdir()
    os.mkfifo(file)
    assert kept.load() is None


def test_new_file_takes_the_place_of_an_old_one_that_is_still_read(kept, file):
    old = kept.load()
    other = PreparedArrays(file, LAYOUT, "it, version 2")
    other.save(ARRAYS | {"table": ARRAYS["table"] + 1})
    assert old["table"].tolist() == ARRAYS["table"].tolist()
    assert other.load()["table"].tolist() == (ARRAYS["table"] + 1).tolist()


def test_writers_at_the_same_time_leave_one_sound_file(kept, file):
    threads = [threading.Thread(target=kept.save, args=(ARRAYS,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(kept.load()["table"], ARRAYS["table"])
    assert list(file.parent.iterdir()) == [file]


def test_writing_that_fails_leaves_the_old_file_alone(kept, file):
    with pytest.raises(KeyError):
        kept.save({"words": ARRAYS["words"]})
    assert list(file.parent.iterdir()) == [file]
    assert kept.load() is not None


def test_folder_that_cannot_be_made_is_an_error_of_the_system(tmp_path):
    (tmp_path / "models").write_text("a file")
    with pytest.raises(OSError, match="models"):
        PreparedArrays(tmp_path / "models" / "it.bin", LAYOUT, "it").save(ARRAYS)


def test_what_a_dead_writer_left_behind_is_removed_after_an_hour(kept, file):
    for name, age in (("it.bin.old", 7200), ("it.bin.new", 60), ("other.bin.old", 7200)):
        (file.parent / name).write_bytes(b"x")
        os.utime(file.parent / name, (time.time() - age,) * 2)
    kept.save(ARRAYS)
    assert {place.name for place in file.parent.iterdir()} == {"it.bin", "it.bin.new", "other.bin.old"}
