// Questions: who went out, what happened at a seat, what happened at the table.

import { draw, html, icon, listen, openDialog } from "./dom.js";
import { keypad } from "./keypad.js";
import { ask, live, send } from "./live.js";
import { done } from "./page.js";
import { double, has, t, title, word } from "./words.js";

const dialog = document.getElementById("dialog");
let panel = { game: null, rows: [] };

listen(dialog, {
  close: () => dialog.close(),
  command: async (source) => {
    const command = JSON.parse(source.dataset.command);
    if (await done(send(command, "seen" in source.dataset))) dialog.close();
  },
  penalty: (source) => penalties(Number(source.dataset.seat)),
  rename: (source) => rename(Number(source.dataset.seat), source.dataset.type),
  renamed: async (form) => {
    const { seat, type } = form.dataset;
    const name = new FormData(form).get("name");
    if (await done(send({ type, seat: Number(seat), name }))) dialog.close();
  },
  award: (source) => { dialog.close(); keypad.award(Number(source.dataset.seat)); },
  join: async (form) => {
    const name = new FormData(form).get("name");
    if (await done(send({ type: "join", name }))) dialog.close();
  },
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

function show(heading, body) {
  dialog.querySelectorAll("form").forEach((form) => form.remove());
  draw(dialog, html`<div class="sheet-of-paper">
    <div class="heading"><h2 id="dialog-title" tabindex="-1" autofocus>${heading}</h2>
      <button class="small" data-do="close" aria-label="${t("close")}">${icon("close")}</button></div>
    ${body}</div>`);
  openDialog(dialog);
  dialog.querySelector("#dialog-title").focus();
}

const deed = (command, words, kind = "", seen = false) => html`
  <button class="${kind}" data-do="command" data-command="${JSON.stringify(command)}"
    ${seen ? "data-seen" : ""}>${words}</button>`;

const seatOf = (number) => live.state.seats.find((seat) => seat.seat === number);

/** The round is over: who went out? */
export function whoWentOut() {
  const playing = live.state.seats.filter((seat) => seat.plays && !seat.left);
  show(t("who.out"), html`<div class="choices">
    ${playing.map((seat) => deed({ type: "go-out", seat: seat.seat }, seat.name))}
    ${live.state.counts.on_double ? playing.map((seat) =>
      deed({ type: "go-out", seat: seat.seat, on_double: true }, t("out.double", seat))) : ""}
    ${deed({ type: "block" }, t("nobody.out"), "other")}
  </div>`);
}

/** The hands decide the double: who holds the one that is asked for? */
export function whoHolds() {
  const playing = live.state.seats.filter((seat) => seat.plays && !seat.left);
  show(t("who.holds", { double: double(live.state.asks.double) }), html`<div class="choices">
    ${playing.map((seat) => deed({ type: "set-engine", seat: seat.seat }, seat.name))}
    ${deed({ type: "pass-engine" }, t("nobody.holds"), "other")}
  </div>`);
}

/** What a game's panel offers, as the phone can send it. */
async function rows(wanted) {
  if (panel.game !== live.state.game) {
    const answer = await ask("GET", "/api/panel");
    if (!answer.error) panel = { game: live.state.game, rows: answer.panel };
  }
  const { phase } = live.state;
  return panel.rows.filter((row) =>
    row.command && row.phases.includes(phase) && holds(row.when) && wanted(row));
}

/** Some bindings mean something only while the hub asks for it, or where turns are told. */
function holds(when) {
  if (when === "turns") return live.state.turn !== null;
  return !when || live.state.asks?.what === when;
}

const ELSEWHERE = ["add-pips", "toggle-seat", "end-round", "next-round", "undo", "redo", "start",
  "open-lobby", "finish-game", "block", "go-out", "set-engine", "pass-engine", "move-seat"];
const needsSeat = (row) => Object.values(row.command).includes("{seat}");

/** The words on a button: what it would do now. */
function label(row, on) {
  const key = `deed.${row.command.type}`;
  if (on && has(`${key}.off`)) return t(`${key}.off`);
  return has(key) ? t(key) : title(word(row.words));
}

const forSeat = (command, seat) => Object.fromEntries(
  Object.entries(command).map(([key, value]) => [key, value === "{seat}" ? seat : value]));

const isOn = (type, place) => (type === "toggle-marker" && place.marker)
  || (type === "toggle-double" && place.open_double);

/** What can happen at a seat. */
export async function seatDialog(number) {
  const seat = seatOf(number);
  const { state } = live;
  const offered = await rows((row) => needsSeat(row) && !ELSEWHERE.includes(row.command.type)
    && (row.control === "seat" || row.asks));
  const kinds = new Set();
  const fresh = offered.filter(({ command }) => !kinds.has(command.type) && kinds.add(command.type)
    && !(command.type === "call-last-tile" && seat.last_tile)
    && !(command.type === "designate-starter" && state.starter === number));
  show(seat.name, html`
    <div class="choices">
      ${fresh.map((row) => deed(forSeat(row.command, number), label(row, isOn(row.command.type, seat)), "", true))}
      ${state.counts.wins === "highest" ? html`<button data-do="award" data-seat="${number}">${t("deed.award")}</button>` : ""}
    </div>
    <div class="choices other">
      <button data-do="penalty" data-seat="${number}">${t("penalty")}</button>
      <button data-do="rename" data-type="substitute" data-seat="${number}">${t("substitute")}</button>
      <button data-do="rename" data-type="rename" data-seat="${number}">${t("rename")}</button>
      ${seat.parked ? deed({ type: "return", seat: number }, t("return")) : deed({ type: "park", seat: number }, t("park"))}
      ${deed({ type: "leave", seat: number }, t("leave"))}
    </div>`);
}

function penalties(number) {
  const kinds = ["draw", "keep", "points", "skip"];
  show(t("penalty.for", seatOf(number)), html`<div class="choices">
    ${kinds.map((kind) => deed({ type: "penalize", seat: number, kind }, t(`penalty.${kind}`)))}
  </div>`);
}

/** Who sits there: another name, or somebody else. */
export function rename(number, type) {
  const seat = seatOf(number);
  show(t(type), html`<form data-do="renamed" data-seat="${number}" data-type="${type}">
    <label for="new-name">${t(`${type}.label`, seat)}</label>
    <input id="new-name" name="name" value="${type === "rename" ? seat.name : ""}" maxlength="40" autocomplete="off" required>
    <button class="main">${t("keep")}</button></form>`);
}

/** What can happen at the table as a whole. */
export async function tableDialog() {
  const { state } = live;
  const offered = await rows((row) => !needsSeat(row) && row.control === "train"
    && !ELSEWHERE.includes(row.command.type));
  const place = state.train;
  show(state.game === "mexican-train" ? t("train") : t("table.deeds"), html`
    <div class="choices">${offered
      .filter(({ command }) => !(command.type === "start-train" && place.started))
      .map((row) => deed(row.command, label(row, isOn(row.command.type, place)), "", true))}</div>
    <form class="other" data-do="join">
      <label for="late">${t("late.label")}</label>
      <input id="late" name="name" maxlength="40" autocomplete="off" required>
      <button>${t("late.join")}</button></form>
    <div class="choices other">
      ${state.phase === "playing" ? deed({ type: "draw-starter" }, t("deed.draw-starter")) : ""}
      ${state.can_redo ? deed({ type: "redo" }, t("redo"), "", true) : ""}
      ${deed({ type: "finish-game" }, t("finish"))}
    </div>`);
}
