"""Mexican Train's rule books: the settings that it adds, and the five profiles."""

from typing import Literal

from centerpiece.rules.rule_settings import ROUND_END, TURN, SettingsSection
from centerpiece.rules.rules import Rules
from centerpiece.text import Sentence

MARKER = SettingsSection("The marker")
DOUBLES = SettingsSection("Doubles")


class MexicanTrainRules(Rules, frozen=True, kw_only=True, tag="mexican-train"):
    title = "Mexican Train"

    turn = TURN.says("On your turn, play one tile. It must match the end it is laid against.")
    own_train = TURN.says(
        "Your own train starts from the centerpiece. Its first tile must match the double there."
    )
    trains: int = TURN.number(
        1,
        (0, 99),
        "There may be {value} Mexican Trains at the side of the table. They belong to everyone, "
        "and start with the same number.",
        {
            0: "There is no Mexican Train.",
            1: "The Mexican Train, at the side of the table, belongs to everyone. It starts with "
            "the same number.",
        },
    )
    eligible = TURN.says(
        "You may play on your own train, on the Mexican Train, and on any train with a marker.",
        applies=lambda rules: rules.trains == 1,
    )
    eligible_of_many = TURN.says(
        "You may play on your own train, on any Mexican Train, and on any train with a marker.",
        applies=lambda rules: rules.trains > 1,
    )
    eligible_without = TURN.says(
        "You may play on your own train, and on any train with a marker.",
        applies=lambda rules: rules.trains == 0,
    )
    first_turn: Literal["one", "own-train"] = TURN.choice(
        ("one", "Your first turn is a turn like any other: one tile."),
        (
            "own-train",
            "Your first turn is on your own train only. Play as many tiles as you can connect.",
        ),
    )
    train_starts: Literal["any-turn", "second-turn"] = TURN.choice(
        ("any-turn", "Anyone may start the Mexican Train, on any turn."),
        ("second-turn", "Anyone may start the Mexican Train, from their second turn on."),
        applies=lambda rules: (
            rules.trains > 0 and (rules.first_turn == "one" or rules.train_starts == "second-turn")
        ),
    )

    own_train_first: bool = TURN.choice(
        (False, "You may play elsewhere before your own train has begun."),
        (
            True,
            "Before your own train has begun, play nowhere else. Until then you need not play on "
            "an open double either.",
        ),
        unsaid=False,
    )

    marker_on = MARKER.says(
        "When you pass because you cannot play, put your marker on your train, or where it will "
        "start."
    )
    marker_open = MARKER.says("A train with a marker is open: anyone may play on it.")
    marker_off: Literal["own-train", "anywhere", "choice"] = MARKER.choice(
        ("own-train", "Your marker comes off when you play on your own train."),
        ("anywhere", "Your marker comes off when you play a tile, on any train."),
        ("choice", "When you play on your own train, you may take your marker off."),
    )

    follow = DOUBLES.says(
        "A double is laid crosswise. If you play one, play another tile in the same turn: on the "
        "double, or on any train that you may play on."
    )
    follow_drawing = DOUBLES.says(
        "If you cannot, draw as usual.", applies=lambda rules: rules.draw != "none"
    )
    double_unanswered: Literal["marker", "pass"] = DOUBLES.choice(
        ("marker", "If you cannot follow your double, your turn is over and your marker goes on."),
        ("pass", "If you cannot follow your double, your turn is over, but no marker goes on."),
    )
    doubles_a_turn: Literal["one", "third-from-hand", "any"] = DOUBLES.choice(
        ("one", "You may play only one double in a turn."),
        (
            "third-from-hand",
            "You may play two doubles in a turn if a third tile from your hand goes on one of "
            "them.",
        ),
        ("any", "You may follow a double with a double. Each one calls for another tile."),
    )
    first_turn_doubles = DOUBLES.says(
        "In the first turn this does not hold: lay as many doubles as you can connect.",
        applies=lambda rules: rules.first_turn == "own-train" and rules.doubles_a_turn != "any",
    )
    open_double: Literal["everyone", "next-player", "nobody"] = DOUBLES.choice(
        (
            "everyone",
            "A double that has not been played on is open. Until somebody plays on it, nobody may "
            "play anywhere else.",
        ),
        (
            "next-player",
            "If you leave a double open, the next player must play on it. If they cannot, it is up "
            "to the player after them, and so on. If several are open, the last one played is due.",
        ),
        ("nobody", "If you leave a double open, the next player may still play elsewhere."),
    )
    double_followed_by: Literal["anyone", "owner"] = DOUBLES.choice(
        ("anyone", "Anyone may play on an open double, whoever’s train it is on."),
        ("owner", "Only the owner of the train may play on an open double."),
        applies=lambda rules: rules.open_double != "nobody",
    )
    end_of_line: bool = DOUBLES.choice(
        (False, "If no tile is left for an open double, the round is blocked."),
        (
            True,
            "If no tile is left for an open double, that is the end of the line. Stack the double "
            "on the tile before it. Nobody has to play on it.",
        ),
        applies=lambda rules: rules.open_double != "nobody",
        unsaid=False,
    )

    everyone_starts: bool = ROUND_END.choice(
        (False, "Going out in the first turn ends the round as usual."),
        (True, "If somebody goes out in their first turn, the others still play theirs."),
        unsaid=False,
    )

    def contradictions(self) -> list[tuple[str, str, Sentence]]:
        """Return the contradictions of all games, and those of shared trains and open doubles."""
        found = super().contradictions()
        if self.trains == 0 and self.train_starts == "second-turn":
            why = Sentence("There is no Mexican Train to start.")
            found.append(("trains", "train_starts", why))
        if self.double_followed_by == "owner" and self.open_double != "everyone":
            why = Sentence("A double that only its owner may cover blocks every other play.")
            found.append(("double_followed_by", "open_double", why))
        return found


