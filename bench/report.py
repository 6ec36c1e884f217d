"""From results to something to read: the table, the page with its charts, and the comparison."""

import json
import statistics
from typing import NamedTuple

from bench import charts


class Figure(NamedTuple):
    """One line of the table. A bound is on the ratio where there is one, else on the value."""

    name: str
    value: float
    unit: str
    floor: str = ""
    against: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    noise: float = 1.0
    """How much further than a median it may stray before that means something."""
    more_is_better: bool = False

    @property
    def ratio(self):
        return self.value / self.against if self.against else None

    @property
    def judged(self):
        return self.value if self.ratio is None else self.ratio

    @property
    def bound(self):
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return "" if self.at_least is None else f"at least {self.at_least:g}"

    @property
    def met(self):
        if self.at_most is not None:
            return self.judged <= self.at_most
        return None if self.at_least is None else self.judged >= self.at_least


def merged(rounds):
    """One result for several of the same kind: medians, the longest of all, the best rates.

    Whatever else a machine does can only slow a rate down.
    """
    return {name: _merged(name, [one[name] for one in rounds]) for name in rounds[0]}


def _merged(name, values):
    if isinstance(values[0], dict):
        return merged(values)
    best = name == "max_us" or name.endswith("_per_s")
    return max(values) if best else statistics.median(values)


def figures(found):
    """All that was measured, in the order of the table."""
    results = found["results"]
    peer = results.get("peer", {})
    return [
        *_press(results.get("press"), peer),
        *_stalls(results.get("stalls")),
        *_pages(results.get("pages")),
        *_voice(results.get("voice")),
        *_living(results.get("living"), peer),
        *_recovery(results.get("recovery", {})),
        *_hardware(results.get("hardware")),
        *_usb(results.get("usb")),
        *_card(results.get("card")),
        *_play(results.get("dominoes"), results.get("simulate")),
        *_hall(results.get("hall")),
    ]


def _press(press, peer):
    if not press:
        return
    light, floor = press["to_light"], press["commit_us"] + 3 * press["hop_us"]
    yield Figure("bare durable commit", press["commit_us"], "µs")
    yield Figure("bare hop to the loop", press["hop_us"], "µs")
    name = "press → light, on the disk"
    yield Figure(name, light["p50_us"], "µs", "commit + 3 hops", floor, at_most=1.25)
    yield Figure(f"{name}, in all", light["p50_us"], "µs", at_most=1100)
    yield from _tail(name, light)
    memory = press["to_light_in_memory"]
    name = "press → light, in memory"
    to_light = peer.get("switch_to_light_us")
    yield Figure(name, memory["p50_us"], "µs", "peer", to_light)
    yield from _tail(name, memory)
    if echo := press.get("to_echo"):
        yield Figure("press → echo of the button", echo["p50_us"], "µs", "peer", to_light)
        yield from _tail("press → echo of the button", echo)
    for key, words in (("50_pages", "50 pages open"), ("dead_redis", "Redis dead")):
        if case := press.get(f"to_light_{key}"):
            yield Figure(f"press → light, {words}", case["p50_us"], "µs", "alone", light["p50_us"])
            yield from _tail(f"press → light, {words}", case)
    if echo and (busy := press.get("to_echo_40_readers")):
        most = max(3 * echo["p90_us"], 5_000)
        name = "press → echo, 40 readers without rest: 90th of 100"
        yield Figure(name, busy["p90_us"], "µs", "3 × alone, or 5 ms", most, at_most=1.0)
    yield Figure("press → sound", press["to_sound"]["p50_us"], "µs", "hop", press["hop_us"])
    yield from _tail("press → sound", press["to_sound"])
    rate, edges = press["decided_per_s"], peer.get("events_per_s")
    presses = edges and edges / 2
    name = "presses decided, booked and painted"
    yield Figure(name, rate, "/s", at_least=20_000, more_is_better=True)
    if edges:
        yield Figure(
            f"{name}, too", rate, "/s", "peer's", presses, at_least=1.0, more_is_better=True
        )
    of_edges = ("/s", "peer's", edges)
    yield Figure("edges, each painted", press["edges_per_s"], *of_edges, more_is_better=True)
    yield Figure(
        "edges that come together",
        press["edges_together_per_s"],
        *of_edges,
        at_least=1.0 if edges else None,
        more_is_better=True,
    )
    for key, words in (("in_memory", "in memory"), ("durable", "on the disk")):
        value = press[f"commands_{key}_per_s"]
        yield Figure(f"commands through the hub, {words}", value, "/s", more_is_better=True)


