"""NetworkManager through its command nmcli: its state, and opening, closing and joining networks.

Every call has a time limit. Output is parsed in terse mode, in the C locale.
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
"""The connection profile of the own network; no other profile is changed."""

WIRELESS = "802-11-wireless"


class NetworkTrouble(OSError):
    """NetworkManager failed; the message is for the person at the set-up page."""


class Network(NamedTuple):
    """A Wi-Fi network in range."""

    ssid: str
    signal: int
    secured: bool


class CommandFailed(Exception):
    """A command that failed, with its exit code and output."""

    def __init__(self, code: int, output: str) -> None:
        super().__init__(f"exit code {code}: {output}")
        self.code = code
        self.output = output


Run = Callable[[Sequence[str], float], str]


def run(command: Sequence[str], limit: float) -> str:
    """Run a command for at most `limit` seconds and return its output.

    Raise CommandFailed if it fails, takes longer or cannot be started.
    """
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
    """This machine's networks, as NetworkManager has them."""

    def __init__(self, run: Run = run) -> None:
        self._run = run

    def look(self) -> NetworkView:
        """Return the present state; without NetworkManager, one with no radio."""
        try:
            devices = self._rows("DEVICE,TYPE,STATE,CONNECTION", "device")
            profiles = self._rows("NAME,TYPE", "connection", "show")
        except CommandFailed as failure:
            log.debug("nmcli failed: %s", failure)
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
            saved=any(kind == WIRELESS and name != OWN for name, kind in profiles),
            guests=self._guests(own[0]) if own else 0,
        )

    def networks(self, rescan: bool = True) -> list[Network]:
        """Return the networks in range, the strongest first, each name once; none on failure.

        Without `rescan`, they are those found by the last scan.
        """
        try:
            rows = self._rows(
                "SSID,SIGNAL,SECURITY", "device", "wifi", "list", "--rescan", _yes(rescan)
            )
        except CommandFailed:
            return []
        best: dict[str, Network] = {}
        for ssid, signal, security in sorted(rows, key=lambda row: -int(row[1] or 0)):
            if ssid:
                best.setdefault(ssid, Network(ssid, int(signal or 0), security not in ("", "--")))
        return list(best.values())

    def open(self, ssid: str, password: str) -> None:
        """Open the hub's own network, without encryption if the password is empty.

        Raise NetworkTrouble if that fails. The profile never connects automatically and is kept in
        memory only: netplan rewrites saved profiles (Debian 13). Protected management frames are
        off, since some radios of the Pi do not support them as an access point.
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
                f"the hub's own network could not be opened ({failure.output}); "
                "set the Wi-Fi country with raspi-config if that was never done"
            ) from failure

    def close(self) -> None:
        """Close the hub's own network, if it is open; only log a failure."""
        try:
            self._run(("nmcli", "--wait", "10", "connection", "down", OWN), 20)
        except CommandFailed as failure:
            log.debug("nmcli failed: %s", failure)

    def join(self, target: JoinRequest) -> None:
        """Close the own network and join the network `target`; raise NetworkTrouble if that fails.

        Then the own network stays closed, and what was saved of the other is forgotten.
        """
        before = self._saved()
        self.close()
        in_range = any(network.ssid == target.ssid for network in self.networks())
        secret = ("password", target.password) if target.password else ()
        hidden = () if in_range else ("hidden", "yes")
        connect = ("nmcli", "--wait", "45", "device", "wifi", "connect", target.ssid)
        try:
            self._run((*connect, *secret, *hidden), 60)
        except CommandFailed as failure:
            for name in self._saved() - before:
                self._forget(name)
            raise NetworkTrouble(_reason(target, in_range, failure)) from failure

    def _forget(self, name: str) -> None:
        try:
            self._run(("nmcli", "connection", "delete", "id", name), 10)
        except CommandFailed as failure:
            log.debug("nmcli failed: %s", failure)

    def _saved(self) -> frozenset[str]:
        """Return the names of all saved Wi-Fi profiles but the hub's own; none on failure."""
        try:
            rows = self._rows("NAME,TYPE", "connection", "show")
        except CommandFailed:
            return frozenset()
        return frozenset(name for name, kind in rows if kind == WIRELESS and name != OWN)

    def _guests(self, device: str) -> int | None:
        """Return the number of devices in the hub's own network, which is on the radio `device`.

        None if it is unknown.
        """
        try:
            output = self._run(("iw", "dev", device, "station", "dump"), 5)
            return len(re.findall(r"^Station ", output, re.MULTILINE))
        except CommandFailed as failure:
            log.debug("iw failed: %s", failure)
            return None

    def _rows(self, fields: str, *arguments: str) -> list[list[str]]:
        """Return the rows of the query `arguments`, each with these fields, named with commas.

        Rows of another length are dropped. Raise CommandFailed if nmcli does.
        """
        output = self._run(("nmcli", "-t", "-f", fields, *arguments), 20)
        width = fields.count(",") + 1
        rows = [terse(line) for line in output.splitlines() if line]
        return [row for row in rows if len(row) == width]


def terse(line: str) -> list[str]:
    r"""Return the fields of a terse line: separated by colons, with `\:` and `\\` as escapes."""
    fields = re.findall(r"(?:^|:)((?:\\.|[^:\\])*)", line)
    return [re.sub(r"\\(.)", r"\1", field) for field in fields]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _reason(target: JoinRequest, in_range: bool, failure: CommandFailed) -> str:
    """Return a sentence for the person on the reason why the hub could not join a network."""
    if re.search("secrets|password|psk|802-1x", failure.output, re.IGNORECASE):
        return f"“{target.ssid}” did not accept the password."
    if not in_range:
        return f"No network “{target.ssid}” was found. Is the name right, and the router near?"
    return f"“{target.ssid}” did not let the hub in. Check the password and try again."
