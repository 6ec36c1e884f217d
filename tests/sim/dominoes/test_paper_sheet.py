"""The score sheet kept by hand: people come and go, rounds count as a whole, somebody wins."""

from msgspec.structs import replace

from centerpiece.games.mexican_train import rules as mexican_train
from centerpiece.games.muggins import rules as muggins
from sim.dominoes.paper_sheet import ScoreSheet, SheetLine


def sheet_of(*lines, rules=mexican_train.RALLY):
    """A sheet of as many people as the first line has, with these rounds."""
    sheet = ScoreSheet(rules, len(lines[0]))
    for line in lines:
        play(sheet, *line)
    return sheet


def play(sheet, *scores):
    """Deal a round and write it: the scores clockwise."""
    sheet.begin()
    sheet.write(SheetLine(dict(zip(sheet.seats, scores, strict=True))))


def test_a_latecomer_accepts_the_highest_score_at_the_table():
    """And keeps it, whoever leaves later."""
    sheet = sheet_of([0, 90, 20])
    late = sheet.arrive(3)
    sheet.leave(1)

    assert (90, [90]) == (sheet.totals[late], sheet.scores(late))


def test_who_has_just_sat_down_is_at_the_table():
    """The next one accepts what they accepted."""
    sheet = sheet_of([0, 90, 20])
    sheet.arrive(3)
    sheet.leave(1)

    later = sheet.arrive(4)

    assert 90 == sheet.totals[later]


def test_who_comes_in_a_round_begins_with_what_the_others_have_after_it():
    """Also if one of them left in that round, and the start moves while its hands are corrected."""
    sheet = sheet_of([0, 90, 20])
    sheet.begin()
    late = sheet.arrive(3)
    sheet.leave(1, now=True)
    sheet.write(SheetLine({0: 0, 2: 30}))
    assert [None, 90] == sheet.scores(late)
    sheet.write(SheetLine({0: 0, 2: 75}), 2)

    assert [None, 95] == sheet.scores(late)


def test_somebody_new_on_a_chair_that_was_left_has_a_column():
    """Whoever left keeps theirs under another number, and the next one goes still higher."""
    sheet = sheet_of([0, 90, 20])
    sheet.leave(1)
    first = sheet.arrive(1)
    play(sheet, 1, 2, 3)
    sheet.leave(first)
    sheet.arrive(1)

    assert [22, 12, 2] == [sheet.number(first), sheet.number(1), sheet.number(4)]
    assert [0, 4, 2, 1, 3] == sheet.in_hub_order()
    assert [[90, None], [20, 2]] == [sheet.scores(1), sheet.scores(first)]


def test_a_chair_is_not_free_while_a_hand_of_it_is_to_be_counted():
    sheet = sheet_of([0, None, 20])
    sheet.leave(1)
    assert [] == sheet.left_chairs()
    sheet.write(SheetLine({0: 0, 1: 5, 2: 20}), 1)

    assert [1] == sheet.left_chairs()


def test_the_winner_may_go_home():
    """Somebody who played every counted round keeps the place; whoever missed one has none."""
    sheet = sheet_of([0, 90, 20])
    sheet.leave(0)
    sheet.close()
    assert [0] == sheet.winners()

    sheet = sheet_of([0, 90, 20])
    sheet.leave(0)
    play(sheet, 5, 6)
    sheet.close()
    assert ([2], None) == (sheet.winners(), sheet.places()[0])


def test_a_round_that_is_missed_scores_the_highest_of_it():
    """In a pause, and for somebody who left and came back; not for somebody who stays away."""
    sheet = sheet_of([0, 90, 20, 5])
    sheet.pause(2)
    sheet.leave(3)
    play(sheet, 7, 8)
    sheet.resume(2)

    assert [[20, 8], [5, None]] == [sheet.scores(2), sheet.scores(3)]
    sheet.resume(3)
    assert [5, 8] == sheet.scores(3)


def test_a_round_counts_as_a_whole_or_not_at_all():
    """And nobody has won while a hand is missing that was known when the game ended."""
    sheet = sheet_of([0, 90, 20], [None, 0, 3])
    assert [0, 90, 20] == sheet.totals
    sheet.close()
    assert ([0], [2]) == (sheet.winners(), sheet.left_out())
    sheet.write(SheetLine({0: None, 1: 0, 2: 1}), 1)

    assert [] == sheet.winners()


def test_both_prizes_can_be_tied():
    """At a rally first and second place are prizes; the third is none."""
    assert [1, 2] == sheet_of([0, 20, 20, 90]).tied()
    assert [] == sheet_of([0, 10, 20, 20]).tied()


def test_who_reaches_the_limit_in_play_is_first_there():
    """Even if another side makes more after that."""
    sheet = ScoreSheet(replace(muggins.CLASSIC, points_limit=250), 2)
    play(sheet, 245, 240)
    sheet.begin()
    sheet.write(SheetLine({0: 5, 1: 15}, {0: 5, 1: 15}, [(0, 5), (1, 15)]))
    sheet.close()

    assert ([250, 255], [0]) == (sheet.totals, sheet.winners())
