"""Hub and board put together: the journal, the devices, the hub between them, the service around.

The board is chosen here, once, by its name. What cannot be opened is an error, never a silent
fallback, and what was opened before it is closed again.
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
    """The hardware, with a place for spoken clips beside the journal."""
    sound = config.hardware.sound
    clips = sound.clips or str(config.data_folder() / "voice")
    return replace(config.hardware, sound=replace(sound, clips=clips))


def assemble(hardware: str, config: Config) -> Service:
    """The service of the hub that the settings describe, on the board of this name."""
    service: Service | None = None
    early: list[Trouble] = []

    def report(trouble: Trouble) -> None:
        # Devices are opened before there is a service to tell.
        tell = early.append if service is None else service.report
        tell(trouble)

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