def _tail(name, case):
    yield Figure(f"{name}: 99th of 100", case["p99_us"], "µs", noise=6)
    yield Figure(f"{name}: longest", case["max_us"], "µs", noise=20)


def _stalls(stalls):
    if not stalls:
        return
    if press := stalls.get("press"):
        floor = press["commit"] + 3 * press["hop"]
        name = "press → written → light"
        yield Figure(name, press["press"], "µs", "commit + 3 hops", floor, at_most=1.25)
    fast = stalls.get("table", {}).get("fast", {})
    for card, found in stalls.get("table", {}).items():
        for what in fast if card != "fast" else ():
            if what != "gap_ms":
                took, usual = found[what]["p50_ms"], max(fast[what]["p50_ms"], 5.0 / 3)
                name = f"{what} while a card stalls: {card}"
                yield Figure(name, took, "ms", "fast", usual, at_most=3.0)
    for card, found in stalls.get("gestures", {}).items():
        name = f"gestures heard right: {card}"
        yield Figure(name, found["right"], "", "all", found["of"], at_least=1.0)
    gaps = [each["gap_ms"] for part in ("table", "gestures") for each in stalls[part].values()]
    yield Figure("watchdog's longest wait, every card", max(gaps), "ms", at_most=1000, noise=20)
    if "phones_per_s" in stalls:
        name = "commands of 20 phones on a disk of 50 ms"
        yield Figure(name, stalls["phones_per_s"], "/s", at_least=100, more_is_better=True)


def _pages(pages):
    if not pages:
        return
    alone, crowded = pages["press_alone_ms"], pages["press_with_200_pages_ms"]
    yield Figure("press → light, 200 pages open", crowded, "ms", "alone", alone, at_most=1.2)
    yield Figure("press → 50 open pages", pages["reaches_50_pages_ms"], "ms", at_most=100)
    longest = pages["reaches_50_pages_worst_ms"]
    yield Figure("press → 50 open pages: longest", longest, "ms", noise=20)
    yield Figure("first page, as sent", pages["first_page_sent_bytes"] / 1e3, "kB", at_most=40)


def _voice(voice):
    if not voice:
        return
    for what in ("press", "whistle"):
        name = f"{what} while the hub speaks and clips are made"
        silent = voice[f"{what}_us"]
        yield Figure(name, voice[f"{what}_aloud_us"], "µs", "silent", silent, at_most=1.2)
    more = voice["aloud_mb"] - voice["silent_mb"]
    yield Figure("memory of a hub that speaks, more", more, "MB", at_most=3.0)


def _living(living, peer):
    if not living:
        return
    start, theirs = living["ready_s"], living.get("peer_s")
    to_ms = 1e3
    yield Figure("start → first press", start * to_ms, "ms", "python", living["python_s"] * to_ms)
    yield Figure(
        "start → first press, of asyncio's",
        start * to_ms,
        "ms",
        "import asyncio",
        living["asyncio_s"] * to_ms,
        at_most=3,
    )
    if theirs:
        of_peer = ("ms", "peer", theirs * to_ms)
        yield Figure("start → first press, of the peer's", start * to_ms, *of_peer, at_most=0.6)
        yield Figure("start → pages served", living["pages_s"] * to_ms, *of_peer, at_most=1.3)
    else:
        yield Figure("start → pages served", living["pages_s"] * to_ms, "ms")
    memory, held = living["memory_kib"] / 1024, peer.get("memory_kib")
    yield Figure(
        "memory at idle, pages included",
        memory,
        "MB",
        "peer",
        held and held / 1024,
        at_most=1.0 if held else None,
    )
    yield Figure("memory after an evening", living["memory_after_kib"] / 1024, "MB", "idle", memory)
    yield Figure("idle CPU", living["idle_cpu"] * 100, "%", at_most=0.05, noise=20)
    yield Figure("idle wake-ups", living["idle_wakeups"], "/s", at_most=2, noise=20)
    rate = living["http_commands_per_s"]
    yield Figure("commands over HTTP, one phone", rate, "/s", more_is_better=True)


