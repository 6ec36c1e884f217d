"""Hands that shake: a tap that counts as a double tap, and is taken back at once."""

from centerpiece.panel.gesture import Gesture
from centerpiece.table.commands import Command, Undo

ENOUGH = 3


class ShakyHands:
    """Counts the double taps of a round that were undone by the next command."""

    def __init__(self) -> None:
        self._round = 0
        self._count = 0
        self._doubled = False
        self._noticed = False

    def notice(self, gesture: Gesture, command: Command, round: int) -> bool:
        """Note a gesture and its command; return True once, when hands seem to shake.

        That is after ENOUGH undone double taps in one `round`, which is its number; it never
        returns True again.
        """
        if round != self._round:
            self._round, self._count = round, 0
        self._count += self._doubled and isinstance(command, Undo)
        self._doubled = gesture.kind == "double"
        if self._noticed or self._count < ENOUGH:
            return False
        self._noticed = True
        return True
