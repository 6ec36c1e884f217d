// The keypad: one player at a time, big digits, and who is still missing.

import { draw, html, icon, listen, openDialog } from "./dom.js";
import { live, send } from "./live.js";
import { complain, hush } from "./page.js";
import { say, t } from "./words.js";

const dialog = document.getElementById("keypad");
const MOST_DIGITS = 4;

let task = null; // {kind: "enter" | "correct" | "number", seat, round}
let typed = "";
const NOTHING = { double_blank: false, hidden: false, blanks: 0, doubles: 0, tiles: null };
let extras = { ...NOTHING };
let question = null;
let busy = false;
let typedAhead = []; // What was pressed while the hub had not answered yet.

/** Do it now, or as soon as the hub has answered: a quick typist loses nothing. */
function soon(deed) {
  if (busy) typedAhead.push(deed);
  else deed();
}

const fresh = () => { typed = ""; question = null; extras = { ...NOTHING }; };
const seatOf = (number) => live.state.seats.find((seat) => seat.seat === number);
const missing = () => live.state.missing.find(({ round }) => round === live.state.round)?.seats ?? [];
const playing = () => live.state.seats.filter((seat) => seat.plays && !seat.left).map(({ seat }) => seat);

export const keypad = {
  /** Score the round: begin with the first player whose score is missing. */
  open() {
    const first = missing()[0] ?? playing()[0];
    start({ kind: "enter", seat: first, round: live.state.round });
  },
  /** Change what a player scored in some round. */
  correct(round, seat) {
    const now = round === live.state.round && live.state.phase === "scoring";
    start({ kind: now ? "enter" : "correct", seat, round });
  },
  /** Whatever number an order wants in one of its fields. */
  number(seat, order, field, words) {
    start({ kind: "number", seat, round: live.state.round, order, field, words });
  },
  /** The table has changed: draw again what depends on it. */
  refresh() {
    if (!dialog.open) return;
    if (task.kind === "enter" && live.state.phase !== "scoring") dialog.close();
    else show();
  },
};

function start(what) {
  task = what;
  fresh();
  show();
  openDialog(dialog);
  focusDisplay();
}

const focusDisplay = () => dialog.querySelector(".display").focus();

listen(dialog, {
  digit: (source) => soon(() => type(source.dataset.digit)),
  back: () => soon(back),
  extra: (source) => { extras[source.dataset.extra] = source.checked; show(); },
  count: (source) => { extras[source.dataset.extra] = Number(source.value) || NOTHING[source.dataset.extra]; },
  seat: (source) => soon(() => move(Number(source.dataset.seat))),
  out: () => soon(wentOut),
  enter: () => soon(() => enter()),
  confirm: () => soon(() => enter(true)),
  deny: () => { question = null; show(); focusDisplay(); },
  close: () => dialog.close(),
});
dialog.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey) return;
  const { key } = event;
  if (/^\d$/.test(key)) soon(() => type(key));
  else if (key === "Backspace") soon(back);
  else if (key === "Enter" && !event.target.matches("button:not(.digit)")) soon(() => enter(question !== null));
  else if (key === "ArrowRight" || key === "ArrowDown") soon(() => move(beside(1)));
  else if (key === "ArrowLeft" || key === "ArrowUp") soon(() => move(beside(-1)));
  else return;
  event.preventDefault();
});
dialog.addEventListener("close", hush);

function back() {
  typed = typed.slice(0, -1);
  show();
}

function type(digit) {
  if (typed.length < MOST_DIGITS) typed = typed === "0" ? digit : typed + digit;
  question = null;
  show();
}

function beside(step) {
  const seats = playing();
  return seats[(seats.indexOf(task.seat) + step + seats.length) % seats.length];
}

function move(seat) {
  task = { ...task, seat };
  fresh();
  show();
  focusDisplay();
}

async function wentOut() {
  const open = !live.state.out && !live.state.blocked && task.kind === "enter";
  await give(open ? { type: "go-out", seat: task.seat } : command(0, question !== null));
}

function enter(confirm = false) {
  if (typed === "" && !extras.hidden && !extras.double_blank) {
    complain({ said: { template: t("keypad.empty") } });
    return;
  }
  give(command(Number(typed || 0), confirm));
}

