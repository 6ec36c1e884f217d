"""Super 15 in two minutes, for those who have never played it."""

from centerpiece.table.game import Laid, LessonStep

LESSON = (
    LessonStep(
        "Six branches",
        "A double lies in the middle, and six branches grow from it. Play one tile a turn; "
        "if none fits, draw two and try again.",
        (Laid(15, 15, 0, 0, True), Laid(15, 3, 1.55, 0), Laid(8, 15, -1.55, 0)),
    ),
    LessonStep(
        "Fifteen and fourteen",
        "A play that leaves a 15 open makes everyone else draw. One that leaves a 14 open "
        "earns another turn.",
        (Laid(2, 15, 0, 0), Laid(7, 14, 2.6, 0)),
    ),
    LessonStep(
        "Thirteen: a spell",
        "A 13 casts a spell: the next player must play on it, or play another 13 or a double. "
        "The double 13 breaks a spell.",
        (Laid(4, 13, 0, 0), Laid(13, 13, 1.55, 0, True)),
    ),
    LessonStep(
        "Three and doubles",
        "A 3 reverses the direction of play. After a double, the next player loses a turn.",
        (Laid(11, 3, 0, 0), Laid(6, 6, 2.1, 0, True)),
    ),
    LessonStep("Winning", "Whoever goes out first wins the round."),
)
