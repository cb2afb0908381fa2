"""Check that a game keeps the contract: what an author's test calls.

kit = conformance.Kit("mygame")

@pytest.mark.parametrize("check", conformance.CHECKS)
def test_conformance(check: conformance.Check) -> None:
    check(kit)
"""

from collections.abc import Iterable

from pbem.testing.checks import RULES, Check, course, desk, knowledge, look, module, orders, pages, values
from pbem.testing.kit import Kit
from pbem.testing.secrecy import no_letter_tells_more_than_a_view

__all__ = ["CHECKS", "Check", "Kit", "play_clean"]

CHECKS: tuple[Check, ...] = (
    module.the_module_is_whole,
    module.the_module_is_pure,
    course.random_games_end,
    course.games_of_silent_players_end,
    course.somebody_is_asked_until_there_is_a_result,
    course.turns_only_go_on,
    course.every_ending_is_reached,
    course.no_card_is_lost_or_doubled,
    course.audit_notices_a_lost_card,
    values.values_are_plain,
    values.states_round_trip,
    values.a_step_leaves_its_input_alone,
    values.same_inputs_give_the_same_result,
    module.another_process_plays_the_same_games,
    orders.samples_and_defaults_are_legal,
    orders.orders_read_back,
    orders.orders_can_be_sent_in_a_letter,
    orders.any_text_is_an_order_talk_or_refused,
    orders.sealed_answers_commute,
    module.the_notation_is_that_of_the_game,
    pages.every_event_has_its_line,
    pages.every_page_can_be_written,
    knowledge.reshuffle_moves_what_is_hidden,
    knowledge.a_seat_sees_only_what_reshuffle_keeps,
    knowledge.events_tell_all_that_shows_and_no_more,
    knowledge.what_is_done_in_secret_stays_secret,
    desk.what_is_not_learned_tells_nothing,
    desk.a_game_can_be_scored_at_any_time,
    no_letter_tells_more_than_a_view,
)
"""Every check, the plain ones first: where one fails, those below may fail for the same reason."""


def play_clean(kit: Kit, numbers: Iterable[int]) -> int:
    """Play the random games with these numbers through every check of a step, and count their steps."""
    steps = 0
    for number in numbers:
        for step in kit.play(number):
            for rule in RULES.values():
                look(rule, kit, step)
            steps += 1
    return steps
