"""Spare tests what costs them seconds and tests nothing: compiling templates again, and painting tracebacks."""

import jinja2
import structlog
from jinja2.bccache import Bucket

from pbem.core import render


class Compiled(jinja2.BytecodeCache):
    """Keep compiled templates as long as the tests run."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket, if its template was compiled before and is the same still."""
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what a bucket holds."""
        self._kept[bucket.key] = bucket.bytecode_to_string()


def compile_once() -> None:
    """Let every house of this process share its compiled templates, those of text and of HTML apart."""
    make, compiled = render._environment, {True: Compiled(), False: Compiled()}

    def environment(loader: jinja2.BaseLoader, *, escape: bool) -> jinja2.Environment:
        made = make(loader, escape=escape)
        made.bytecode_cache = compiled[escape]
        return made

    render._environment = environment


def log_plainly() -> None:
    """Write tracebacks of failures that tests bring about as Python does."""
    structlog.dev.ConsoleRenderer.get_active().exception_formatter = structlog.dev.plain_traceback