def _recovery(recovery):
    for size, one in recovery.items():
        name = f"recovery of {int(size):,} events"
        yield Figure(name, one["with_s"] * 1e3, "ms", noise=2)
        bound = 1000 if size == "100000" else None
        yield Figure(f"{name}, no snapshot", one["without_s"] * 1e3, "ms", at_most=bound)
    if "1000000" in recovery:
        for words, key, bound in (("", "with_s", 11), (", no snapshot", "without_s", None)):
            grown = [recovery[size][key] * 1e3 for size in ("1000000", "100000")]
            yield Figure(f"ten times the events{words}", grown[0], "ms", "a tenth", grown[1], bound)


def _hardware(hardware):
    if not hardware:
        return
    wire = hardware["wire_s"] * 1e3
    name = "edge of a pin → echo at the chain's driver"
    yield Figure(name, hardware["edge_to_bytes_s"] * 1e3, "ms", "bits' way", wire, at_most=1.0)
    for key, took in hardware.items():
        if key.startswith("frame_s "):
            name = f"frame of 100 pixels ({key.removeprefix('frame_s ')})"
            yield Figure(name, took * 1e3, "ms", at_most=0.5)
    for kind, (_, worst) in hardware["blocked_s"].items():
        yield Figure(f"loop held by {kind}: longest", worst * 1e3, "ms", at_most=5, noise=20)


def _usb(usb):
    """The floor is a sign of life, there and back over the same pseudo-terminal."""
    if not usb:
        return
    found = {name: seconds * 1e3 for name, seconds in usb.items()}
    bare = found["round trip"]
    yield Figure("USB hub: bare round trip", bare, "ms")
    for key, words in (
        ("edge", "edge on the board → heard"),
        ("echo", "edge on the board → echo on the chain's wire"),
        ("frame", "frame of 87 pixels → on the chain's wire"),
    ):
        yield Figure(f"USB hub: {words}", found[key], "ms", "round trip", bare)
    yield Figure("USB hub: firmware's loop", found["loop"], "ms")
    flood = found["loop in a flood"]
    name = "USB hub: firmware's loop in a flood of edges"
    yield Figure(name, flood, "ms", "at rest", found["loop"])
    name = "WLED: frame of 87 pixels → its datagram, 99th of 100"
    yield Figure(name, found["wled, 99th of 100"], "ms", at_most=33, noise=6)


def _card(card):
    if not card:
        return
    yield Figure("written in an evening", card["bytes sent to the disk"] / 1e6, "MB")
    yield Figure("written for each event", card["bytes for each event"] / 1e3, "kB")


def _play(dominoes, simulate):
    for kind, one in (dominoes or {}).items():
        yield Figure(
            f"rounds of tiles, {kind}",
            one["rounds_per_s"],
            "/s",
            "plain Python",
            one["rounds_per_s"] / one["ratio"],
            more_is_better=True,
        )
    if simulate:
        yield Figure(
            "whole games through the hub",
            simulate["games_per_s"],
            "/s",
            at_least=20,
            more_is_better=True,
        )


def _hall(hall):
    if not hall:
        return
    bare = hall["forward"]["bare"]
    yield Figure(
        "journal forwarded", hall["forward"]["ours"], "/s", "bare XADD", bare, more_is_better=True
    )
    for tables, one in hall["lag"].items():
        name = f"hall of {int(tables):,} tables, lag"
        yield Figure(f"{name}: median", one["p50"] * 1e3, "ms", noise=2)
        yield Figure(f"{name}: 99th of 100", one["p99"] * 1e3, "ms", noise=6)


def _number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def _rows(found):
    for each in figures(found):
        floor = "" if each.ratio is None else f"{each.floor} {_number(each.against)}"
        ratio = "" if each.ratio is None else f"{each.ratio:.2f}"
        met = {None: "", True: "yes", False: "NO"}[each.met]
        yield each.name, f"{_number(each.value)} {each.unit}", floor, ratio, each.bound, met


