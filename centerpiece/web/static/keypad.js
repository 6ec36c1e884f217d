// Counting a hand: by digits with a running sum, tile by tile, or from a photograph.

import { draw, html, icon, listen, openDialog } from "./dom.js";
import { live, send } from "./live.js";
import { hosting } from "./mine.js";
import { complain, hush } from "./page.js";
import { badge, missing as missingNow, playing as playingNow, seatOf } from "./players.js";
import { halfPicker, tile } from "./tile.js";
import { say, t } from "./words.js";

const dialog = document.getElementById("keypad");
const MOST_DIGITS = 4;

let task = null; // {kind: "enter" | "correct" | "number", seat, round}
let typed = "";
let terms = [];
let hand = [];
let first = null; // The first half of a tile, until its other half is picked.
let byTiles = false;
const NOTHING = { double_blank: false, hidden: false, blanks: 0, doubles: 0, tiles: null };
let extras = { ...NOTHING };
let question = null;
let busy = false;
let typedAhead = []; // Actions pressed while waiting for the hub's answer.

/** Run an action now, or once the hub has answered, so that quick typing loses nothing. */
function soon(action) {
  if (busy) typedAhead.push(action);
  else action();
}

const fresh = () => { typed = ""; terms = []; hand = []; first = null; question = null; extras = { ...NOTHING }; };
const missing = () => missingNow(live.state);
const playing = () => playingNow(live.state).map(({ seat }) => seat);
const sum = () => terms.reduce((all, term) => all + term, 0) + Number(typed || 0);

/** Seats in clockwise order, from the one after `after`. */
const clockwise = (seats, after) => [...seats].sort((a, b) => Number(a <= after) - Number(b <= after) || a - b);

export const keypad = {
  /** Count a seat's hand; without a seat, all missing ones in turn. */
  open(seat = null, byItself = false) {
    const next = seat ?? clockwise(missing(), live.state.out ?? 0)[0] ?? playing()[0];
    start({ kind: "enter", seat: next, round: live.state.round, byItself });
  },
  /** Correct a player's score of a round. */
  correct(round, seat) {
    const now = round === live.state.round && live.state.phase === "scoring";
    start({ kind: now ? "enter" : "correct", seat, round });
  },
  /** Ask for a number in a field of a command. */
  number(seat, order, field, words) {
    start({ kind: "number", seat, round: live.state.round, order, field, words });
  },
  /** Redraw after a change of the table. */
  refresh() {
    if (!dialog.open) return;
    const counted = task.byItself && !typed && !hand.length && !missing().includes(task.seat);
    if (task.kind === "enter" && (counted || live.state.phase !== "scoring")) dialog.close();
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
  plus: () => soon(plus),
  half: (source) => soon(() => pick(Number(source.dataset.half))),
  drop: (source) => { hand.splice(Number(source.dataset.at), 1); show(); },
  way: (source) => { byTiles = source.value === "tiles"; first = null; show(); },
  extra: (source) => { extras[source.dataset.extra] = source.checked; show(); },
  count: (source) => { extras[source.dataset.extra] = Number(source.value) || NOTHING[source.dataset.extra]; },
  seat: (source) => soon(() => move(Number(source.dataset.seat))),
  out: () => soon(() => give(command(0, question !== null))),
  enter: () => soon(() => enter()),
  confirm: () => soon(() => enter(true)),
  deny: () => { question = null; show(); focusDisplay(); },
  camera: async () => (await import("./photo.js")).makeReady(),
  photo: (source) => photograph(source),
  close: () => dialog.close(),
});
dialog.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey) return;
  const { key } = event;
  if (/^\d$/.test(key) && !tiled()) soon(() => type(key));
  else if (key === "+") soon(plus);
  else if (key === "Backspace") soon(back);
  else if (key === "Enter" && !event.target.matches("button:not(.digit)")) soon(() => enter(question !== null));
  else if (key === "ArrowRight" || key === "ArrowDown") soon(() => move(beside(1)));
  else if (key === "ArrowLeft" || key === "ArrowUp") soon(() => move(beside(-1)));
  else return;
  event.preventDefault();
});
dialog.addEventListener("close", hush);

const tiled = () => byTiles && task.kind !== "number";

