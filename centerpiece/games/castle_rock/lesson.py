"""Castle Rock in two minutes, for those who have never played it."""

from centerpiece.table.game import Laid, LessonStep

LESSON = (
    LessonStep(
        "A row of three",
        "A game for one. Three tiles lie in a row; whatever you draw joins it on the right.",
        (Laid(5, 1, 0, 0, True), Laid(0, 4, 1.2, 0, True), Laid(5, 3, 2.4, 0, True)),
    ),
    LessonStep(
        "Removing the middle tile",
        "If the tiles on both sides of a tile share a number, the one in the middle is removed.",
        (Laid(5, 1, 0, 0, True), Laid(5, 3, 2.4, 0, True)),
    ),
    LessonStep(
        "Removing three",
        "If three in a row all share a number, all three may be removed.",
        (Laid(6, 2, 0, 0, True), Laid(6, 6, 1.2, 0, True), Laid(1, 6, 2.4, 0, True)),
    ),
    LessonStep(
        "The end", "When the pile is empty and nothing more can be removed, count what is left."
    ),
)
