"""Players open disputes and appeal; a moderator rules, and the clocks stand still meanwhile if the game says so."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import AdminError
from pbem.services import desk, disputes, rollback, rulings
from pbem.services.disputes import Deed
from pbem.services.moderators import Ruler
from pbem.store import disputes as store
from pbem.store.session import read
from pbem.store.tables import Dispute
from pbem.testing.stage import Stage, open_stage
from tests.services.company import NAMES, Company, said
from tests.services.hours import DAY, HOUR, due, letters_about, log_of, rule

MONA, MAX = Ruler("mona", moderator=True), Ruler("max", moderator=True)
MODERATORS = {"mona": "mona@example.org", "max": "max@example.org"}
SECRET = "I hold G1, and bob peeked."


@pytest.fixture
def stage(tmp_path: Path, store_url: str) -> Iterator[Stage]:
    stage = open_stage(tmp_path, url=store_url, moderators=MODERATORS)
    yield stage
    stage.close()


@pytest.fixture
def company(stage: Stage) -> Company:
    return Company.deal(stage)


def dispute_of(company: Company, number: int = 1) -> Dispute:
    row = read(company.stage.db, lambda session: store.find_dispute(session, number))
    assert row is not None
    return row


def settle(
    company: Company, text: str = "The move stands", deed: Deed | None = None, by: Ruler = MONA, *, number: int = 1,
    dismissed: bool = False,
) -> Any:  # fmt: skip
    return rule(company, disputes.rule, number, text, deed, dismissed, by)


def test_a_dispute_stops_the_clocks_and_all_are_told_but_not_what_it_says(company: Company) -> None:
    before = due(company)
    post = company.write("bob", f"dispute {SECRET}")
    assert sorted({*post.readers}) == sorted([*NAMES, "mona", "max"])
    answer = said(post.only("bob"))
    assert "Your words go to the moderators as dispute 1." in answer and "All clocks stand still until" in answer
    for name in ("alice", "carol"):
        text = said(post.only(name))
        assert "bob opened dispute 1. All clocks stand still until a moderator has ruled." in text
        assert (
            "The game is paused: your clock stands still" in text
            and "Dispute 1 waits for a moderator's ruling." in text
        )
    for name in ("alice", "carol", "mona", "max"):
        assert "peeked" not in said(post.only(name))
    assert "Dispute 1 in blame-1 is open: pbem mod dispute show 1" in said(post.only("mona"))
    assert dispute_of(company).text == SECRET
    assert SECRET not in "".join(row.body + row.events for row in log_of(company))
    company.stage.pass_time(5 * DAY)
    assert company.sitting.game.status == "paused" and due(company) == before, "nobody's time ran out"


def test_the_ruling_is_told_to_all_and_the_clocks_run_again(company: Company) -> None:
    before = due(company)
    company.write("bob", f"dispute {SECRET}")
    company.stage.pass_time(2 * DAY)
    settle(company)
    post = company.poll()
    assert post.readers == sorted(NAMES), "one letter each"
    for name in NAMES:
        text = said(post.only(name))
        assert "The moderator mona ruled on dispute 1: The move stands. Who does not agree may appeal, once" in text
        assert "The moderator mona resumed the game" in text and "peeked" not in text
    assert company.sitting.game.status == "open" and due(company) == before + 2 * DAY
    assert dispute_of(company).status == "ruled"
    with pytest.raises(AdminError, match="dispute 1 was ruled on"):
        settle(company)


def test_a_game_may_go_on_while_there_is_a_dispute(stage: Stage) -> None:
    company = Company.deal(stage, disputes="go")
    post = company.write("bob", "dispute He cheats")
    assert "The game goes on meanwhile." in said(post.only("alice"))
    assert company.sitting.game.status == "open"
    company.write("alice", "draw")
    settle(company, dismissed=True)
    told = said(company.poll().only("carol"))
    assert "ruled on dispute 1, and dismissed it: The move stands." in told and "resumed" not in told


def test_a_player_stops_the_clocks_once_until_a_ruling(company: Company) -> None:
    company.write("bob", "dispute One")
    rule(company, desk.resume, "we play on", MONA)
    company.poll()
    assert "The game goes on meanwhile" in said(company.write("bob", "dispute Two").only("bob"))
    assert company.sitting.game.status == "open"
    company.stage.pass_time(HOUR)
    company.write("carol", "dispute Three")
    assert company.sitting.game.status == "paused", "another player has a stop of her own"
    settle(company, number=3)
    assert company.sitting.game.status == "open"
    settle(company, number=1)
    company.write("bob", "dispute Four")
    assert company.sitting.game.status == "paused", "the one for which he stopped them was ruled on"


def test_clocks_that_two_disputes_stop_run_once_both_are_ruled_on(company: Company) -> None:
    company.write("bob", "dispute One")
    company.write("carol", "dispute Two")
    settle(company, number=1)
    assert company.sitting.game.status == "paused"
    settle(company, number=2)
    assert company.sitting.game.status == "open"


def test_a_pause_of_the_host_is_not_ended_by_a_ruling(company: Company) -> None:
    rule(company, desk.pause, "a holiday")
    company.write("bob", "dispute One")
    settle(company)
    assert company.sitting.game.status == "paused"


def test_a_player_may_not_flood_the_moderators(company: Company) -> None:
    for number in range(3):
        company.write("bob", f"dispute {number}")
    assert "Your disputes 1, 2, 3 wait for a ruling" in said(company.write("bob", "dispute 4").only("bob"))
    assert company.write("carol", "dispute mine").readers, "others may"


@pytest.mark.parametrize(
    ("words", "why"), [("dispute", "This must say what it is about"), ("dispute:\n \nend", "must")]
)
def test_an_empty_dispute_is_refused(company: Company, words: str, why: str) -> None:
    post = company.write("bob", words)
    assert post.readers == ["bob"] and why in said(post.only("bob"))
    assert company.sitting.game.status == "open"


def test_a_dispute_may_have_many_lines_and_stands_beside_an_order(company: Company) -> None:
    company.write("alice", "draw\ndispute:\nFirst this,\ndraw\nthen that.\nend\nstatus")
    assert dispute_of(company).text == "First this,\ndraw\nthen that."
    assert company.sitting.table.step == 1


def test_a_colon_after_the_word_does_no_harm(company: Company) -> None:
    company.write("bob", "Dispute: She saw my cards")
    assert dispute_of(company).text == "She saw my cards"


def test_a_slip_elsewhere_does_not_keep_a_dispute_back(company: Company) -> None:
    post = company.write("alice", "drwa\ndispute It does not understand me")
    assert "One letter away from a command" in said(post.only("alice"))
    assert dispute_of(company).text == "It does not understand me" and company.sitting.table.step == 0


def test_after_the_end_there_may_be_a_dispute(company: Company) -> None:
    rule(company, desk.end)
    company.poll()
    company.write("bob", "dispute That was unfair")
    settle(company, "It was fair", dismissed=True)
    assert "ruled on dispute 1, and dismissed it: It was fair." in said(company.poll().only("carol"))
    assert company.sitting.game.status == "ended"


def test_another_moderator_must_hear_an_appeal(company: Company) -> None:
    company.write("bob", "dispute One")
    settle(company)
    company.poll()
    post = company.write("carol", "appeal 1 That is against rule B4")
    assert "carol appealed in dispute 1: another moderator must rule. All clocks stand still" in said(
        post.only("alice")
    )
    assert "B4" not in said(post.only("alice")) + said(post.only("mona"))
    assert "Dispute 1 in blame-1 was appealed" in said(post.only("max"))
    with pytest.raises(
        AdminError, match="mona ruled on dispute 1, and it was appealed: another moderator must rule now"
    ):
        settle(company)
    settle(company, "It is taken back", by=MAX)
    told = said(company.poll().only("alice"))
    assert "The moderator max ruled on dispute 1: It is taken back. It was appealed, so this ruling stands." in told
    with pytest.raises(AdminError, match="its one appeal was heard"):
        settle(company, by=MAX)
    assert "appealed once, and there is no second appeal" in said(company.write("bob", "appeal 1 No").only("bob"))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("appeal 1 no", "Dispute 1 waits for its ruling still"),
        ("appeal 7 no", 'There is no dispute "7" in this game.'),
        ("appeal", "Which dispute is meant?"),
        ("appeal 1", "This must say what it is about"),
        (f"appeal {'9' * 30} no", "There is no dispute"),
    ],
)
def test_an_appeal_that_cannot_be_changes_nothing(company: Company, words: str, why: str) -> None:
    company.write("bob", "dispute One")
    entries = len(log_of(company))
    assert why in said(company.write("carol", words).only("carol"))
    assert len(log_of(company)) == entries and dispute_of(company).status == "open"


def test_prose_that_begins_so_is_no_appeal(company: Company) -> None:
    post = company.write("alice", "appeal to your reason\ndraw")
    assert "Not read as an order" in said(post.only("alice")) and company.sitting.table.step == 1


def test_where_there_is_no_other_moderator_the_ruling_stands_and_says_so(tmp_path: Path) -> None:
    stage = open_stage(tmp_path / "one", moderators={"mona": "mona@example.org", "carol": "elsewhere@example.org"})
    company = Company.deal(stage)
    company.write("bob", "dispute One")
    settle(company)
    assert "There is no other moderator to appeal to, so this ruling stands." in said(company.poll().only("bob"))
    answer = said(company.write("bob", "appeal 1 Please").only("bob"))
    assert "There is no other moderator who could rule on dispute 1, so the ruling stands." in answer
    stage.close()


def test_who_plays_may_not_rule(company: Company) -> None:
    company.write("bob", "dispute One")
    with pytest.raises(AdminError, match="Bob plays in blame-1"):
        settle(company, by=Ruler("Bob", moderator=True))


def test_a_ruling_may_put_the_game_back(company: Company) -> None:
    company.write("alice", "draw")
    company.write("bob", "dispute She drew too many")
    with pytest.raises(AdminError, match="say --redeal or --keep"):
        settle(company, "Back to the deal", Deed(rollback.rollback, (0,)))
    assert dispute_of(company).status == "open" and company.sitting.game.status == "paused"

    def redealt(*given: Any) -> Any:
        return rollback.rollback(*given, redeal=True)

    settle(company, "Back to the deal", Deed(redealt, (0,)))
    post = company.poll()
    assert post.readers == sorted(NAMES), "one letter each"
    told = said(post.only("carol"))
    assert "ruled on dispute 1: Back to the deal." in told
    assert "took the game back to how it stood when it was dealt. What nobody could know then was dealt anew." in told
    assert "Reason given: the ruling on dispute 1" in told
    assert company.sitting.game.status == "open" and list(company.sitting.prompts) == [0]


def test_a_ruling_may_give_an_order_and_one_that_cannot_be_given_rules_nothing(company: Company) -> None:
    company.write("alice", "dispute It did not take my move")
    can = Deed(rulings.order, ("alice", "draw"), rulings.can_order)
    cannot = Deed(rulings.order, ("alice", "play W1 draw"), rulings.can_order)
    assert settle(company, "So it shall be", cannot) is False
    assert dispute_of(company).status == "open" and company.sitting.game.status == "paused"
    assert json.loads(log_of(company)[-1].body)["what"] == "house.tried"
    assert settle(company, "So it shall be", can)
    assert company.sitting.table.step == 1 and company.sitting.game.status == "open"
    assert "gave an order for alice. Reason given: the ruling on dispute 1" in said(company.poll().only("bob"))


def test_the_desk_may_open_a_dispute_for_who_cannot_write(company: Company) -> None:
    assert rule(company, disputes.open_for, "Bob telephoned", "BOB", MONA) == 1
    post = company.poll()
    assert sorted({*post.readers}) == sorted([*NAMES, "mona", "max"])
    assert "The moderator mona opened dispute 1 for bob. All clocks stand still" in said(post.only("alice"))
    assert rule(company, disputes.open_for, "I saw something", None, MONA) == 2
    assert "The moderator mona opened dispute 2. " in said(company.poll().only("alice"))


@pytest.mark.parametrize("text", [" ", "two\nlines", "x" * 5000, "bell\x07"])
def test_words_of_the_desk_are_a_line(company: Company, text: str) -> None:
    with pytest.raises(AdminError, match="a line of plain text"):
        rule(company, disputes.open_for, text, None, MONA)


def test_the_log_commits_to_what_was_said(company: Company) -> None:
    company.write("bob", f"dispute {SECRET}")
    body = json.loads(log_of(company)[-1].body)
    seed = company.sitting.game.seed
    assert body["said"] == disputes.sealed(seed, 1, SECRET) != disputes.sealed(seed, 1, "something else")


def test_moderators_are_alarmed_once(company: Company) -> None:
    company.write("bob", "dispute One")
    company.stage.pass_time(3 * HOUR)
    assert len(letters_about(company.stage, "mona", "Dispute 1")) == 1
