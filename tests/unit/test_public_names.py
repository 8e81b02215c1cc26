"""What users import: every public name from its package, loaded when it is asked for."""

import subprocess
import sys

import pytest

import indexer
import schema
import search

#: The public names that are not records, settings, protocols or errors of `schema`.
OWN = {
    search: {"SearchEngine", "AsyncSearchEngine"},
    indexer: {"Indexer", "MarkdownSplitter", "SplitDocument", "TokenCounter", "Decoded", "decode"},
}
RECORDS = {
    search: {
        "Context", "ContextPack", "ContextPiece", "DocumentInfo", "Embedder", "Filters", "IndexRoots", "Link", "Mode",
        "QueryPreparer", "Reranker", "ResultPage", "Results", "SearchRequest", "SearchResult", "Section", "SectionLink",
        "SectionLinks", "Settings", "SimilarSection", "Snippet", "Translation", "Window", "load_settings",
    },
    indexer: {
        "BrokenLink", "ChatClient", "ChatReply", "Difference", "Embedder", "Failure", "FileChoice", "IndexReport",
        "IndexStatus", "LinkReport", "Root", "RootInfo", "RunRecord", "Section", "Settings", "Summarizer", "VerifyReport",
        "get_sections_schema", "load_settings", "read_status",
    },
}  # fmt: skip
ERRORS = {
    search: {
        "ArgumentError", "ClosedError", "EmbeddingServerError", "IndexAccessError", "IndexDamagedError",
        "IndexIncompatibleError", "IndexNotFoundError", "IndexStoreError", "IndexUntrustedError", "LibraryMissingError",
        "ModelError", "NotIndexedError", "QueryError", "SectionaryError", "SettingsError",
    },
    indexer: {
        "ArgumentError", "AttachmentError", "ChatError", "ChatUnavailableError", "ClosedError", "ConversionError",
        "EmbeddingServerError", "IndexAccessError", "IndexDamagedError", "IndexIncompatibleError", "IndexLockedError",
        "IndexNotFoundError", "IndexStoreError", "IndexUntrustedError", "LibraryMissingError", "ModelError",
        "SectionaryError", "SettingsError", "SourceError", "SummarizerUnavailableError", "SummaryError", "WorkersError",
    },
}  # fmt: skip
PACKAGES = [search, indexer]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_these(package):
    assert set(package.__all__) == OWN[package] | RECORDS[package] | ERRORS[package]


@pytest.mark.parametrize("package", [*PACKAGES, schema])
def test_every_public_name_is_there_and_listed(package):
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert dir(package) == sorted(set(package.__all__))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_record_is_the_same_wherever_it_is_imported_from(package):
    assert [name for name in RECORDS[package] | ERRORS[package] if getattr(package, name) is not getattr(schema, name)] == []


@pytest.mark.parametrize("package", [*PACKAGES, schema])
def test_an_unknown_name_is_refused(package):
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'NoSuchThing'"):
        package.NoSuchThing  # noqa: B018


def test_every_error_is_importable_from_schema():
    from schema import errors

    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and kind.__module__ == errors.__name__}
    assert kinds <= set(schema.__all__)


@pytest.mark.process
def test_importing_the_packages_loads_nothing_else_of_them():
    program = (
        "import sys\nbefore = set(sys.modules)\nimport search, indexer, schema\n"
        "print(*sorted(name for name in set(sys.modules) - before if name.split('.')[0] in "
        "('search', 'indexer', 'schema', 'numpy', 'pyarrow', 'lancedb', 'asyncio', 'dataclasses')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["indexer", "schema", "search"]
