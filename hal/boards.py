"""The boards a hub can be built on, each by its name: `--hardware NAME`.

A builder is given the settings and whom to tell of trouble; it opens every device and gives the
`Board`, or raises the DeviceError of the first that cannot be used. Never is another board taken
in silence. Builders are named here, not imported: a board's libraries are loaded when it is asked
for. Other packages bring boards of their own by the entry point group `centerpiece.boards`.
"""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias

from hal.errors import DeviceMissing, WiringError

if TYPE_CHECKING:  # to name the boards is cheap
    from collections.abc import Callable

    from hal.ports import Board, Report
    from hal.settings import HardwareSettings

Builder: TypeAlias = "Callable[[HardwareSettings, Report], Board]"

BOARDS = {"sim": "sim.board:build", "pi": "hal.pi.board:build"}
GROUP = "centerpiece.boards"


def builder(name: str) -> Builder:
    """What builds the board of this name."""
    try:
        found = resolve_name(BOARDS[name]) if name in BOARDS else _from_others(name)
    except ImportError as error:
        raise DeviceMissing(
            f"the board {name!r} cannot be loaded ({error})", "install what it needs"
        ) from error
    built: Builder = found
    return built


def _from_others(name: str) -> Any:
    from importlib.metadata import entry_points

    others = entry_points(group=GROUP)
    if name in others.names:
        return others[name].load()
    known = ", ".join([*BOARDS, *sorted(others.names)])
    raise WiringError(f"no board is called {name!r}", f"there are {known}")
