"""Test swaps, accusations, the Blame, the abilities and the end, line by line of rules.md: B11 to B25."""

import pytest

import engines.blame as blame
from engines.blame.deck import DECK
from engines.blame.orders import Bury, Give, Pass, Play, Take
from pbem.engine import Dice, IllegalOrder

from .tables import Table, lay, refusal

TITLES = dict(DECK)


def test_b11_the_top_card_names_the_roles() -> None:
    state = lay("V2 VT1 A1 X", "S1", roles="VA", pile="V1")
    table = Table(state).send(ann="V2 VT1")
    assert table.state.roles == ("T", "A") and "V" in table.state.untaken
    assert table.facts("swapped") == {"seat": 0, "roles": [["V", 0, None], ["T", None, 0]]}
    assert table.state.player == 1
    for line in ("V2 VT1 ~A", "V2 VT1 ~VA", "VT1 V2", "VT1 V2 ~V", "VT1 V2 ~AG", "V2 X", "V2 X ~A", "V2 X ~AA"):
        assert isinstance(refusal(state, 0, line), IllegalOrder)


@pytest.mark.parametrize(
    ("line", "roles"),
    [
        ("VT1 V2 swap A", "AV"),
        ("VT1 V2 swap V A", "AV"),
        ("VT1 V2 swap archbishop", "AV"),
        ("V2 VT1 swap T V", "TA"),
        ("V2 X swap A G", "VG"),
        ("V2 X ~ga", "VG"),
        ("V2 X swap W S", "VA"),
        ("V2 X ~VS", "SA"),
    ],
)
def test_b11_any_two_roles_may_be_swapped(line: str, roles: str) -> None:
    state = lay("V2 VT1 X", "S1", roles="VA", pile="V1", secrets={0: "G1", 1: "W1 W2"}, options="abilities=off")
    table = Table(state).send(ann=line)
    assert table.state.roles == tuple(roles)
    assert table.state.secrets == state.secrets
    assert sorted([*table.state.roles, *table.state.untaken]) == sorted("VATGWS")


def test_b12_a_robbed_viceroy_may_draw_and_swap_back() -> None:
    state = lay("V2 VA1", "S1", "T1", roles="GVA", pile="V1", draw="W1 W2 X")
    table = Table(state).send(ann="V2 VA1")
    assert table.state.roles == ("G", "A", "V") and table.state.swap == "VA"
    assert table.state.asked == ("", "nobility", "")
    prompt = blame.awaiting(table.state)[1]
    assert prompt.optional and prompt.examples == ("back", "pass") and "ann" in prompt.asked
    table.send(bob="back")
    assert table.state.roles == ("G", "V", "A") and table.hand(1) == "W1 W2 S1 X"
    assert table.seen(None) == ["drew", "swapped_back", "turn"]
    assert table.state.player == 1 and table.state.asked == ("", "turn", "") and table.state.swap == ""


def test_b12_the_viceroy_may_pass() -> None:
    table = Table(lay("V2 VA1", "S1", roles="AV", pile="V1")).send(ann="V2 VA1")
    assert isinstance(refusal(table.state, 1, "draw"), IllegalOrder)
    table.send(bob="pass")
    assert table.state.roles == ("V", "A") and table.seen(None) == ["declined", "turn"]


def test_b12_the_game_may_end_before_the_swap_back() -> None:
    table = Table(lay("V2 VA1", "S1", roles="AV", pile="V1", draw="T1 T2", last=2)).send(ann="V2 VA1").send(bob="back")
    assert table.state.ending == "deck" and table.state.roles == ("V", "A")
    assert "swapped_back" not in table.seen(None)


@pytest.mark.parametrize(("roles", "options"), [("VA", ""), ("GA", ""), ("AV", "abilities=off")])
def test_b12_no_nobility_for_the_own_swap_or_an_untaken_role_or_without_abilities(roles: str, options: str) -> None:
    table = Table(lay("V2 VA1", "S1", roles=roles, pile="V1", options=options or "hand=3")).send(ann="V2 VA1")
    assert table.state.asked == ("", "turn")