function back() {
  if (tiled()) first === null ? hand.pop() : (first = null);
  else if (typed) typed = typed.slice(0, -1);
  else if (terms.length) typed = String(terms.pop());
  show();
}

function type(digit) {
  if (typed.length < MOST_DIGITS) typed = typed === "0" ? digit : typed + digit;
  question = null;
  show();
}

function plus() {
  if (typed === "") return;
  terms.push(Number(typed));
  typed = "";
  show();
}

// Tiles

const same = (one, other) => one[0] === other[0] && one[1] === other[1];
const ordered = (a, b) => (a < b ? [a, b] : [b, a]);

/** The tiles of the round's other hands, with their holders' names. */
const heldByOthers = () => live.state.hands
  .filter(({ round, seat }) => round === task.round && seat !== task.seat)
  .map(({ seat, tiles }) => ({ name: seatOf(live.state, seat).name, tiles }));

/** True if a tile cannot be in this hand: it is in it already, in another one, or the engine. */
function taken(pair) {
  const engine = engineOf(live.state);
  return same(pair, [engine, engine]) || hand.some((held) => same(held, pair))
    || heldByOthers().some(({ tiles }) => tiles.some((held) => same(held, pair)));
}

/** @param {State} state */
const engineOf = (state) => (task.round === state.round ? state.engine : state.engines[task.round - 1]);

function pick(half) {
  if (first === null) first = half;
  else {
    const pair = ordered(first, half);
    if (!taken(pair)) hand.push(pair);
    first = null;
  }
  question = null;
  show();
}

/** Count this hand from a picture; its module is loaded meanwhile. */
async function photograph(source) {
  const [file] = source.files;
  source.value = "";
  if (!file) return;
  const { countFrom } = await import("./photo.js");
  const engine = engineOf(live.state);
  await countFrom(file, {
    name: seatOf(live.state, task.seat).name, set: live.state.set,
    engine: Number.isInteger(engine) ? engine : null, held: heldByOthers(),
    take: (tiles) => { byTiles = true; hand = tiles; first = null; show(); soon(() => enter()); },
  });
}

// Sending, and the next hand

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

function enter(confirm = false) {
  const empty = tiled() ? !hand.length : typed === "" && !terms.length;
  if (empty && !extras.hidden && !extras.double_blank) {
    complain({ said: { template: t(tiled() ? "tiles.empty" : "keypad.empty") } });
    return;
  }
  give(command(sum(), confirm));
}