HEAD = ("figure", "value", "floor or peer", "ratio", "bound", "met")


def table(found):
    """For a terminal."""
    rows = [HEAD, *_rows(found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = [
        "  ".join(
            cell.ljust(width) if column in (0, 2, 4, 5) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines += [f"left out: {name}: {why}" for name, why in found["left_out"].items()]
    return "\n".join(lines)


def drawn(found):
    """Every chart there are figures for, by its file name."""
    results, pictures = found["results"], {}
    if press := results.get("press"):
        pictures["performance-press.svg"] = charts.bars(
            press["stages_us"], "A press on its way to the light", "µs"
        )
    if living := results.get("living"):
        pictures["performance-start.svg"] = charts.bars(
            living["imports_ms"], "What a start imports, each import timed", "ms"
        )
    if recovery := results.get("recovery"):
        lines = {
            name: [(int(size), one[key] * 1e3) for size, one in recovery.items()]
            for name, key in (("with a snapshot", "with_s"), ("without", "without_s"))
        }
        pictures["performance-recovery.svg"] = charts.curves(
            lines, "Recovery over the size of the journal", "events", "ms"
        )
    if hall := results.get("hall"):
        lines = {
            name: [(int(tables), one[key] * 1e3) for tables, one in hall["lag"].items()]
            for name, key in (("median", "p50"), ("99th of 100", "p99"))
        }
        pictures["performance-hall.svg"] = charts.curves(
            lines, "How far a hall lags behind its tables", "tables, one event a second each", "ms"
        )
    return pictures


def write(found, folder):
    """`performance.md`, `performance.json` and the charts."""
    pictures = drawn(found)
    for name, picture in pictures.items():
        (folder / name).write_text(picture)
    (folder / "performance.json").write_text(json.dumps(found, indent=1) + "\n")
    (folder / "performance.md").write_text(page(found, pictures))


def page(found, pictures):
    """The page that `make bench` writes."""
    machine = found["machine"]
    lines = [
        "# Performance",
        "",
        "Written by `make bench`; the figures are in `performance.json`.",
        "Ratios are what counts: floors and the peer were measured in the same run.",
        "The peer is Mission Pinball Framework on its virtual platform in its quickest set-up: "
        "a switch that toggles a light, in code, with logging off. It saves nothing.",
        "A press is the moment a button is let go, since only then it is known to be a tap.",
        "",
        f"- Machine: {machine['processor']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}; load {machine['load']} before, "
        f"{machine.get('load_after', machine['load'])} after",
        f"- Date: {machine['date']}",
        f"- Commit: {machine['commit']}",
        "",
        f"| {' | '.join(HEAD)} |",
        "| --- | ---: | --- | ---: | --- | --- |",
        *(f"| {' | '.join(row)} |" for row in _rows(found)),
        "",
    ]
    lines += [f"Left out: {name}: {why}\n" for name, why in found["left_out"].items()]
    for name, picture in pictures.items():
        title = picture.split("<title>")[1].split("</title>")[0]
        lines += [f"![{title}]({name})", ""]
    return "\n".join(lines)


def compare(before, after, tolerance):
    """What became better or worse beyond noise: lines to read, and whether anything is worse.

    Figures with a floor are compared as ratios, so that two machines can be; the others only on
    the same machine.
    """
    same = all(before["machine"][key] == after["machine"][key] for key in ("processor", "cores"))
    known = {each.name: each for each in figures(before)}
    lines, worse = [], 0
    for each in figures(after):
        old = known.get(each.name)
        if old is None or (old.ratio is None) != (each.ratio is None):
            continue
        if (each.ratio is None and not same) or not old.judged or not each.judged:
            continue
        change = each.judged / old.judged
        if each.more_is_better:
            change = 1 / change
        allowed = 1 + tolerance * each.noise
        if 1 / allowed <= change <= allowed:
            continue
        word = "worse" if change > 1 else "better"
        worse += change > 1
        lines.append(f"{word:7} {each.name}: {_number(old.judged)} → {_number(each.judged)}")
    return lines or ["nothing changed beyond noise"], bool(worse)
