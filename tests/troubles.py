"""A listener for the troubles that adapters under test report, from any thread."""

from collections.abc import Callable
from threading import Condition

from hal.ports import Trouble
from tests.patience import TIMEOUT_S


class Reports:
    """Every reported trouble, in order; call it to report one."""

    def __init__(self) -> None:
        self.all: list[Trouble] = []
        self._changed = Condition()

    def __call__(self, trouble: Trouble) -> None:
        with self._changed:
            self.all.append(trouble)
            self._changed.notify_all()

    def wait_for(self, what: Callable[[list[Trouble]], bool]) -> None:
        with self._changed:
            came = self._changed.wait_for(lambda: what(self.all), TIMEOUT_S)
        assert came, f"still waiting; reported {self.all}"
