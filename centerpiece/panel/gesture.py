"""A gesture on buttons or docks, from `hub.gestures` to `interpret`."""

from typing import Literal

import msgspec

GestureStep = Literal["press", "release", "tap", "double", "hold", "lift", "home"]


class Gesture(msgspec.Struct, frozen=True, gc=False):
    """A step of a gesture. `button` is a button's name, two joined by a plus, or a dock's name."""

    kind: GestureStep
    button: str
    now: float
