"""Test the Maildir post: nothing is lost or doubled, whatever a mail program does with the folders meanwhile."""

import mailbox
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.errors import PermanentFailure, TemporaryFailure
from pbem.transports.base import Delivery, Transport
from pbem.transports.maildir import Maildir
from tests.cases import HEAD, LETTER


@pytest.fixture
def post(tmp_path: Path) -> Maildir:
    return Maildir(tmp_path / "in", tmp_path / "out", HEAD)


def put(folder: Path, name: str, at: float, words: str = "draw") -> Path:
    for sub in ("tmp", "new", "cur"):
        (folder / sub).mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"From: ann@example.org\nMessage-ID: <{path.name.partition(':')[0]}@x>\n\n{words}\n")
    os.utime(path, (at, at))
    return path


async def waiting(post: Transport) -> list[Delivery]:
    return [delivery async for delivery in post.receive()]


async def test_oldest_first_by_when_it_came(post: Maildir, tmp_path: Path) -> None:
    put(tmp_path / "in", "new/b", 1_000, "pass")
    put(tmp_path / "in", "new/a", 2_000)
    put(tmp_path / "in", "cur/c:2,F", 1_500)
    put(tmp_path / "in", "cur/d:2,FS", 500)
    found = await waiting(post)
    assert [delivery.handle for delivery in found] == ["b", "c", "a"]
    assert found[0].message.text == "pass\n"
    assert found[0].message.transport == "mail"
    assert found[0].message.received_at == datetime.fromtimestamp(1_000, UTC)


async def test_an_empty_post_is_made(post: Maildir, tmp_path: Path) -> None:
    assert await waiting(post) == []
    assert (tmp_path / "in" / "new").is_dir()


async def test_receiving_marks_nothing(post: Maildir, tmp_path: Path) -> None:
    path = put(tmp_path / "in", "new/a", 1_000)
    assert len(await waiting(post)) == len(await waiting(post)) == 1
    assert path.exists()


async def test_done_is_done_wherever_a_mail_program_has_put_it(post: Maildir, tmp_path: Path) -> None:
    path = put(tmp_path / "in", "new/a", 1_000)
    (delivery,) = await waiting(post)
    path.rename(tmp_path / "in" / "cur" / "a:2,F")  # as mutt does with what it has listed
    await post.done(delivery.handle)
    assert os.listdir(tmp_path / "in" / "cur") == ["a:2,FS"]
    assert await waiting(post) == []
    await post.done(delivery.handle)
    await post.done("unknown")


async def test_one_that_vanishes_does_not_stop_the_rest(post: Maildir, tmp_path: Path) -> None:
    put(tmp_path / "in", "new/a", 1_000)
    gone = put(tmp_path / "in", "new/b", 2_000)
    put(tmp_path / "in", "new/c", 3_000)
    handles = []
    async for delivery in post.receive():
        handles.append(delivery.handle)
        gone.unlink(missing_ok=True)
    assert handles == ["a", "c"]


async def test_one_that_cannot_be_read_does_not_stop_the_rest(post: Maildir, tmp_path: Path) -> None:
    put(tmp_path / "in", "new/a", 1_000)
    (tmp_path / "in" / "new" / "folder").mkdir()
    (tmp_path / "in" / "new" / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "in" / "new" / ".hidden").write_text("x")
    assert [delivery.handle for delivery in await waiting(post)] == ["a"]


async def test_a_letter_is_a_mail_that_other_programs_read(post: Maildir, tmp_path: Path) -> None:
    await post.send(LETTER)
    (message,) = mailbox.Maildir(tmp_path / "out", create=False)
    assert message["Message-ID"] == "<g7a4k7q2.3f2a@play.example.org>"
    assert os.listdir(tmp_path / "out" / "tmp") == []
    (path,) = (tmp_path / "out" / "new").iterdir()
    assert b"\r" not in path.read_bytes()


async def test_the_same_letter_is_there_once(post: Maildir, tmp_path: Path) -> None:
    await post.send(LETTER)
    await post.send(LETTER)
    (path,) = (tmp_path / "out" / "new").iterdir()
    path.rename(tmp_path / "out" / "cur" / f"{path.name}:2,S")
    await post.send(LETTER)
    assert os.listdir(tmp_path / "out" / "new") == []
    await post.send(replace(LETTER, key="other"))
    assert len(os.listdir(tmp_path / "out" / "new")) == 1


async def test_a_full_disk_is_temporary_and_leaves_no_letter(
    post: Maildir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(TemporaryFailure, match="No space left"):
            await post.send(LETTER)
        assert os.listdir(tmp_path / "out" / "new") == []
    await post.send(LETTER)
    assert len(os.listdir(tmp_path / "out" / "new")) == 1


async def test_a_folder_that_is_none_is_temporary(post: Maildir, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("a file")
    (tmp_path / "out").write_text("a file")
    with pytest.raises(TemporaryFailure):
        await waiting(post)
    with pytest.raises(TemporaryFailure):
        await post.done("a")
    with pytest.raises(TemporaryFailure):
        await post.send(LETTER)


async def test_a_letter_that_cannot_be_written_is_permanent(post: Maildir) -> None:
    with pytest.raises(PermanentFailure, match="control character"):
        await post.send(replace(LETTER, subject="a\nb"))
