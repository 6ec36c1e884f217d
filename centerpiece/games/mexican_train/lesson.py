"""Mexican Train in two minutes, for those who have never played it."""

from centerpiece.table.game import Laid, LessonStep

LESSON = (
    LessonStep(
        "The starting double",
        "The starting double is in the middle. Everybody draws a hand; the rest is the boneyard.",
        (Laid(12, 12, 0, 0, True), Laid(12, 4, 1.55, 0), Laid(4, 9, 3.6, 0)),
    ),
    LessonStep(
        "Your train",
        "On your turn, lay one tile on your own train. Halves that touch have the same number.",
        (Laid(12, 7, 0, 0), Laid(7, 3, 2.05, 0), Laid(3, 10, 4.1, 0)),
    ),
    LessonStep(
        "Nothing fits?",
        "Draw one tile. If it does not fit either, your train is open: put your marker on it, "
        "and everybody may play there.",
        (Laid(12, 5, 0, 0), Laid(5, 8, 2.05, 0)),
    ),
    LessonStep(
        "A double",
        "A double lies crosswise and needs another tile. Until it gets one, it is an open double.",
        (Laid(3, 6, 0, 0), Laid(6, 6, 1.55, 0, True), Laid(6, 2, 3.1, 0)),
    ),
    LessonStep(
        "The last tile",
        "One tile left? Blow the whistle. Whoever plays their last tile ends the round; "
        "everyone else counts the pips they have left.",
        (Laid(8, 1, 0, 0),),
    ),
    LessonStep("Winning", "Every round starts with another double. The lowest total wins."),
)
