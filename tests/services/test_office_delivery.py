"""Test how a message is dealt with: once, whole or not at all, and answered once."""

import asyncio
from email.message import EmailMessage

import pytest
from sqlmodel import Session

from pbem.core.digest import Scene
from pbem.core.message import Inbound
from pbem.errors import Conflict, EngineFault
from pbem.services import addressing, commands, desk, envelopes, office, turns
from pbem.store import games, mail
from pbem.store.session import read, transact
from pbem.store.tables import Seat
from pbem.testing.stage import NOON, html_of, reply_to, text_of
from pbem.transports import mime
from tests.services.company import Company, fates, inbox, outbox, recipient, said, whole


def brought(company: Company, name: str, words: str) -> Inbound:
    """Give a reply as the transport brings it."""
    return mime.read(reply_to(company.newest(name), f"{name}@example.org", words, NOON, 7), "mail", NOON)


def receive(company: Company, message: Inbound) -> str:
    """Hand a message to the office."""
    return office.receive(company.stage.db, company.stage.house, company.stage.now, message)


def fails(*given: object, **more: object) -> None:
    """Fail as no code should, with a card in the words."""
    raise ZeroDivisionError("G1 is in the words of the fault")


def test_a_second_delivery_is_a_no_op(company: Company) -> None:
    message = brought(company, "alice", "draw")
    assert receive(company, message) == "answered"
    before = (company.sitting.game.model_dump(), len(outbox(company.stage)))
    assert receive(company, message) == "answered"
    assert (company.sitting.game.model_dump(), len(outbox(company.stage))) == before


