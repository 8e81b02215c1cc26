"""The command `index export`: an index → one file for other programs."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from indexer.options import options
from schema.commands import Command, locate_index, print_error
from schema.index_files.layout import require_own
from schema.settings import is_trusted
from schema.text.characters import one_line, to_json


@click.command("export", cls=Command)
@click.argument("out", type=click.Path(path_type=Path))
@options("index")
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@options("json", "quiet")
def export(out: Path, index_dir: Path | None, force: bool, as_json: bool, quiet: bool) -> None:
    """Write all sections into OUT: .parquet with vectors, .jsonl or .csv without. The index is only read."""
    from indexer.export import export_index  # pyarrow takes a while

    folder = locate_index(index_dir)
    if index_dir is None and not is_trusted(os.environ):
        require_own(folder)
    done = export_index(folder, out, is_replaced=force)
    if done.inside:
        print_error("index", f"{out} is in the folder {done.inside}, which is indexed; move it if it is no part of that.")
    if as_json:
        click.echo(to_json(asdict(done), indent=2))
    elif not quiet:
        click.echo(
            one_line(
                f"exported   {done.sections:,} sections, {len(done.columns)} columns, {done.bytes / 1e6:,.1f} MB to {out}"
            )
        )
