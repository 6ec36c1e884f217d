"""What the hall's page shows, as one document; and a rally's result as CSV, JSON or print.

Ten thousand tables do not fit on a page, so lists come in parts and can be searched by name.
"""

import html
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from centerpiece.hall.server import rally
from centerpiece.hall.server.desk import Desk
from centerpiece.hall.server.follow import Follower
from centerpiece.hall.server.followed_table import Line
from centerpiece.hall.server.rally import Standings
from centerpiece.hall.wire.orders import PLAY_OFF
from centerpiece.hall.wire.signs_of_life import Alive, difference
from centerpiece.reports import spreadsheet
from centerpiece.text import Sentence

PART = 100
SILENT_AFTER = 60.0
BEHIND_BY = 50


def document(
    desk: Desk, follower: Follower, at: float, search: str = "", people: int = 0, tables: int = 0
) -> dict[str, Any]:
    """The page; `people` and `tables` are where the two lists begin."""
    book, standings = desk.book, desk.standings()
    wanted = search.strip().casefold()
    found = [s for s in standings.people if wanted in s.name.casefold() or wanted == s.table]
    lines = dict(follower.overview.lines)
    names = sorted(set(lines) | follower.shares.roster, key=rally.by_number)
    misnamed = sorted(follower.shares.misnamed)
    shown = [t for t in (*misnamed, *names) if _matches(t, lines.get(t), wanted)]
    card = desk.card_fingerprint()
    phases = [line.phase for line in lines.values()]
    return {
        "hall": desk.hall,
        "title": book.title,
        "game": book.game,
        "card": _card(desk),
        "clock": _left(book.ends, at),
        "finish": book.finish is not None,
        "final": standings.final,
        "quiet": book.quiet,
        "processes": list(follower.shares.living),
        "counts": {
            "tables": len(names),
            "playing": sum(phase in ("playing", "scoring") for phase in phases),
            "finished": phases.count("finished"),
            "people": len(standings.people),
        },
        "people": [s._asdict() for s in found[people : people + PART]],
        "people_found": len(found),
        "tables": [
            _table(t, lines.get(t), desk, follower, card, at) for t in shown[tables : tables + PART]
        ],
        "tables_found": len(shown),
        "ties": _ties(standings),
    }


def _matches(table: str, line: Line | None, wanted: str) -> bool:
    if wanted in table:
        return True
    return line is not None and any(wanted in p.name.casefold() for p in line.seated)


def _card(desk: Desk) -> dict[str, Any] | None:
    card = desk.card()
    return {"rules": card[0].full_name, "set": card[1]} if card else None


def _ties(standings: Standings) -> list[dict[str, Any]]:
    return [
        {"place": place, "people": [s._asdict() for s in tied]} for place, tied in standings.ties
    ]


def _left(ends: float | None, at: float) -> dict[str, int] | None:
    return None if ends is None else {"remaining_s": max(0, round(ends - at))}


def _table(
    table: str, line: Line | None, desk: Desk, follower: Follower, card: str, at: float
) -> dict[str, Any]:
    sign = follower.overview.alive.get(table)
    line = line or Line(table)
    ends = desk.book.ends
    if ends is None and line.ends is not None:
        ends = line.ends + (sign.offset if sign else 0.0)
    running = line.phase in ("playing", "scoring")
    return {
        "table": table,
        "phase": line.phase,
        "rules": f"{line.game}/{line.rules}" if line.game else "",
        "round": line.round,
        "rounds": line.rounds,
        "engine": line.engine,
        "clock": _left(ends, at) if running else None,
        "seen_s": None if sign is None else max(0, round(at - sign.at)),
        "seated": [
            {"seat": p.seat, "name": p.name, "total": p.total} for p in line.seated if not p.left
        ],
        "flags": flags(table, line, sign, desk, follower, card, at),
    }


def flags(
    table: str,
    line: Line,
    sign: Alive | None,
    desk: Desk,
    follower: Follower,
    card: str,
    at: float,
) -> list[Sentence]:
    """What is not as it should be."""
    found = []
    if table in follower.shares.misnamed:
        found.append(Sentence("This is no name of a table. Free it at the desk."))
    if card and line.seq and line.card != card:
        found.append(Sentence("It plays by other rules than the hall's."))
    elif card and line.seq and _other_rounds(line, desk):
        rounds = {"rounds": line.rounds}
        found.append(Sentence("It plays {rounds} {rounds|round|rounds}, unlike the hall.", rounds))
    if table in follower.overview.clashes:
        clash = "Two hubs call themselves by this name; the second was refused."
        found.append(Sentence(clash))
    if line.trouble:
        found.append(Sentence(line.trouble))
    return found if sign is None else [*found, *_signs(sign, at)]


