"""All attacks, and a table of figures: `make chaos`, or `python -m tests.chaos [--quick] [NAME…]`.

The quick run is the one that `make test` makes, attack by attack; the full one takes a while.
The table is for `docs/reliability.md`. Failures are told below it, and in the exit code.
"""

import argparse
import logging
import platform
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.chaos import (
    clocks,
    crowds,
    cuts,
    disks,
    doors,
    kills,
    load,
    orders,
    season,
    stalls,
    supply,
    swelling,
    wild,
)
from tests.chaos.result import MOST_TOLD, Result, together


class Attack(NamedTuple):
    """One line of the table; `run` is told whether it should be quick."""

    name: str
    what: str
    run: Callable[[bool], Result]


def _cuts(quick: bool) -> Result:
    seeds, steps, each = ((1, 2), 60, 250) if quick else (range(1, 41), 120, 250)
    return together(cuts.cut_everywhere(seed, steps, each) for seed in seeds)


def _disks(quick: bool) -> Result:
    found = [
        disks.fail_now_and_then(seed, 60 if quick else 400)
        for seed in ((1,) if quick else range(1, 6))
    ]
    return together(found)._replace(figures="; ".join(each.figures for each in found[:1]))


def _clocks(quick: bool) -> Result:
    return together(clocks.jump(seed, 30) for seed in range(5 if quick else 200))


def _swelling(quick: bool) -> Result:
    return swelling.swell(12_000, 1) if quick else swelling.swell(200_000)


ATTACKS = (
    Attack("power cuts", "cut anywhere, writes lost, torn, reordered", _cuts),
    Attack("kill -9", "at any moment", lambda q: kills.kill_again_and_again(1, 3 if q else 100)),
    Attack("orders", "kill -9 at one", lambda q: orders.kill_while_ordering(1, 2 if q else 30)),
    Attack("journal gone", "deleted, overwritten", lambda q: kills.take_away(2 if q else 20)),
    Attack("failing disks", "full, read-only, failing, unreadable, over quota", _disks),
    Attack("swelling files", "restored", _swelling),
    Attack("stalling card", "50 ms to 5 s at a write", stalls.stall),
    Attack("jumping clock", "1970, forwards, backwards, restarts", _clocks),
    Attack("wild edges", "random edges", lambda q: wild.edges(1, 10_000 if q else 1_000_000)),
    Attack("wild requests", "from the API's schema", lambda q: wild.requests(2 if q else 150)),
    Attack("serial noise", "to the sound port", lambda q: wild.serial_noise(1, 50 if q else 5000)),
    Attack("Redis nonsense", "answers", lambda q: wild.redis_nonsense(1, 15 if q else 600)),
    Attack("mutated configs", "files", lambda q: wild.configs(1, 300 if q else 20_000)),
    Attack("load, virtual", "ten minutes", lambda q: load.virtually(1, 4 if q else 600)),
    Attack("load, real", "200 pages", lambda q: load.really(*((2, 50) if q else (60, 200)))),
    Attack("a season", "evenings", lambda q: season.season(1, 8 if q else 200)),
    Attack("strangers", "every write, every bad key", lambda q: doors.knock(1, 1 if q else 50)),
    Attack("pairing", "hammered", lambda q: doors.hammer_pairing(1, 500 if q else 60_000)),
    Attack("crowds", "of strangers", lambda q: crowds.crowded(1.0 if q else 20.0)),
    Attack("lock", "versions and hashes", lambda q: supply.lock()),
    Attack("forged package", "against its hash", lambda q: supply.forged()),
    Attack("known weaknesses", "pip-audit", lambda q: supply.audit()),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description="All attacks.")
    parser.add_argument("--quick", action="store_true", help="a shorter run of each")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these attacks")
    options = parser.parse_args()
    logging.disable()
    chosen = [a for a in ATTACKS if not options.names or a.name in options.names]
    if not chosen:
        parser.error(f"there are: {', '.join(attack.name for attack in ATTACKS)}")
    failures: list[str] = []
    for line in table(chosen, options.quick, failures):
        print(line, flush=True)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def table(attacks: list[Attack], quick: bool, failures: list[str]) -> Iterator[str]:
    """The figures as Markdown, each line when it is known."""
    yield f"{platform.machine()}, Python {platform.python_version()}"
    yield ""
    yield "| attack | tries | failures | worst time | took | figures |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    for attack in attacks:
        began = time.monotonic()
        try:
            result = attack.run(quick)
        except Exception as error:
            result = Result(0, [f"the attack itself failed: {error!r}"], 0.0)
        took = time.monotonic() - began
        failures += [f"{attack.name}: {failure}" for failure in result.failures[:MOST_TOLD]]
        yield (
            f"| {attack.name} | {result.tries:,} | {len(result.failures)} "
            f"| {result.worst_s * 1e3:,.1f} ms | {took:,.0f} s | {result.figures} |"
        )


if __name__ == "__main__":
    sys.exit(main())
