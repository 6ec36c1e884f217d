// Questions and menus: who went out, a seat's menu, the game's menu.

import { draw, html, icon, listen, openDialog } from "./dom.js";
import { live, send } from "./live.js";
import { complain, done, hush } from "./page.js";
import { badge, playing, seatOf } from "./players.js";
import { double, say, t, title, word } from "./words.js";

const dialog = document.getElementById("dialog");
let answered = null;

listen(dialog, {
  close: () => dialog.close(),
  command: async (source) => {
    const command = JSON.parse(source.dataset.command);
    dialog.close();
    if (answered) await answered(command);
    else await order(command, "seen" in source.dataset);
  },
  sure: (source) => ask(source.dataset.words, [[JSON.parse(source.dataset.command), t("yes")], [null, t("no")]]),
  penalty: (source) => penalties(Number(source.dataset.seat)),
  rename: (source) => rename(Number(source.dataset.seat), source.dataset.type),
  renamed: async (form) => {
    const { seat, type } = form.dataset;
    const name = new FormData(form).get("name");
    if (await done(send({ type, seat: Number(seat), name }))) dialog.close();
  },
  join: async (form) => {
    const name = new FormData(form).get("name");
    if (await order({ type: "join", name })) dialog.close();
  },
  rounds: async (form) => {
    const value = Number(new FormData(form).get("rounds"));
    if (await done(send({ type: "change-rule", setting: "rounds", value }))) dialog.close();
  },
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

/** Send a command; if the table asks a question, show it and send the command with the answer. */
export async function order(command, seen = false) {
  const answer = await send(command, seen);
  if (answer.error?.code === "asks") {
    ask(say(answer.error.said), answers(command, answer.error.said.facts));
    return false;
  }
  if (answer.error) {
    complain(answer.error);
    return false;
  }
  hush();
  return true;
}

/** The possible answers, each as the command with the answer in the right field. */
function answers(command, { what, seats }) {
  if (what === "whistled") {
    return [...seats.map((seat) => [{ ...command, whose: seat }, seatOf(live.state, seat)?.name]),
      [{ ...command, whose: 0 }, t("nobody")]];
  }
  const yes = [{ ...command, [what]: true }, t("yes")];
  return [yes, what === "drawn" ? [{ ...command, drawn: false }, t("no")] : [null, t("no")]];
}

function ask(words, choices) {
  answered = null;
  show(words, html`<div class="choices">${choices.map(([command, said]) => (command
    ? commandButton(command, said) : html`<button data-do="close">${said}</button>`))}</div>`);
}

function show(heading, body) {
  dialog.querySelectorAll("form").forEach((form) => form.remove());
  draw(dialog, html`<div class="sheet-of-paper">
    <div class="heading"><h2 id="dialog-title" tabindex="-1" autofocus>${heading}</h2>
      <button class="small quiet-button" data-do="close" aria-label="${t("close")}">${icon("close")}</button></div>
    ${body}</div>`);
  openDialog(dialog);
  dialog.querySelector("#dialog-title").focus();
}

const commandButton = (command, words, kind = "", seen = false) => html`
  <button class="${kind}" data-do="command" data-command="${JSON.stringify(command)}"
    ${seen ? "data-seen" : ""}>${words}</button>`;

const people = (command) => playing(live.state).map((seat) =>
  commandButton(command(seat), html`${badge(seat.seat)} ${seat.name}`));

/** Ask who went out; `then` sends the answer. */
export function whoWentOut(then) {
  answered = then;
  show(t("who.out"), html`<div class="choices">
    ${people((seat) => ({ type: "go-out", seat: seat.seat }))}
    ${live.state.counts.on_double ? playing(live.state).map((seat) =>
      commandButton({ type: "go-out", seat: seat.seat, on_double: true }, t("out.double", seat))) : ""}
    ${commandButton({ type: "block" }, t("nobody.out"), "wide")}
  </div>`);
}

/** Ask who starts, if the player proposed does not. */
export function whoStarts() {
  answered = null;
  show(t("who.starts"), html`<div class="choices">
    ${people((seat) => ({ type: "designate-starter", seat: seat.seat }))}
    ${commandButton({ type: "draw-starter" }, t("deed.draw-starter"), "wide")}
  </div>`);
}

/** Ask who holds the called double, where the hands decide the engine. */
export function whoHolds() {
  answered = null;
  show(t("who.holds", { double: double(live.state.asks.double) }), html`<div class="choices">
    ${people((seat) => ({ type: "set-engine", seat: seat.seat }))}
    ${commandButton({ type: "pass-engine" }, t("nobody.holds"), "wide")}
  </div>`);
}

/** A seat's menu of rare actions; frequent ones have buttons at the seat. */
export function seatMenu(number) {
  const seat = seatOf(live.state, number);
  const { state } = live;
  answered = null;
  show(html`${badge(number)} ${seat.name}`, html`
    <div class="choices">${state.phase === "playing" ? offers(number) : ""}
      ${state.phase === "playing" && state.starter !== number && playing(state).length > 1
        ? commandButton({ type: "designate-starter", seat: number }, t("deed.designate-starter")) : ""}</div>
    <div class="choices other">
      ${state.phase === "playing" || state.phase === "scoring" ? html`<button data-do="penalty" data-seat="${number}">${t("penalty")}</button>` : ""}
      <button data-do="rename" data-type="substitute" data-seat="${number}">${t("substitute")}</button>
      <button data-do="rename" data-type="rename" data-seat="${number}">${t("rename")}</button>
      ${seat.parked ? commandButton({ type: "return", seat: number }, t("return")) : commandButton({ type: "park", seat: number }, t("park"))}
      ${sure({ type: "leave", seat: number }, t("leave"), t("leave.sure", seat))}
    </div>`);
}

const sure = (command, words, question) => html`<button data-do="sure" data-words="${question}"
  data-command="${JSON.stringify(command)}">${words}</button>`;

/** Everything that the game offers at a seat, in full words. */
const offers = (place) => live.state.offers.filter(({ number }) => !number).map((offer) => {
  if (!Object.values(offer.command).includes("{seat}")) return "";
  const on = live.state.on[offer.command.type]?.includes(place);
  const words = on ? offer.off : offer.words;
  const command = JSON.parse(JSON.stringify(on ? offer.back : offer.command).replaceAll('"{seat}"', String(place)));
  return words ? commandButton(command, title(word(words)), "", true) : "";
});

function penalties(number) {
  const kinds = ["draw", "keep", "points", "skip"];
  show(t("penalty.for", seatOf(live.state, number)), html`<div class="choices">
    ${kinds.map((kind) => commandButton({ type: "penalize", seat: number, kind }, t(`penalty.${kind}`)))}
  </div>`);
}

/**
 * Rename a seat, or seat somebody else.
 * @param {import("./dom.js").Safe | string} further
 */
function rename(number, type, further = "") {
  const seat = seatOf(live.state, number);
  answered = null;
  show(t(type), html`<form data-do="renamed" data-seat="${number}" data-type="${type}">
    <label for="new-name">${t(`${type}.label`, seat)}</label>
    <input id="new-name" name="name" value="${type === "rename" ? seat.name : ""}" maxlength="40" autocomplete="off" required>
    <button class="main">${t("keep")}</button></form>${further}`);
}

/** Rename or free a seat before the game. */
export function person(number) {
  rename(number, "rename", commandButton({ type: "leave", seat: number }, t("setup.free", seatOf(live.state, number))));
  /** @type {HTMLInputElement} */ (document.getElementById("new-name")).select();
}

/** The menu of the whole game. */
export function gameMenu() {
  const { state } = live;
  const on = state.phase === "playing" || state.phase === "scoring";
  answered = null;
  show(t("game.menu"), html`
    <p><a class="button" href="/rules#${state.phase}">${t("what.now")}</a></p>
    ${on ? html`<form class="add other" data-do="join">
      <label for="late">${t("late.label")}</label>
      <input id="late" name="name" maxlength="40" autocomplete="off" required>
      <button>${t("late.join")}</button></form>` : ""}
    ${on && state.rounds !== null && state.rounds > state.round ? html`<form class="add other" data-do="rounds">
      <label for="rounds">${t("rounds.label", state)}</label>
      <input id="rounds" name="rounds" type="number" inputmode="numeric" min="${state.round}" max="${state.rounds}" value="${state.rounds}" required>
      <button>${t("rounds.change")}</button></form>` : ""}
    <div class="choices other">
      ${state.phase === "playing" && playing(state).length > 1 ? commandButton({ type: "draw-starter" }, t("deed.draw-starter")) : ""}
      ${on ? sure({ type: "finish-game" }, t("finish"), t("finish.sure")) : ""}
    </div>`);
}
