"""GPIO chips for docks: one in memory, and one of the kernel's (gpio-sim)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from hal.device_errors import DeviceMissing

GPIO_SIM = Path("/sys/kernel/config/gpio-sim")
_numbers = count(1)


class MemoryChip:
    """A chip of sixteen lines; every switch is closed at first."""

    def __init__(self) -> None:
        self.here = True
        self.requests = 0
        self._closed = dict.fromkeys(range(16), True)

    def open_lines(self) -> "MemoryChip":
        if not self.here:
            raise DeviceMissing("the GPIO chip is not there", "check its wires")
        self.requests += 1
        return self

    def move(self, line: int, closed: bool) -> None:
        self._closed[line] = closed

    def closed(self) -> dict[int, bool]:
        if not self.here:
            raise OSError(19, "No such device")
        return self._closed.copy()

    def close(self) -> None:
        self.requests -= 1


class SimulatedChip:
    """A chip of the kernel's; `label` is its name for programs."""

    def __init__(self) -> None:
        self.label = f"docks-{os.getpid()}-{next(_numbers)}"
        self._config = GPIO_SIM / self.label
        self._closed = dict.fromkeys(range(16), True)

    def appear(self) -> None:
        bank = self._config / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text("16")
        (bank / "label").write_text(self.label)
        (self._config / "live").write_text("1")
        for line, closed in self._closed.items():
            self.move(line, closed)

    def vanish(self) -> None:
        (self._config / "live").write_text("0")
        (self._config / "bank0").rmdir()
        self._config.rmdir()

    def move(self, line: int, closed: bool) -> None:
        self._closed[line] = closed
        if not self._config.exists():
            return
        device = (self._config / "dev_name").read_text().strip()
        chip = (self._config / "bank0/chip_name").read_text().strip()
        pull = Path(f"/sys/devices/platform/{device}/{chip}/sim_gpio{line}/pull")
        pull.write_text("pull-down" if closed else "pull-up")


def has_gpio_sim() -> bool:
    """Return whether this kernel simulates GPIO chips, and gpiod is installed."""
    try:
        import gpiod  # noqa: F401
    except ImportError:
        return False
    return os.access(GPIO_SIM, os.W_OK)


@contextmanager
def simulated_chip() -> Iterator[SimulatedChip]:
    """Make a chip and remove it again."""
    chip = SimulatedChip()
    chip.appear()
    try:
        yield chip
    finally:
        if GPIO_SIM.joinpath(chip.label).exists():
            chip.vanish()
