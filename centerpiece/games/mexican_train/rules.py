"""Mexican Train's rule books: the settings that it adds, and the five profiles."""

from typing import Literal

from centerpiece.rules.book import Rules
from centerpiece.rules.settings import PLAYING
from centerpiece.text import Sentence


class MexicanTrainRules(Rules, frozen=True, kw_only=True, tag="mexican-train"):
    """What a Mexican Train table can agree on."""

    title = "Mexican Train"

    first_turn: Literal["one", "own-train"] = PLAYING.choice(
        ("one", "The first turn is one tile, on the player's own train or the Mexican Train."),
        ("own-train", "The first turn is on the player's own train: as many tiles as connect."),
    )
    trains: int = PLAYING.number(
        1,
        (0, 99),
        "There may be {value} Mexican Trains.",
        {0: "There is no Mexican Train.", 1: "There is one Mexican Train."},
    )
    train_starts: Literal["any-turn", "second-turn"] = PLAYING.choice(
        ("any-turn", "The Mexican Train may be started on any turn."),
        ("second-turn", "The Mexican Train may be started from the second turn on."),
        applies=lambda rules: rules.trains > 0,
    )
    marker_off: Literal["own-train", "anywhere", "choice"] = PLAYING.choice(
        ("own-train", "The marker comes off when its owner plays on their own train."),
        ("anywhere", "The marker comes off when its owner plays anywhere."),
        ("choice", "The marker may come off when its owner plays on their own train."),
    )
    open_double: Literal["everyone", "next-player", "nobody"] = PLAYING.choice(
        ("everyone", "An open double blocks every other play until it is satisfied."),
        ("next-player", "The last double played must be satisfied, by each player in turn."),
        ("nobody", "Nobody has to satisfy an open double."),
    )
    double_followed_by: Literal["anyone", "owner"] = PLAYING.choice(
        ("anyone", "Anyone may play on an open double."),
        ("owner", "Only the train's owner may play on an open double."),
    )
    double_unanswered: Literal["marker", "pass"] = PLAYING.choice(
        ("marker", "A player who cannot follow their own double puts the marker on."),
        ("pass", "A player who cannot follow their own double passes."),
    )
    doubles_a_turn: Literal["one", "third-from-hand", "any"] = PLAYING.choice(
        ("one", "A turn may include one double."),
        (
            "third-from-hand",
            "A turn may include two doubles if a third tile from the hand goes on one of them.",
        ),
        ("any", "Each double calls for another tile, which may be a double too."),
    )
    end_of_line: bool = PLAYING.choice(
        (False, "An open double whose suit is all played still has to be satisfied."),
        (True, "An open double whose suit is all played is the end of the line: play goes on."),
    )
    everyone_starts: bool = PLAYING.choice(
        (False, "Going out ends the round at once."),
        (True, "If someone goes out on the first turn, the others still get theirs."),
    )

    def contradictions(self) -> list[tuple[str, str, Sentence]]:
        found = super().contradictions()
        if self.trains == 0 and self.train_starts == "second-turn":
            why = Sentence("There is no Mexican Train to start.")
            found.append(("trains", "train_starts", why))
        if self.double_followed_by == "owner" and self.open_double != "everyone":
            why = Sentence("A double that waits for its owner blocks every other play.")
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