_FAMILY_TWELVE = {2: 15, 3: 15, 4: 15, 5: 12, 6: 12, 7: 11, 8: 11}

FAMILY = MexicanTrainRules(
    name="family",
    sets=(12, 9, 6),
    hands={
        6: {2: 9, 3: 8, 4: 6},
        9: {2: 9, 3: 9, 4: 9, 5: 7, 6: 7, 7: 7, 8: 6},
        12: _FAMILY_TWELVE,
    },
    engine_found="drawn",
    marker_off="anywhere",
    double_unanswered="pass",
    end_of_line=True,
    double_blank=50,
)

RALLY = MexicanTrainRules(
    name="rally",
    sets=(12,),
    hands={12: dict.fromkeys(range(2, 8), 12)},
    first_engine=9,
    starter="drawn",
    open_double="next-player",
    doubles_a_turn="any",
    last_tile="courtesy",
    last_tile_cue="knock",
    hidden_bones=10,
    table_of=6,
    scorekeeper=True,
    prizes=2,
    time_limit_min=105,
)

CLASSIC = MexicanTrainRules(
    name="classic",
    sets=(12, 9),
    hands={
        9: {2: 20, 3: 14, 4: 11, 5: 9, 6: 7},
        12: {4: 18, 5: 14, 6: 12, 7: 10, 8: 9},
    },
    doubles_a_turn="third-from-hand",
    last_tile="must",
)

ONLINE = MexicanTrainRules(
    name="online",
    sets=(12,),
    hands={12: _FAMILY_TWELVE},
    starter="highest-tile",
    first_turn="own-train",
    train_starts="second-turn",
    open_double="nobody",
)

DOUBLE_15 = MexicanTrainRules(
    name="double-15",
    sets=(15,),
    hands={15: {2: 16, 3: 15, 4: 14, 5: 12, 6: 11, 7: 10, 8: 9, 9: 8, 10: 7}},
    first_turn="own-train",
    train_starts="second-turn",
    everyone_starts=True,
)

PROFILES = (CLASSIC, FAMILY, RALLY, ONLINE, DOUBLE_15)
