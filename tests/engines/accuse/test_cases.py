"""Test what other people's programs failed on: a test a case, through the real office on both databases."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

import engines.accuse as accuse
from pbem.engine import Dice
from pbem.services import office as house_office
from pbem.store.session import connect
from pbem.testing.stage import Stage, open_stage, reply_to, text_of, unhashed
from pbem.transports import mime
from tests.databases import on_both
from tests.services.company import outbox, said, whole
from tests.store.test_session import together

from .games import new_game, play
from .office import Office
from .tables import NAMES, Table, lay

HANDS = ("C3 L3 X", "W5 C1 X", "W4 C2 X", "W3 L5 X")
HOUR = timedelta(hours=1)
Worlds = tuple[Office, Office]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that has a stage on both databases."""
    on_both(metafunc)


@pytest.fixture
def stage(tmp_path: Path, store_url: str) -> Iterator[Stage]:
    """Open a house on each kind of database."""
    stage = open_stage(tmp_path, url=store_url)
    yield stage
    stage.close()


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Worlds]:
    """Play two games in which ann lays #1 as W4: in one it is W4, in the other C4, and dan holds the other of the two.

    Neither bob nor cleo can tell one from the other.
    """
    offices: list[Office] = []
    for hers, his in (("W4", "C4"), ("C4", "W4")):
        state = lay(f"{hers} L3 X", "W5 C1 X", "C2 L5 X", f"{his} X")
        offices.append(Office.seat(open_stage(tmp_path / hers), state=state))
        send(offices[-1], "ann", f"play {hers} as W4")
    yield offices[0], offices[1]
    for office in offices:
        office.stage.close()


def letters(office: Office, name: str) -> list[str]:
    """Give every byte that went to a player, but for the hashes of receipts."""
    return [unhashed(letter) for letter in office.stage.mails(name)]


def send(office: Office, name: str, words: str) -> None:
    """Write a message that is the same in every world."""
    office.write(name, words, Message_ID=f"<{name}-{len(office.stage.mails(name))}@example.org>")


def test_case_c06_the_others_read_what_was_declared_and_the_command_stays_with_its_player(stage: Stage) -> None:
    office = Office.seat(stage, state=lay(*HANDS))
    told = office.write("ann", "play C3 as W5\nlog")
    assert "Your #1 is C3 (Count Backwards)." in said(told.only("ann"))
    for name in NAMES[1:]:
        letter = told.to(name)[0]
        assert "ann laid #1 as W5 (Stuffed Pike)." in said(letter)
        assert "play C3" not in whole(letter) and "is C3" not in whole(letter)
        log = said(office.write(name, "log").only(name))
        assert "ann laid #1 as W5 (Stuffed Pike)." in log and "play C3" not in log and "#1 is" not in log


def test_case_c06_the_letters_are_the_same_whichever_card_it_was(worlds: Worlds) -> None:
    for name in ("bob", "cleo"):
        assert letters(worlds[0], name) == letters(worlds[1], name)
    assert letters(worlds[0], "ann") != letters(worlds[1], "ann")


def test_case_c08_order_and_place_give_no_card_away() -> None:
    for number in range(30):
        dice = Dice(b"c08 %d" % number)
        for step in play(new_game(number), dice):
            state = step.after
            numbers = [laid.number for laid in state.down]
            assert numbers == sorted(numbers), "the order of the table is the order of play"
            seen = accuse.view(accuse.reshuffle(state, [None], dice), None)
            assert seen == accuse.view(state, None), "other cards under the same backs look the same"
            fresh = {laid.number for laid in state.down} - {laid.number for laid in step.before.down}
            assert all(number > step.before.given for number in fresh), "a number is never given again"


def test_case_c08_a_hand_is_a_count_to_others_and_its_order_tells_nothing_of_where_a_card_came_from() -> None:
    taken = Table(lay("C3 L3 X", "W5 C1 X", "W4 C2 X")).send(ann="play C3 as W1").send(bob="challenge")
    dealt = lay("L3 X", "W5 C1 C3 X", "W4 C2 X")
    assert taken.view("bob").hand == accuse.view(dealt, 1).hand
    assert taken.view("cleo").hand_sizes == (2, 4, 3)


def test_case_c08_hands_are_laid_down_in_an_order_of_their_own() -> None:
    for codes in ("W5 C1 X", "C1 L1 W1"):
        firsts = set()
        for number in range(40):
            table = Table(lay("C3 L3", codes, "W4 C2"), dice=Dice(b"%d" % number)).send(cleo="accuse C6 L6 W5")
            firsts.add(next(laid.card for laid in table.state.down if laid.seat == 1))
        assert len(firsts) == 3