def _signs(sign: Alive, at: float) -> Iterator[Sentence]:
    """What is not as it should be by the table's own account."""
    if at - sign.at > SILENT_AFTER:
        yield Sentence("It has not been heard from for a while.")
    if far := difference(sign.offset):
        behind = "Its clock is {time} behind the hall's. The hall's clock counts."
        ahead = "Its clock is {time} ahead of the hall's. The hall's clock counts."
        yield Sentence(behind if sign.offset > 0 else ahead, {"time": far})
    if (waiting := sign.seq - sign.sent) > BEHIND_BY:
        yield Sentence("It has {count} {count|event|events} still to send.", {"count": waiting})
    if sign.note:
        yield Sentence(sign.note)


def _other_rounds(line: Line, desk: Desk) -> bool:
    card = desk.card()
    if card is None or desk.book.finish is not None or line.rules == PLAY_OFF:
        return False
    rules, size = card
    usual = len(rules.engines_for(size)) or rules.rounds
    return line.rounds != usual


# Results

COLUMNS = ("place", "name", "table", "total", "games", "rounds")


def as_csv(standings: Standings) -> str:
    """The result for a spreadsheet."""
    people = ([getattr(person, column) for column in COLUMNS] for person in standings.people)
    return spreadsheet.as_csv([COLUMNS, *people])


def as_json(desk: Desk, standings: Standings) -> dict[str, Any]:
    """The result for programs."""
    return {
        "hall": desk.hall,
        "title": desk.book.title,
        "final": standings.final,
        "people": [s._asdict() for s in standings.people],
        "tables": [t._asdict() for t in rally.table_standings(standings.people)],
        "ties": _ties(standings),
    }


def as_page(desk: Desk, standings: Standings, language: str, say: Callable[..., str]) -> str:
    """The result on paper; readable without any script. `say` gives the words of a key."""

    def words(key: str, **facts: Any) -> str:
        return html.escape(say(key, **facts))

    def table(title: str, heads: tuple[str, ...], rows: str) -> str:
        columns = "".join(f"<th scope=col>{words(head)}" for head in heads)
        return (
            f"<table><caption>{words(title)}</caption><thead><tr>{columns}</thead>"
            f"<tbody>{rows}</table>"
        )

    people = "".join(
        f"<tr><td>{'' if s.place is None else s.place}</td><th scope=row>{html.escape(s.name)}"
        f"</th><td>{html.escape(s.table)}</td><td>{s.total}</td></tr>"
        for s in standings.people
    )
    tables = "".join(
        f"<tr><td>{t.place}</td><th scope=row>{html.escape(t.table)}</th>"
        f"<td>{t.average:.1f}</td><td>{t.best}</td></tr>"
        for t in rally.table_standings(standings.people)
    )
    ties = "".join(
        f"<p><strong>{words('hall.tie', place=place, names=_names(tied))}</strong></p>"
        for place, tied in standings.ties
    )
    title = desk.book.title
    person = ("hall.place", "setup.name", "hall.table", "total")
    whole = ("hall.place", "hall.table", "results.average", "results.best")
    return (
        f"<!doctype html><html lang={language}><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{words('results.title', title=title)}</title>"
        "<link rel=icon href=/static/icon.svg>"
        "<link rel=stylesheet href=/static/style.css><link rel=stylesheet href=/static/hall.css>"
        f"<main class=results><h1>{html.escape(title)}</h1>"
        f"<p>{words('results.final' if standings.final else 'results.so.far')}.</p>{ties}"
        f"{table('results.people', person, people)}"
        f"{table('results.tables', whole, tables)}"
        f"<p class=elsewhere><a href=/>{words('hall.title')}</a> · "
        "<a href=/api/hall/results.csv>CSV</a> · "
        "<a href=/api/hall/results.json>JSON</a></p></main></html>"
    )


def _names(people: Iterable[rally.Standing]) -> str:
    return ", ".join(person.name for person in people)
