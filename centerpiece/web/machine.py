"""Switches of the machine that a paired phone may set: SSH, and a card that is protected.

The hub itself may touch nothing of it. It writes the wish beside its journal, systemd sees that,
and a script of root's carries it out (`deploy/machine.sh`). Only cards from an image have that.
"""

from pathlib import Path

import msgspec

from centerpiece.web.json_answers import WebError

ROOT = Path("/")
UNITS = Path("etc/systemd/system")
WANTED = UNITS / "multi-user.target.wants"
GAMES = UNITS / "local-fs.target.wants/var-lib-centerpiece.mount"
PROTECTED = Path("boot/firmware/centerpiece-protected.txt")
NAME = "{what}-wish"


class MachineSwitches(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each on or off; what is not named stays."""

    ssh: bool | None = None
    protected: bool | None = None


def now() -> MachineSwitches:
    """Return what is on; None where the hub has no say in it."""
    if not (ROOT / WANTED / "centerpiece-machine.path").is_symlink():
        return MachineSwitches()
    own_partition = (ROOT / GAMES).is_symlink()
    return MachineSwitches(
        ssh=(ROOT / WANTED / "ssh.service").is_symlink(),
        protected=(ROOT / PROTECTED).exists() if own_partition else None,
    )


def write_down(journal: Path | str, wish: MachineSwitches) -> None:
    """Write down what should be on or off; each as a whole."""
    known = msgspec.to_builtins(now())
    wished = {what: on for what, on in msgspec.to_builtins(wish).items() if on is not None}
    if not isinstance(journal, Path) or any(known[what] is None for what in wished):
        raise WebError(409, "no-machine", "This needs a hub that was set up from the card image.")
    for what, on in wished.items():
        path = journal.with_name(NAME.format(what=what))
        new = path.with_suffix(".new")
        new.write_text("on\n" if on else "off\n")
        new.replace(path)
