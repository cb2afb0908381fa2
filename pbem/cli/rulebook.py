"""Show how a game is played by letter: `pbem rules`."""

from typing import Annotated

import typer

from pbem.cli import show

Engine = Annotated[str, typer.Argument(help="Which game: blame, or one that is installed.", metavar="ENGINE")]


def rules(engine: Engine) -> None:
    """Show how a game is played by letter.

    It is the page that players get when they write `rules`.
    """
    import jinja2

    from pbem import games, paths
    from pbem.core.render import Renderer

    game = games.get(engine)
    renderer = Renderer(jinja2.FileSystemLoader([str(paths.bundled("templates")), game.templates]))
    show.line(game.title)
    show.line()
    show.block(renderer.text(f"{game.name}/rules", engine=game).strip("\n"))
