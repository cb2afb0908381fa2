"""The settings of the Matrix post: one way to log in, nothing secret in the clear, and nothing shown."""

import stat
from pathlib import Path
from typing import Any

import pytest

from pbem.config import Config, load
from pbem.errors import AdminError
from pbem.transports.matrix.post import Matrix
from pbem.transports.posts import posts
from tests.cli.console import Console
from tests.real.synapse import MatrixServer

WHOLE = {"homeserver": "https://matrix.example.org/", "user": "@games:example.org", "password": "hunter2"}


def test_it_is_the_second_post() -> None:
    mail, matrix = posts(Config(matrix=WHOLE))
    assert (mail.name, matrix.name) == ("mail", "matrix") and isinstance(matrix, Matrix)
    assert matrix.session.account.homeserver == "https://matrix.example.org"


def test_secrets_are_never_shown() -> None:
    config = Config(matrix={**WHOLE, "password": "", "token": "hunter2"})
    matrix = posts(config)[1]
    assert isinstance(matrix, Matrix) and matrix.session.account.token == "hunter2"
    assert "hunter2" not in f"{config!r} {config} {config.model_dump()} {config.model_dump_json()}"
    assert "hunter2" not in f"{matrix.session.account!r} {matrix.session.account}"


def test_a_secret_from_the_environment_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_MATRIX__TOKEN", "from the environment")
    file = tmp_path / "config.toml"
    file.write_text('[matrix]\nhomeserver = "https://m.example.org"\nuser = "@games:example.org"\n')
    matrix = posts(load(file))[1]
    assert isinstance(matrix, Matrix) and matrix.session.account.token == "from the environment"
    monkeypatch.delenv("PBEM_MATRIX__TOKEN")
    file.write_text(f'{file.read_text()}token_file = "token"\n')
    with pytest.raises(AdminError, match=r"matrix: the token_file .*token cannot be read"):
        posts(load(file))
    (tmp_path / "token").write_text("from a file\n")
    matrix = posts(load(file))[1]
    assert isinstance(matrix, Matrix) and matrix.session.account.token == "from a file"


@pytest.mark.parametrize(
    "change",
    [
        {"homeserver": "http://matrix.example.org"}, {"homeserver": "matrix.example.org"}, {"user": "games"},
        {"user": ""},
        {"password": ""}, {"token": "too"}, {"password_file": "too"}, {"moderators_room": "#mods:example.org"},
    ],
)  # fmt: skip
def test_what_cannot_be(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="matrix"):
        Config(matrix={**WHOLE, **change})


def configured(cli: Console, server: MatrixServer, user: str, password: str) -> None:
    """Give a house a Matrix account."""
    file = cli.folder / "config.toml"
    secret = cli.folder / "matrix.password"
    secret.write_text(password)
    secret.chmod(0o600)
    values = f'homeserver = "{server.url}"\nuser = "{user}"\npassword_file = "matrix.password"\nencryption = false\n'
    file.write_text(f"{file.read_text()}\n[matrix]\n{values}")


def test_the_doctor_tries_the_login(cli: Console, matrix_server: MatrixServer) -> None:
    bot = matrix_server.person("judge")
    configured(cli, matrix_server, bot.id, bot.password)
    ran = cli("doctor")
    assert ran.code == 0 and f"the login works: {bot.id}" in ran.out and bot.password not in ran.out
    (cli.folder / "matrix.password").chmod(0o644)
    ran = cli("doctor")
    assert ran.code == 1 and "chmod 600" in ran.out
    assert stat.S_IMODE((cli.folder / "matrix").stat().st_mode) == 0o700


@pytest.mark.parametrize(("user", "password", "told"), [
    ("@judge:pbem.test", "wrong-pw", "does not take user and password"),
    ("@nobody:pbem.test", "x", "does not take user and password"),
])  # fmt: skip
def test_the_doctor_finds_a_wrong_login(
    cli: Console, matrix_server: MatrixServer, user: str, password: str, told: str
) -> None:
    configured(cli, matrix_server, user, password)
    ran = cli("doctor")
    assert ran.code == 1 and told in ran.out and "wrong-pw" not in ran.out


def test_a_player_is_registered_with_a_matrix_id(cli: Console) -> None:
    assert "fill in [matrix]" in cli.refused("admin", "add-player", "alice", "--matrix", "@alice:example.org")
    file = cli.folder / "config.toml"
    values = 'homeserver = "https://m.example.org"\nuser = "@games:example.org"\ntoken = "t"\n'
    file.write_text(f"{file.read_text()}\n[matrix]\n{values}")
    file.chmod(0o600)
    said = cli.done("admin", "add-player", "alice", "--email", "alice@example.org", "--matrix", "@alice:example.org")
    assert "letters go to alice@example.org" in said
    assert "already" in cli.refused("admin", "add-player", "bob", "--matrix", "@ALICE:example.org")
    for wrong in ("alice", "@alice", "@a b:example.org", "@games:example.org"):
        cli.refused("admin", "add-player", "carol", "--matrix", wrong)
    cli.done("admin", "edit-player", "alice", "--prefer", "both")
    assert "no post" in cli.refused("admin", "edit-player", "alice", "--prefer", "pigeon")
    said = cli.done("admin", "edit-player", "alice", "--remove-matrix", "@alice:example.org")
    assert said == "alice: alice@example.org (letters go to the first); UTC\n"
