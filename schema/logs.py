"""Records of `logging` → one JSON object for each line of standard error, for programs that read logs.

Without `--log-format json` nothing changes: messages are plain lines, and only warnings of the library are printed. No
caller may put the text of a question or of a document into a message or a field.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from schema.text.characters import to_json

if TYPE_CHECKING:
    from logging import Handler, LogRecord  # imported where it is used: a search that a server answers needs none of it

#: The formats that `--log-format` takes.
FORMATS = ("text", "json")
#: Our own packages say what they do; of libraries only warnings are wanted, since their messages may hold anything.
_OWN = ("indexer", "schema", "search")
#: The names that a record's event and its fields have among the values given as `extra`.
_EVENT, _FIELDS = "event_name", "event_fields"
#: Names of a line's own values, which no field may take.
_TAKEN = frozenset({"time", "level", "event", "message", "logger", "error"})
#: Whether logs are written as JSON: one process writes one format.
_state = {"is_json": False}


def use_format(name: str) -> None:
    """Write logs as "text" (the default) or as "json" from now on."""
    if name == "text" and not is_json():
        return
    import logging

    _state["is_json"] = name == "json"
    root = logging.getLogger()
    root.removeHandler(_handler())
    for package in _OWN:
        logging.getLogger(package).setLevel(logging.INFO if is_json() else logging.NOTSET)
    if is_json():
        root.addHandler(_handler())


def is_json() -> bool:
    """Whether logs are written as JSON."""
    return _state["is_json"]


def log_event(logger: str, event: str, message: str, *, level: str = "info", **fields: Any) -> None:
    """Log what happened under a short name, with fields that JSON can hold; in the text format only `message` shows.

    `logger` is the name of the module that says it; `level` is "info", "warning" or "error".
    """
    import logging

    number = logging.getLevelNamesMapping()[level.upper()]
    logging.getLogger(logger).log(number, "%s", message, extra={_EVENT: event, _FIELDS: fields})


@cache
def _handler() -> Handler:
    import logging

    class JsonLines(logging.Handler):
        """Writes each record as one line of JSON to the standard error of the moment."""

        def emit(self, record: LogRecord) -> None:
            try:
                sys.stderr.write(json_line(record))
                sys.stderr.flush()
            except Exception:  # noqa: BLE001 — as every handler: a log that cannot be written must not end the program
                self.handleError(record)

    return JsonLines()


def json_line(record: LogRecord) -> str:
    """Return a record as one line: time (UTC), level, event, message, logger and the fields; `error` with its traceback."""
    import traceback
    from datetime import UTC, datetime

    moment = datetime.fromtimestamp(record.created, UTC)
    line = {
        "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "event": getattr(record, _EVENT, "message"),
        "message": record.getMessage(),
        "logger": record.name,
    }
    for name, value in getattr(record, _FIELDS, {}).items():
        line[f"{name}_" if name in _TAKEN else name] = value
    if record.exc_info and record.exc_info[0] is not None:
        line["error"] = "".join(traceback.format_exception(*record.exc_info))
    return to_json(line) + "\n"


def _chosen(_context: click.Context, _parameter: click.Parameter, name: str) -> None:
    use_format(name)


def log_format_option() -> Callable[..., Any]:
    """Return the option `--log-format`; a command that has it takes no argument for it."""
    return click.option(
        "--log-format",
        type=click.Choice(FORMATS),
        default=FORMATS[0],
        envvar="SECTIONARY_LOG_FORMAT",
        expose_value=False,
        is_eager=True,
        callback=_chosen,
        help="How messages are written to standard error: as text, or one JSON object on each line.",
    )
