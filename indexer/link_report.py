"""`index verify --links`: the broken links of an index, as text or JSON."""

from __future__ import annotations

from pathlib import Path

import click

from schema.commands import ExitCode, locate_index
from schema.reports import LinkReport
from schema.text.characters import one_line, to_json


def tell_broken_links(index_dir: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Check the links of an index and print those that are broken.

    Raises:
        SystemExit: some are, with the exit status 4.
    """
    from indexer.sync.link_check import check_links

    report = check_links(locate_index(index_dir))
    if as_json:
        click.echo(to_json(report.to_dict(), indent=2))
    else:
        _print(report, quiet=quiet)
    if report.broken:
        raise SystemExit(ExitCode.SOME_FAILED)


def _print(report: LinkReport, *, quiet: bool) -> None:
    for link in report.broken:
        advice = f"; did you mean {link.suggestion}?" if link.suggestion else ""
        where = f"{link.path}, {link.place}" if link.place else f"{link.path}:{link.line}"
        click.echo(one_line(f"{where}: {link.target}: {link.missing}{advice}"))
    if quiet:
        return
    counts = report.statuses
    click.echo(
        f"{report.links:,} links in {report.documents:,} documents: "
        f"{counts.get('section', 0) + counts.get('ambiguous', 0) + counts.get('file', 0):,} lead to a section or a file, "
        f"{counts.get('external', 0) + counts.get('outside', 0):,} lead out of the folder and "
        f"{counts.get('unknown', 0):,} to what only the published site shows, both not checked; "
        f"{len(report.broken) or 'none'} {'is' if len(report.broken) == 1 else 'are'} broken"
    )
