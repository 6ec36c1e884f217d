"""A gesture on the buttons, from `hub.gestures` to `interpret`."""

from typing import Literal

import msgspec

GestureStep = Literal["press", "release", "tap", "double", "hold"]


class Gesture(msgspec.Struct, frozen=True, gc=False):
    """A step of a gesture. `button` is a button's name, or two joined by a plus."""

    kind: GestureStep
    button: str
    now: float
