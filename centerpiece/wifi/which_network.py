"""When a hub opens a Wi-Fi of its own, and when it leaves it again. Pure: no clock, no radio.

A hub that finds no network it knows opens its own, so that phones can reach it and somebody can
show it the way home. Two promises hold whatever happens:

- The game never waits for any of this; it is another process.
- No phone is trapped or thrown out: the hub's own network offers no way to the Internet, so a
  phone keeps the one it has, and as long as a phone is in it, only a person can close it.
"""

from typing import Literal, NamedTuple

UNKNOWN_PATIENCE = 10.0
"""Seconds to wait where no network was ever saved: there is nothing to wait for."""
LOST_PATIENCE = 180.0
"""Seconds that a network which was there may be away; a router's restart takes two minutes."""
LOOK_AGAIN = 600.0
"""Seconds in an own network that nobody uses, before the hub looks for a known one again."""


class NetworkView(NamedTuple):
    """The machine's network at one moment."""

    radio: bool = True
    """There is Wi-Fi, and it may be used."""
    home: bool = False
    """Connected to a network that is not the hub's own, by radio or wire."""
    own: bool = False
    """The hub's own network is open."""
    known: bool = False
    """Some Wi-Fi was saved earlier."""
    guests: int | None = 0
    """Pairing in the hub's own network; None when that cannot be told."""


class JoinRequest(NamedTuple):
    """A network that a person wants the hub to join."""

    ssid: str
    password: str


Phase = Literal["looking", "home", "own", "joining"]
Action = Literal["open", "close"]


class WifiStatus(NamedTuple):
    """The hub's dealings with its network, and since when."""

    phase: Phase
    since: float
    lost: bool = False
    """The network was there and went away; it is given more time than at the start."""
    trouble: str = ""
    """Why the last wish came to nothing."""


def step(
    link: WifiStatus, seen: NetworkView, now: float, patience: float
) -> tuple[WifiStatus, Action | None]:
    """Decide what to do next, given what is seen."""
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
    return patience if seen.known else UNKNOWN_PATIENCE


def _in_own(link: WifiStatus, seen: NetworkView, now: float) -> tuple[WifiStatus, Action | None]:
    if not seen.own:
        return WifiStatus("home" if seen.home else "looking", now), None
    if seen.guests != 0:
        return link._replace(since=now), None
    if seen.home:
        return WifiStatus("home", now), "close"
    if seen.known and now - link.since >= LOOK_AGAIN:
        return WifiStatus("looking", now), "close"
    return link, None


def asked(link: WifiStatus, now: float) -> WifiStatus:
    """A person wants the hub in another network; the radio can only be in one."""
    return WifiStatus("joining", now)


def tried(trouble: str, now: float) -> tuple[WifiStatus, Action | None]:
    """The wish was granted, or there is trouble and the way back for the person's phone opens."""
    return (
        (WifiStatus("own", now, trouble=trouble), "open")
        if trouble
        else (WifiStatus("home", now), None)
    )
