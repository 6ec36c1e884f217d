"""Decides when a hub opens its own Wi-Fi and when it closes it. Pure: no clock, no radio.

A hub that finds no saved network opens its own, so that phones can reach it and somebody can
enter the Wi-Fi of the house. Two things always hold:

- The game never waits for any of this; it is another process.
- No phone is trapped or disconnected: the hub's own network has no route to the Internet, so a
  phone keeps its mobile connection; and while a phone is in it, only a person can close it.
"""

from typing import Literal, NamedTuple

UNKNOWN_PATIENCE = 10.0
"""Seconds before the own network opens if no network was ever saved."""
LOST_PATIENCE = 180.0
"""The same after a lost connection; a router's restart takes two minutes."""
LOOK_AGAIN = 600.0
"""Seconds after which an unused own network closes, to look for a saved one again."""


class NetworkView(NamedTuple):
    """The machine's network at one moment."""

    radio: bool = True
    """Wi-Fi hardware is present and not blocked."""
    home: bool = False
    """Connected to a network that is not the hub's own, by radio or wire."""
    own: bool = False
    """The hub's own network is open."""
    saved: bool = False
    """At least one Wi-Fi was saved earlier."""
    guests: int | None = 0
    """Devices in the hub's own network; None if they cannot be counted."""


class JoinRequest(NamedTuple):
    """A network that a person wants the hub to join."""

    ssid: str
    password: str


Phase = Literal["looking", "home", "own", "joining"]
Action = Literal["open", "close"]


class WifiStatus(NamedTuple):
    """The state of the hub's Wi-Fi, and since when."""

    phase: Phase
    since: float
    lost: bool = False
    """The connection was lost after the start, which calls for more patience."""
    trouble: str = ""
    """The reason why the last attempt to join failed."""


def step(
    link: WifiStatus, seen: NetworkView, now: float, patience: float
) -> tuple[WifiStatus, Action | None]:
    """Return the status after `link`, and what to do about the own network; None for nothing.

    `seen` is the network at the time `now`. `patience` is for how many seconds a saved network may
    be missing before the own one opens.
    """
    match link.phase:
        case "joining":
            return link, None
        case "own":
            return _in_own(link, seen, now)
        case "home" if not seen.home:
            return WifiStatus("looking", now, lost=True), None
        case "home":
            return link, None
    if seen.own:
        return WifiStatus("own", now, trouble=link.trouble), None
    if seen.home:
        return WifiStatus("home", now), None
    if seen.radio and now - link.since >= _patience(link, seen, patience):
        return WifiStatus("own", now, trouble=link.trouble), "open"
    return link, None


def _patience(link: WifiStatus, seen: NetworkView, patience: float) -> float:
    if link.lost:
        return max(LOST_PATIENCE, patience)
    return patience if seen.saved else UNKNOWN_PATIENCE


def _in_own(link: WifiStatus, seen: NetworkView, now: float) -> tuple[WifiStatus, Action | None]:
    """Return the next status while the own network is open, and whether to close it.

    It closes only if it surely has no guests: once the hub is in another network, or after a while
    to look for a saved one.
    """
    if not seen.own:
        return WifiStatus("home" if seen.home else "looking", now), None
    if seen.guests != 0:
        return link._replace(since=now), None
    if seen.home:
        return WifiStatus("home", now), "close"
    if seen.saved and now - link.since >= LOOK_AGAIN:
        return WifiStatus("looking", now), "close"
    return link, None


def begin_join(now: float) -> WifiStatus:
    """Return the status while the hub joins a network that a person chose."""
    return WifiStatus("joining", now)


def end_join(trouble: str, now: float) -> tuple[WifiStatus, Action | None]:
    """Return the status after joining, and what to do about the own network.

    `trouble` says why joining failed, and is empty if it did not. After a failure the own network
    reopens for the phone.
    """
    if trouble:
        return WifiStatus("own", now, trouble=trouble), "open"
    return WifiStatus("home", now), None
