"""How the hub behaves in the room: as loud and as bright as it may be at this time of day."""

from typing import Any

import msgspec

from centerpiece.comfort import Comfort
from centerpiece.present.looks import NEVER
from centerpiece.store import Store
from hal.ports import Board


class Manners:
    """Tells sound and lights what the settings mean now; remembers the settings."""

    def __init__(self, board: Board, store: Store) -> None:
        self._board = board
        self._store = store
        self._volume = 1.0
        self._brightness = 1.0
        self.change_at = NEVER
        """When the time of day next makes a difference to the lights."""
        self.comfort = store.comfort()
        self._settings = msgspec.to_builtins(self.comfort)
        self.dim()

    def settings(self) -> dict[str, Any]:
        """The settings, for a page."""
        return self._settings.copy()  # type: ignore[no-any-return]

    def set(self, comfort: Comfort) -> None:
        """Change the settings. NotSaved: nothing changed."""
        self._store.save_comfort(comfort)
        self.comfort = comfort
        self._settings = msgspec.to_builtins(comfort)
        self.dim()

    def play(self, cue: str) -> None:
        """Sound a cue."""
        volume = self.comfort.volume_at(self._board.clock.at())
        if volume != self._volume:
            self._volume = volume
            self._board.sound.set_volume(volume)
        self._board.sound.play(cue)

    def dim(self) -> None:
        """Set the lights."""
        clock = self._board.clock
        at = clock.at()
        brightness = self.comfort.brightness_at(at)
        if brightness != self._brightness:
            self._brightness = brightness
            self._board.lights.set_brightness(brightness)
        change = self.comfort.next_change(at)
        self.change_at = NEVER if change is None else clock.now() + change - at
