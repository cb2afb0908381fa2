"""Test set-up and turns, line by line of rules.md: B1 to B10."""

from collections import Counter
from dataclasses import replace

import pytest
from pydantic import TypeAdapter

import engines.blame as blame
from engines.blame.deck import DECK, ROLES, code, emblems
from engines.blame.orders import Play
from engines.blame.table import Options
from pbem.engine import BadOption, Dice, IllegalOrder, UnreadableOrder

from .tables import NAMES, Table, lay, options, refusal


def deal(text: str = "", players: int = 3, seed: bytes = b"deal") -> blame.State:
    return blame.setup(NAMES[:players], options(text), Dice(seed))


def test_b1_first_player_is_drawn_or_named() -> None:
    assert range(2, 5) == blame.SEATS
    firsts = {deal(seed=b"%d" % number).player for number in range(40)}
    assert firsts == {0, 1, 2}
    assert {deal("first=Bob", seed=b"%d" % number).player for number in range(10)} == {1}
    with pytest.raises(BadOption, match="ann, bob, cleo"):
        deal("first=zed")


@pytest.mark.parametrize(("players", "left"), [(2, 41), (3, 38), (4, 35)])
def test_b2_set_up(players: int, left: int) -> None:
    state = deal(players=players)
    blame.audit(state)
    assert [len(hand) for hand in state.hands] == [3] * players
    assert (len(state.draw), len(state.pile)) == (left, 1)
    assert len(state.untaken) == 6 - players and set(state.roles) | set(state.untaken) == set("VATGWS")
    assert [len(hand) for hand in deal("hand=7", players).hands] == [7] * players
    assert state.asked[state.first] == "turn" and state.turn == 1


def test_b2_a_treason_may_be_turned_up() -> None:
    assert "X" in {deal(seed=b"%d" % number).pile[0] for number in range(60)}


def test_b2_roles_are_chosen_in_seat_order_from_the_first_player_on() -> None:
    table = Table(deal("roles=choose first=bob"))
    assert table.state.roles == ("", "", "") and table.state.turn == 0
    assert set(blame.awaiting(table.state)) == {1}
    assert isinstance(refusal(table.state, 1, "draw"), IllegalOrder)
    table.send(bob="take G")
    assert table.facts("chose") == {"seat": 1, "role": "G"}
    refused = refusal(table.state, 2, "take G")
    assert "left are V, A, T, W, S" in refused.why and refused.examples[0] == "take V"
    table.send(cleo="take wizard").send(ann="take s")
    assert table.state.roles == ("S", "G", "W")
    assert set(table.state.untaken) == set("VAT")
    assert table.facts("turn") == {"turn": 1, "seat": 1}
    assert table.state.asked == ("", "turn", "")


def test_b3_the_deck() -> None:
    spread = Counter(emblems(card) for card, _ in DECK if card != "X")
    assert set(spread.values()) == {2} and len(spread) == 21
    assert Counter("".join(emblems(card) for card, _ in DECK if card != "X")) == dict.fromkeys("VATGWS", 12)
    titles = Counter(title for _, title in DECK)
    assert titles.pop("Treason") == 6 and set(titles.values()) == {1} and len(titles) == 42
    found = {title: emblems(card) for card, title in DECK}
    assert found["Pirates on our Trade Routes"] == "TG"
    assert found["The Dragons have Returned"] == "GW"
    assert found["Scandalous Gossip"] == "VS"
    assert {
        "Plague", "Druids Demand Rites", "Corrupt Officials", "Orcs Coming", "Enemy Spies", "Murderous Plots",
        "Defective Love Potions",
    } <= set(titles)  # fmt: skip


def test_b3_a_game_pins_its_deck() -> None:
    state = deal()
    corrected = tuple((card, f"New {title}") for card, title in state.deck)
    table = Table(replace(state, deck=corrected)).send(**{NAMES[state.player]: "draw"})
    assert table.state.deck == corrected
    assert all(title.startswith("New ") for _, title in table.facts("drew_cards")["cards"])


def test_b4_codes_are_read_in_any_case_and_order() -> None:
    assert [code(word) for word in ("av2", "VA2", "sg1", "x", "X", "v1")] == ["VA2", "VA2", "GS1", "X", "X", "V1"]
    assert [code(word) for word in ("bv1", "v", "12", "vat1", "", "v123")] == [""] * 6
    assert {role.colour for role in ROLES.values()} == {"green", "purple", "orange", "red", "blue", "grey"}
    table = Table(lay("VA2 T1", "S1", roles="GS", pile="V1")).send(ann="play av2")
    assert table.facts("played")["cards"] == [["VA2", dict(DECK)["VA2"]]]


