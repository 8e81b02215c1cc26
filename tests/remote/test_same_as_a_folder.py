"""Tests of an index in a folder, run over one in an object store: the fixtures of this folder put it there."""

# ruff: noqa: F401 — tests and fixtures are taken over by their names
import pytest

from schema.storage.table import SectionTable
from tests.integration.conftest import MADE, large, mixed, notes, rows, small_bounds
from tests.integration.test_keeping_fresh import (
    test_answer_whose_version_was_cleaned_away_is_read_from_the_newest,
    test_equal_texts_are_embedded_once,
    test_run_is_recorded_with_its_outcome,
    test_stopped_rebuild_leaves_the_old_index,
    test_stopped_scan_removes_nothing_and_is_finished_by_the_next,
    test_verify_names_every_kind_of_difference,
    test_verify_of_a_sound_index_repairs_nothing,
)
from tests.integration.test_large_index_upkeep import test_index_of_vectors_waits_until_nearly_all_vectors_are_there
from tests.integration.test_pipeline import (
    test_deleted_file_vanishes,
    test_failed_rebuild_leaves_the_old_index,
    test_file_with_trusted_times_is_not_even_opened,
    test_incremental_index_equals_a_rebuilt_one,
    test_lost_manifest_costs_a_reading_and_no_embedding,
    test_one_word_edit_embeds_one_section,
    test_other_token_encoding_is_refused,
    test_rebuild_replaces_an_index_of_another_model,
    test_renamed_file_keeps_its_vectors,
    test_run_over_one_folder_leaves_the_others_alone,
    test_scan_leaves_sections_dirty_and_found_by_words,
    test_second_run_embeds_nothing,
    test_second_writer_is_refused,
    test_stopped_run_is_finished_by_the_next,
    test_users_files_are_never_written,
)
from tests.integration.test_roots import (
    test_each_option_is_kept_on_its_own,
    test_patterns_that_somebody_else_put_into_the_index_are_not_used,
    test_plain_run_takes_the_files_that_the_last_one_included,
    test_rebuild_keeps_what_was_kept,
    test_root_that_was_added_has_a_name_and_a_description,
)
from tests.integration.test_search_under_change import (
    test_engine_follows_two_rebuilds_between_two_queries,
    test_index_rebuilt_with_another_model_is_refused_by_an_open_engine,
    test_query_that_a_rebuild_overtakes_is_answered,
    test_removed_document_is_found_no_more_by_an_open_engine,
)
from tests.integration.test_statistics_of_an_index import (
    test_index_run_keeps_the_statistics,
)
from tests.integration.test_table import (
    test_contents_are_the_columns_asked_for_of_every_row,
    test_dirty_sections_come_oldest_first_then_as_they_stand,
    test_ids_and_paths_that_are_unknown_are_left_out,
    test_nothing_to_write_is_no_commit,
    test_of_rows_with_one_input_only_one_is_read_whole,
    test_repeated_row_of_one_batch_is_stored_once,
    test_replacing_a_document_leaves_others_alone,
    test_replacing_a_document_with_nothing_removes_it,
    test_row_that_cannot_be_stored_is_no_damage_and_nothing_is_added,
    test_rows_are_added_in_portions_and_in_one_commit,
    test_update_does_not_bring_back_what_was_deleted,
)


@pytest.fixture
def table(project):
    """An empty table in the store of the index."""
    from schema.remote.folders import point_to

    store = project.index_dir / "store"
    store.mkdir()
    point_to(store, "0" * 32)
    return SectionTable.create(store, MADE)
