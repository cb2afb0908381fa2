"""Test the settings of the post: passwords come from files or the environment and are never shown."""

from pathlib import Path

import pytest

from pbem.config import Config, load
from pbem.errors import AdminError
from pbem.transports.mail import Mail
from pbem.transports.maildir import Maildir
from pbem.transports.posts import mailbox, posts, submission

WHOLE = """
[mail]
transport = "imap"
[mail.imap]
host = "mail.example.org"
user = "games@example.org"
password = "hunter2"
[mail.smtp]
host = "mail.example.org"
"""


def written(folder: Path, text: str) -> Config:
    (folder / "config.toml").write_text(text)
    return load(folder / "config.toml")


def test_maildirs_are_the_default() -> None:
    (post,) = posts(Config())
    assert isinstance(post, Maildir) and post.name == "mail"


def test_a_mailbox_elsewhere(tmp_path: Path) -> None:
    config = written(tmp_path, WHOLE)
    (post,) = posts(config)
    assert isinstance(post, Mail) and post.name == "mail"
    assert (config.mail.imap.port, config.mail.imap.tls, config.mail.imap.folder) == (993, "tls", "INBOX")
    assert (config.mail.smtp.port, config.mail.smtp.tls) == (587, "starttls")
    assert submission(config).server.user == ""


def test_passwords_are_never_shown(tmp_path: Path) -> None:
    config = written(tmp_path, WHOLE)
    assert mailbox(config).server.password == "hunter2"
    assert "hunter2" not in f"{config!r} {config} {config.model_dump()} {config.model_dump_json()}"
    assert "hunter2" not in f"{mailbox(config).server!r} {mailbox(config).server}"


def test_a_password_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_MAIL__IMAP__PASSWORD", "from the environment")
    config = written(tmp_path, WHOLE)
    assert mailbox(config).server.password == "from the environment"
    assert mailbox(config).server.host == "mail.example.org"


def test_a_password_from_a_file(tmp_path: Path) -> None:
    config = written(tmp_path, WHOLE.replace('password = "hunter2"', 'password_file = "secret"'))
    with pytest.raises(AdminError, match="secret cannot be read"):
        mailbox(config)
    (tmp_path / "secret").write_text(" ünter2 \n")
    assert mailbox(config).server.password == " ünter2 "
    (tmp_path / "secret").write_bytes(b"\xff")
    with pytest.raises(AdminError, match="UTF-8"):
        posts(config)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('host = "mail.example.org"\nuser = "games@example.org"\n', "", "imap.host and imap.user"),
        ('password = "hunter2"', 'password = "hunter2"\ntls = "none"', "only for a server on this machine"),
        ('password = "hunter2"', 'password = "hunter2"\ntls = "maybe"', "mail.imap.tls"),
        ('password = "hunter2"', 'password = "hunter2"\nport = 70000', "mail.imap.port"),
        ('password = "hunter2"', 'password = "hunter2"\npassword_file = "x"', "either"),
        ('password = "hunter2"', 'password = "hunter2"\npasword = "hunter2"', "mail.imap.pasword"),
        ('password = "hunter2"', 'password = ["hunter2"]', "mail.imap.password"),
        ('transport = "imap"', 'transport = "pigeon"', "mail.transport"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(AdminError) as caught:
        written(tmp_path, WHOLE.replace(old, new))
    assert why in str(caught.value)
    assert "hunter2" not in f"{caught.value} {caught.value.__cause__} {caught.value.__cause__!r}"


def test_no_tls_is_for_this_machine(tmp_path: Path) -> None:
    for host in ("localhost", "127.0.0.1", "::1"):
        text = WHOLE.replace('host = "mail.example.org"\nuser', f'host = "{host}"\ntls = "none"\nuser')
        assert mailbox(written(tmp_path, text)).server.tls == "none"
