"""Virtual people: how they choose their tiles, and how careful they are.

A player sees `Sight`, the own tiles and the layout, and nothing else.
Care with announcements, points and buttons is given by traits: likelihoods for a random draw.
"""

from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from sim.dominoes.happenings import Happening, LastTile, Scored
from sim.dominoes.round import Move, Options, PlayTile, Remove, Sight, Stop, TileRound
from sim.dominoes.rows import after, fewest_left, removals
from sim.dominoes.tiles import BIT, HIGH, LOW, PIPS, each
from sim.dominoes.trains import longest_train


class Traits(msgspec.Struct, frozen=True):
    """The likelihood, from 0 to 1, of doing a thing when there is reason to."""

    announces: float = 1.0
    """Announces the own last tile."""
    catches: float = 0.5
    """Notices, in each turn, that somebody else did not."""
    records: float = 1.0
    """Notices the own points made in play."""
    mispresses: float = 0.0
    """Presses a wrong button first, and has to undo it."""
    mishandles: float = 0.0
    """Forgets the train marker, takes a wrong one, plays with it or presses the button instead."""


CAREFUL = Traits()
CARELESS = Traits(announces=0.6, catches=0.3, records=0.7, mispresses=0.1, mishandles=0.3)


class VirtualPlayer:
    """A player; kinds of players override `choose`."""

    def __init__(self, rng: Random, traits: Traits = CAREFUL) -> None:
        self.rng = rng
        self.traits = traits

    def choose(self, sight: Sight) -> Move:
        """Return one of the moves that `sight` allows."""
        raise NotImplementedError


class RandomPlayer(VirtualPlayer):
    """Plays any legal move, all equally likely."""

    def choose(self, sight: Sight) -> Move:
        """Return any legal move, all equally likely; to stop is one of them where it is allowed."""
        if sight.row:
            return self.rng.choice(removals(sight.row))
        plays = [(place, tile) for place, tiles in sight.options for tile in each(tiles)]
        pick = int(self.rng.random() * (len(plays) + sight.may_stop))
        if pick == len(plays):
            return Stop()
        place, tile = plays[pick]
        return PlayTile(tile, place)


class GreedyPlayer(VirtualPlayer):
    """Plays the most pips first; on the own train where there is a choice."""

    def choose(self, sight: Sight) -> Move:
        """Return the play with the most pips, of equals the one on the own train.

        In a row, three tiles are removed rather than one.
        """
        if sight.row:
            return _greediest(removals(sight.row))
        heaviest = where = 0
        for place, tiles in sight.options:
            top = tiles.bit_length()
            if top > heaviest or (top == heaviest and place == sight.home):
                heaviest, where = top, place
        return PlayTile(heaviest - 1, where)


