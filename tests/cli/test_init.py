"""`pbem init` sets a house up, and never over another."""

import stat
from pathlib import Path

import pytest

from pbem import paths
from pbem.services.house import furnish
from pbem.store import migrate
from pbem.store.session import connect
from tests.cli.console import Console


def test_a_new_house_is_whole(cli: Console) -> None:
    found = {str(path.relative_to(cli.folder)) for path in cli.folder.rglob("*")}
    assert {"config.toml", "token.key", "instance", "pbem.sqlite", "mail/in/new", "mail/in/cur", "mail/in/tmp"} <= found
    assert {"mail/out/new", "mail/out/cur", "mail/out/tmp"} <= found
    assert (cli.folder / "config.toml").read_bytes() == paths.bundled("config.example.toml").read_bytes()
    assert cli("doctor").code == 0


def test_it_is_for_its_owner_alone(cli: Console) -> None:
    for path in (cli.folder, *cli.folder.rglob("*")):
        assert not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO), path


def test_its_database_is_at_the_newest_step(cli: Console) -> None:
    db = connect(cli.config.database_url)
    assert migrate.is_current(db)
    db.dispose()


def test_two_houses_have_two_keys(cli: Console, tmp_path: Path) -> None:
    other = Console(tmp_path / "other")
    other.done("init", str(other.folder), house=False)
    assert furnish(cli.config).key != furnish(other.config).key
    assert len(furnish(other.config).key) == 32


def test_it_says_what_next_and_not_the_key(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    said = Console(folder).done("init", str(folder), house=False)
    assert "pbem admin add-player" in said
    assert f"cd {folder}" in said
    assert (folder / "token.key").read_text().strip() not in said


def test_without_a_folder_it_is_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    console = Console(tmp_path)
    assert "cd " not in console.done("init", house=False)
    assert console("doctor", house=False).code == 0  # ./config.toml


@pytest.mark.parametrize("name", ["config.toml", "token.key", "pbem.sqlite", "instance"])
def test_nothing_is_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    assert name in Console(tmp_path).refused("init", str(tmp_path), house=False)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be made" in Console(tmp_path).refused("init", str(tmp_path / "file" / "house"), house=False)
