"""A restored or copied database reads, sends and judges nothing until an operator says that it is the right one."""

import dataclasses
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.config import Config
from pbem.services import desk, instance
from pbem.services.house import House
from pbem.store import facts
from pbem.store.session import connect, read
from pbem.testing.stage import Stage, open_stage, rig_of, text_of
from tests.services.company import NAMES, Company
from tests.services.hours import HOUR, letters_about, orders, outbox, rule
from tests.services.posts import shake

LATER = "The server was restored from a copy."


def copy_of(stage: Stage, to: Path) -> Path:
    """Copy the database, whole, while it is open."""
    with sqlite3.connect(str(stage.db.url.database)) as source, sqlite3.connect(to) as target:
        source.backup(target)
    source.close()
    target.close()
    return to


def restore(stage: Stage, backup: Path) -> None:
    """Put a copy in the place of the database, as after a broken disk."""
    stage.db.dispose()
    place = Path(str(stage.db.url.database))
    for rest in ("-wal", "-shm"):
        place.with_name(place.name + rest).unlink(missing_ok=True)
    shutil.copyfile(backup, place)


def confirm(stage: Stage, *, drop_queued: bool = False) -> list[str]:
    """Say that this database is the one to go on with, as `pbem admin confirm` does."""
    return instance.confirm(stage.db, stage.house, stage.now, drop_queued=drop_queued)


def moved(stage: Stage, folder: Path) -> Stage:
    """Open a copy of the whole house in another folder."""
    stage.db.dispose()
    shutil.copytree(stage.config.folder, folder)
    config = Config(folder=folder, moderators=stage.config.moderators)
    house = House(config, stage.house.key, stage.house.entropy)
    other = dataclasses.replace(stage, rig=rig_of(connect(config.database_url), house))
    other.rig.clock = lambda: other.now
    return other


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Open a house whose database is a file: one that can be copied behind its back."""
    stage = open_stage(tmp_path / "house", moderators={"mona": "mona@example.org"})
    yield stage
    stage.close()


@pytest.fixture
def restored(company: Company, tmp_path: Path) -> Company:
    """Give a game whose database was put back to before alice's turn: alice and bob have moved since."""
    backup = copy_of(company.stage, tmp_path / "backup.sqlite")
    company.stage.now += HOUR
    company.write("alice", "draw")
    company.write("bob", "draw")
    restore(company.stage, backup)
    return company


def test_e05_an_older_copy_reads_sends_and_judges_nothing(restored: Company) -> None:
    stage = restored.stage
    letters, waiting = len(stage.mails()), len(outbox(stage))
    stage.reply("alice", "draw")
    stage.pass_time(100 * HOUR)
    passed = stage.poll()
    assert passed.halted.startswith("restored: this database is older than the one that served until 2026-03-02 13:00")
    assert (passed.received, passed.sent) == (0, 0)
    assert len(stage.mails()) == letters
    assert len(outbox(stage)) == waiting
    assert orders(restored) == []


def test_e05_it_stays_so_even_if_the_file_beside_it_is_put_right(restored: Company) -> None:
    stage = restored.stage
    stage.poll()
    instance.keep(stage.house, read(stage.db, instance.known))
    assert stage.poll().halted.startswith("restored")


def test_e05_after_confirm_the_players_are_told_how_the_game_stands(restored: Company) -> None:
    stage = restored.stage
    stage.poll()
    assert "blame-1: old letters are void, its players get new ones" in confirm(stage)
    assert stage.poll().halted == ""
    for name in NAMES:
        assert len(letters_about(stage, name, LATER)) == 1
    restored.write("alice", "draw")
    assert orders(restored) == ['[[0,"draw","player"]]']


def test_e05_after_confirm_an_old_letter_is_stale(restored: Company) -> None:
    stage = restored.stage
    old = next(letter for letter in stage.mails("alice") if "Turn 1" in str(letter["Subject"]))
    confirm(stage)
    post = restored.poll()
    post = restored.write("alice", "draw", to=old)
    assert orders(restored) == []
    assert "This turn was taken back meanwhile" in " ".join(post.only("alice").split())
    restored.write("alice", "draw", to=post.to("alice")[0])
    assert orders(restored) == ['[[0,"draw","player"]]']


