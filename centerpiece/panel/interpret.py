"""Turn a gesture into the next ui and at most one command or effect. Pure.

A press is echoed at once; a tap acts on its release, without waiting for a second one. The second
tap of a double tap replaces the effect of the first. The hub decides a command that comes out; then
`conclude` adjusts the ui to the result.
"""

from typing import NamedTuple

from msgspec.structs import replace

from centerpiece.panel.button_questions import CONFIRMING, question
from centerpiece.panel.dial import NOTHING, Dial
from centerpiece.panel.gesture import Gesture
from centerpiece.panel.lookup import Situation, control_of, panel_of, situation
from centerpiece.panel.ui import REPEATED, SAME_PRESS, Ui, same_round
from centerpiece.table.binding import Action, Ask, Binding, Effect, GestureKind, action_for
from centerpiece.table.commands import Command, Undo
from centerpiece.table.question import AsksBack, Question, What
from centerpiece.table.undo import Ledger
from centerpiece.text import Refused

TYPING = ("digit", "plus", "double-blank", "hidden", "in-play")
DIALLING = (*TYPING, "count", "take", "back")
WHISTLE = Effect("whistle")
TAKE = Effect("take")
NEVER_MIND = Effect("never-mind")


class PanelCommand(NamedTuple):
    """A command from a button, with the facts about the press that `conclude` needs."""

    command: Command
    button: str
    tapped: bool = False
    answers: What | None = None
    """The open question that it answers."""
    instead_of: int | None = None
    """The step of the first tap that this second one replaces."""
    dialled: bool = False
    repeats: bool = False
    """True if a second tap right after it is ignored."""
    first: bool = False
    """True if it takes what was typed, and the gesture itself comes after it."""
    marker: int = 0
    """The seat whose marker was moved, if none was pressed."""


Meaning = tuple[Ui, PanelCommand | Effect | Refused | None]


def interpret(ledger: Ledger, ui: Ui, gesture: Gesture, now: float) -> Meaning:
    """Return what a gesture means: the next ui, and a command, an effect, a refusal or None.

    A refusal is returned, not raised: the ui may have changed beside it. Nothing else is changed
    here.
    """
    button = gesture.button
    match gesture.kind:
        case "press":
            sounds = button == "whistle" and _here(ledger, ui, now).counted_hand() is None
            return ui.pressed(button, gesture.now), WHISTLE if sounds else None
        case "tap":
            return _tap(ledger, ui, button, now)
        case "double":
            return _double(ledger, ui, button, now)
        case "hold":
            return _meaning(_here(ledger, ui, now), button, "hold")
        case "lift" | "home":
            return _moved(ledger, ui, gesture, now)
    return ui, None


def conclude(
    ui: Ui, press: PanelCommand, before: Ledger, after: Ledger | Refused, now: float
) -> Ui:
    """Return the ui after the command of a press was decided.

    `before` is the ledger that it was decided by; `after` is the new ledger, or the refusal.
    """
    table, step = before.table, None
    if isinstance(after, Ledger):
        table = after.table
        if press.dialled:
            ui = replace(ui, dial=Dial())
        ui = ui.follow(after.game_set.game_of(table), before.table, table)
        if press.answers is not None:
            ui = ui.dismiss_question()
        if after.seq > before.seq and same_round(before.table, table):
            step = before.seq + 1
    elif isinstance(after, AsksBack):
        ui = ui.ask(after.question, now)
    elif press.answers == "caught":
        # A refused catch is over: the next seat tapped must not be accused by mistake.
        ui = ui.close_question()
    if press.marker:
        ui = replace(ui, markers=ui.markers.moved(press.marker, now, step))
    if not press.tapped:
        return ui
    repeated = press.repeats or _answered(press.answers, ui.pending(table))
    return ui.tapped(press.button, REPEATED if repeated else step)


def _here(ledger: Ledger, ui: Ui, now: float) -> Situation:
    return situation(ledger.game_set.game_of(ledger.table), ledger.table, ui, now)


