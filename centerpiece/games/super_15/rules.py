"""Super 15's rule book: the settings that it adds, and its profile."""

from centerpiece.rules.book import Rules
from centerpiece.rules.settings import PLAYING


class Super15Rules(Rules, frozen=True, kw_only=True, tag="super-15"):
    """What a Super 15 table can agree on; each number's power can be left out."""

    title = "Super 15"

    branches: int = PLAYING.number(
        6, (1, 9), "{value} {value|branch grows|branches grow} from the first double."
    )
    everyone_draws_on: int | None = PLAYING.number(
        15,
        (0, 15),
        "A play that leaves {value} open makes every other player draw.",
        {None: "No number makes everyone draw."},
    )
    again_on: int | None = PLAYING.number(
        14,
        (0, 15),
        "A play that leaves {value} open earns another turn.",
        {None: "No number earns another turn."},
    )
    spell_on: int | None = PLAYING.number(
        13,
        (0, 15),
        "Playing {value} casts a spell; doubles may be played on any {value}.",
        {None: "There are no spells."},
    )
    reverse_on: int | None = PLAYING.number(
        3,
        (0, 15),
        "Playing {value} reverses the direction, except with two players.",
        {None: "The direction never changes."},
    )
    double_skips: bool = PLAYING.choice(
        (True, "After a double the next player loses a turn."),
        (False, "A double costs nobody a turn."),
    )

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Any double starts, so there is no engine to be set."""
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