def test_b13_the_wizard_exchanges_hands() -> None:
    state = lay("V2 VA1 T1", "S1 S2", "", roles="WVG", pile="V1")
    table = Table(state).send(ann="V2 VA1 =bob")
    assert (table.hand(0), table.hand(1)) == ("S1 S2", "T1")
    assert table.state.roles == state.roles
    assert table.facts("exchanged") == {"seat": 0, "other": 1, "gave": 1, "got": 2}
    assert "exchanged_cards" in table.seen(1) and "exchanged_cards" not in table.seen(2)
    table = Table(state).send(ann="V2 VA1 exchange cleo")
    assert (table.hand(0), table.hand(2)) == ("", "T1")
    for line in ("V2 VA1", "V2 VA1 =ann", "V2 VA1 ~V", "V2 VA1 swap V A"):
        assert isinstance(refusal(state, 0, line), IllegalOrder)


def test_b14_the_accused_must_have_a_card_and_be_no_general_without_secrets() -> None:
    state = lay("V2 VA1 A1", "", "S1", "T1", roles="VAGT", pile="V1")
    assert "bob has no card" in refusal(state, 0, "V2 VA1 A1 !bob").why
    assert "General" in refusal(state, 0, "V2 VA1 A1 !cleo").why
    assert "yourself" in refusal(state, 0, "V2 VA1 A1 !ann").why
    assert "may accuse dan" in refusal(state, 0, "V2 VA1 A1").why
    Table(state).send(ann="V2 VA1 A1 !dan")
    secret = lay("V2 VA1 A1", "", "S1", "T1", roles="VAGT", pile="V1", secrets={2: "W1"})
    Table(secret).send(ann="V2 VA1 A1 !cleo")
    off = lay("V2 VA1 A1", "", "S1", "T1", roles="VAGT", pile="V1", options="abilities=off")
    Table(off).send(ann="V2 VA1 A1 !cleo")


def test_b14_if_nobody_may_be_accused_the_accuser_takes_the_blame() -> None:
    state = lay("V2 VA1 A1", "", "S1", roles="VAG", pile="V1")
    for name in ("ann", "bob", "cleo"):
        assert "Nobody may be accused" in refusal(state, 0, f"V2 VA1 A1 !{name}").why
    table = Table(state).send(ann="V2 VA1 A1")
    assert table.hand(0) == "V1 V2 A1 VA1"
    assert table.seen(None) == ["played", "nobody", "blamed"]
    assert table.state.asked == ("", "", "bury")


@pytest.mark.parametrize(
    ("cards", "pile", "counts", "blamed"),
    [
        ("VA1 A1 A2", "V1 X", [2, 3], 1),
        ("VA1 A1 AS1", "V1 V2 X", [3, 3], 0),
        ("VA1 V2 VT1", "V1 X", [4, 1], 0),
        ("VA1 A1 X", "V1 X X", [2, 2], 0),
    ],
)
def test_b15_more_for_the_accused_blames_the_accused(cards: str, pile: str, counts: list[int], blamed: int) -> None:
    table = Table(lay(cards, "S1", roles="VA", pile=pile)).send(ann=f"play {cards} accuse bob")
    facts = table.facts("counted")
    assert (facts["counts"], facts["blamed"], facts["emblems"]) == (counts, blamed, ["V", "A"])
    assert table.facts("blamed") == {"seat": blamed, "count": 3 + len(pile.split())}
    assert set(pile.split()) <= set(table.state.hands[blamed])


def test_b16_the_spymaster_takes_secrets_and_gives_a_card() -> None:
    state = lay("V2 VA1 A1", "S1", "", roles="SVG", pile="V1", secrets={1: "T1 X"})
    table = Table(state).send(ann="V2 VA1 A1 ?bob")
    assert table.hand(0) == "T1 X" and table.state.secrets[1] == ()
    assert table.state.pile == ("V1", "V2", "VA1", "A1") and table.state.spied == 1
    assert table.facts("spied") == {"seat": 0, "other": 1, "count": 2}
    assert "spied_cards" not in table.seen(2) and "spied_cards" in table.seen(1)
    prompt = blame.awaiting(table.state)[0]
    assert (prompt.kind, prompt.optional, prompt.examples) == ("gift", False, ("give T1 bob", "give X bob"))
    assert "must go to bob" in refusal(table.state, 0, "give X cleo").why
    table.send(ann="give x")
    assert (table.hand(0), table.hand(1)) == ("T1", "S1 X")
    assert table.state.player == 1 and table.state.asked == ("", "turn", "")


def test_b16_with_an_empty_hand_there_is_nothing_to_give() -> None:
    table = Table(lay("V2 VA1 A1", "S1", "", roles="SVG", pile="V1")).send(ann="V2 VA1 A1 spy cleo")
    assert table.seen(None) == ["played", "spied", "turn"] and table.state.player == 1