class BuilderPlayer(VirtualPlayer):
    """Plans the longest train of the own tiles, keeps to it, and plays extras elsewhere first."""

    patience = 3000

    def __init__(self, rng: Random, traits: Traits = CAREFUL) -> None:
        super().__init__(rng, traits)
        self.plan: list[int] = []
        """The rest of the train, the next tile last."""
        self.planned = 0
        """The plan as a bit set."""
        self.known = 0
        """The hand that was planned for, less the tiles played since."""
        self.end = -1
        """The number that the plan goes on from."""

    def choose(self, sight: Sight) -> Move:
        """Return a play by the plan for the own train.

        In a game without own trains, it is the play with the longest train to follow; in a row, the
        removal after which the fewest tiles can remain.
        """
        if sight.row:
            row = tuple(sight.row)
            known: dict[tuple[int, ...], int] = {}
            return min(removals(row), key=lambda removal: fewest_left(after(row, removal), known))
        options = sight.options
        if len(options) == 1 and not options[0][1] & (options[0][1] - 1):
            place, tiles = options[0]
            return PlayTile(tiles.bit_length() - 1, place)
        if sight.home is None:
            return self._on_the_longest(sight)
        return self._by_plan(sight, sight.home)

    def _by_plan(self, sight: Sight, home: int) -> Move:
        """Return the heaviest tile outside the plan that fits elsewhere, or else the plan's next.

        If neither fits, it is the least useful tile. `home` is the place of the own train. The plan
        is made anew if the hand or that train has changed.
        """
        hand, end = sight.hand, sight.ends[home]
        if end != self.end or hand & ~self.known or self.planned & ~hand:
            self._make_plan(hand, end)
        extras = hand & ~self.planned
        heaviest = at_home = where = 0
        for place, tiles in sight.options:
            if place == home:
                at_home = tiles
            elif (top := (tiles & extras).bit_length()) > heaviest:
                heaviest, where = top, place
        if heaviest:
            return self._lay(PlayTile(heaviest - 1, where), hand)
        if self.plan and at_home & BIT[self.plan[-1]]:
            tile = self.plan.pop()
            self.planned ^= BIT[tile]
            self.end = PIPS[tile] - end
            return self._lay(PlayTile(tile, home), hand)
        return self._lay(_least_useful(sight.options, self.planned), hand)

    def _make_plan(self, hand: int, end: int) -> None:
        self.plan = longest_train(hand, end, self.patience)[::-1]
        self.planned = sum(BIT[tile] for tile in self.plan)
        self.known, self.end = hand, end

    def _lay(self, play: PlayTile, hand: int) -> PlayTile:
        self.known = hand ^ BIT[play.tile]
        return play

    def _on_the_longest(self, sight: Sight) -> Move:
        """Return the play after which the hand can lay the longest train; of equals the heaviest.

        Without a play, stop.
        """
        best: tuple[int, int, PlayTile] | None = None
        for place, tiles in sight.options:
            for tile in each(tiles):
                end = _left_open(sight, place, tile)
                follow = len(longest_train(sight.hand ^ BIT[tile], end, self.patience // 10))
                if best is None or (follow, PIPS[tile]) > best[:2]:
                    best = follow, PIPS[tile], PlayTile(tile, place)
        return best[2] if best else Stop()


class ForgetfulPlayer(GreedyPlayer):
    """Plays like `greedy`, but does not always announce, notice or press the right button."""

    def __init__(self, rng: Random, traits: Traits = CARELESS) -> None:
        super().__init__(rng, traits)


KINDS: dict[str, type[VirtualPlayer]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "builder": BuilderPlayer,
    "forgetful": ForgetfulPlayer,
}


def player(kind: str, rng: Random) -> VirtualPlayer:
    """Return a new player of a kind; ValueError if there is no such kind."""
    if kind not in KINDS:
        raise ValueError(f"there is no player {kind!r}; the kinds are {', '.join(KINDS)}")
    return KINDS[kind](rng)


# -- parts of a choice --------------------------------------------------------------------------


def _least_useful(options: Options, planned: int) -> PlayTile:
    """Return the play of the heaviest tile that is not planned, or else of the heaviest.

    `planned` is a set of bits.
    """
    return max(
        (PlayTile(tile, place) for place, tiles in options for tile in each(tiles)),
        key=lambda play: (not planned >> play.tile & 1, play.tile),
    )


def _left_open(sight: Sight, place: int, tile: int) -> int:
    """Return the number that `tile` leaves open when it is played at `place`."""
    end = sight.ends[place] if place < len(sight.ends) else HIGH[tile]
    return PIPS[tile] - end if end in (LOW[tile], HIGH[tile]) else HIGH[tile]


def _greediest(found: list[Remove]) -> Remove:
    return max(found, key=lambda removal: removal.three)


# -- a round with people ------------------------------------------------------------------------


REACTED_TO: frozenset[type[Happening]] = frozenset((LastTile, Scored))
"""The happenings that people react to."""


class Talk:
    """The talk between two moves: announcements, catches, points noticed or stolen."""

    def __init__(self, played: TileRound, players: Sequence[VirtualPlayer], rng: Random) -> None:
        self.played = played
        self.players = players
        self.rng = rng
        self.must_announce = played.rules.last_tile == "must"
        self.grace: dict[int, int] = {}
        """For seats with one tile, the turns in which they may still announce it."""

    def after_a_move(self) -> None:
        """Let everybody react to a move: to last tiles and points just seen, then by late calls.

        Late calls, announcements and catches, come only where announcing is a duty and while the
        round is on.
        """
        played = self.played
        for seat in list(self.grace):
            self.grace[seat] -= 1
            if self.grace[seat] < 0 or not played.lone[seat]:
                del self.grace[seat]
        self.react()
        if self.must_announce and True in played.lone and not played.over:
            self._look_around()

    def react(self) -> None:
        """Let players announce their last tile, and points be noticed, stolen or forgotten.

        Only the happenings that no caller has taken yet count.
        """
        happenings = self.played.happenings
        if REACTED_TO.isdisjoint(map(type, happenings)):
            return
        for seen in happenings[:]:
            if isinstance(seen, LastTile) and self.played.lone[seen.seat]:
                self._mention(seen.seat)
            elif isinstance(seen, Scored):
                self._notice_points(seen)

    def _does(self, likelihood: float) -> bool:
        return self.rng.random() < likelihood

    def _mention(self, seat: int) -> None:
        """Announce the last tile of a seat, or by chance forget it.

        If the rules' deadline is the next player's turn, it may still be announced after the next
        move.
        """
        if self._does(self.players[seat].traits.announces):
            self.played.announce(seat)
        elif self.played.rules.last_tile_deadline == "next-player":
            self.grace[seat] = 1

    def _look_around(self) -> None:
        """Let players announce late, when they may for the last time, and catch those who did not.

        Both depend on chance: people may forget or overlook.
        """
        played = self.played
        for seat in range(played.players):
            if not played.may_catch(seat):
                continue
            if self.grace.get(seat) == 0 and self._does(self.players[seat].traits.announces):
                played.announce(seat)
            elif seat not in self.grace and self._is_noticed(seat):
                played.catch(seat)

    def _is_noticed(self, seat: int) -> bool:
        """Return True if one of the others notices, by chance."""
        others = [player for place, player in enumerate(self.players) if place != seat]
        return any(self._does(other.traits.catches) for other in others)

    def _notice_points(self, happenings: Scored) -> None:
        """Let a player notice the points just made; else an opponent steals them, or they are lost.

        Who notices depends on chance.
        """
        played = self.played
        if self._does(self.players[happenings.seat].traits.records):
            return
        for by, other in enumerate(self.players):
            if played.may_steal(by) and self._does(other.traits.catches):
                played.steal(by)
                return
        played.forget()


def play_out(played: TileRound, players: Sequence[VirtualPlayer]) -> None:
    """Play a round to its end, without talk."""
    go_on, sight, play = played.go_on, played.sight, played.play
    choosers = [player.choose for player in players]
    while go_on():
        play(choosers[played.turn](sight()))


def decisions(
    played: TileRound, players: Sequence[VirtualPlayer], rng: Random
) -> Iterator[list[Happening]]:
    """Play a round with talk; yield its happenings in parts, so that a caller can follow.

    There is a part after each decision, one before it if anything happened by then, and one at the
    end, which may be empty.
    """
    talk = Talk(played, players, rng)
    while played.go_on():
        if played.happenings:
            talk.react()
            yield _taken(played)
        played.play(players[played.turn].choose(played.sight()))
        talk.after_a_move()
        yield _taken(played)
    yield _taken(played)


def _taken(played: TileRound) -> list[Happening]:
    """Return the happenings so far; the round forgets them."""
    happenings, played.happenings = played.happenings, []
    return happenings
