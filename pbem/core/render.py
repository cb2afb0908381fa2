"""Fill templates, strictly: a name that is missing is a fault, and HTML is always escaped."""

import functools
import textwrap
from collections.abc import Callable, Sequence

import jinja2

from pbem.engine import Event
from pbem.errors import EngineFault

WIDTH = 76
KEPT = 4096  # fillings of macros


class Renderer:
    """Render the text and the HTML of letters from the templates of one loader."""

    def __init__(self, loader: jinja2.BaseLoader) -> None:
        self._text = _environment(loader, escape=False)
        self._html = _environment(loader, escape=True)

    def text(self, name: str, **context: object) -> str:
        """Render `NAME.txt.j2`."""
        return self._text.get_template(f"{name}.txt.j2").render(context)

    def html(self, name: str, **context: object) -> str:
        """Render `NAME.html.j2`, everything put in escaped."""
        return self._html.get_template(f"{name}.html.j2").render(context)

    def line(self, room: str, event: Event, names: Sequence[str]) -> str:
        """Write an event as one line of plain text, by the macro of its kind in `ROOM/events.j2`.

        Raises: EngineFault if there is no such macro.
        """
        macros = self._text.get_template(f"{room}/events.j2").module
        macro = getattr(macros, event.kind, None)
        if macro is None:
            raise EngineFault(f"{room}/events.j2 has no line for {event.kind!r}")
        return " ".join(str(macro(event.facts, names)).split())


def _environment(loader: jinja2.BaseLoader, *, escape: bool) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=loader,
        autoescape=escape,  # noqa: S701 (plain text is not escaped, on purpose)
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        cache_size=-1,
    )
    environment.filters["wrap"] = wrap
    environment.filters["listed"] = listed
    environment.globals["once"] = functools.lru_cache(KEPT)(_fill)
    return environment


def _fill(macro: Callable[..., str], *given: object) -> str:
    """Fill a macro; `once(macro, ...)` in a template keeps what came of it, since it depends on nothing else."""
    return macro(*given)


def wrap(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Break a text into lines of at most 76 columns, indented; `hang` indents all lines but the first."""
    if indent + len(text) <= WIDTH and text.isprintable():
        return " " * indent + text  # most lines need no breaking, which costs
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hang is None else hang),
        break_on_hyphens=False,
    )


def listed(items: Sequence[str], joint: str = "and") -> str:
    """Write a list as people do: `alice, bob and carol`."""
    return f" {joint} ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
