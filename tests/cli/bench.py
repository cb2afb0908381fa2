"""Put moderators into a house's config, and let one of them act."""

from tests.cli.console import Console

MONA = ("--as-moderator", "mona")
WHY = ("--reason", "a quarrel")


def with_moderators(cli: Console, *names: str) -> Console:
    """Name moderators."""
    config = cli.folder / "config.toml"
    lines = "".join(f'{name} = "{name}@example.org"\n' for name in names or ("mona", "max"))
    config.write_text(f"{config.read_text()}\n[moderators]\n{lines}")
    return cli