def _tap(ledger: Ledger, ui: Ui, button: str, now: float) -> Meaning:
    ui = replace(ui, paused=False) if ui.paused else ui
    return _meaning(_here(ledger, ui, now), button, "tap")


def _double(ledger: Ledger, ui: Ui, button: str, now: float) -> Meaning:
    """Return the next ui after a double tap, and what the tap asks for, if anything.

    It replaces the effect of the first tap. Without a meaning of its own it is a second tap; after
    a first tap that would repeat itself, it asks for nothing.
    """
    first = ui.first_taps.get(button)
    if first == REPEATED:
        return ui.tapped(button, None), None
    here = _here(ledger, ui, now)
    if panel_of(here.game).find(here, button, "double") is None:
        return _tap(ledger, ui, button, now)
    here = here._replace(ui=ui.tapped(button, None))
    return _meaning(here, button, "double", first if ledger.has_step(first) else None)


def _moved(ledger: Ledger, ui: Ui, gesture: Gesture, now: float) -> Meaning:
    """Return the next ui after a marker was lifted or came home, and what the move asks for.

    It disturbs no question. If the marker was in the way of an undo, that is done now. A marker
    that goes back soon, before anything else has happened, takes its move back. Nothing is asked
    for where the panel map has no marker.
    """
    here, dock = _here(ledger, ui, now), gesture.button
    _, seat = control_of(dock)
    if ui.question is not None and (ui.question.what, ui.question.about) == ("dock", seat):
        undo = PanelCommand(Undo(), f"seat-{seat}", answers="dock", marker=seat)
        return ui.moved(seat, now), undo
    binding = panel_of(here.game).find(here, dock, "lift" if gesture.kind == "lift" else "home")
    if binding is None:
        return ui, None
    step, latest = ui.markers.taken_back(seat, now), ledger.to_undo()
    instead_of = step if latest is not None and latest.seq == step else None
    command = action_for(binding.action, seat)
    assert isinstance(command, Command)
    return ui.moved(seat, now), PanelCommand(
        command, f"seat-{seat}", instead_of=instead_of, marker=seat
    )


def _meaning(
    here: Situation, button: str, kind: GestureKind, instead_of: int | None = None
) -> Meaning:
    """Return the next ui after a tap, double tap or hold, and what the press asks for, if anything.

    The panel map decides. A press that repeats one or means nothing now asks for nothing, but may
    still change the ui; one that came too late is answered with a refusal. Before an action that
    leaves the hand for which digits are typed, only the command that takes them is returned, marked
    `first`. `instead_of` is the step of a first tap that this double tap replaces.
    """
    ui, pending, tapped = here.ui, here.question, kind == "tap"
    if (late := _too_late(here, button, kind)) is not None:
        return (ui.tapped(button, REPEATED) if tapped else ui), late
    binding = panel_of(here.game).find(here, button, kind)
    if binding is None:
        return (ui.tapped(button, None) if tapped else ui), None
    what = None if pending is None else pending.what
    answers = what if binding.when == what else None
    if answers is not None and _same_press(here, button, binding):
        return ui, None
    if tapped and _same_as_marker(here, button, binding):
        return ui.tapped(button, None), None
    if what in CONFIRMING and answers is None:
        ui = ui.dismiss_question()
    _, seat = control_of(button)
    action = action_for(binding.action, seat, None if pending is None else pending.about)
    if _leaves_digits(here, action):
        taken, meaning = _effect(here, ui, TAKE)
        if isinstance(meaning, PanelCommand):
            meaning = meaning._replace(button=button, first=True)
        return taken, meaning
    if isinstance(action, Ask):
        ui = ui.ask(question(here.table, action.what, action.about), here.now)
        return (ui.tapped(button, REPEATED) if tapped else ui), None
    if not isinstance(action, Effect):
        return ui, PanelCommand(action, button, tapped, answers, instead_of)
    ui, effect = _effect(here, ui, action)
    repeats = action.what == "take" or _answered(answers, ui.pending(here.table))
    if isinstance(effect, PanelCommand):
        return ui, effect._replace(button=button, tapped=tapped, repeats=repeats)
    return (ui.tapped(button, REPEATED if repeats else None) if tapped else ui), effect


