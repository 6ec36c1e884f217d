"""What a paired phone may wish of the machine: SSH on or off.

The hub itself may touch nothing of it. It writes the wish beside its journal, systemd sees that,
and a script of root's carries it out (`deploy/machine.sh`). Only cards from an image have that.
"""

from pathlib import Path

import msgspec

from centerpiece.web.errors import WebError

ROOT = Path("/")
WANTED = Path("etc/systemd/system/multi-user.target.wants")
NAME = "ssh-wish"


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What should be on."""

    ssh: bool


def ssh() -> bool | None:
    """Whether SSH is on; None where the hub has no say in it."""
    if not (ROOT / WANTED / "centerpiece-machine.path").is_symlink():
        return None
    return (ROOT / WANTED / "ssh.service").is_symlink()


def wish_ssh(journal: Path | str, on: bool) -> None:
    """Write down that SSH should be on, or off; as a whole."""
    if ssh() is None or not isinstance(journal, Path):
        raise WebError(
            409, "no-machine", "This hub was not made from an image; its SSH is its owner's."
        )
    new = journal.with_name(f"{NAME}.new")
    new.write_text("on\n" if on else "off\n")
    new.replace(journal.with_name(NAME))
