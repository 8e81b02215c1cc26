"""`Results`: the hits of a search as a list that notebooks show, and that becomes a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from schema.errors import LibraryMissingError
from schema.results import SearchResult

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: The columns of `Results.to_arrow` and the names of their types in pyarrow; "texts" are lists of texts.
COLUMNS = {
    "id": "string", "document_path": "string", "document_title": "string", "heading": "string", "heading_path": "texts",
    "depth": "int32", "anchor": "string", "content": "string", "snippet": "string", "snippet_start_line": "int32",
    "snippet_end_line": "int32", "place": "string", "token_count": "int32", "start_line": "int32", "end_line": "int32",
    "tags": "texts", "root": "string", "url": "string", "relevance": "float64", "score": "float64", "is_dirty": "bool_",
    "is_pending": "bool_", "stale": "bool_", "gone": "bool_", "summary": "string", "document_summary": "string",
}  # fmt: skip


class Results(list[SearchResult]):
    """Hits, best first: a list like any other, which notebooks show as such and which becomes a table."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> SearchResult: ...
    @overload
    def __getitem__(self, index: slice, /) -> Results: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> SearchResult | Results:
        if isinstance(index, slice):
            return Results(super().__getitem__(index))
        return super().__getitem__(index)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) or "No result."

    def to_dicts(self) -> list[dict[str, Any]]:
        """Each hit as `SearchResult.to_dict` gives it."""
        return [hit.to_dict() for hit in self]

    def to_arrow(self) -> pa.Table:
        """The hits as a table of pyarrow: a row for each, with the same columns and types whatever they are, or if none.

        The columns are fields of `SearchResult.to_dict`, and of the snippet its text and its lines: `COLUMNS`.
        """
        import pyarrow as pa

        from schema.text.characters import encodable

        types = {name: pa.list_(pa.string()) if kind == "texts" else getattr(pa, kind)() for name, kind in COLUMNS.items()}
        rows = []
        for hit in self.to_dicts():
            snippet = hit["snippet"] or {"text": None, "start_line": None, "end_line": None}
            row = hit | {"snippet": snippet["text"]}
            row |= {f"snippet_{name}": snippet[name] for name in ("start_line", "end_line")}
            for name, kind in COLUMNS.items():
                if kind == "string" and row[name] is not None:
                    row[name] = encodable(row[name])
                elif kind == "texts":
                    row[name] = [encodable(text) for text in row[name]]
            rows.append(row)
        return pa.Table.from_pylist(rows, schema=pa.schema(list(types.items())))

    def to_pandas(self) -> pd.DataFrame:
        """The hits as a DataFrame with the columns of `to_arrow`.

        Raises:
            LibraryMissingError: pandas is not installed.
        """
        try:
            import pandas as pd  # noqa: F401 — pyarrow's own message names no cure
        except ImportError as error:
            raise LibraryMissingError("to_pandas needs pandas, which is not installed: `pip install pandas`.") from error
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def _repr_html_(self) -> str:
        from schema.notebook import results_html

        return results_html(self.to_dicts())

    def _repr_markdown_(self) -> str:
        from schema.notebook import results_markdown

        return results_markdown(self.to_dicts())
