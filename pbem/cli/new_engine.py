"""Write the beginning of a new game: `pbem new-engine`."""

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli import show

DRAFTED = (".py", ".j2", ".md", ".txt")
UNNAMED = ".txt"
"""What the draft's pyproject.toml ends in as long as it is a draft: tools would take its folder for a project."""
EngineName = Annotated[str, typer.Argument(help="The game's name: one lower-case word.", metavar="NAME")]
Folder = Annotated[Path, typer.Option(help="The folder in which the game's own is to be made.", metavar="FOLDER")]


def new_engine(name: EngineName, folder: Folder = Path()) -> None:
    """Write a small working game, to be made into your own.

    It is a package with templates and tests, which passes the kit for authors of games.
    """
    made = write(name, folder)
    show.line(f"A small game that works was written to {made}:")
    show.line(f"  {name}/__init__.py     the game: its cards, its orders, its rules")
    show.line(f"  {name}/templates/      what letters show of it")
    show.line("  tests/            the kit's checks, and a test of a rule")
    show.line("Next, with the Python that runs pbem:")
    show.line(f"  cd {made}")
    show.line("  pip install --editable .")
    show.line("  python -m pytest")
    show.line(f"  pbem rules {name}")


def write(name: str, folder: Path) -> Path:
    """Write the game into a folder of its own, and give that.

    Raises: AdminError if the name cannot be, or the folder is there already.
    """
    from pbem import paths
    from pbem.errors import AdminError

    check_name(name)
    made, draft = folder / name, paths.bundled("templates") / "new-engine"
    if made.exists() or made.is_symlink():
        raise AdminError(f"{made} is there already, and nothing is overwritten; choose another folder")
    files = [path for path in sorted(draft.rglob("*")) if path.suffix in DRAFTED]
    try:
        for path in files:
            target = made / _named(str(path.relative_to(draft)).removesuffix(UNNAMED), name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_named(path.read_text(encoding="utf-8"), name), encoding="utf-8")
    except OSError as error:
        raise AdminError(f"{made} cannot be written: {error.strerror}") from error
    return made


def check_name(name: str) -> None:
    """Check the name of a new game: subjects name it, and Python imports it.

    Raises: AdminError, saying what would do.
    """
    import importlib.util
    import keyword
    import re

    from pbem import games
    from pbem.core.reading import OFFICE_WORDS
    from pbem.errors import AdminError

    if not re.fullmatch("[a-z][a-z0-9]{1,19}", name):
        raise AdminError(f"{name!r} cannot be a game's name: 2 to 20 lower-case letters and digits, a letter first")
    if name in games.names():
        raise AdminError(f"there is a game {name!r} already")
    if name in OFFICE_WORDS or name == "post":
        raise AdminError(f"{name!r} cannot be a game's name: the office uses that word")
    if keyword.iskeyword(name) or importlib.util.find_spec(name) is not None:
        raise AdminError(f"{name!r} cannot be a game's name: Python knows something else by it")


def _named(text: str, name: str) -> str:
    return text.replace("newgame", name).replace("Newgame", name.title())
