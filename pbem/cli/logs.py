"""Set up the logs: lines for people on stderr, and JSON lines in a file that only the operator can read.

Neither holds cards, orders, tokens, subjects or passwords. Tracebacks may: they stand in the file alone.
"""

import logging
import os
import sys
from collections.abc import MutableMapping
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pbem.cli.show import complain
from pbem.core.harmless import visible
from pbem.core.token import tokenless

if TYPE_CHECKING:
    from structlog.typing import Processor

    from pbem.config import Config

FILE = "pbem.log.jsonl"
_place = Path(FILE)
Entry = MutableMapping[str, Any]


def beside(config_file: Path) -> None:
    """Name the folder in which a failure is written down, as long as no config was read."""
    global _place
    _place = config_file.parent / FILE


def start(config: "Config", *, aloud: bool = False) -> None:
    """Log into the house's file, and to stderr too where `aloud`.

    Raises: AdminError if the house is to serve and its log cannot be written.
    """
    from pbem.errors import AdminError

    global _place
    _place = config.path(config.log.file)
    handlers: list[logging.Handler] = [_file(_place)]
    if aloud:
        try:
            os.close(os.open(_place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        except OSError as error:
            raise AdminError(f"the log {_place} cannot be written: {error.strerror}") from error
        handlers.append(_terminal())
    _install(handlers)


def crash(error: BaseException) -> Path | None:
    """Write down a failure that nobody foresaw, and give the file; None if that failed too."""
    import structlog

    if not any(isinstance(one, _File) for one in logging.getLogger().handlers):
        _install([_file(_place)])
    before = _size()
    structlog.get_logger().critical("the command failed", exc_info=error)
    return _place if _size() > before else None


def close() -> None:
    """Let go of the file."""
    root = logging.getLogger()
    for handler in [one for one in root.handlers if isinstance(one, _File | _Lines)]:
        root.removeHandler(handler)
        handler.close()


class _File(WatchedFileHandler):
    """Be a log file that nobody else may read, and that may be moved away while it is in use."""

    def _open(self) -> Any:
        return os.fdopen(
            os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8"
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Write an entry, if the file can be opened."""
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Say in one line that the log is lost; the work goes on."""
        complain(f"the log {self.baseFilename} cannot be written")


class _Lines(logging.StreamHandler[IO[str]]):
    """Print log lines on stderr."""


def _file(path: Path) -> logging.Handler:
    import structlog

    handler = _File(path, delay=True)
    handler.setFormatter(_formatter(structlog.processors.format_exc_info, structlog.processors.JSONRenderer()))
    return handler


def _terminal() -> logging.Handler:
    import structlog

    handler = _Lines(sys.stderr)
    lines = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, sort_keys=False)
    handler.setFormatter(_formatter(_point_to_file, _harmless, lines))
    return handler


def _formatter(*last: "Processor") -> logging.Formatter:
    from structlog.stdlib import ProcessorFormatter

    return ProcessorFormatter(
        foreign_pre_chain=_common(), processors=[ProcessorFormatter.remove_processors_meta, _blot, *last]
    )


def _common() -> "list[Processor]":
    import structlog

    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="%Y-%m-%dT%H:%M:%SZ", utc=True),
    ]


def _install(handlers: list[logging.Handler]) -> None:
    import structlog

    close()
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    for handler in handlers:
        root.addHandler(handler)
    logging.getLogger("apscheduler").setLevel(logging.CRITICAL)  # our own listener says the same, once
    logging.getLogger("alembic").setLevel(logging.WARNING)
    structlog.configure(
        processors=[*_common(), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def _blot(_logger: object, _method: str, entry: Entry) -> Entry:
    """Blot tokens out: an error of the post may quote an address."""
    return {key: tokenless(value) if isinstance(value, str) else value for key, value in entry.items()}


def _point_to_file(_logger: object, _method: str, entry: Entry) -> Entry:
    """Name the kind of an exception, and where the rest of it stands."""
    failure = entry.pop("exc_info", None)
    if isinstance(failure, tuple):
        failure = failure[1]
    if isinstance(failure, BaseException):
        entry["failure"] = type(failure).__name__
        entry["details_in"] = str(_place)
    return entry


def _harmless(_logger: object, _method: str, entry: Entry) -> Entry:
    return {key: visible(value) if isinstance(value, str) else value for key, value in entry.items()}


def _size() -> int:
    return _place.stat().st_size if _place.exists() else 0