def test_b5_role_cards_show_what_is_printed() -> None:
    card = blame.view(deal(), 0).card("V")
    assert (card.name, card.office, card.ability) == ("Viceroy", "Master of Estates", "Nobility")
    assert card.text == "If another player swaps your Role, you may immediately draw 3 cards and swap it back."
    assert [role.ability for role in ROLES.values()] == [
        "Nobility", "Absolution", "Baksheesh", "Honour", "Sorcery", "Espionage",
    ]  # fmt: skip
    assert ROLES["S"].text.endswith("take their Secrets into your hand, then give them 1 card from your hand.")


def test_b6_each_card_shares_an_emblem_with_the_one_under_it() -> None:
    state = lay("VT1 TG1 A1 X X", "S1", roles="GS", pile="V1")
    assert "A1 cannot lie on V1" in refusal(state, 0, "play A1").why
    assert "A1 cannot lie on VT1" in refusal(state, 0, "play VT1 A1").why
    assert "one Treason" in refusal(state, 0, "play X X swap V A").why
    assert "at most 3" in refusal(state, 0, "play VT1 TG1 X A1").why
    Table(state).send(ann="play VT1 X A1 accuse bob")
    Table(state).send(ann="play X A1 swap G")


def test_b6_anything_may_lie_on_an_empty_pile_or_a_treason() -> None:
    Table(lay("A1", "S1", roles="GS", pile="")).send(ann="play A1")
    Table(lay("A1 X", "S1", roles="GS", pile="X")).send(ann="play A1")
    Table(lay("A1 X", "S1", roles="GS", pile="X")).send(ann="play X A1 swap V")


def test_b7_a_wrong_order_is_refused_and_changes_nothing() -> None:
    state = lay("V2 A1 T1", "S1", roles="GS", pile="V1")
    for line in ("play A1", "play V2 A1", "play V2 T1 A1 accuse bob"):
        error = refusal(state, 0, line)
        assert isinstance(error, IllegalOrder) and "draw" in error.examples


def test_b7_with_mistakes_blame_the_player_takes_the_blame() -> None:
    state = lay("V2 A1 T1", "S1 S2", roles="GS", pile="TG2 V1", options="mistakes=blame")
    table = Table(state).send(ann="play V2 A1 T1 accuse bob")
    assert [card for card, _ in table.facts("played")["cards"]] == ["V2", "A1"]
    assert table.facts("mistake") == {
        "seat": 0, "card": ["A1", dict(DECK)["A1"]], "under": ["V2", dict(DECK)["V2"]], "why": "emblem",
    }  # fmt: skip
    assert table.seen(1) == table.seen(None) == ["played", "mistake", "blamed"]
    assert table.facts("blamed") == {"seat": 0, "count": 4}
    assert table.hand(0) == "V1 V2 A1 T1 TG2"
    assert not any("T1" in str(event.facts) for event in table.events if event.visible(1))
    assert table.state.asked == ("", "bury")
    table.send(bob="pass")
    assert table.state.player == 1 and table.state.turn == 2


def test_b7_a_second_treason_is_a_mistake_too() -> None:
    state = lay("V2 X X", "S1", roles="GS", pile="V1", options="mistakes=blame")
    table = Table(state).send(ann="play X X V2")
    assert table.facts("mistake")["why"] == "treason"
    assert blame.parse(blame.view(state, 0), "play X X V2") == Play(("X", "X"))


@pytest.mark.parametrize("mistakes", ["refuse", "blame"])
@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("play V2 V2", IllegalOrder),
        ("play A2", IllegalOrder),
        ("play A1 S2", IllegalOrder),
        ("play V2 A1 T1 W1", IllegalOrder),
        ("play V9", UnreadableOrder),
        ("play A1 V2 T1 accuse zed", UnreadableOrder),
        ("play A1 X", IllegalOrder),
        ("play A1 give S2 bob", IllegalOrder),
    ],
)
def test_b7_what_cannot_be_read_or_is_not_in_hand_is_never_a_mistake(
    mistakes: str, line: str, kind: type[Exception]
) -> None:
    state = lay("V2 A1 T1 W1", "S1 S2", roles="GS", pile="V1", options=f"mistakes={mistakes}")
    assert isinstance(refusal(state, 0, line), kind)