def bid_at_once(stage: Stage, number: int) -> None:
    """Let bob and cleo bid at the same moment, over connections of their own, and look at what came of it."""
    office = Office.seat(stage, 3)
    office.write("ann", office.wrong)
    known = {row.key for row in outbox(stage)}
    dbs = [connect(str(stage.db.url.render_as_string(hide_password=False))) for _ in range(2)]

    def bid(db: sa.Engine, name: str, words: str) -> str:
        raw = reply_to(office.newest(name), f"{name}@example.org", words, stage.now, number)
        return house_office.receive(db, stage.house, stage.now, mime.read(raw, "mail", stage.now))

    together(lambda: bid(dbs[0], "bob", "bid 2"), lambda: bid(dbs[1], "cleo", "bid 1"))
    for db in dbs:
        db.dispose()
    assert [row.kind for row in office.log] == ["deal", "step", "step"], "the bids are one step, taken once"
    assert '[1,"bid 2","player"]' in office.orders[1] and '[2,"bid 1","player"]' in office.orders[1]
    assert office.state.bids == (-1, 2, 1)
    new = [row for row in outbox(stage) if row.key not in known and row.game_id == office.sitting.game.id]
    written = [row for row in new if "cleo 1, bob 2" in row.text]
    assert sorted(row.seat for row in written if row.seat is not None) == [0, 1, 2], "the result is told each once"
    (early,) = [row for row in new if row not in written]
    assert "bid 1" not in early.text if early.seat == 1 else "bid 2" not in early.text, "no bid is shown before"


def test_case_c12_two_bids_at_the_same_moment_are_both_kept(stage: Stage) -> None:
    for number in range(4):
        bid_at_once(stage, number)


@pytest.mark.prove
@pytest.mark.parametrize("part", range(10))
def test_case_c12_two_bids_at_the_same_moment_are_both_kept_two_hundred_times(stage: Stage, part: int) -> None:
    for number in range(part * 20, part * 20 + 20):
        bid_at_once(stage, number)


def test_case_c13_two_time_out_in_one_bidding_and_the_third_is_not_touched(stage: Stage) -> None:
    office = Office.seat(stage)
    office.write("ann", office.wrong)
    office.write("dan", "bid 5")
    asked = dict(office.sitting.prompts)
    stage.pass_time(73 * HOUR)
    most = len(office.state.down)
    assert office.orders[1:2] == [f'[[3,"bid 5","player"],[1,"bid {most}","default"],[2,"bid {most}","default"]]']
    assert office.state.bids == (-1, most, most, 5) and office.state.player == 3
    assert set(office.sitting.prompts) == {3} and set(asked) == {1, 2, 3}
    assert [seat.defaults for seat in office.sitting.seats] == [0, 1, 1, 0]
    told = said(office.newest("dan"))
    assert "Time ran out for bob" in told and "Time ran out for cleo" in told and "Time ran out for dan" not in told


ASKED = ("check challenge", "check challenge give C1", "chalenge", "challenge giv C1", "status", "help", "log")


@pytest.mark.parametrize("words", ASKED)
def test_case_c14_what_is_tried_on_a_true_and_on_a_bluffed_card_is_answered_alike(worlds: Worlds, words: str) -> None:
    for office in worlds:
        send(office, "bob", words)
    assert letters(worlds[0], "bob") == letters(worlds[1], "bob")


@pytest.mark.parametrize("words", ["challenge", "challenge give C2", "challenge if held", "pass"])
def test_case_c14_a_sealed_answer_is_answered_alike_to_a_true_and_to_a_bluffed_card(worlds: Worlds, words: str) -> None:
    for office in worlds:
        send(office, "cleo", words)
        assert len(office.orders) == 1, "bob comes first"
    assert letters(worlds[0], "cleo") == letters(worlds[1], "cleo")


def test_case_c14_a_wrong_accusation_is_told_as_wrong_and_no_more(stage: Stage) -> None:
    office = Office.seat(stage)
    told = office.write("ann", office.wrong)
    named = office.state.culprits
    shown = [said(told.only(name)) for name in NAMES]
    assert re.search(rf"You were shown the culprits: {named[0]} .*{named[1]} .*{named[2]} ", shown[0])
    for letter in shown[1:]:
        assert "That was wrong: ann is out." in letter and "culprits:" not in letter
        assert "shown the culprits" not in letter and "THE CULPRITS" not in letter


def test_case_c17_who_can_do_nothing_must_accuse_and_when_all_are_out_the_game_is_closed(stage: Stage) -> None:
    office = Office.seat(stage, 3, state=lay("C1", "", ""))
    told = office.write("ann", "play C1")
    for name in NAMES[:3]:
        assert "Nobody holds a card, and there is nothing to turn up: bob must accuse." in said(told.only(name))
    assert {office.sitting.names[seat]: row.kind for seat, row in office.sitting.prompts.items()} == {"bob": "accuse"}
    office.write("bob", office.wrong)
    office.write("ann", "bid 0")
    office.write("cleo", "bid 0")
    office.write("cleo", office.wrong)
    last = office.write("ann", "accuse nobody")
    assert "Nobody found the culprits: all lose" in said(last.only("bob"))
    assert office.sitting.game.status == "over" and not office.sitting.prompts
    written = len(outbox(stage))
    stage.pass_time(100 * HOUR)
    assert len(outbox(stage)) == written, "no clock runs any more"


def test_case_c17_while_another_holds_a_card_the_turn_passes_and_the_letter_says_so(stage: Stage) -> None:
    office = Office.seat(stage, 3, state=lay("C1 C2", "", "C3"))
    office.write("ann", "play C1")
    told = office.write("cleo", "pass")
    assert "bob has no card, and there is nothing to turn up: the turn passes." in said(told.only("bob"))
    assert {office.sitting.names[seat]: row.kind for seat, row in office.sitting.prompts.items()} == {"cleo": "play"}
    assert "Your answer is wanted" in text_of(office.newest("cleo"))
