"""Test the checks of `pbem doctor` against real servers: logins, certificates, clocks, and a letter to itself."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.config import Config
from pbem.transports import checking
from pbem.transports.checking import Checked, examine, write_to_itself
from tests.real.servers import MailServer, User


def config_of(mail_server: MailServer, office: User, folder: Path, **other: Any) -> Config:
    """Give the settings of an office; `imap` and `smtp` change those of one server."""
    values = mail_server.config(office, **{key: value for key, value in other.items() if key not in ("imap", "smtp")})
    for part in ("imap", "smtp"):
        values["mail"][part].update(other.get(part, {}))
    return Config(folder=folder, **values)


def wrong(found: list[Checked]) -> dict[str, str]:
    """Give what is wrong, each with how to mend it."""
    assert all(one.mend for one in found if not one.ok)
    return {one.what: f"{one.told} -> {one.mend}" for one in found if not one.ok}


async def test_two_servers_that_work(mail_server: MailServer, office: User, tmp_path: Path) -> None:
    found = await examine(config_of(mail_server, office, tmp_path))
    assert wrong(found) == {}
    assert [one.what for one in found] == ["imap", "smtp"]
    assert office.mails() == []


async def test_passwords_in_files(mail_server: MailServer, office: User, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{office.password}\n")
    (tmp_path / "secret").chmod(0o600)
    by_file = {"password": "", "password_file": "secret"}
    config = config_of(mail_server, office, tmp_path, imap=by_file, smtp=by_file)
    assert wrong(await examine(config)) == {}
    (tmp_path / "secret").chmod(0o644)
    assert wrong(await examine(config))["imap password"].endswith(f"chmod 600 {tmp_path}/secret")
    (tmp_path / "secret").unlink()
    assert "password_file" in wrong(await examine(config))["password"]


async def test_each_server_is_told_of_by_itself(mail_server: MailServer, office: User, tmp_path: Path) -> None:
    bad = {"password": "hunter2"}
    found = wrong(await examine(config_of(mail_server, office, tmp_path, imap=bad, smtp={"port": 1})))
    assert "refuses the login" in found["imap"] and "hunter2" not in found["imap"]
    assert "cannot be reached" in found["smtp"] and "[mail.smtp]" in found["smtp"]


async def test_a_certificate_that_ends_soon(
    mail_server: MailServer, office: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "SOON", checking.SOON * 10)
    found = wrong(await examine(config_of(mail_server, office, tmp_path)))
    assert found.keys() == {"imap cert", "smtp cert"}


async def test_a_server_whose_clock_is_ahead(mail_server: MailServer, office: User, tmp_path: Path) -> None:
    office.put(b"Subject: x\r\n\r\n", dt=datetime.now(UTC) + timedelta(minutes=30))
    assert "clock" in wrong(await examine(config_of(mail_server, office, tmp_path)))["imap clock"]


async def test_the_letter_to_itself_arrives_and_is_removed(
    mail_server: MailServer, office: User, tmp_path: Path
) -> None:
    found = await write_to_itself(config_of(mail_server, office, tmp_path))
    assert wrong(found) == {}
    assert [one.what for one in found] == ["letter", "clock apart", "plus"]
    assert "plus addresses arrive" in found[-1].told
    assert office.mails() == []


async def test_plus_addresses_that_do_not_arrive(
    mail_server: MailServer, office: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = checking._send

    async def losing(config: Config, way_out: Any, to: str, key: str) -> None:
        if "+" not in to:
            await send(config, way_out, to, key)

    monkeypatch.setattr(checking, "_send", losing)
    found = await write_to_itself(config_of(mail_server, office, tmp_path), for_plus=0)
    assert wrong(found).keys() == {"plus"} and "plus = false" in wrong(found)["plus"]
    found = await write_to_itself(config_of(mail_server, office, tmp_path, plus=False), for_plus=0)
    assert wrong(found) == {}


async def test_an_address_that_is_not_the_mailboxs(
    mail_server: MailServer, office: User, alice: User, tmp_path: Path
) -> None:
    config = config_of(mail_server, office, tmp_path, address=alice.address)
    assert wrong(await write_to_itself(config, for_plain=0)).keys() == {"letter"}
    assert os.listdir(tmp_path) == []
