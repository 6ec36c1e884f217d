"""The document behind the hall's page, and a rally's result as CSV, JSON or a printed page.

Ten thousand tables do not fit on a page, so lists come in parts and can be searched by name.
"""

import html
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from centerpiece.hall.server.desk import Desk
from centerpiece.hall.server.leaderboard import Leaderboard, by_number, table_standings
from centerpiece.hall.wire.hall_orders import PLAY_OFF
from centerpiece.hall.wire.table_line import SILENT_AFTER, TableLine, difference, fingerprint
from centerpiece.reports import spreadsheet
from centerpiece.rules.rules import Rules
from centerpiece.text import Sentence

PART = 100
ANNOUNCED_FOR = 300
"""Seconds for which the wall shows an announcement."""
Card = tuple[Rules, int] | None


def document(
    desk: Desk, at: float, search: str = "", people: int = 0, tables: int = 0
) -> dict[str, Any]:
    """Return the document of the hall's page as of `at`, in the hall's time.

    `search` is part of a name, or a table; both lists have only what it fits. `people` and `tables`
    are the offsets from which each list has at most `PART` entries.
    """
    log, leaderboard = desk.log, desk.leaderboard()
    text = search.strip().casefold()
    found = [s for s in leaderboard.people if text in s.name.casefold() or text == s.table]
    lines = dict(desk.board.lines)
    names = sorted(desk.board.tables(), key=by_number)
    shown = [table for table in names if _matches(table, lines.get(table), text)]
    card = desk.card()
    phases = [line.phase for line in lines.values()]
    seated = sum(not person.left for line in lines.values() for person in line.seated)
    return {
        "hall": desk.hall,
        "title": log.title,
        "game": log.game,
        "card": {"rules": card[0].full_name, "set": card[1]} if card else None,
        "clock": _left(log.ends, at),
        "finish": log.finish is not None,
        "final": leaderboard.final,
        "quiet": log.quiet,
        "announced": _announced(desk, at),
        "counts": {
            "tables": len(names),
            "playing": sum(phase in ("playing", "scoring") for phase in phases),
            "finished": phases.count("finished"),
            "people": max(seated, len(leaderboard.people)),
        },
        "people": found[people : people + PART],
        "people_found": len(found),
        "tables": [
            _table(lines.get(table) or TableLine(table), desk, card, at)
            for table in shown[tables : tables + PART]
        ],
        "tables_found": len(shown),
        "ties": _ties(leaderboard),
    }


def _announced(desk: Desk, at: float) -> dict[str, Any] | None:
    """Return the latest announcement, with the tables that it is for; no tables means all.

    None if there was none, or if at the time `at` it is older than `ANNOUNCED_FOR`.
    """
    if (announced := desk.log.announced) is None or at - announced[0] > ANNOUNCED_FOR:
        return None
    return {"text": announced[1].text, "tables": announced[1].tables}


def _matches(table: str, line: TableLine | None, text: str) -> bool:
    people = line.seated if line is not None else ()
    return text in table or any(text in person.name.casefold() for person in people)


def _ties(leaderboard: Leaderboard) -> list[dict[str, Any]]:
    return [{"place": place, "people": tied} for place, tied in leaderboard.ties]


def _left(ends: float | None, at: float) -> dict[str, int] | None:
    return None if ends is None else {"remaining_s": max(0, round(ends - at))}


def _table(line: TableLine, desk: Desk, card: Card, at: float) -> dict[str, Any]:
    """Return a table's part of the document as of the time `at`.

    The hall's clock, if set, replaces the table's own; a table that is not running shows no clock.
    """
    ends = line.ends if desk.log.ends is None else desk.log.ends
    return {
        "table": line.table,
        "phase": line.phase,
        "rules": f"{line.game}/{line.rules}" if line.game else "",
        "round": line.round,
        "rounds": line.rounds,
        "engine": line.engine,
        "clock": _left(ends, at) if line.running else None,
        "seen_s": max(0, round(at - line.at)) if line.at else None,
        "seated": [
            {"seat": p.seat, "name": p.name, "total": p.total} for p in line.seated if not p.left
        ],
        "flags": [*_flags(line, desk, card, at)],
    }


