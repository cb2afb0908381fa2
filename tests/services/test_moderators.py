"""A moderator is known by every address that the config names, by mail and by Matrix; alarms go to each mail once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from pbem.config import Config, load
from pbem.core.message import Address
from pbem.errors import AdminError
from pbem.services import desk, moderators, notices, people
from pbem.services.moderators import Ruler
from pbem.store.session import transact
from pbem.testing.stage import Stage, open_stage
from tests.services.company import Company, a_mail, outbox
from tests.services.hours import rule

MONA = Ruler("mona", moderator=True)
PLACES = ["mona@example.org", "@mona:example.org", "Mona@Work.example", "MONA@example.org"]


@pytest.fixture
def stage(tmp_path: Path, store_url: str) -> Iterator[Stage]:
    """Open a house whose one moderator has a Matrix id and two mail addresses, one of them written twice."""
    stage = open_stage(tmp_path, url=store_url, moderators={"mona": PLACES})
    yield stage
    stage.close()


def seat(stage: Stage, known_by: Address) -> Company:
    """Start a game between alice and dora, who is known by one address alone."""
    stage.add_player("alice")
    transact(stage.db, lambda session: people.register(session, stage.house, stage.now, "dora", [known_by]))
    return Company(stage, stage.new_game("blame", ["alice", "dora"]))


@pytest.mark.parametrize("known_by", [Address("matrix", "@Mona:Example.org"), Address("mail", "mona@work.example")])
def test_who_plays_by_any_address_of_hers_is_refused(stage: Stage, known_by: Address) -> None:
    company = seat(stage, known_by)
    with pytest.raises(AdminError, match="mona plays in blame-1"):
        rule(company, desk.pause, "x", MONA)


def test_who_plays_by_an_address_of_somebody_else_does_not_keep_her_out(stage: Stage) -> None:
    company = seat(stage, Address("matrix", "@moana:example.org"))
    rule(company, desk.pause, "x", MONA)


def test_alarms_go_once_to_every_mail_address_of_hers(stage: Stage) -> None:
    for _ in range(2):
        transact(stage.db, lambda session: notices.alarm(session, stage.house, "fire", "It burns.", stage.now))
    rows = outbox(stage)
    assert [(row.transport, row.place) for row in rows] == [
        ("mail", "mona@example.org"), ("mail", "Mona@Work.example"),
    ]  # fmt: skip
    assert all("Dear mona," in row.text for row in rows)


def test_two_moderators_who_share_an_address_get_one_alarm() -> None:
    config = Config(moderators={"mona": "desk@example.org", "max": ["Desk@example.org", "@max:example.org"]})
    assert [(name, to.place) for name, _, to in moderators.alarmed(config)] == [("mona", "desk@example.org")]


@pytest.mark.parametrize("sender", ["mona@example.org", "mona@work.EXAMPLE"])
def test_a_held_message_that_bears_her_address_is_an_alarm(stage: Stage, sender: str) -> None:
    stage.deliver(a_mail(sender, "let me in").as_bytes())
    stage.poll()
    assert "claims to come from moderator mona" in " ".join(outbox(stage)[0].text.split())


def test_her_matrix_id_is_hers_on_matrix_alone() -> None:
    config = Config(moderators={"mona": PLACES, "max": "max@example.org"})
    assert moderators.owners(config, Address("matrix", " @MONA:example.org")) == ["mona"]
    assert moderators.owners(config, Address("mail", "@mona:example.org")) == []
    assert moderators.owners(config, Address("mail", "max@example.org")) == ["max"]


def test_the_file_and_the_environment_may_name_one_or_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[moderators]\nmona = ["mona@example.org", "@mona:example.org"]\nmax = "max@example.org"\n')
    assert load(file).moderators == {"mona": ("mona@example.org", "@mona:example.org"), "max": ("max@example.org",)}
    monkeypatch.setenv("PBEM_MODERATORS__eve", "eve@example.org")
    assert load(file).moderators["eve"] == ("eve@example.org",)
    monkeypatch.setenv("PBEM_MODERATORS__eve", '["eve@example.org", "@eve:example.org"]')
    assert load(file).moderators["eve"] == ("eve@example.org", "@eve:example.org")


@pytest.mark.parametrize("places", ["", [], "mona", "@mona", ["mona@example.org", "a b@example.org"], 7, [7]])
def test_what_is_no_address_is_refused(places: object) -> None:
    with pytest.raises(ValidationError, match="write a mail address, a Matrix id"):
        Config(moderators={"mona": places})
