"""Assembling a service: open the journal and the devices, create the hub, and wrap it.

The board is chosen here by its name. If anything cannot be opened, what was opened before is closed
again and the error is raised; there is no silent fallback.
"""

from contextlib import ExitStack, closing

from msgspec.structs import replace

from centerpiece.config import Config
from centerpiece.display.colours import SUIT_SETS
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import ThreadWriter
from hal.boards import builder
from hal.hardware_settings import HardwareSettings
from hal.ports import Trouble


def _with_clips(config: Config) -> HardwareSettings:
    """Return the hardware settings, by default with the folder of clips beside the journal."""
    sound = config.hardware.sound
    clips = sound.clips or str(config.data_folder() / "voice")
    return replace(config.hardware, sound=replace(sound, clips=clips))


def assemble(hardware: str, config: Config) -> Service:
    """Create the service of a hub from its settings, on the board named `hardware`.

    Raise the error of whatever cannot be opened, after closing the rest; missing devices of a board
    only become trouble.
    """
    service: Service | None = None
    early: list[Trouble] = []

    def report(trouble: Trouble) -> None:
        # Devices are opened before the service exists.
        deliver = early.append if service is None else service.report
        deliver(trouble)

    build = builder(hardware)
    with ExitStack() as opened:
        journal = opened.enter_context(closing(Journal(config.journal_path(), GAMES)))
        writer = opened.enter_context(closing(ThreadWriter(journal)))
        board = opened.enter_context(closing(build(_with_clips(config), report)))
        suits = SUIT_SETS[config.table.suits]
        hub = Hub(GAMES, journal, board, config.table.id, config.timing(), suits, writer)
        opened.pop_all()
    service = Service(hub, writer)
    for trouble in early:
        hub.trouble(trouble)
    return service
