"""Muggins in two minutes, for those who have never played it."""

from centerpiece.table.game import Laid, LessonStep

LESSON = (
    LessonStep(
        "Count the ends",
        "After your play, add up all open ends. A multiple of five is yours at once: "
        "six and four are ten points.",
        (Laid(6, 5, -1.55, 0), Laid(5, 5, 0, 0, True), Laid(5, 4, 1.55, 0)),
    ),
    LessonStep(
        "The spinner",
        "The first double can be played on from both sides, then from both ends as well.",
        (
            Laid(3, 3, 0, 0, True),
            Laid(1, 3, -1.55, 0),
            Laid(3, 6, 1.55, 0),
            Laid(0, 3, 0, -2.05, True),
        ),
    ),
    LessonStep("Muggins!", "Points that somebody overlooks go to whoever calls “Muggins!” first."),
    LessonStep("Nothing fits?", "Draw until a tile fits or none is left."),
    LessonStep(
        "Winning",
        "Whoever goes out also scores what the others have left, to the nearest five. The "
        "first to reach the goal wins.",
    ),
)