def _flags(line: TableLine, desk: Desk, card: Card, at: float) -> Iterator[Sentence]:
    """Yield a sentence for everything that is wrong at a table at the time `at`.

    `card` has the hall's rules and size of set; without one, rules are not compared.
    """
    if card and line.card and line.card != fingerprint(*card):
        yield Sentence("It plays by other rules than the rest of the hall.")
    elif card and line.card and _other_rounds(line, desk, *card):
        rounds = {"rounds": line.rounds}
        yield Sentence(
            "It plays {rounds} {rounds|round|rounds}, unlike the rest of the hall.", rounds
        )
    if line.phase == "finished" and line.games and (missing := line.games[-1].missing):
        uncounted = [each.round for each in missing]
        yield Sentence("Hands are still to be counted: round {rounds}.", {"rounds": uncounted})
    second = desk.board.seconds.get(line.table)
    if second is not None and at - second.at < SILENT_AFTER:
        yield Sentence("Two hubs use this name; only the first one counts.")
    if line.table in desk.board.unreadable:
        yield Sentence(
            "Its messages cannot be read. Check its hub and its version, then free its name."
        )
    if line.at and at - line.at > SILENT_AFTER:
        yield Sentence("It has not been heard from for a while.")
    if far := difference(line.offset):
        behind = "Its clock is {time} behind the hall's. The hall's clock counts."
        ahead = "Its clock is {time} ahead of the hall's. The hall's clock counts."
        yield Sentence(behind if line.offset > 0 else ahead, {"time": far})
    if line.trouble:
        yield Sentence(line.trouble)


def _other_rounds(line: TableLine, desk: Desk, rules: Rules, size: int) -> bool:
    usual = len(rules.engines_for(size)) or rules.rounds
    return desk.log.finish is None and line.rules != PLAY_OFF and line.rounds != usual


RESULTS = Path(__file__).with_name("static").joinpath("results.html").read_text("utf-8")
COLUMNS = ("place", "name", "table", "total", "games", "rounds")


def as_csv(leaderboard: Leaderboard) -> str:
    people = ([getattr(person, column) for column in COLUMNS] for person in leaderboard.people)
    return spreadsheet.as_csv([COLUMNS, *people])


def as_json(desk: Desk, leaderboard: Leaderboard) -> dict[str, Any]:
    """Return the result as a document: people, tables and ties, and whether it is final."""
    return {
        "hall": desk.hall,
        "title": desk.log.title,
        "final": leaderboard.final,
        "people": leaderboard.people,
        "tables": [t._asdict() for t in table_standings(leaderboard.people)],
        "ties": _ties(leaderboard),
    }


def as_page(desk: Desk, leaderboard: Leaderboard, language: str, say: Callable[..., str]) -> str:
    """Return the result to print, as HTML without scripts, marked as being in `language`.

    `say` returns the text of a key in that language, with facts filled in.
    """

    def words(key: str, **facts: Any) -> str:
        return html.escape(say(key, **facts))

    def table(title: str, heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
        columns = "".join(f"<th scope=col>{words(head)}" for head in heads)
        body = ""
        for place, name, *cells in rows:
            body += f"<tr><td>{place}</td><th scope=row>{html.escape(str(name))}</th>"
            body += "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells)
        return (
            f"<table><caption>{words(title)}</caption><thead><tr>{columns}</thead>"
            f"<tbody>{body}</table>"
        )

    people = ((s.place or "", s.name, s.table, s.total) for s in leaderboard.people)
    averages = table_standings(leaderboard.people)
    tables = ((t.place, t.table, f"{t.average:.1f}", t.best) for t in averages)
    ties = "".join(
        f"<p><strong>{words('hall.tie', place=place, names=[p.name for p in tied])}</strong></p>"
        for place, tied in leaderboard.ties
    )
    person = ("hall.place", "setup.name", "hall.table", "total")
    whole = ("hall.place", "hall.table", "results.average", "results.best")
    return RESULTS.format(
        language=language,
        head=words("results.title", title=desk.log.title),
        title=html.escape(desk.log.title),
        state=words("results.final" if leaderboard.final else "results.so.far"),
        ties=ties,
        people=table("results.people", person, people),
        tables=table("results.tables", whole, tables),
        hall=words("hall.title"),
    )
