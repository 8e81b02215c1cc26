"""The file of links where it is lost, damaged, replaced or cannot be written."""

import sqlite3

import pytest

from schema.errors import IndexDamagedError
from schema.index_files.layout import links_path, store_dir
from tests.linked import rows, shown


@pytest.mark.parametrize("damage", ["deleted", "garbage", "another table", "nonsense"])
def test_a_lost_or_damaged_file_is_made_again_from_the_table(vault, damage):
    wanted = rows(vault)
    path = links_path(store_dir(vault.index_dir))
    if damage == "deleted":
        path.unlink()
    elif damage == "garbage":
        path.write_bytes(b"no database" * 1000)
    else:
        with sqlite3.connect(path) as file:
            if damage == "another table":
                file.execute("update facts set value = 'another' where name = 'store'")
                file.execute("update links set target = 'of another'")
            else:
                file.execute("update documents set names = '7'")
                file.execute("update facts set value = 0 where name = 'table_version'")
        file.close()
    if damage == "garbage":
        with pytest.raises(IndexDamagedError, match="links"):
            vault.engine().section_links("Home.md")
    if damage == "nonsense":
        vault.write("Lonely.md", "# Lonely\n\nStill no link.\n")
    vault.index(".")
    assert rows(vault) == wanted


def test_links_that_cannot_be_read_are_told_and_not_taken_for_none(vault):
    path = links_path(store_dir(vault.index_dir))
    path.write_bytes(b"\x13" * path.stat().st_size)
    engine = vault.engine()
    with pytest.raises(IndexDamagedError, match=r"The links of the index in .* cannot be read; run `index` again"):
        engine.document_links("Home.md")
    assert engine.search("Orchard", limit=1)[0].links == ()


def test_links_that_cannot_be_read_make_no_other_version_of_the_index_be_read(vault):
    links_path(store_dir(vault.index_dir)).write_bytes(b"no database" * 1000)
    engine = vault.engine()
    before = engine.source()
    for asked in (engine.section_links, engine.document_links):
        with pytest.raises(IndexDamagedError, match="links"):
            asked("Home.md")
    assert engine.source() is before


def test_verify_tells_links_that_cannot_be_read_and_repair_reads_them_again(vault):
    path = links_path(store_dir(vault.index_dir))
    before = vault.engine().document_links("Home.md")[1].link_count
    path.write_bytes(b"\x13" * path.stat().st_size)
    (difference,) = vault.indexer().verify().differences
    assert (difference.kind, difference.detail) == ("links", "the links cannot be read (file is not a database)")
    assert vault.indexer().verify(repair=True).differences == ()
    assert vault.engine().document_links("Home.md")[1].link_count == before


def test_a_reader_follows_the_file_when_a_run_replaces_it(vault):
    engine = vault.engine()
    assert engine.section_links("Lonely.md")[1].backlink_count == 0
    vault.write("Recipes/Jam.md", "# Jam\n\n[[Lonely]]\n")
    vault.index(".")
    assert shown(engine.section_links("Lonely.md")[1].backlinks) == [("Recipes/Jam.md", 3, "Lonely", "Jam")]
    vault.indexer().rebuild(vault.home)
    assert engine.section_links("Lonely.md")[1].backlink_count == 1


def test_a_reader_follows_a_file_that_was_lost_and_made_again(vault):
    engine = vault.engine()
    assert engine.section_links("Lonely.md")[1].backlink_count == 0
    path = links_path(store_dir(vault.index_dir))
    path.rename(path.with_name("kept"))  # so that its inode is not given away again
    vault.write("Recipes/Jam.md", "# Jam\n\n[[Lonely]]\n")
    vault.index(".")
    assert engine.section_links("Lonely.md")[1].backlink_count == 1


def test_links_that_cannot_be_written_fail_no_run(vault, caplog):
    path = links_path(store_dir(vault.index_dir))
    path.unlink()
    path.mkdir()
    vault.write("Lonely.md", "# Lonely\n\nChanged.\n")
    assert vault.index(".").documents_updated == 1
    assert "links of the index were not brought up to date" in caplog.text
