"""Switches of the machine that a paired phone may set: SSH, and the protected card.

The hub has no rights to change either. It writes a request file beside its journal; systemd sees
the file and runs `deploy/machine.sh` as root. Only cards made from an image have that unit.
"""

from pathlib import Path

import msgspec

from centerpiece.web.json_answers import WebError

ROOT = Path("/")
UNITS = Path("etc/systemd/system")
WANTED = UNITS / "multi-user.target.wants"
GAMES = UNITS / "local-fs.target.wants/var-lib-centerpiece.mount"
PROTECTED = Path("boot/firmware/centerpiece-protected.txt")
REQUEST = "{switch}-wish"


class MachineSwitches(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each switch on or off; None leaves it as it is."""

    ssh: bool | None = None
    protected: bool | None = None


def current() -> MachineSwitches:
    """Return the present switches; None for one that this machine does not offer.

    Without the unit of a card made from an image all are None; `protected` needs games on a
    partition of their own.
    """
    if not (ROOT / WANTED / "centerpiece-machine.path").is_symlink():
        return MachineSwitches()
    own_partition = (ROOT / GAMES).is_symlink()
    return MachineSwitches(
        ssh=(ROOT / WANTED / "ssh.service").is_symlink(),
        protected=(ROOT / PROTECTED).exists() if own_partition else None,
    )


def request_change(journal: Path | str, switches: MachineSwitches) -> None:
    """Write a request file beside the journal for each switch in `switches` that is not None.

    Each file appears at once and whole. Raise WebError, and request nothing, if this machine does
    not offer one of the switches, or if `journal` is in memory.
    """
    offered = msgspec.to_builtins(current())
    changes = {name: on for name, on in msgspec.to_builtins(switches).items() if on is not None}
    if not isinstance(journal, Path) or any(offered[name] is None for name in changes):
        raise WebError(409, "no-machine", "This needs a hub that was set up from the card image.")
    for name, on in changes.items():
        path = journal.with_name(REQUEST.format(switch=name))
        new = path.with_suffix(".new")
        new.write_text("on\n" if on else "off\n")
        new.replace(path)
