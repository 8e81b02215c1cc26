"""The output of the command `index`: reports, status and differences as text or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from schema.commands import as_called, print_error
from schema.formats.endings import CONVERTED, PLAIN_TEXT
from schema.text.characters import one_line, to_json

if TYPE_CHECKING:
    from indexer.llm.planning import ExtractionReport
    from indexer.models.catalog import KnownModel
    from schema.index_files.roots import IndexRoots
    from schema.reports import IndexReport, IndexStatus, RunRecord, VerifyReport

#: Warnings that are printed: a run over thousands of files may have hundreds. --json has them all.
_MAX_WARNINGS = 10
#: Paths of one kind that a status lists; --json has them all.
_MAX_PATHS = 10


def tell_report(
    report: IndexReport, paths: Sequence[Path], *, as_json: bool, quiet: bool, is_one_line: bool = False
) -> None:
    """Print what a run did: failures and warnings on stderr, counts or JSON on stdout."""
    if as_json:
        click.echo(to_json(report.to_dict(), indent=None if is_one_line else 2))
        return
    r = report
    if not quiet:
        for warning in r.warnings[:_MAX_WARNINGS]:
            print_error("index", f"warning: {warning}")
        if len(r.warnings) > _MAX_WARNINGS:
            print_error("index", f"warning: … and {len(r.warnings) - _MAX_WARNINGS} more; --json lists them all")
    for failure in r.failed:
        print_error("index", f"failed: {failure.path}: {failure.reason}")
    if quiet and r.summaries_failed and r.warnings:
        print_error("index", f"{r.summaries_failed} summaries could not be made: {r.warnings[0]}")
    documents = r.documents_added + r.documents_updated + r.documents_unchanged
    if paths and not documents and not r.failed and not r.stopped:
        where = ", ".join(map(str, paths))
        print_error(
            "index",
            f"There is no Markdown file in {where}; name another folder, or give --include for files of other names or "
            "--hidden for hidden folders (a folder node_modules has to be named itself).",
        )
    elif documents and not r.sections_added + r.sections_updated + r.sections_unchanged + r.documents_unchanged:
        print_error("index", "The files hold no text to search.")
    if quiet:
        return
    lines = {
        "documents": f"{r.documents_added} added, {r.documents_updated} updated, {r.documents_removed} removed, "
        f"{r.documents_unchanged} unchanged, {len(r.failed)} failed",
        "sections": f"{r.sections_added} added, {r.sections_updated} updated, {r.sections_removed} removed, "
        f"{r.sections_unchanged} unchanged in changed documents",
        "vectors": f"{r.sections_embedded} embedded, {r.vectors_reused} reused, in {_seconds(r, 'scan', 'embed'):.1f} s"
        + _again(r),
        "summaries": f"{r.summaries_written} written, {r.summaries_failed} failed, in {_seconds(r, 'summarize'):.1f} s",
    }
    if "summarize" not in r.timings:
        del lines["summaries"]
    if is_one_line:
        changed = {
            "+": r.documents_added, "~": r.documents_updated, "-": r.documents_removed, "failed ": len(r.failed)
        }  # fmt: skip
        what = " ".join(f"{label}{count}" for label, count in changed.items() if count) or "no change"
        parts = [f"documents {what}", lines["vectors"]]
        if r.summaries_written or r.summaries_failed:
            parts.append(f"summaries {lines['summaries']}")
        click.echo(f"{datetime.now():%H:%M:%S}  {'; '.join(parts)}")
        return
    phases = {"documents": "scan", "sections": "scan", "vectors": "embed", "summaries": "summarize"}
    _table({name: text for name, text in lines.items() if phases[name] in r.timings})
    if r.left_out:
        click.echo(left_out_sentence(r.left_out))


def left_out_sentence(counts: Mapping[str, int]) -> str:
    """Return what a run says about documents of other kinds that it saw: how many of each ending, and what takes them.

    >>> print(left_out_sentence({".pdf": 1}))
    1 .pdf file is not indexed; `--convert` takes .pdf.
    """
    endings = sorted(counts, key=lambda ending: (-counts[ending], ending))
    ways = []
    texts = [ending for ending in endings if ending in PLAIN_TEXT]
    if texts:
        ways.append(f"`--include '**/*{texts[0]}'` takes text files as Markdown")
    converted = [ending for ending in endings if ending in CONVERTED]
    if converted:
        ways.append(f"`--convert` takes {_listed(converted)}")
    others = [ending for ending in endings if ending not in texts and ending not in converted]
    if others:
        ways.append(f"{_listed(others)} must be made Markdown first")
    files = "file is" if sum(counts.values()) == 1 else "files are"
    return f"{_listed([f'{counts[ending]:,} {ending}' for ending in endings])} {files} not indexed; {'; '.join(ways)}."


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def tell_status(status: IndexStatus, *, as_json: bool) -> None:
    """Print what an index holds and how up to date it is."""
    if as_json:
        click.echo(to_json(status.to_dict(), indent=2))
        return
    s = status
    lines = {
        "index": f"{s.index_dir}, of {', '.join(s.paths) or 'nothing yet'}" + (", being written" * s.is_being_written),
        "documents": f"{s.documents:,}"
        + f" and {s.without_text:,} without text" * bool(s.without_text)
        + f"; {len(s.stale)} changed and {len(s.orphans)} gone since they were indexed"
        + (f"; {len(s.new)} new" if s.new is not None else ""),
        "sections": f"{s.sections:,}; {s.dirty:,} dirty, "
        + f"{s.awaiting_second:,} to be read by the second model, " * bool(s.awaiting_second)
        + f"{s.summaries:,} with a summary",
        "model": f"{s.model}, {s.dimension} dimensions; tokens of {s.token_encoding}",
        "disk": f"{_megabytes(s.disk_bytes)} for {_megabytes(s.data_bytes)} of data in {s.fragments} files; "
        f"{s.unindexed_rows:,} rows unindexed",
        "last run": _last_run(s.last_run),
        "trusted": _trusted(s),
    }
    _table(lines)
    for folder, dialect in sorted(s.dialects.items()):
        place = {"": "the project", "*": "all documents, as set"}.get(folder, folder)
        click.echo(f"{'dialect':<10} {dialect or 'none'}: {one_line(place)}")
    for kind, paths in (("changed", s.stale), ("gone", s.orphans), ("new", s.new or ())):
        for path in paths[:_MAX_PATHS]:
            click.echo(one_line(f"{kind:<10} {path}"))
        if len(paths) > _MAX_PATHS:
            click.echo(f"{kind:<10} … and {len(paths) - _MAX_PATHS} more; --json lists them all")
    for failure in s.failed:
        click.echo(one_line(as_called(f"{'failed':<10} {failure.path}: {failure.reason}")))


def tell_roots(roots: IndexRoots, project: Path, *, as_json: bool) -> None:
    """Print the roots of an index, with where they are and the options that are kept for them."""
    shown = [
        {
            "path": root.path,
            "name": roots.name_of(root),
            "description": root.description,
            "folder": str(roots.locate(root.path) or ""),
            **{name: value for name, value in asdict(root.files).items() if value is not None},
        }
        for root in roots.roots
    ]
    if as_json:
        click.echo(to_json(shown, indent=2))
        return
    if not shown:
        print_error("index", "The index has no roots; `index FOLDER` makes one.")
    for one in shown:
        kept = [f"--{name} {pattern}" for name in ("include", "exclude") for pattern in one.get(name, ())]
        kept += [f"--{'' if one[name] else 'no-'}{name}" for name in ("hidden", "gitignore") if name in one]
        is_outside = not Path(str(one["folder"])).is_relative_to(project)
        where = [f"{one['folder']}"] * is_outside + [f"{one['path']}"] * (one["path"] != one["name"] and not is_outside)
        click.echo(one_line("  ".join([f"{one['name']}", *where, *kept])))
        if one["description"]:
            click.echo(one_line(f"    {one['description']}"))


def tell_models(found: Sequence[KnownModel], *, as_json: bool) -> None:
    """Print embedding models in the order given."""
    if as_json:
        click.echo(to_json([asdict(each) for each in found], indent=2))
        return
    for each in found:
        state = "default" if each.is_default else "ready" if each.is_installed else "not installed"
        click.echo(one_line(f"{each.name}  ({state})"))
        size = f"{each.dimension} numbers a vector, " * bool(each.dimension) + f"{each.megabytes} MB" * bool(each.megabytes)
        for line in (each.languages, size, each.good_for):
            if line:
                click.echo(one_line(f"    {line}"))


def tell_differences(report: VerifyReport, *, as_json: bool, quiet: bool) -> None:
    """Print how the index differs from the files, and what was repaired."""
    if as_json:
        click.echo(to_json(report.to_dict(), indent=2))
        return
    for difference in report.repaired:
        if not quiet:
            click.echo(one_line(f"repaired: {difference.path or 'index'}: {difference.kind}: {difference.detail}"))
    for difference in report.differences:
        click.echo(one_line(f"{difference.path or 'index'}: {difference.kind}: {difference.detail}"))
    for failure in report.failed:
        print_error("index", f"failed: {failure.path}: {failure.reason}")
    if not quiet and not report.stopped:
        count = len(report.differences)
        verdict = "no difference" if not count else f"{count} difference{'s' * (count > 1)}"
        if report.failed:
            unread = f"{len(report.failed)} file{'s' * (len(report.failed) > 1)} could not be read"
            verdict += f"; {unread}" if count else f" in what could be read; {unread}"
        advice = as_called("; `index verify --repair` sets them right") if count else ""
        click.echo(
            f"{report.documents:,} documents, {report.sections:,} sections ({report.dirty:,} dirty) compared with files and "
            f"indexes: {verdict}{advice}"
        )


def tell_care(before: IndexStatus, after: IndexStatus, *, as_json: bool, quiet: bool) -> None:
    """Print what merging and cleaning changed."""
    if as_json:
        click.echo(to_json({"before": before.to_dict(), "after": after.to_dict()}, indent=2))
    elif not quiet:
        click.echo(
            f"disk       {_megabytes(before.disk_bytes)} → {_megabytes(after.disk_bytes)}, "
            f"{before.fragments} → {after.fragments} files, {before.unindexed_rows:,} → {after.unindexed_rows:,} rows "
            "unindexed"
        )


def tell_extraction(report: ExtractionReport, *, is_plan: bool, as_json: bool, quiet: bool) -> None:
    """Print which documents were made of which sources; or, of a plan, which would be."""
    if as_json:
        click.echo(to_json({"dry_run": is_plan, **asdict(report)}, indent=2))
        return
    r = report
    for failure in r.failed:
        print_error("index", f"failed: {failure.path}: {failure.reason}")
    if quiet:
        return
    for warning in r.warnings[:_MAX_WARNINGS]:
        print_error("index", f"warning: {warning}")
    if len(r.warnings) > _MAX_WARNINGS:
        print_error("index", f"warning: … and {len(r.warnings) - _MAX_WARNINGS} more; --json lists them all")
    for path in r.outdated[:_MAX_PATHS]:
        print_error(
            "index",
            f"warning: {path} is of an earlier version of its source; delete it if it is of no use, or give --replace "
            "before the next change.",
        )
    if len(r.outdated) > _MAX_PATHS:
        print_error("index", f"warning: … and {len(r.outdated) - _MAX_PATHS} more; --json lists them all")
    for one in r.documents:
        part = f", part {one.part} of {one.parts}" * (one.parts > 1)
        what = "replace" if one.is_replacement else "write"
        done = f"would {what}" if is_plan else {"replace": "replaced", "write": "wrote"}[what]
        click.echo(one_line(f"{done} {one.path} from {one.source}{part} ({one.tokens:,} tokens)"))
    replaced = sum(one.is_replacement for one in r.documents)
    tokens = sum(one.tokens for one in r.documents)
    lines = {
        "documents": f"{len(r.documents) - replaced} {'to write' if is_plan else 'written'}, "
        f"{replaced} {'to replace' if is_plan else 'replaced'}, {len(r.unchanged)} unchanged, {len(r.failed)} failed",
        "requests": f"{r.requests}, with {tokens:,} tokens of text" + "; nothing was sent or written" * is_plan,
        "waiting": f"{r.waiting} files; the same command goes on with them",
    }
    if not r.waiting:
        del lines["waiting"]
    _table(lines)


def _table(lines: dict[str, str]) -> None:
    for name, text in lines.items():
        click.echo(one_line(as_called(f"{name:<10} {text}")))


def _again(report: IndexReport) -> str:
    r = report
    text = f"; {r.sections_embedded_again} read by the second model too, in {_seconds(r, 'embed again'):.1f} s"
    return text if r.sections_embedded_again else ""


def _seconds(report: IndexReport, *phases: str) -> float:
    return sum(report.timings.get(phase, 0.0) for phase in phases)


def _trusted(status: IndexStatus) -> str:
    s = status
    parts = ["the index, made by you" if s.is_own else "not the index, which you did not make (`index trust` allows it)"]
    if s.outside:
        parts.append(f"outside the folder {', '.join(s.outside)}")
    if s.settings_allowed:
        parts.append(f"{', '.join(s.settings_allowed)} of {s.settings_file}")
    if s.settings_left_out:
        parts.append(f"not {', '.join(s.settings_left_out)} of {s.settings_file} (`index trust` allows it)")
    return "; ".join(parts)


def _last_run(run: RunRecord | None) -> str:
    if run is None:
        return "none"
    started = datetime.fromisoformat(run.started)
    text = f"{started:%Y-%m-%d %H:%M:%S} UTC, {run.outcome}"
    if run.ended:
        text += f" after {(datetime.fromisoformat(run.ended) - started).total_seconds():.1f} s"
    counts = {name: run.counts.get(name, 0) for name in ("documents_added", "documents_updated", "documents_removed")}
    return text + "".join(f", {count} {name.removeprefix('documents_')}" for name, count in counts.items() if count)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
