// Questions: who went out, what happened at a seat, what happened at the table.

import { draw, html, icon, listen, openDialog } from "./dom.js";
import { keypad } from "./keypad.js";
import { live, send } from "./live.js";
import { done } from "./page.js";
import { double, t, title, word } from "./words.js";

const dialog = document.getElementById("dialog");

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
  number: ({ dataset: { seat, command, number, words } }) => {
    dialog.close();
    keypad.number(Number(seat), JSON.parse(command), number, words);
  },
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

/** What the game offers at a seat, or at the table as a whole (0): each says what it would do now. */
const offers = (place) => live.state.offers.map(({ words, off, command, number }) => {
  const forSeat = Object.values(command).includes("{seat}");
  const now = live.state.on[command.type]?.includes(place) ? off : words;
  if (!now || forSeat !== place > 0) return "";
  const order = Object.fromEntries(
    Object.entries(command).map(([key, value]) => [key, value === "{seat}" ? place : value]));
  return number ? html`<button data-do="number" data-number="${number}" data-seat="${place}"
    data-command="${JSON.stringify(order)}" data-words="${word(now)}">${word(now)} …</button>`
    : deed(order, title(word(now)), "", true);
});

/** What can happen at a seat. */
export function seatDialog(number) {
  const seat = seatOf(number);
  const { state } = live;
  const playing = (type) =>
    state.phase === "playing" ? deed({ type, seat: number }, t(`deed.${type}`), "", true) : "";
  show(seat.name, html`
    <div class="choices">
      ${offers(number)}
      ${playing(seat.last_tile ? "take-back-last-tile" : "call-last-tile")}
      ${state.starter === number ? "" : playing("designate-starter")}
      ${playing("catch")}
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
export function tableDialog() {
  const { state } = live;
  show(state.siding.name ? word(state.siding.name) : t("table.deeds"), html`
    <div class="choices">${offers(0)}</div>
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
