"""Mexican Train's rule books: the settings that it adds, and the five profiles."""

from typing import ClassVar, Literal

from centerpiece.rules.book import Rules, Says
from centerpiece.text import Sentence


class MexicanTrainRules(Rules, frozen=True, kw_only=True, tag="mexican-train"):
    """What a Mexican Train table can agree on."""

    first_turn: Literal["one", "own-train"] = "one"
    trains: int = 1
    train_starts: Literal["any-turn", "second-turn"] = "any-turn"
    marker_off: Literal["own-train", "anywhere", "choice"] = "own-train"
    open_double: Literal["everyone", "next-player", "nobody"] = "everyone"
    double_followed_by: Literal["anyone", "owner"] = "anyone"
    double_unanswered: Literal["marker", "pass"] = "marker"
    doubles_a_turn: Literal["one", "third-from-hand", "any"] = "one"
    end_of_line: bool = False
    everyone_starts: bool = False

    says: ClassVar[dict[str, Says]] = Rules.says | {
        "first_turn": {
            "one": "The first turn is one tile, on the own train or the Mexican Train.",
            "own-train": "The first turn is the own train only, as many tiles as connect.",
        },
        "trains": {
            0: "There is no Mexican Train.",
            1: "There is one Mexican Train.",
        },
        "train_starts": {
            "any-turn": "The Mexican Train may be started in any turn.",
            "second-turn": "The Mexican Train may be started from the second turn on.",
        },
        "marker_off": {
            "own-train": "The marker comes off when its owner plays on the own train.",
            "anywhere": "The marker comes off when its owner plays anywhere.",
            "choice": "The marker comes off when its owner plays on the own train and wants to.",
        },
        "open_double": {
            "everyone": "An open double blocks every other play until it is satisfied.",
            "next-player": "The last double played must be satisfied, by each player in turn.",
            "nobody": "An open double obliges nobody.",
        },
        "double_followed_by": {
            "anyone": "Anyone may play on an open double.",
            "owner": "Only the train's owner may play on an open double.",
        },
        "double_unanswered": {
            "marker": "Who cannot follow the own double puts the marker on.",
            "pass": "Who cannot follow the own double passes.",
        },
        "doubles_a_turn": {
            "one": "A turn may have one double.",
            "third-from-hand": "Two doubles in a turn need a third tile from the hand on one.",
            "any": "Each double asks for another tile, doubles as well.",
        },
        "end_of_line": {
            False: "An open double whose suit is all played still has to be satisfied.",
            True: "An open double whose suit is all played is the end of the line: play goes on.",
        },
        "everyone_starts": {
            False: "Going out ends the round at once.",
            True: "If someone plays out on the first turn, the others still get theirs.",
        },
    }
    says_otherwise: ClassVar[dict[str, str]] = Rules.says_otherwise | {
        "trains": "There may be {value} Mexican Trains.",
    }

    def silent(self) -> frozenset[str]:
        return super().silent() | ({"train_starts"} if self.trains == 0 else set())

    def contradictions(self) -> list[tuple[str, str, Sentence]]:
        found = super().contradictions()
        if self.trains == 0 and self.train_starts == "second-turn":
            found.append(("trains", "train_starts", Sentence("There is no train to be started.")))
        if self.double_followed_by == "owner" and self.open_double == "next-player":
            found.append(
                (
                    "double_followed_by",
                    "open_double",
                    Sentence("Each player in turn cannot satisfy what only the owner may."),
                )
            )
        if self.open_double == "nobody" and self.double_followed_by == "owner":
            found.append(
                (
                    "double_followed_by",
                    "open_double",
                    Sentence("A double that obliges nobody needs no owner to follow it."),
                )
            )
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
