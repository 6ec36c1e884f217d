"""NetworkManager, asked through its own command: what it sees, and the few things it should do.

Every call ends after a time limit. Answers are read in terse mode, in the C locale.
"""

import logging
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from typing import NamedTuple

from centerpiece.wifi.which_network import JoinRequest, NetworkView

log = logging.getLogger(__name__)

OWN = "centerpiece-own"
"""The name of the profile; nothing else in NetworkManager is touched."""

WIRELESS = "802-11-wireless"


class NetworkTrouble(OSError):
    """NetworkManager did not do it; the message is for the person who asked."""


class Network(NamedTuple):
    """A Wi-Fi in the air."""

    ssid: str
    signal: int
    secured: bool


class CommandFailed(Exception):
    """A command that ended badly: its exit code and what it said."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(f"exit code {code}: {said}")
        self.code = code
        self.said = said


Run = Callable[[Sequence[str], float], str]


def run(command: Sequence[str], limit: float) -> str:
    """Run a command for at most `limit` seconds; its output."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CommandFailed(3, "it took too long") from None
    except OSError as error:
        raise CommandFailed(127, f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise CommandFailed(done.returncode, (done.stderr or done.stdout).strip())
    return done.stdout


class Nmcli:
    """The network of this machine."""

    def __init__(self, run: Run = run) -> None:
        self._run = run

    def look(self) -> NetworkView:
        """Return how things are: nothing at all, where NetworkManager does not answer."""
        try:
            devices = self._rows("DEVICE,TYPE,STATE,CONNECTION", "device")
            saved = self._rows("NAME,TYPE", "connection", "show")
        except CommandFailed as failure:
            log.debug("network: %s", failure)
            return NetworkView(radio=False)
        connected = [row for row in devices if row[2].startswith("connected")]
        own = [row[0] for row in connected if row[3] == OWN]
        return NetworkView(
            radio=any(
                kind == "wifi" and state not in ("unavailable", "unmanaged")
                for _, kind, state, _ in devices
            ),
            home=any(row[1] in ("wifi", "ethernet") and row[3] != OWN for row in connected),
            own=bool(own),
            known=any(kind == WIRELESS and name != OWN for name, kind in saved),
            guests=self._guests(own[0]) if own else 0,
        )

    def networks(self, rescan: bool = True) -> list[Network]:
        """Return the networks in the air, the strongest first, each name once."""
        try:
            rows = self._rows(
                "SSID,SIGNAL,SECURITY", "device", "wifi", "list", "--rescan", _yes(rescan)
            )
        except CommandFailed:
            return []
        found: dict[str, Network] = {}
        for ssid, signal, security in sorted(rows, key=lambda row: -int(row[1] or 0)):
            if ssid:
                found.setdefault(ssid, Network(ssid, int(signal or 0), security not in ("", "--")))
        return list(found.values())

    def open(self, ssid: str, password: str) -> None:
        """Open the hub's own network, to everybody if the password is empty.

        NetworkManager never opens it on its own account, and keeps it in memory only: what is
        written down, netplan may write anew in its own way (Debian 13). Protected management
        frames are left out, which some radios of the Pi cannot do as an access point.
        """
        secret = ("wifi-sec.key-mgmt", "wpa-psk", "wifi-sec.psk", password)
        how = ("mode", "ap", "wifi.band", "bg", "ipv4.method", "shared", "autoconnect", "no")
        try:
            self._run(("nmcli", "radio", "wifi", "on"), 10)
            self._forget(OWN)
            kind = ("type", "wifi", "ifname", "*", "con-name", OWN, "ssid", ssid)
            more = (*secret, "wifi-sec.pmf", "disable") if password else ()
            self._run(("nmcli", "connection", "add", "save", "no", *kind, *how, *more), 20)
            self._run(("nmcli", "--wait", "30", "connection", "up", OWN), 40)
        except CommandFailed as failure:
            raise NetworkTrouble(
                f"the hub's own network could not be opened ({failure.said}); "
                "set the Wi-Fi country with raspi-config if that was never done"
            ) from failure

    def close(self) -> None:
        """Close the hub's own network, if it is open."""
        try:
            self._run(("nmcli", "--wait", "10", "connection", "down", OWN), 20)
        except CommandFailed as failure:
            log.debug("network: %s", failure)

    def join(self, wish: JoinRequest) -> None:
        """Leave the own network and join another; NetworkTrouble if that comes to nothing."""
        before = self._saved()
        self.close()
        there = any(network.ssid == wish.ssid for network in self.networks())
        secret = ("password", wish.password) if wish.password else ()
        hidden = () if there else ("hidden", "yes")
        try:
            self._run(
                ("nmcli", "--wait", "45", "device", "wifi", "connect", wish.ssid, *secret, *hidden),
                60,
            )
        except CommandFailed as failure:
            for name in self._saved() - before:
                self._forget(name)
            raise NetworkTrouble(_why(wish, there, failure)) from failure

    def _forget(self, name: str) -> None:
        try:
            self._run(("nmcli", "connection", "delete", "id", name), 10)
        except CommandFailed as failure:
            log.debug("network: %s", failure)

    def _saved(self) -> frozenset[str]:
        try:
            rows = self._rows("NAME,TYPE", "connection", "show")
        except CommandFailed:
            return frozenset()
        return frozenset(name for name, kind in rows if kind == WIRELESS and name != OWN)

    def _guests(self, device: str) -> int | None:
        try:
            said = self._run(("iw", "dev", device, "station", "dump"), 5)
            return len(re.findall(r"^Station ", said, re.MULTILINE))
        except CommandFailed as failure:
            log.debug("network: %s", failure)
            return None

    def _rows(self, fields: str, *question: str) -> list[list[str]]:
        answer = self._run(("nmcli", "-t", "-f", fields, *question), 20)
        width = fields.count(",") + 1
        rows = [terse(line) for line in answer.splitlines() if line]
        return [row for row in rows if len(row) == width]


def terse(line: str) -> list[str]:
    r"""The fields of a terse line: between colons, with `\:` and `\\` inside them."""
    fields = re.findall(r"(?:^|:)((?:\\.|[^:\\])*)", line)
    return [re.sub(r"\\(.)", r"\1", field) for field in fields]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _why(wish: JoinRequest, there: bool, failure: CommandFailed) -> str:
    if re.search("secrets|password|psk|802-1x", failure.said, re.IGNORECASE):
        return f"“{wish.ssid}” did not accept the password."
    if not there:
        return f"No network “{wish.ssid}” was found. Is the name right, and the router near?"
    return f"“{wish.ssid}” did not let the hub in. Check the password and try again."