def test_e05_no_message_id_is_used_twice_for_another_letter(restored: Company) -> None:
    stage = restored.stage
    confirm(stage)
    stage.poll()
    restored.write("alice", "draw")
    restored.write("bob", "play VS1")
    ids = [str(letter["Message-ID"]) for letter in stage.mails()]
    assert len(ids) == len(set(ids))


def test_e05_the_same_copy_restored_twice_repeats_no_letter_and_takes_no_old_answer(
    restored: Company, tmp_path: Path
) -> None:
    stage = restored.stage
    confirm(stage)
    stage.poll()
    between = restored.newest("alice")
    restored.write("alice", "draw")
    restore(stage, tmp_path / "backup.sqlite")
    assert stage.poll().halted
    confirm(stage)
    restored.write("alice", "draw", to=between)
    assert orders(restored) == [], "that letter was written between the two restores"
    ids = [str(letter["Message-ID"]) for letter in stage.mails()]
    assert len(ids) == len(set(ids))


def test_e05_letters_of_old_turns_that_waited_in_the_copy_are_shown_not_sent(company: Company, tmp_path: Path) -> None:
    stage = company.stage
    rule(company, desk.pause)
    rule(company, desk.resume)
    backup = copy_of(stage, tmp_path / "backup.sqlite")
    stage.poll()
    before = {str(letter["Message-ID"]) for letter in stage.mails()}
    stage.now += HOUR
    stage.poll()
    restore(stage, backup)
    confirm(stage)
    assert {row.error for row in outbox(stage) if row.status == "failed"} == {"overtaken: the database was restored"}
    stage.poll()
    fresh = [text_of(letter) for letter in stage.mails() if str(letter["Message-ID"]) not in before]
    assert len(fresh) == 3
    assert all(LATER in " ".join(text.split()) for text in fresh)


def test_all_that_waits_may_be_dropped(restored: Company) -> None:
    stage = restored.stage
    post = shake(stage)
    confirm(stage)
    assert "3 waiting letters dropped" in confirm(stage, drop_queued=True)
    stage.poll()
    assert post.sent == []


def test_deadlines_of_a_restored_database_lie_ahead_again(restored: Company) -> None:
    stage = restored.stage
    stage.now += 500 * HOUR
    stage.poll()
    confirm(stage)
    stage.poll()
    assert orders(restored) == []
    assert restored.sitting.prompts[0].deadline_at >= stage.now + stage.config.time.grace


def test_e05_a_copy_in_another_folder_does_nothing(company: Company, tmp_path: Path) -> None:
    other = moved(company.stage, tmp_path.parent / f"{tmp_path.name}-laptop")
    assert other.poll().halted == "restored: this database served in another place"
    other.close()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "there is no instance beside this database"),
        ("", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"instance": "x"}', "cannot be read"),
        ('{"instance": "x", "tick_at": "2026-03-02T12:00:00+00:00"}', "belongs to another instance"),
    ],
)
def test_a_database_without_its_own_file_does_nothing(company: Company, content: str | None, why: str) -> None:
    path = company.stage.config.path(company.stage.config.store.instance_file)
    path.unlink()
    if content is not None:
        path.write_text(content)
    assert why in company.stage.poll().halted
    confirm(company.stage)
    assert company.stage.poll().halted == ""


def test_a_crash_between_commit_and_file_is_no_restore(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = company.stage
    path = stage.config.path(stage.config.store.instance_file)
    before = path.read_text()
    stage.now += HOUR
    stage.poll()
    assert json.loads(path.read_text())["tick_at"] == "2026-03-02T13:00:00+00:00"
    path.write_text(before)
    assert stage.poll().halted == ""


def test_a_game_whose_state_cannot_be_read_keeps_no_other_from_going_on(restored: Company) -> None:
    stage = restored.stage
    with sqlite3.connect(str(stage.db.url.database)) as connection:
        connection.execute("UPDATE game SET state = '{}' WHERE id = 1")
    connection.close()
    other = Company(stage, stage.new_game("blame", NAMES, seed="queen", first="bob"))
    done = confirm(stage)
    assert any("blame-1" in line and "nobody is written to" in line for line in done)
    assert f"{other.game}: old letters are void, its players get new ones" in done


def test_a_confirmed_database_is_another_instance(restored: Company) -> None:
    stage = restored.stage
    before = read(stage.db, lambda session: facts.find_fact(session, "instance"))
    confirm(stage)
    kept = read(stage.db, instance.known)
    assert (kept.instance == before, kept.era) == (False, 1)
