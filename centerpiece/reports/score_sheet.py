"""Past games as lists for a terminal, and as score sheets in CSV, JSON and HTML.

The HTML page is self-contained: it can be mailed, opened years later and printed.
"""

import time
from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import msgspec

from centerpiece.reports import spreadsheet
from centerpiece.reports.charts import ChartLine, line_chart
from centerpiece.storage.history import PastGame, Record, everyone_at
from centerpiece.table.scoring import Standing, hands_by_tile
from centerpiece.table.state import Round
from centerpiece.text import Refused


class Column(NamedTuple):
    """The column of one player or team."""

    label: str
    seats: tuple[int, ...]
    scores: tuple[int | None, ...]
    total: int
    place: int | None
    won: int


def columns(game: PastGame) -> list[Column]:
    """Return a column for each player in table order, or one for all partners of a team."""
    teams: dict[int, list[Standing]] = {}
    for line in game.lines:
        teams.setdefault(line.seat.team or -line.seat.number, []).append(line)
    return [
        Column(
            " & ".join(_label(line) for line in lines),
            tuple(line.seat.number for line in lines),
            tuple(map(_together, zip(*(line.scores for line in lines), strict=True))),
            lines[0].total,
            lines[0].place,
            sum(game.won[line.seat.number] for line in lines),
        )
        for lines in teams.values()
    ]


def running(game: PastGame, column: Column) -> list[int]:
    """Return a column's total after each round; a round that does not count adds nothing."""
    sums, total = [], 0
    for points, counts in zip(column.scores, game.sheet.counts, strict=True):
        total += points or 0 if counts else 0
        sums.append(total)
    return sums


def _note(game: PastGame, played: Round) -> str:
    """Return a note in brackets if a round was blocked, left out or a play-off; else empty."""
    notes = ["blocked"] if played.blocked else []
    if played.among:
        notes.append("play-off")
    elif game.finished and not game.sheet.whole[played.number - 1]:
        notes.append("left out")
    return f"({', '.join(notes)})" if notes else ""


def _together(points: tuple[int | None, ...]) -> int | None:
    """Return the sum of a team's points in a round; None if one hand is missing."""
    present = [each for each in points if each is not None]
    return sum(present) if len(present) == len(points) else None


def _label(line: Standing) -> str:
    """Return a name, with those who sat there before."""
    *before, name = everyone_at(line.seat)
    return f"{name} (for {', '.join(before)})" if before else name


def day(at: float, doubtful: bool = False) -> str:
    """Format a wall clock time; append a question mark if it is doubtful."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) + "?" * doubtful


# For a terminal


def listing(games: list[PastGame]) -> str:
    """Return a list of games with their numbers, for a terminal, in the order given."""
    lines = []
    for game in games:
        lines += [
            f"{game.number:4}  {day(game.started_at, game.doubtful)}  "
            f"{game.rules}, double-{game.table.size}, {_length(game)}",
            f"      {', '.join(game.players)}",
            f"      {_outcome(game)}",
        ]
        if game.damaged:
            lines.append("      Part of this game was lost; what is shown may be wrong.")
    return "\n".join(lines) + "\n" if lines else "No game has been played yet.\n"


def records(statistics: list[Record]) -> str:
    """Return a text table of these statistics, with a heading for each game; empty without any."""
    lines: list[str] = []
    game = None
    for record in statistics:
        if record.game != game:
            game = record.game
            head = "games  wins  rounds  average  best  worst"
            lines += [""] * bool(lines) + [f"{game.title:30}{head}"]
        average = "–" if record.average is None else f"{record.average:.1f}"
        best = "–" if record.best is None else record.best
        worst = "–" if record.worst is None else record.worst
        lines.append(
            f"{record.name[:29]:30}{record.games:5}{record.wins:6}{record.rounds:8}"
            f"{average:>9}{best:>6}{worst:>7}"
        )
    return "\n".join(lines) + "\n" if lines else ""


# CSV


def as_csv(game: PastGame) -> str:
    """Return a row for each round and a column for each player, with totals and places."""
    players = columns(game)
    rows: list[list[object]] = [["Round", "Double", "Starter", "Out", *(p.label for p in players)]]
    for place, played in enumerate(game.rounds):
        starter, out = (game.who(seat, played.number) for seat in (played.starter, played.out))
        scores = [p.scores[place] for p in players]
        ending = " ".join(filter(None, (out, _note(game, played))))
        rows.append([played.number, played.engine, starter, ending, *scores])
    rows.append(["Total", "", "", "", *(p.total for p in players)])
    if game.table.rules.wins == "rounds":
        rows.append(["Rounds won", "", "", "", *(p.won for p in players)])
    rows.append(["Place", "", "", "", *(p.place for p in players)])
    return spreadsheet.as_csv(rows)


# JSON


def document(game: PastGame) -> dict[str, Any]:
    """Return a game as a JSON document, for pages and programs."""
    table = game.table
    return {
        "number": game.number,
        "started_at": game.started_at,
        "ended_at": game.ended_at,
        "doubtful": game.doubtful,
        "game": table.rules.game,
        "title": game.game.title,
        "rules": table.rules.name,
        "set": table.size,
        "finished": game.finished,
        "winners": game.winners,
        "rounds": [
            {
                "round": played.number,
                "engine": played.engine,
                "starter": played.starter,
                "out": played.out,
                "blocked": played.blocked,
                "counts": counts,
                "play_off": list(played.among),
            }
            for played, counts in zip(game.rounds, game.sheet.counts, strict=True)
        ],
        "players": [
            {
                "seat": line.seat.number,
                "name": line.seat.name,
                "earlier": [
                    {"name": stint.name, "until": stint.until} for stint in line.seat.earlier
                ],
                "team": line.seat.team,
                "scores": line.scores,
                "total": line.total,
                "place": line.place,
                "won": game.won[line.seat.number],
                "whistles": game.whistles[line.seat.number],
            }
            for line in game.lines
        ],
        "penalties": [msgspec.to_builtins(penalty) for penalty in table.penalties],
        "corrections": [
            {"round": c.round, "seat": c.seat, "was": c.was.pips, "now": c.now.pips}
            for c in table.corrections
        ],
        "hands": hands_by_tile(game.rounds),
    }


def as_json(game: PastGame) -> str:
    return msgspec.json.format(msgspec.json.encode(document(game)), indent=2).decode() + "\n"


# HTML


def as_html(game: PastGame) -> str:
    """Return a printable page with the sheet as a table.

    With two rounds or more, it also has the totals as a chart.
    """
    players = columns(game)
    title = f"{game.game.title}, {day(game.started_at, game.doubtful)}"
    return _PAGE.format(
        title=escape(title),
        facts=escape(_facts(game)),
        outcome=escape(_outcome(game)),
        names="".join(f'<th scope="col">{escape(p.label)}</th>' for p in players),
        rows="\n".join(_row(game, place, players) for place in range(len(game.rounds))),
        totals=_foot("Total", [p.total for p in players]) + _won(game, players),
        places=_foot("Place", [p.place for p in players]),
        chart=_chart(game, players) if len(game.rounds) > 1 else "",
    )


def _facts(game: PastGame) -> str:
    return (
        f"Rules: {game.table.rules.name}. Double-{game.table.size} set. "
        f"{_length(game)}, until {day(game.ended_at, game.doubtful)}."
        f"{' The hub’s clock was wrong, so these times may be wrong too.' if game.doubtful else ''}"
    )


def _length(game: PastGame) -> str:
    count = len(game.rounds)
    return f"{count} {'round' if count == 1 else 'rounds'}"


def _outcome(game: PastGame) -> str:
    if not game.finished:
        return "Not played to the end."
    if not game.winners:
        return "Nobody has won."
    return f"Won by {' and '.join(game.winners)}."


def _row(game: PastGame, place: int, players: list[Column]) -> str:
    """Return the HTML row of a round; the scores of its winners are bold.

    `place` is its index among the game's rounds, from 0.
    """
    played = game.rounds[place]
    engine = "" if played.engine is None else f"double {played.engine}"
    note = f" {_note(game, played)}"
    best = set(game.game.round_winners(game.table, played))
    cells = "".join(
        _cell(p.scores[place], not best.isdisjoint(p.seats), _tiles(played, p)) for p in players
    )
    return (
        f'<tr><th scope="row">{played.number}</th><td>{f"{engine}{note}".strip()}</td>{cells}</tr>'
    )


def _tiles(played: Round, column: Column) -> str:
    """Return the tiles left in a column's hands, as far as they were entered as tiles."""
    hands = [played.entries[seat].hand for seat in column.seats if seat in played.entries]
    return " ".join(f"{low}-{high}" for hand in hands for low, high in hand)