def test_the_transport_is_told_only_what_is_committed(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """A conflict leaves the message where it is; the next pass takes it."""

    def conflict(*given: object) -> None:
        raise Conflict("somebody was first")

    with monkeypatch.context() as patch:
        patch.setattr(office, "handle", conflict)
        assert company.write("alice", "draw").letters == ()
    assert fates(company.stage) == []
    assert company.poll().readers == ["alice", "bob", "carol"]


def test_nothing_is_kept_of_a_message_whose_commit_fails(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    before = company.sitting.game.model_dump()
    with monkeypatch.context() as patch:
        patch.setattr(office, "_record", fails)
        receive(company, brought(company, "alice", "draw"))
    assert company.sitting.game.model_dump() == before
    assert {row.kind for row in outbox(company.stage)[3:]} == {"alarm"}


def test_every_players_message_gets_exactly_one_answer(company: Company) -> None:
    for words in ("help", "hello", "drw", "play S1", "say hi", "status", "resign", "retract", "", "tell zed hi", "end"):
        post = company.write("alice", words)
        assert len(post.to("alice")) == 1, words
        assert post.to("alice")[0]["Message-ID"]
    post = company.write("alice", "draw\nhelp\nlog\nsay done")
    assert len(post.to("alice")) == 1


def test_what_the_program_failed_on_is_set_aside_with_an_alarm(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(commands, "obey", fails)
        post = company.write("alice", "draw")
    assert fates(company.stage) == ["aside"]
    assert post.readers == ["mona"]
    assert company.sitting.is_open and company.sitting.table.step == 0


def test_what_was_set_aside_can_be_retried(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(commands, "obey", fails)
        company.write("alice", "draw")
    (kept,) = inbox(company.stage)
    message = mime.read(kept.raw, kept.transport, kept.received_at)
    fate = office.receive(company.stage.db, company.stage.house, company.stage.now, message, again=kept.id)
    assert fate == "answered" and fates(company.stage) == ["answered"]
    assert company.poll().readers == ["alice", "bob", "carol"]
    assert company.sitting.table.turn() == 2


def test_the_traceback_stands_in_no_letter(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(commands, "obey", fails)
        post = company.write("alice", "draw")
    for letter in post.letters:
        for trace in ("ZeroDivisionError", "Traceback", "the words of the fault", "G1"):
            assert trace not in letter.as_string()
    assert "ZeroDivisionError" not in inbox(company.stage)[0].reasons


def test_a_flood_of_poison_is_one_alarm_an_hour(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(commands, "obey", fails)
        posts = [company.write("alice", f"draw {at}") for at in range(4)]
    assert [post.readers for post in posts] == [["mona"], [], [], []]
    assert fates(company.stage) == ["aside"] * 4


def test_an_engine_fault_pauses_that_game_tells_its_players_once_and_alarms(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Company.deal(company.stage)
    with monkeypatch.context() as patch:
        patch.setattr(turns, "advance", engine_fault)
        post = company.write("alice", "draw")
        again = company.write("alice", "draw")
    assert company.sitting.game.status == "paused" and other.sitting.game.status == "open"
    for name in ("alice", "bob", "carol"):
        assert f"{company.game} is paused: the program met a fault in it." in said(post.only(name))
    assert post.readers.count("mona") == 2, "one alarm for the message, one for the game"
    assert again.readers == ["alice"] and "is paused; your clock stands still" in said(again.only("alice"))
    assert other.write("alice", "draw").readers == ["alice", "bob", "carol"]


def test_a_game_whose_state_cannot_be_read_pauses_and_holds_up_no_other(company: Company) -> None:
    other, state = Company.deal(company.stage), company.sitting.game.state
    letter = company.newest("alice")

    def spoil(session: Session) -> None:
        game = desk.get_game(session, company.game)
        game.state = "{}"
        games.save_game(session, game)

    transact(company.stage.db, spoil)
    post = company.write("alice", "draw", to=letter)
    assert company.stage.game(company.game).status == "paused" and "mona" in post.readers
    assert "is paused: the program met a fault in it" in said(post.only("bob"))
    assert state not in "".join(letter.as_string() for letter in post.letters)
    assert other.write("alice", "draw").readers == ["alice", "bob", "carol"]


def engine_fault(*given: object) -> None:
    """Break the contract."""
    raise EngineFault("the game lost a card: G1")


def test_a57_one_poison_mail_stops_no_later_mail(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = company.stage
    gather = office.gather

    def poisoned(session: object, house: object, now: object, message: Inbound) -> object:
        if "poison" in message.subject:
            raise ValueError("a header that cannot be read")
        return gather(session, house, now, message)  # type: ignore[arg-type]

    monkeypatch.setattr(office, "gather", poisoned)
    stage.deliver(reply_to(company.newest("alice"), "alice@example.org", "draw", stage.now, 1))
    stage.deliver(reply_to(company.newest("alice"), "eve@example.com", "draw", stage.now, 2, Subject="poison"))
    stage.deliver(reply_to(company.newest("bob"), "bob@example.org", "say hello", stage.now, 3))
    first, second, third = (company.poll() for _ in range(3))
    assert fates(stage) == ["answered", "aside", "answered"]
    assert company.sitting.table.step == 1
    assert sorted(first.readers) == ["alice", "alice", "bob", "bob", "carol", "carol", "mona"]
    assert second.letters == third.letters == ()


def test_one_outbox_row_per_recipient_each_under_its_own_id(company: Company) -> None:
    company.write("alice", "draw\nsay and now bob")
    rows = outbox(company.stage)
    assert len({row.key for row in rows}) == len({row.letter_id for row in rows}) == len(rows)
    for letter in company.stage.mails():
        assert recipient(letter)
        assert "Cc" not in letter and "Bcc" not in letter


def test_a_repeated_send_is_recognised(company: Company) -> None:
    """The outbox key becomes the Message-ID, whenever and however often the letter goes out."""
    company.write("alice", "draw")
    row = outbox(company.stage)[-1]
    (transport,) = company.stage.rig.transports
    before = [letter["Message-ID"] for letter in company.stage.mails()]
    asyncio.run(transport.send(mail.as_outbound(row)))
    assert [letter["Message-ID"] for letter in company.stage.mails()] == before
    assert f"<{row.letter_id}@example.org>" in before


def test_f08_a_render_that_fails_half_way_leaves_nothing_in_the_next_letter(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[int] = []
    digest = Scene.digest

    def second_fails(scene: Scene, seat: int) -> tuple[str, str]:
        rendered.append(seat)
        if len(rendered) == 2:
            fails()
        return digest(scene, seat)

    hands = {name: company.hand(name) for name in ("alice", "bob", "carol")}
    with monkeypatch.context() as patch:
        patch.setattr(Scene, "digest", second_fails)
        assert company.write("alice", "draw").readers == ["mona"], "no letter at all: one transaction"
    assert rendered == [0, 1]
    post = company.write("alice", "draw")
    assert post.readers == ["alice", "bob", "carol"]
    for name, others in (("bob", ("alice", "carol")), ("carol", ("alice", "bob"))):
        (letter,) = post.to(name)
        for card in (card for other in others for card in hands[other] if card not in hands[name]):
            assert f" {card} " not in whole(letter) and f">{card}<" not in whole(letter)


@pytest.mark.parametrize("wrong", ["token", "place", "seat", "player_id", "shown"])
def test_a_guard_compares_seat_view_token_and_recipient_of_each_row(company: Company, wrong: str) -> None:
    alice, bob = (row for row in outbox(company.stage)[:2])
    seats = company.sitting.seats
    readers = read(company.stage.db, lambda session: addressing.readers(session, seats))
    row = alice.model_dump()
    envelopes.guard(company.stage.house, row, seats[0], readers[0], "alice")
    if wrong != "shown":
        row[wrong] = getattr(bob, wrong)
    with pytest.raises(EngineFault, match="wrong seat"):
        envelopes.guard(company.stage.house, row, seats[0], readers[0], "bob" if wrong == "shown" else "alice")


def test_the_guard_keeps_a_row_for_the_wrong_seat_from_being_written(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    row_for = envelopes.row_for

    def mixed_up(house: object, reader: object, seat: Seat, *given: object, **more: object) -> dict[str, object]:
        row = row_for(house, reader, seat, *given, **more)  # type: ignore[arg-type]
        return row | {"place": "carol@example.org"} if seat.number == 1 and more["kind"] == "digest" else row

    with monkeypatch.context() as patch:
        patch.setattr(envelopes, "row_for", mixed_up)
        company.write("alice", "draw")
    assert company.sitting.game.status == "paused" and company.sitting.table.step == 0
    assert {row.kind for row in outbox(company.stage)[3:]} == {"alarm", "notice"}


def test_letters_are_text_and_html_for_one_seat_each(company: Company) -> None:
    post = company.write("alice", "draw")
    for letter in post.letters:
        name = recipient(letter).partition("@")[0]
        assert f"Dear {name}," in text_of(letter) and f"Dear {name}," in html_of(letter)
        assert isinstance(letter, EmailMessage) and letter["Auto-Submitted"] == "auto-generated"
        seat = ("alice", "bob", "carol").index(name)
        assert str(letter["Message-ID"]).startswith(f"<1-{seat}-0-")
        assert str(letter["Reply-To"]).startswith(f"games+1-{seat}-0-")