function command(number, confirm) {
  const { seat, round, kind } = task;
  if (kind === "number") return { ...task.order, [task.field]: number };
  const counted = { seat, pips: number, confirm, ...extras };
  return kind === "enter" ? { type: "enter-score", ...counted } : { type: "correct-score", round, ...counted };
}

async function give(order) {
  busy = true;
  const answer = await send(order);
  busy = false;
  const ahead = typedAhead;
  typedAhead = [];
  if (answer.error?.code === "confirm") {
    question = answer.error;
    typed = String(order.pips);
    show();
    dialog.querySelector("[data-do=confirm]").focus();
  } else if (answer.error) {
    complain(answer.error);
  } else {
    hush();
    advance();
    if (dialog.open) ahead.forEach(soon);
  }
}

/** On to whoever is missing next, clockwise; or done. */
function advance() {
  const left = missing().filter((seat) => seat !== task.seat);
  if (task.kind !== "enter" || !left.length) {
    dialog.close();
    return;
  }
  move(left.find((seat) => seat > task.seat) ?? left[0]);
}

function show() {
  const seat = seatOf(task.seat);
  if (!seat) return;
  const { counts } = live.state;
  const score = seat.scores[task.round - 1];
  const known = task.kind !== "number" && score !== null && score !== undefined;
  dialog.setAttribute("aria-label", t("keypad"));
  draw(dialog, html`<div class="keypad">
    <div class="heading">
      <div><h2>${seat.name}</h2><p class="quiet">${task.words ?? t(`keypad.${task.kind}`, task)}</p></div>
      <button class="small" data-do="close" aria-label="${t("close")}">${icon("close")}</button>
    </div>
    <output class="display" tabindex="-1" aria-live="polite" aria-label="${t("keypad.points")}">${
      typed !== "" ? typed : known ? html`<span class="quiet">${score}</span>` : html`<span class="quiet">–</span>`}</output>
    ${question ? html`<div class="question" role="alert"><p>${say(question.said)}</p>
      <button class="main" data-do="confirm">${t("confirm")}</button>
      <button data-do="deny">${t("deny")}</button></div>` : html`
    <div class="keys">
      ${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => key(digit))}
      <button class="digit" data-do="back" aria-label="${t("keypad.back")}">${icon("back")}</button>
      ${key(0)}
      <button class="main" data-do="enter">${task.kind === "enter" && missing().length > 1 ? t("keypad.next") : t("keypad.done")}</button>
    </div>
    ${task.kind === "number" ? "" : html`<div class="extras">
      <button data-do="out">${t("keypad.out")}</button>
      ${counts.double_blank ? extra("double_blank", t("keypad.blank", { points: counts.double_blank })) : ""}
      ${counts.hidden ? extra("hidden", t("keypad.hidden")) : ""}
      ${counts.blank_half ? count("blanks", t("keypad.blanks", { points: counts.blank_half })) : ""}
      ${counts.doubles_twice ? count("doubles", t("keypad.doubles")) : ""}
      ${counts.tiles ? count("tiles", t("keypad.tiles")) : ""}
    </div>`}`}
    ${task.kind === "enter" ? html`<div class="missing"><p class="quiet">${t("keypad.who")}</p><ul>${playing().map((number) => chip(number))}</ul></div>` : ""}
  </div>`);
}

const key = (digit) => html`<button class="digit" data-do="digit" data-digit="${digit}">${digit}</button>`;

const extra = (name, words) => html`<label class="check">
  <input type="checkbox" data-do="extra" data-extra="${name}" ${extras[name] ? "checked" : ""}> ${words}</label>`;

const count = (name, words) => html`<label>${words}
  <input type="number" min="0" max="999" inputmode="numeric" value="${extras[name] ?? ""}" data-do="count" data-extra="${name}"></label>`;

function chip(number) {
  const seat = seatOf(number);
  const open = missing().includes(number);
  const words = open ? t("keypad.missing", seat) : t("keypad.has", { name: seat.name, score: seat.scores.at(-1) });
  return html`<li><button class="chip ${open ? "is-missing" : ""}" data-do="seat" data-seat="${number}"
    ${number === task.seat ? html`aria-current="true"` : ""} aria-label="${words}">${seat.name} <b>${open ? "–" : seat.scores.at(-1)}</b></button></li>`;
}