def test_b16_the_spymaster_cannot_accuse() -> None:
    state = lay("V2 VA1 A1", "S1", roles="SV", pile="V1")
    for line in ("V2 VA1 A1 !bob", "V2 VA1 A1", "V2 VA1 A1 ?ann"):
        assert isinstance(refusal(state, 0, line), IllegalOrder)
    assert isinstance(refusal(lay("V2 VA1 A1", "S1", roles="GV", pile="V1"), 0, "V2 VA1 A1 ?bob"), IllegalOrder)


def test_b17_the_count_shows_the_pile_to_all() -> None:
    table = Table(lay("VA1 A1 A2", "S1", roles="VA", pile="T1 V1")).send(ann="VA1 A1 A2 !bob")
    assert table.facts("counted")["cards"] == [[card, TITLES[card]] for card in ("A2", "A1", "VA1", "V1", "T1")]
    assert table.seen(None) == table.seen(0) == ["played", "accused", "counted", "blamed", "turned", "turn"]


def test_b17_a_pile_that_is_not_counted_is_not_shown() -> None:
    table = Table(lay("VA1 A1 A2", "", roles="VA", pile="T1 V1")).send(ann="VA1 A1 A2")
    assert "T1" not in str([event.facts for event in table.events if event.visible(1)])
    taken = next(event for event in table.events if event.kind == "blamed_cards")
    assert taken.seen_by == (0,) and [card for card, _ in taken.facts["cards"]] == ["A2", "A1", "VA1", "V1", "T1"]


def blamed(options: str = "hand=3") -> Table:
    """Let bob take the Blame; ann, cleo and dan are left, of whom dan has no card."""
    table = Table(lay("VA1 A1 A2 T2", "S1", "X G1", "", roles="VAGT", pile="V1", options=options))
    return table.send(ann="VA1 A1 A2 !bob")


def test_b18_every_other_player_with_a_card_may_bury_one() -> None:
    table = blamed()
    assert table.state.asked == ("bury", "", "bury", "")
    assert all(prompt.optional for prompt in blame.awaiting(table.state).values())
    table.send(cleo="bury X", ann="pass")
    assert table.state.secrets == ((), (), ("X",), ()) and table.hand(2) == "G1"
    assert table.seen(None) == ["declined", "buried", "turned", "turn"]
    assert "buried_card" in table.seen(2) and "buried_card" not in table.seen(1)
    assert table.facts("buried_card")["card"] == ["X", "Treason"] and table.facts("buried") == {"seat": 2}


def test_b18_the_order_in_which_answers_come_in_is_not_told() -> None:
    early, late = blamed().send(ann="bury T2", cleo="bury X"), blamed().send(cleo="bury X", ann="bury T2")
    assert early.events == late.events and early.state == late.state


def test_b18_nobody_is_told_who_has_answered() -> None:
    state = blamed().state
    assert [blame.view(state, seat).asked for seat in (0, 1, 2, 3, None)] == [("bury", "", "bury", "")] * 5


def test_b18_the_taker_holds_the_whole_pile_and_buries_nothing() -> None:
    table = blamed()
    assert table.hand(1) == "V1 A1 A2 S1 VA1" and table.state.pile == ()
    assert isinstance(refusal(table.state, 1, "bury S1"), IllegalOrder)


def test_b18_with_bury_own_only_the_own_emblem_and_treasons_are_buried() -> None:
    table = blamed(options="bury=own")
    assert table.state.asked == ("bury", "", "bury", "")
    assert blame.awaiting(table.state)[0].examples == ("pass",)
    assert "own Emblem V" in refusal(table.state, 0, "bury T2").why
    table.send(ann="pass", cleo="bury X")
    assert table.state.secrets[2] == ("X",)
    assert blamed(options="bury=own").send(ann="pass", cleo="bury G1").state.secrets[2] == ("G1",)


def test_b18_with_nobody_to_ask_the_next_turn_begins() -> None:
    table = Table(lay("VA1 A1 A2", "", roles="VA", pile="V1")).send(ann="VA1 A1 A2")
    assert table.state.asked == ("", "turn") and len(table.state.pile) == 1


def test_b18a_a_new_pile_is_turned_up_and_the_next_player_goes_on() -> None:
    table = Table(lay("VA1 A1 A2", "S1", "G1", roles="VAG", pile="V1", draw="X T1")).send(ann="VA1 A1 A2 !bob")
    table.send(cleo="pass")
    assert table.state.pile == ("X",) and table.state.player == 1
    assert table.facts("turned") == {"card": ["X", "Treason"], "left": len(table.state.draw)}