def test_b8_a_view_hides_hands_secrets_and_piles() -> None:
    state = lay("V2 A1", "S1", roles="GS", pile="T2 V1", secrets={0: "G1", 1: "W1 W2"}, draw="A2")
    ann, bob, guest = (blame.view(state, seat) for seat in (0, 1, None))
    assert (ann.hand, ann.secrets, bob.hand, bob.secrets) == (("V2", "A1"), ("G1",), ("S1",), ("W1", "W2"))
    assert (guest.hand, guest.secrets) == ((), ())
    for seen in (ann, bob, guest):
        assert (seen.hand_sizes, seen.secret_counts) == ((2, 1), (1, 2))
        assert (seen.top, seen.pile_size, seen.draw_size) == ("V1", 2, len(state.draw))
        assert (seen.roles, seen.hands, seen.scores) == (("G", "S"), (), ())
    assert (ann.ask, bob.ask, guest.ask) == ("turn", "", "")


def test_b9_none_draws_three_and_one_draws_one() -> None:
    state = lay("V2 A1", "S1", roles="GS", pile="V1", draw="T1 T2 W1")
    table = Table(state).send(ann="draw")
    assert table.hand(0) == "V2 A1 T1 T2 W1"
    assert table.facts("drew") == {"seat": 0, "count": 3, "left": len(state.draw) - 3}
    assert [card for card, _ in table.facts("drew_cards")["cards"]] == ["T1", "T2", "W1"]
    assert table.seen(1) == ["played", "drew", "turn"]
    assert table.seen(0) == ["played", "drew", "drew_cards", "turn"]
    table = Table(state).send(ann="V2")
    assert table.hand(0) == "A1 T1"
    assert table.state.pile == ("V1", "V2") and table.state.player == 1


def test_b9_the_number_of_cards_decides_what_must_be_named() -> None:
    state = lay("V2 VA1 VT1", "S1", roles="GS", pile="V1")
    for line in ("draw accuse bob", "V2 !bob", "V2 VA1 !bob", "V2 VA1 VT1 ~A", "V2 VA1", "V2 _VA1", "draw _V2"):
        if line == "V2 VA1":
            Table(state).send(ann=line)
        else:
            assert isinstance(refusal(state, 0, line), IllegalOrder)


def test_b10_drawing_the_last_card_ends_the_game_in_the_middle_of_a_draw() -> None:
    table = Table(lay("V2 A1", "S1 S2", roles="GS", pile="V1", draw="T1 T2", last=2)).send(ann="draw")
    assert table.facts("drew") == {"seat": 0, "count": 2, "left": 0}
    assert table.state.ending == "deck" and blame.awaiting(table.state) == {}
    assert blame.result(table.state) == blame.result(table.state)
    result = blame.result(table.state)
    assert result and (result.ending, result.scores, result.winners) == ("deck", (0, 2), (0,))


def test_b10_exactly_the_last_card_ends_it_too() -> None:
    assert Table(lay("V2", "S1", roles="GS", pile="V1", draw="T1 T2 A1", last=3)).send(ann="draw").state.ending
    table = Table(lay("V2", "S1", roles="GS", pile="V1", draw="T1 T2 A1 A2", last=4)).send(ann="draw")
    assert not table.state.ending and len(table.state.draw) == 1


def test_b10_no_gift_and_no_burial_is_owed_after_the_last_card() -> None:
    table = Table(lay("V2 A1", "S1", roles="AS", pile="V1", draw="T1", last=1)).send(ann="V2 A1>bob")
    assert table.state.ending == "deck" and "gave" not in table.seen(None) and table.hand(0) == "A1 T1"
    table = Table(lay("V2 A1", "S1", roles="TS", pile="V1", draw="T1", last=1)).send(ann="draw bury A1")
    assert table.state.ending == "deck" and "buried" not in table.seen(None)
    table = Table(lay("V2 A1", "S1", roles="TS", pile="V1", draw="T1", last=1)).send(ann="draw")
    assert table.state.ending == "deck" and blame.awaiting(table.state) == {}


def test_options_are_read_from_words_and_checked() -> None:
    read = TypeAdapter(Options).validate_python
    assert read({"hand": "7", "max_turns": "12", "bury": "own"}) == options("hand=7 max_turns=12 bury=own")
    for wrong in ({"hand": "0"}, {"hand": "8"}, {"bury": "all"}, {"roles": ""}, {"max_turns": "0"}, {"hand": "three"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            read(wrong)
