"""The outcome of many games as a picture: how totals are spread, and who wins. SVG text.

Readable in black and white: bars are named and numbered, not told apart by colour.
"""

from collections.abc import Iterator, Sequence
from html import escape

from sim.people.tally import Tally

WIDTH, ROW = 900, 240
LEFT, TOP, BOTTOM = 30, 50, 40
MIDDLE = 560
BINS = 24
_TEXT = 'font-family="system-ui, sans-serif" font-size="13"'


def picture(tallies: Sequence[Tally]) -> str:
    """A row for each profile: the totals on the left, the win share of each kind on the right."""
    height = max(1, len(tallies)) * ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Totals and win shares of simulated games" {_TEXT}>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fffdf7"/>',
    ]
    for place, tally in enumerate(tallies):
        parts.append(f'<g transform="translate(0 {place * ROW})">')
        parts += _totals(tally)
        parts += _wins(tally)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _totals(tally: Tally) -> Iterator[str]:
    games = "1 game" if tally.games == 1 else f"{tally.games:,} games"
    yield _text(LEFT, 22, f"{tally.profile}: final totals of {games}")
    if not tally.totals:
        return
    counts, low, apart = _histogram(tally.totals)
    width = (MIDDLE - 2 * LEFT) / len(counts)
    room = ROW - TOP - BOTTOM
    for place, count in enumerate(counts):
        tall = room * count / max(counts)
        yield (
            f'<rect x="{LEFT + place * width:.1f}" y="{TOP + room - tall:.1f}" '
            f'width="{max(1.0, width - 2):.1f}" height="{tall:.1f}" fill="#3f86e0"/>'
        )
    for place in range(0, len(counts) + 1, 6):
        yield _text(LEFT + place * width, ROW - BOTTOM + 18, str(low + place * apart))


def _histogram(totals: Sequence[int]) -> tuple[list[int], int, int]:
    """How many totals fall into each bin, where the first begins, how wide they are."""
    low, high = min(totals), max(totals)
    apart = max(1, -(-(high - low + 1) // BINS))
    counts = [0] * ((high - low) // apart + 1)
    for total in totals:
        counts[(total - low) // apart] += 1
    return counts, low, apart


def _wins(tally: Tally) -> Iterator[str]:
    yield _text(MIDDLE, 22, "games won")
    high = (ROW - TOP - BOTTOM) / max(1, len(tally.kinds))
    for place, kind in enumerate(tally.kinds):
        share, y = tally.wins_of(kind), TOP + place * high
        yield _text(MIDDLE, y + high / 2, kind)
        yield (
            f'<rect x="{MIDDLE + 80}" y="{y + high * 0.1:.1f}" width="{200 * share:.1f}" '
            f'height="{high * 0.7:.1f}" fill="#b07a12"/>'
        )
        yield _text(MIDDLE + 86 + 200 * share, y + high / 2, f"{100 * share:.1f} %")


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#222">{escape(words)}</text>'