function command(number, confirm) {
  const { seat, round, kind } = task;
  if (kind === "number") return { ...task.order, [task.field]: number };
  const counted = hand.length ? { seat, hand, confirm } : { seat, pips: number, confirm, ...extras };
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

/** Go to the next missing hand, clockwise; only the host counts for all. */
function advance() {
  const left = missing().filter((seat) => seat !== task.seat);
  if (task.kind !== "enter" || !left.length || !hosting(live.state)) dialog.close();
  else move(clockwise(left, task.seat)[0]);
}

// Rendering

function show() {
  const seat = seatOf(live.state, task.seat);
  if (!seat) return;
  dialog.setAttribute("aria-label", t("keypad"));
  draw(dialog, html`<div class="keypad">
    <div class="heading">
      <div><h2>${badge(task.seat)} ${seat.name}</h2><p class="quiet">${task.words ?? t(`keypad.${task.kind}`, task)}</p></div>
      <button class="small quiet-button" data-do="close" aria-label="${t("close")}">${icon("close")}</button>
    </div>
    ${task.kind === "number" ? "" : html`<div class="ways" role="radiogroup" aria-label="${t("keypad.way")}">
      ${way("number", !byTiles)}${way("tiles", byTiles)}
      <label class="way" data-do="camera">${icon("camera")} <input type="file" accept="image/*" capture="environment" data-do="photo"> ${t("keypad.by.photo")}</label></div>`}
    ${readout(seat)}
    ${question ? html`<div class="question" role="alert"><p>${say(question.said)}</p>
      <button class="main" data-do="confirm">${t("confirm")}</button>
      <button data-do="deny">${t("deny")}</button></div>` : html`${tiled() ? picker() : keys()}
    ${task.kind === "number" || tiled() ? "" : further()}`}
    ${task.kind === "enter" && hosting(live.state) ? html`<div class="missing"><p class="quiet">${t("keypad.who")}</p><ul class="chips">${playing().map((number) => chip(number))}</ul></div>` : ""}
  </div>`);
}

const way = (kind, on) => html`<label class="way"><input type="radio" name="way" value="${kind}" data-do="way" ${on ? "checked" : ""}> ${t(`keypad.by.${kind}`)}</label>`;

function readout(seat) {
  const score = seat.scores[task.round - 1];
  const known = task.kind !== "number" && score !== null && score !== undefined;
  const total = hand.reduce((all, [one, other]) => all + one + other, 0);
  const now = tiled() ? (hand.length ? total : "") : typed === "" && !terms.length ? "" : sum();
  const steps = tiled() ? "" : terms.length ? `${[...terms, ...(typed ? [typed] : [])].join(" + ")}${typed ? " =" : " +"}` : "";
  return html`<output class="display" tabindex="-1" aria-live="polite" aria-label="${t("keypad.points")}">
    <small>${steps}</small>${now !== "" ? now : html`<span class="quiet">${known ? score : "–"}</span>`}</output>`;
}

const key = (digit) => html`<button class="digit" data-do="digit" data-digit="${digit}">${digit}</button>`;

const next = () => html`<button class="main" data-do="enter">${task.kind === "enter" && missing().length > 1 && hosting(live.state) ? t("keypad.next") : t("keypad.done")}</button>`;

const keys = () => html`<div class="keys">
  ${[1, 2, 3].map(key)}<button class="digit" data-do="back" aria-label="${t("keypad.back")}">${icon("back")}</button>
  ${[4, 5, 6].map(key)}<button class="digit" data-do="plus" aria-label="${t("keypad.plus")}">+</button>
  ${[7, 8, 9].map(key)}${key(0)}${next()}</div>`;

/** Picks a tile by two taps: its halves, in any order. */
function picker() {
  return html`<ul class="hand" aria-label="${t("tiles.hand")}">${hand.map(([one, other], at) => html`
      <li><button data-do="drop" data-at="${at}" aria-label="${t("tiles.drop", { tile: `${one}-${other}` })}">${tile(one, other)}</button></li>`)}</ul>
    <p class="quiet" role="status">${first === null ? t("tiles.first") : t("tiles.second", { half: first })}</p>
    ${halfPicker(live.state.set, first, (half) => first !== null && taken(ordered(first, half)))}
    <div class="pair"><button data-do="back">${icon("back")} ${t("tiles.back")}</button>${next()}</div>`;
}

function further() {
  const { counts } = live.state;
  return html`<div class="extras">
    <button data-do="out">${t("keypad.out")}</button>
    ${counts.double_blank ? extra("double_blank", t("keypad.blank", { points: counts.double_blank })) : ""}
    ${counts.hidden ? extra("hidden", t("keypad.hidden")) : ""}
    ${counts.blank_half ? count("blanks", t("keypad.blanks", { points: counts.blank_half })) : ""}
    ${counts.doubles_twice ? count("doubles", t("keypad.doubles")) : ""}
    ${counts.tiles ? count("tiles", t("keypad.tiles")) : ""}
  </div>`;
}

const extra = (name, words) => html`<label class="check">
  <input type="checkbox" data-do="extra" data-extra="${name}" ${extras[name] ? "checked" : ""}> ${words}</label>`;

const count = (name, words) => html`<label>${words}
  <input type="number" min="0" max="999" inputmode="numeric" value="${extras[name] ?? ""}" data-do="count" data-extra="${name}"></label>`;

function chip(number) {
  const seat = seatOf(live.state, number);
  const open = missing().includes(number);
  const words = open ? t("keypad.missing", seat) : t("keypad.has", { name: seat.name, score: seat.scores.at(-1) });
  return html`<li><button class="chip ${open ? "is-missing" : ""}" data-do="seat" data-seat="${number}"
    ${number === task.seat ? html`aria-current="true"` : ""} aria-label="${words}">${seat.name} <b>${open ? "–" : seat.scores.at(-1)}</b></button></li>`;
}