def test_b18a_turning_up_the_last_card_ends_the_game() -> None:
    table = Table(lay("VA1 A1 A2", "S1", "G1", roles="VAG", pile="V1", draw="T1", last=1))
    table.send(ann="VA1 A1 A2 !bob").send(bob="pass", cleo="bury G1")
    assert table.state.ending == "deck" and table.seen(None)[-2:] == ["turned", "ended"]


def test_b18a_options_restart_and_after_blame() -> None:
    table = blamed(options="restart=empty").send(ann="pass", cleo="pass")
    assert table.state.pile == () and table.seen(None) == ["declined", "declined", "turn"]
    cards = lay("VA1 V2 VT1", "S1", "G1", roles="VAG", pile="V1", options="after_blame=blamed")
    table = Table(cards).send(ann="VA1 V2 VT1 !bob").send(bob="pass", cleo="pass")
    assert table.state.player == 0 and table.state.turn == 2


def test_b19_the_archbishop_draws_one_and_gives_one() -> None:
    state = lay("V2", "S1", "", roles="AVG", pile="V1", draw="X")
    table = Table(state).send(ann="V2")
    assert table.state.asked == ("gift", "", "") and table.hand(0) == "X"
    assert blame.awaiting(table.state)[0].examples == ("give X bob", "give X cleo")
    for line in ("give X", "give X ann", "give V2 bob", "pass"):
        assert isinstance(refusal(table.state, 0, line), IllegalOrder)
    table.send(ann="X>cleo")
    assert (table.hand(0), table.hand(2)) == ("", "X") and table.state.player == 1


def test_b20_the_treasurer_draws_three_and_buries_one() -> None:
    table = Table(lay("V2", "S1", roles="TV", pile="V1", draw="X T1 T2")).send(ann="draw")
    assert table.state.asked == ("baksheesh", "") and not blame.awaiting(table.state)[0].optional
    for line in ("pass", "bury A1"):
        assert isinstance(refusal(table.state, 0, line), IllegalOrder)
    table.send(ann="bury A1, X")
    assert table.state.secrets[0] == ("X",) and table.hand(0) == "V2 T1 T2"
    assert table.seen(1) == ["buried", "turn"]


def test_b21_gift_and_burial_may_be_named_ahead() -> None:
    table = Table(lay("V2 A1", "S1", roles="AV", pile="V1", draw="X")).send(ann="V2 A1>bob")
    assert table.state.player == 1 and (table.hand(0), table.hand(1)) == ("X", "A1 S1")
    table = Table(lay("V2 A1", "S1", roles="TV", pile="V1")).send(ann="0 _A1")
    assert table.state.secrets[0] == ("A1",) and table.state.player == 1
    spies = lay("V2 VA1 A1 X", "S1", "", roles="SVG", pile="V1", secrets={1: "T1"})
    table = Table(spies).send(ann="V2 VA1 A1 ?bob X>")
    assert (table.hand(0), table.hand(1)) == ("T1", "S1 X")
    assert "must go to bob" in refusal(spies, 0, "V2 VA1 A1 ?bob X>cleo").why


def test_b21_what_is_named_ahead_must_be_in_hand_and_not_played() -> None:
    archbishop = lay("V2 A1", "S1", roles="AV", pile="V1", draw="X")
    assert "among the cards you play" in refusal(archbishop, 0, "V2 V2>bob").why
    assert "not in your hand" in refusal(archbishop, 0, "V2 X>bob").why
    treasurer = lay("V2 A1", "S1", roles="TV", pile="V1", draw="X")
    assert "not in your hand" in refusal(treasurer, 0, "draw bury X").why
    spymaster = lay("V2 VA1 A1", "S1", roles="SV", pile="V1", secrets={1: "T1"})
    assert "not in your hand" in refusal(spymaster, 0, "V2 VA1 A1 ?bob T1>").why


def test_b22_a_gift_is_known_to_giver_and_receiver_alone() -> None:
    table = Table(lay("V2 A1", "S1", "T1", roles="AVG", pile="V1")).send(ann="V2 A1>bob")
    assert [("gave_card" in table.seen(seat), "gave" in table.seen(seat)) for seat in (0, 1, 2, None)] == [
        (True, True), (True, True), (False, True), (False, True),
    ]  # fmt: skip
    assert table.facts("gave") == {"seat": 0, "other": 1}
    assert table.facts("gave_card") == {"seat": 0, "other": 1, "card": ["A1", TITLES["A1"]]}


