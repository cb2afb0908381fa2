"""Play one round of Archer as the rules page says it, slowly and plainly, for the exhaustive test to compare with.

Nothing here comes from the engine. A position is a plain tuple, everything in it a number: who has the turn, the hands
(of who is out: none), the secret (none: 0), the deck (the next card last), the cards laid, who is protected. A round
that is over is a tuple that begins with "over".
"""

from itertools import permutations

Hand = tuple[int, ...]
Position = tuple[int, tuple[Hand, ...], int, Hand, tuple[Hand, ...], tuple[bool, ...]]
Over = tuple[str, str, tuple[int, ...], tuple[Hand, ...], int, Hand, tuple[Hand, ...]]
WORDS = ("", "sterling", "krueger", "cyril", "cheryl", "pam", "ray", "lana", "malory")
ANYBODY = (1, 2, 3, 4, 5, 6, 7, 8)


def deals(kit: Hand, players: int) -> set[Position]:
    """Give every way in which a round may begin: the secret, a card each, and the first player draws."""
    begun = set()
    for secret, *rest in set(permutations(kit)):
        hands = [[card] for card in rest[:players]]
        deck = rest[players:]
        hands[0].append(deck.pop())
        begun.add(_position(0, hands, secret, deck, [[] for _ in hands], [False] * players))
    return begun


def _position(
    player: int, hands: list[list[int]], secret: int, deck: list[int], laid: list[list[int]], hidden: list[bool]
) -> Position:
    held = tuple(tuple(sorted(hand)) for hand in hands)
    return player, held, secret, tuple(deck), tuple(map(tuple, laid)), tuple(hidden)


def moves(position: Position, names: tuple[str, ...]) -> dict[str, set[Position | Over]]:
    """Give each order that is allowed, and every position that it may lead to."""
    player, hands = position[:2]
    found = {}
    for card in set(hands[player]):
        for words, target, guess in _ways(position, card, names):
            line = " ".join(("play", WORDS[card], *words))
            found[line] = _play(position, card, target, guess)
    return found


def _ways(position: Position, card: int, names: tuple[str, ...]) -> list[tuple[tuple[str, ...], int, int]]:
    """Give what may stand after a card: the words, the player meant (-1: none), and the character (or 1 for a look)."""
    player, hands, _, _, _, hidden = position
    others = [seat for seat in range(len(hands)) if seat != player and hands[seat] and not hidden[seat]]
    ways: list[tuple[tuple[str, ...], int, int]] = []
    if card in (8, 7):  # Malory, Lana: nothing
        ways.append(((), -1, 0))
    elif card in (6, 5):  # Ray, Pam: another or oneself
        for seat in [*others, player]:
            ways.append(((names[seat],), seat, 0))
    elif card == 4:  # Cheryl
        ways += [(("hide",), -1, 0), (("look",), -1, 1)]
    elif card == 2:  # Krueger: any character
        for guess in ANYBODY:
            ways.append(((WORDS[guess],), -1, guess))
    elif not others:  # Cyril, Sterling without anybody
        ways.append(((), -1, 0))
    elif card == 3:
        for seat in others:
            ways.append(((names[seat],), seat, 0))
    else:
        for seat in others:
            for guess in ANYBODY:
                if guess != 1:
                    ways.append(((names[seat], WORDS[guess]), seat, guess))
    return ways


def _play(position: Position, card: int, target: int, guess: int) -> set[Position | Over]:
    player = position[0]
    hands = [list(hand) for hand in position[1]]
    secret = position[2]
    deck = list(position[3])
    laid = [list(cards) for cards in position[4]]
    hidden = list(position[5])
    hands[player].remove(card)
    laid[player].append(card)

    def put_out(seat: int) -> None:
        laid[seat].append(hands[seat].pop())

    if card == 8:
        put_out(player)
    elif card == 7:
        return _dealt_anew(player, hands, secret, deck, laid, hidden)
    elif card == 6:
        laid[target].append(hands[target].pop())
        hands[target].append(secret)
        secret = deck.pop() if deck else 0
    elif card == 5:
        laid[target].append(hands[target].pop())
        if deck:
            hands[target].append(deck.pop())
        else:
            hands[target].append(secret)
            secret = 0
    elif card == 4:
        hidden[player] = hidden[player] or guess == 0
    elif card == 3 and target >= 0:
        own, theirs = hands[player][0], hands[target][0]
        if own < theirs:
            put_out(player)
        if theirs < own:
            put_out(target)
    elif card == 2 and secret == guess:
        return {_over("guess", [player], hands, secret, deck, laid)}
    elif card == 1 and target >= 0 and hands[target] == [guess]:
        put_out(target)
    return {_next(player, hands, secret, deck, laid, hidden)}


def _dealt_anew(
    player: int, hands: list[list[int]], secret: int, deck: list[int], laid: list[list[int]], hidden: list[bool]
) -> set[Position | Over]:
    seats = [seat for seat, hand in enumerate(hands) if hand and not hidden[seat]]
    pool = [hands[seat][0] for seat in seats] + [secret]
    outcomes = set()
    for dealt in permutations(pool):
        again = [list(hand) for hand in hands]
        for seat, card in zip(seats, dealt[:-1], strict=True):
            again[seat] = [card]
        outcomes.add(_next(player, again, dealt[-1], list(deck), [list(cards) for cards in laid], list(hidden)))
    return outcomes


def _next(
    player: int, hands: list[list[int]], secret: int, deck: list[int], laid: list[list[int]], hidden: list[bool]
) -> Position | Over:
    """End a turn: one player left, the deck empty, or the next one in the round draws."""
    inside = [seat for seat, hand in enumerate(hands) if hand]
    if len(inside) == 1:
        return _over("alone", inside, hands, secret, deck, laid)
    if not deck:
        best = max(hands[seat][0] for seat in inside)
        return _over("deck", [seat for seat in inside if hands[seat][0] == best], hands, secret, deck, laid)
    player = (player + 1) % len(hands)
    while not hands[player]:
        player = (player + 1) % len(hands)
    hidden[player] = False
    hands[player].append(deck.pop())
    return _position(player, hands, secret, deck, laid, hidden)


def _over(
    how: str, winners: list[int], hands: list[list[int]], secret: int, deck: list[int], laid: list[list[int]]
) -> Over:
    points = tuple(1 if seat in winners else 0 for seat in range(len(hands)))
    return "over", how, points, tuple(map(tuple, hands)), secret, tuple(deck), tuple(map(tuple, laid))
