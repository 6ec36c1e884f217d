"""Chickenfoot in two minutes, for those who have never played it."""

from centerpiece.table.game import Laid, LessonStep

LESSON = (
    LessonStep(
        "The first foot",
        "The starting double is in the middle. It needs its toes, usually three on either "
        "side, before anything else is played.",
        (
            Laid(9, 9, 0, 0, True),
            Laid(9, 1, 1.55, -1.05),
            Laid(9, 4, 1.55, 0),
            Laid(9, 6, 1.55, 1.05),
            Laid(2, 9, -1.55, -1.05),
            Laid(7, 9, -1.55, 0),
        ),
    ),
    LessonStep(
        "Going on",
        "Then every open end may be played on. Halves that touch have the same number.",
        (Laid(9, 4, 0, 0), Laid(4, 8, 2.05, 0), Laid(8, 3, 4.1, 0)),
    ),
    LessonStep(
        "A double is a new foot",
        "Whoever plays a double opens a new foot: "
        "it needs three toes before anything else is played.",
        (
            Laid(2, 5, 0, 0),
            Laid(5, 5, 1.55, 0, True),
            Laid(5, 1, 3.1, -1.05),
            Laid(5, 3, 3.1, 0),
            Laid(5, 8, 3.1, 1.05),
        ),
    ),
    LessonStep("Nothing fits?", "Draw one tile. If it does not fit either, you pass."),
    LessonStep(
        "Winning",
        "Whoever goes out first ends the round; everyone else counts their pips. The lowest "
        "total wins.",
    ),
)
