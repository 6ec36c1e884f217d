"""All attacks, and a table of figures: `make chaos`, or `python -m tests.chaos [--quick] [NAME…]`.

The quick run is the one that `make test-all` makes, attack by attack; the full one takes a while.
With `--write` each line goes to `docs/reliability.md` as soon as it is known. Failures are told
below the table, and in the exit code.
"""

import argparse
import logging
import platform
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.chaos import (
    big,
    clocks,
    crowds,
    cuts,
    disks,
    doors,
    flips,
    kills,
    load,
    orders,
    paper,
    repeats,
    season,
    soak,
    stalls,
    supply,
    swelling,
    wild,
)
from tests.chaos.result import MOST_TOLD, Result, together


class Attack(NamedTuple):
    """One line of the table; `run` takes whether it should be quick."""

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


def _hours(quick: bool) -> tuple[float, float]:
    """Return the seconds, and the seconds between two actions."""
    return (600.0, 2.0) if quick else (6 * soak.HOUR, 0.5)


ATTACKS = (
    Attack("power cuts", "cut anywhere, writes lost, torn, reordered", _cuts),
    Attack("kill -9", "at any moment", lambda q: kills.kill_again_and_again(1, 3 if q else 100)),
    Attack("repeated orders", "reset, sent again", lambda q: repeats.repeat(1, 20 if q else 300)),
    Attack("orders", "kill -9 at one", lambda q: orders.kill_while_ordering(1, 2 if q else 30)),
    Attack("journal gone", "deleted, overwritten", lambda q: kills.take_away(2 if q else 20)),
    Attack("damaged files", "of a killed hub", lambda q: flips.damage(1, 8 if q else 400)),
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
    Attack("big journals", "3,500 games", lambda q: big.years(100 if q else 3_500)),
    Attack("soak, virtual", "six hours", lambda q: soak.virtually(1, *_hours(q))),
    Attack("soak, real", "30 pages", lambda q: soak.really(3.0 if q else 3600.0)),
    Attack("strangers", "every write, every bad key", lambda q: doors.knock(1, 1 if q else 50)),
    Attack("pairing", "hammered", lambda q: doors.hammer_pairing(1, 500 if q else 60_000)),
    Attack("crowds", "of strangers", lambda q: crowds.crowded(1.0 if q else 20.0)),
    Attack("lock", "versions and hashes", lambda q: supply.lock()),
    Attack("forged package", "against its hash", lambda q: supply.forged()),
    Attack("known weaknesses", "pip-audit", lambda q: supply.audit()),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description="All attacks.")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="a shorter run of each")
    how.add_argument("--write", action="store_true", help=f"into {paper.PAPER.name}, too")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these attacks")
    options = parser.parse_args()
    logging.disable()
    known = [attack.name for attack in ATTACKS]
    if unknown := set(options.names) - set(known):
        parser.error(f"no attack is named {', '.join(unknown)}; there are: {', '.join(known)}")
    chosen = [attack for attack in ATTACKS if not options.names or attack.name in options.names]
    failures: list[str] = []
    print(f"{platform.machine()}, Python {platform.python_version()}", "", *paper.HEAD, sep="\n")
    for line in lines(chosen, options.quick, failures):
        print(line, flush=True)
        if options.write:
            text = paper.with_line(paper.PAPER.read_text(), line, known)
            paper.PAPER.write_text(text)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def lines(attacks: list[Attack], quick: bool, failures: list[str]) -> Iterator[str]:
    """Yield the figures as Markdown, each line as soon as it is measured."""
    commit = paper.commit()
    for attack in attacks:
        began = time.monotonic()
        try:
            result = attack.run(quick)
        except Exception as error:
            result = Result(0, [f"the attack itself failed: {error!r}"], 0.0)
        took = time.monotonic() - began
        failures += [f"{attack.name}: {failure}" for failure in result.failures[:MOST_TOLD]]
        yield paper.line(attack.name, result, took, commit)


if __name__ == "__main__":
    sys.exit(main())