def _effect(here: Situation, ui: Ui, effect: Effect) -> Meaning:
    """Return the next ui after an effect, and what is left for the hub to do, if anything.

    An effect that does not concern the ui is returned as it is. Dialling may give a command; a
    refusal of it is returned, not raised.
    """
    if effect.what in DIALLING:
        if effect.what in ("hidden", "in-play"):
            ui = replace(ui, dial=ui.dial.untapped())
        try:
            dial, command = ui.dial.press(effect, here.game, here.table)
        except Refused as refusal:
            # Another press came between: the next `advance` is no second try.
            tried = ui.dial.tried and effect.what == "take"
            return replace(ui, dial=replace(ui.dial, tried=tried)), refusal
        if command is not None:
            return replace(ui, dial=dial), PanelCommand(command, "", dialled=True)
        # After another digit, the next `advance` takes a new number.
        dial = dial.follow(here.game, here.table)
        ui = replace(ui, dial=dial, notice=None, first_taps={})
        return ui, Effect("count") if effect.what in ("count", "in-play") else None
    match effect.what:
        case "whistle":
            return ui, None  # It sounded when it was pressed.
        case "never-mind":
            return ui.drop_question(here.now), None
        case "forget-phones" | "gentle":
            return ui.dismiss_question(), effect
        case "parade" if ui.parade is not None and here.now < ui.parade.ends:
            return replace(ui, parade=ui.parade.moved_on(here.now)), None
    return ui, effect


def _too_late(here: Situation, button: str, kind: GestureKind) -> Refused | None:
    """Return a refusal of a press meant for a question, or a hand, that has just gone.

    None for any other press.
    """
    ui, panel = here.ui, panel_of(here.game)
    if panel.is_late(here, button, kind):
        return Refused("Too late: the question is over. Nothing was changed.")
    if ui.lost_hand is None or ui.pressed_at >= ui.lost_hand.until or kind == "hold":
        return None
    binding, (_, seat) = panel.find(here, button, kind), control_of(button)
    typing = binding is not None and getattr(binding.action, "what", "") in TYPING
    if typing or (seat and here.counted_hand() is None and here.table.phase != "playing"):
        name = here.table.name(ui.lost_hand.hand.seat)
        return Refused(
            "Too late: {name}'s hand is no longer being counted. Wait a moment.", name=name
        )
    return None


def _same_press(here: Situation, button: str, binding: Binding) -> bool:
    """Return True if the open question has just come: another finger meant the same as the first.

    Only for an answer that takes the question back, but by undo, or that leaves hands missing.
    """
    repeats = binding.action == NEVER_MIND or binding.when == "uncounted"
    return repeats and button != "undo" and here.now < here.ui.asked_at + SAME_PRESS


def _same_as_marker(here: Situation, button: str, binding: Binding) -> bool:
    """Return True if the marker of the button's seat has just said what the button would."""
    _, seat = control_of(button)
    if not here.ui.markers.same_move(seat, here.now):
        return False
    moved = panel_of(here.game).find(here, f"dock-{seat}", "lift")
    return moved is not None and type(moved.action) is type(binding.action)


def _leaves_digits(here: Situation, action: Action) -> bool:
    """Return True if digits are typed for a hand that is no longer counted after this action."""
    if here.ui.dial.typed == NOTHING or here.counted_hand() is None:
        return False
    if isinstance(action, Effect) and action.what == "count":
        try:
            hand = here.ui.dial.next_hand(here.game, here.table, action.seat)
        except Refused:
            return False
        return hand != here.ui.dial.hand
    return isinstance(action, Command) or action == Effect("shutdown")


def _answered(what: What | None, pending: Question | None) -> bool:
    return what is not None and (pending is None or pending.what != what)