def test_b23_the_role_held_when_cards_are_played_counts() -> None:
    state = lay("V2 VA1", "S1", roles="WV", pile="W1 V1", asked="turn")
    table = Table(state).send(ann="V2 VA1 =bob")
    assert "exchanged" in table.seen(None) and table.facts("played")["role"] == "W"


@pytest.mark.parametrize(
    ("role", "hand", "line", "kind"),
    [
        ("A", "V2", "V2", "drew"),
        ("T", "V2", "draw", "drew"),
        ("W", "V2 VA1", "V2 VA1", "swapped"),
        ("S", "V2 VA1 A1", "V2 VA1 A1 !bob", "counted"),
    ],
)
def test_b23_without_abilities_the_numbers_alone_count(role: str, hand: str, line: str, kind: str) -> None:
    state = lay(hand, "G1", roles=f"{role}G", pile="V1", options="abilities=off")
    table = Table(state).send(ann=line)
    assert kind in table.seen(None) and not {"gift", "baksheesh"} & set(table.state.asked)


def test_b24_scores() -> None:
    state = lay("VA1 X A1", "V2 X VT1", "S1", roles="VAG", secrets={0: "X V1"}, pile="T1", draw="T2", last=1)
    table = Table(state).send(ann="draw")
    result = blame.result(table.state)
    assert result and (result.scores, result.winners) == ((7, 6, 0), (2,))
    ended = table.facts("ended")
    assert (ended["scores"], ended["winners"], ended["roles"]) == ([7, 6, 0], [2], ["V", "A", "G"])
    assert [card for card, _ in ended["hands"][0]] == ["A1", "T2", "VA1", "X"]
    view = blame.view(table.state, 2)
    assert view.hands == table.state.hands and view.scores == (7, 6, 0) and view.winners == (2,)
    assert view.secrets == () and view.ask == ""


def test_b24_equal_lowest_scores_share_the_win() -> None:
    table = Table(lay("V2", "A1", "X", roles="VAG", pile="T1", draw="T2", last=1)).send(ann="draw")
    result = blame.result(table.state)
    assert result and (result.scores, result.winners) == ((1, 1, 6), (0, 1))


def test_b25_the_game_is_scored_after_the_last_turn_with_all_that_it_owes() -> None:
    table = Table(lay("V2", "S1", roles="VS", pile="V1", options="max_turns=1")).send(ann="draw")
    assert table.state.ending == "turns" and table.seen(None) == ["played", "drew", "ended"]
    table = Table(lay("V2", "S1", roles="TS", pile="V1", options="max_turns=1")).send(ann="draw")
    assert table.state.asked == ("baksheesh", "") and not table.state.ending
    assert table.send(ann="bury V2").state.ending == "turns"
    table = blamed(options="max_turns=1")
    assert blame.result(table.state) is None
    table.send(ann="bury T2", cleo="pass")
    assert table.state.ending == "turns" and table.seen(None)[-2:] == ["turned", "ended"]
    assert not Table(lay("V2", "S1", roles="VS", pile="V1", options="max_turns=2")).send(ann="draw").state.ending


def test_time_runs_out() -> None:
    def late(state: blame.State, key: bytes = b"late") -> object:
        return blame.default(blame.view(state, 0), Dice(key))

    assert late(lay("V2", "S1", roles="VS")) == Play()
    gift = late(lay("V2 A1", "S1", "", roles="AVG", asked="gift"))
    assert isinstance(gift, Give) and gift.to == "bob" and gift.card in ("V2", "A1")
    spied = late(lay("V2", "S1", "", roles="SVG", asked="gift", spied=2))
    assert spied == Give("V2", "cleo")
    treasurer = lay("V2 T1 AT2 X A1", "S1", roles="TV", asked="baksheesh")
    assert {late(treasurer, key=b"%d" % number) for number in range(30)} == {Bury("T1"), Bury("AT2")}
    assert late(lay("V2 X", "S1", roles="TV", asked="baksheesh")) in (Bury("V2"), Bury("X"))
    assert late(lay("V2", "S1", roles="TV", asked="bury")) == Pass()
    assert late(lay("V2", "S1", roles="TV", asked="nobility")) == Pass()
    assert late(lay("V2", "S1", roles="AT", asked="role")) == Take("V")
