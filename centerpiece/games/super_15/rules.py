"""Super 15's rule book: the settings that it adds, and its profile."""

from centerpiece.rules.rule_settings import SCORING, STARTING, TURN, SettingsSection
from centerpiece.rules.rules import Rules

SPECIAL = SettingsSection("Special tiles")


def _spells(rules: "Super15Rules") -> bool:
    return rules.spell_on is not None


class Super15Rules(Rules, frozen=True, kw_only=True, tag="super-15"):
    """The Super 15 rule book; the power of each number can be left out."""

    title = "Super 15"

    first_double = STARTING.says(
        "The first player lays any double. If they have none, the next player clockwise does, and "
        "so on."
    )
    no_double = STARTING.says(
        "If nobody has a double, each draws a tile in turn. The first to draw a double starts "
        "with it."
    )

    turn = TURN.says(
        "On your turn, play one tile that matches an open end, or start a new branch from the "
        "first double."
    )
    branches: int = TURN.number(
        6, (1, 9), "Up to {value} {value|branch|branches} may grow from the first double."
    )

    turns_told: bool = SPECIAL.choice(
        (False, "Only tell the hub about these tiles; keep track of the turns yourselves."),
        (True, "Tell the hub whose turn it is: tap your seat when it is yours."),
        unsaid=False,
    )
    everyone_draws_on: int | None = SPECIAL.number(
        15,
        (0, 15),
        "If your tile leaves a {value} open, everyone else draws a tile at once.",
        {None: "No number makes everyone else draw."},
        unsaid=None,
    )
    again_on: int | None = SPECIAL.number(
        14,
        (0, 15),
        "If your tile leaves a {value} open, you may play again.",
        {None: "No number lets you play again."},
        unsaid=None,
    )
    reverse_on: int | None = SPECIAL.number(
        3,
        (0, 15),
        "If you play a {value}, the direction of play is reversed. With two players, nothing "
        "changes.",
        {None: "The direction of play never changes."},
        unsaid=None,
    )
    double_skips: bool = SPECIAL.choice(
        (True, "If you play a double, the next player loses a turn."),
        (False, "A double costs nobody a turn."),
    )
    skips_but = SPECIAL.says(
        "The starting double and {spell_on}-{spell_on} cost nobody a turn.",
        applies=lambda rules: rules.double_skips and _spells(rules),
    )
    skips_but_first = SPECIAL.says(
        "The starting double costs nobody a turn.",
        applies=lambda rules: rules.double_skips and not _spells(rules),
    )
    skip_remembered = SPECIAL.says(
        "Whoever played the double sees to it that the turn is lost: the hub does not know whose "
        "turn it is.",
        applies=lambda rules: rules.double_skips and not rules.tracks_turns,
    )
    doubles_fit = SPECIAL.says(
        "A double may be played on its own number, or on any {spell_on}.", applies=_spells
    )
    spell_on: int | None = SPECIAL.number(
        13,
        (0, 15),
        "If you play a {value}, you cast a spell.",
        {None: "There are no spells."},
        unsaid=None,
    )
    spell_broken = SPECIAL.says(
        "The next player must break the spell: by playing on that tile, with another {spell_on}, "
        "or with a double.",
        applies=_spells,
    )
    spell_passed = SPECIAL.says(
        "If they cannot, they draw as usual and try again. After that it is up to the next player, "
        "until somebody breaks it.",
        applies=lambda rules: _spells(rules) and rules.draw != "none",
    )
    spell_just_passed = SPECIAL.says(
        "If they cannot, it is up to the next player, until somebody breaks it.",
        applies=lambda rules: _spells(rules) and rules.draw == "none",
    )
    caster_exempt = SPECIAL.says(
        "If a spell comes all the way round, whoever cast it need not break it.",
        applies=_spells,
    )
    new_spell = SPECIAL.says(
        "{spell_on}-{spell_on} breaks a spell, but casts a new one.", applies=_spells
    )

    round_won = SCORING.says(
        "Whoever goes out wins the round. If it is blocked, the fewest tiles win. If those are "
        "equal, the fewest pips win.",
        applies=lambda rules: rules.wins == "rounds",
    )

    @property
    def counts_hands(self) -> bool:
        """False where a round won counts; hands count if the table has chosen so."""
        return self.wins != "rounds"

    def starter_found(self, number: int) -> bool:
        """Return True: the first player with a double starts."""
        return True

    @property
    def tracks_turns(self) -> bool:
        """True also where the table chooses to show turns."""
        return self.turns_told or super().tracks_turns

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Return no engines: any double starts."""
        return ()


DOUBLE_15 = Super15Rules(
    name="double-15",
    sets=(15,),
    hands={15: dict.fromkeys(range(2, 11), 9)},
    draw="two",
    wins="rounds",
    rounds=1,
)

PROFILES = (DOUBLE_15,)