def _cell(value: int | None, won: bool = False, tiles: str = "") -> str:
    if value is None:
        return '<td><span aria-label="missing">–</span></td>'
    points = f"<strong>{value}</strong>" if won else f"{value}"
    return f"<td>{points}{f'<br><small>{tiles}</small>' if tiles else ''}</td>"


def _won(game: PastGame, players: list[Column]) -> str:
    if game.table.rules.wins != "rounds":
        return ""
    return "\n" + _foot("Rounds won", [p.won for p in players])


def _foot(title: str, values: list[int | None] | list[int]) -> str:
    cells = "".join(_cell(value) for value in values)
    return f'<tr><th scope="row" colspan="2">{title}</th>{cells}</tr>'


def _chart(game: PastGame, players: list[Column]) -> str:
    lines = [ChartLine(p.label, tuple(running(game, p))) for p in players]
    return f"<h2>Totals by round</h2>\n{line_chart(lines, 'Totals by round')}"


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1b1712; --paper: #fffdf8; --rule: #b8ab98; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #f4efe6; --paper: #1b1712; --rule: #6b5f50; }}
}}
body {{ font: 18px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ margin-bottom: 0; }}
.sheet {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .3rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; }}
tbody td:nth-child(2), th:first-child, th:nth-child(2) {{ text-align: left; }}
tfoot th, tfoot td {{ font-weight: bold; text-align: right; }}
tfoot th {{ text-align: left; }}
svg {{ width: 100%; height: auto; }}
@page {{ margin: 15mm; }}
@media print {{
  :root {{ --ink: #000; --paper: #fff; --rule: #888; }}
  body {{ font-size: 11pt; margin: 0; max-width: none; }}
  .sheet {{ overflow: visible; }}
  tr, svg, h2 {{ break-inside: avoid; }}
  h2 {{ break-after: avoid; }}
}}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{facts}<br><strong>{outcome}</strong></p>
<div class="sheet" role="region" aria-label="Scores" tabindex="0">
<table>
<caption>Scores of each round; the winner is in bold</caption>
<thead><tr><th scope="col">Round</th><th scope="col">Double</th>{names}</tr></thead>
<tbody>
{rows}
</tbody>
<tfoot>
{totals}
{places}
</tfoot>
</table>
</div>
{chart}
</body>
</html>
"""


FORMATS: dict[str, Callable[[PastGame], str]] = {
    "csv": as_csv,
    "json": as_json,
    "html": as_html,
}


def export(game: PastGame, format: str) -> str:
    """Return a game's score sheet in one of `FORMATS`; raise Refused for another."""
    if format not in FORMATS:
        raise Refused(
            "There is no format “{format}”. The formats are: {known}.",
            format=format,
            known=", ".join(FORMATS),
        )
    return FORMATS[format](game)
