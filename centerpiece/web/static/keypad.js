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

const NOTHING = { double_blank: false, hidden: false, blanks: 0, doubles: 0, tiles: null };
const KEY = "centerpiece.typed";

/** What is being typed; kept over a reload of the page, except what only this page can answer. */
const now = {
  game: null, // When the game began: what was typed belongs to it.
  task: null, // {kind: "enter" | "correct" | "number", seat, round}
  typed: "",
  terms: [],
  hand: [],
  first: null, // The first half of a tile, until its other half is picked.
  byTiles: false,
  extras: { ...NOTHING },
  ahead: [], // What was pressed while the hub was asked: [action, argument].
};
let question = null;
let busy = false;

/**
 * Run an action now, or once the hub has accepted the last one, so that quick typing loses nothing.
 * @param {string} action
 * @param {string | number | boolean} [argument]
 */
function soon(action, argument) {
  const ahead = busy || (question && now.ahead.length && action === "type");
  if (ahead) now.ahead.push([action, argument]);
  else ACTIONS[action](argument);
  if (ahead && !busy) show();
}

function keep() {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    // Private windows may refuse; a reload then forgets.
  }
}

const fresh = () => {
  Object.assign(now, { typed: "", terms: [], hand: [], first: null, extras: { ...NOTHING }, ahead: [] });
  question = null;
};
const missing = () => missingNow(live.state);
const playing = () => playingNow(live.state).map(({ seat }) => seat);
const sum = () => now.terms.reduce((all, term) => all + term, 0) + Number(now.typed || 0);

/** Seats in clockwise order, from the one after `after`. */
const clockwise = (seats, after) => [...seats].sort((a, b) => Number(a <= after) - Number(b <= after) || a - b);

export const keypad = {
  /** Count a seat's hand; without a seat, all missing ones in turn. */
  open(seat = null, byItself = false) {
    if (dialog.open && byItself) return; // It has been reloaded with what was typed.
    const next = seat ?? clockwise(missing(), live.state.out ?? 0)[0] ?? playing()[0];
    start({ kind: "enter", seat: next, round: live.state.round, byItself });
  },
  /** Correct a player's score of a round. */
  correct(round, seat) {
    const present = round === live.state.round && live.state.phase === "scoring";
    start({ kind: present ? "enter" : "correct", seat, round });
  },
  /** Ask for a number in a field of a command. */
  number(seat, order, field, words) {
    start({ kind: "number", seat, round: live.state.round, order, field, words });
  },
  /** Redraw after a change of the table. */
  refresh() {
    if (!dialog.open) return;
    const counted = now.task.byItself && !now.typed && !now.hand.length && !missing().includes(now.task.seat);
    if (now.task.kind === "enter" && (counted || live.state.phase !== "scoring")) dialog.close();
    else show();
  },
};

function start(what) {
  now.task = what;
  now.game = live.state.started_at;
  fresh();
  show();
  openDialog(dialog);
  focusDisplay();
}

const focusDisplay = () => dialog.querySelector(".display").focus();

const ACTIONS = {
  type, back, plus, pick, move, enter,
  step: (by) => move(beside(by)),
  out: () => give(command(0, question !== null)),
};

listen(dialog, {
  digit: (source) => soon("type", source.dataset.digit),
  back: () => soon("back"),
  plus: () => soon("plus"),
  half: (source) => soon("pick", Number(source.dataset.half)),
  drop: (source) => { now.hand.splice(Number(source.dataset.at), 1); show(); },
  way: (source) => { now.byTiles = source.value === "tiles"; now.first = null; show(); },
  extra: (source) => { now.extras[source.dataset.extra] = source.checked; show(); },
  count: (source) => {
    now.extras[source.dataset.extra] = Number(source.value) || NOTHING[source.dataset.extra];
    keep();
  },
  seat: (source) => soon("move", Number(source.dataset.seat)),
  out: () => soon("out"),
  enter: () => soon("enter"),
  confirm: () => soon("enter", true),
  deny: () => { question = null; show(); focusDisplay(); },
  skip: () => advance(),
  camera: async () => (await import("./photo.js")).makeReady(),
  photo: (source) => photograph(source),
  close: () => dialog.close(),
});
dialog.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey) return;
  const { key } = event;
  if (/^\d$/.test(key) && !tiled()) soon("type", key);
  else if (key === "+") soon("plus");
  else if (key === "Backspace") soon("back");
  else if (key === "Enter" && !event.target.matches("button:not(.digit)")) soon("enter", question !== null);
  else if (key === "ArrowRight" || key === "ArrowDown") soon("step", 1);
  else if (key === "ArrowLeft" || key === "ArrowUp") soon("step", -1);
  else return;
  event.preventDefault();
});
dialog.addEventListener("close", () => {
  fresh();
  sessionStorage.removeItem(KEY);
  hush();
});

const tiled = () => now.byTiles && now.task.kind !== "number";

function back() {
  if (tiled()) now.first === null ? now.hand.pop() : (now.first = null);
  else if (now.typed) now.typed = now.typed.slice(0, -1);
  else if (now.terms.length) now.typed = String(now.terms.pop());
  show();
}

function type(digit) {
  if (now.typed.length < MOST_DIGITS) now.typed = now.typed === "0" ? digit : now.typed + digit;
  question = null;
  show();
}

function plus() {
  if (now.typed === "") return;
  now.terms.push(Number(now.typed));
  now.typed = "";
  show();
}

// Tiles

const same = (one, other) => one[0] === other[0] && one[1] === other[1];
const ordered = (a, b) => (a < b ? [a, b] : [b, a]);

/** The tiles of the round's other hands, with their holders' names. */
const heldByOthers = () => live.state.hands
  .filter(({ round, seat }) => round === now.task.round && seat !== now.task.seat)
  .map(({ seat, tiles }) => ({ name: seatOf(live.state, seat).name, tiles }));

/** True if a tile cannot be in this hand: it is in it already, in another one, or the engine. */
function taken(pair) {
  const engine = engineOf(live.state);
  return same(pair, [engine, engine]) || now.hand.some((held) => same(held, pair))
    || heldByOthers().some(({ tiles }) => tiles.some((held) => same(held, pair)));
}

/** @param {State} state */
const engineOf = (state) => (now.task.round === state.round ? state.engine : state.engines[now.task.round - 1]);

function pick(half) {
  if (now.first === null) now.first = half;
  else {
    const pair = ordered(now.first, half);
    if (!taken(pair)) now.hand.push(pair);
    now.first = null;
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
    name: seatOf(live.state, now.task.seat).name, set: live.state.set,
    engine: Number.isInteger(engine) ? engine : null, held: heldByOthers(),
    take: (tiles) => { now.byTiles = true; now.hand = tiles; now.first = null; show(); soon("enter"); },
  });
}

// Sending, and the next hand

function beside(step) {
  const seats = playing();
  return seats[(seats.indexOf(now.task.seat) + step + seats.length) % seats.length];
}

function move(seat) {
  now.task = { ...now.task, seat };
  fresh();
  show();
  focusDisplay();
}

function enter(confirm = false) {
  const empty = tiled() ? !now.hand.length : now.typed === "" && !now.terms.length;
  if (empty && !now.extras.hidden && !now.extras.double_blank) {
    complain({ said: { template: t(tiled() ? "tiles.empty" : "keypad.empty") } });
    return;
  }
  give(command(sum(), confirm));
}

function command(number, confirm) {
  const { seat, round, kind } = now.task;
  if (kind === "number") return { ...now.task.order, [now.task.field]: number };
  const counted = now.hand.length ? { seat, hand: now.hand, confirm } : { seat, pips: number, confirm, ...now.extras };
  return kind === "enter" ? { type: "enter-score", ...counted } : { type: "correct-score", round, ...counted };
}

async function give(order) {
  busy = true;
  const answer = await send(order);
  busy = false;
  if (answer.error?.code === "confirm") {
    question = answer.error;
    show();
    dialog.querySelector("[data-do=confirm]").focus();
  } else if (answer.error) {
    complain(answer.error);
    show();
  } else {
    hush();
    const { ahead } = now;
    advance();
    if (dialog.open) ahead.forEach(([action, argument]) => soon(action, argument));
  }
}

/** Go to the next missing hand, clockwise; only the host counts for all. */
function advance() {
  const left = missing().filter((seat) => seat !== now.task.seat);
  if (now.task.kind !== "enter" || !left.length || !hosting(live.state)) dialog.close();
  else move(clockwise(left, now.task.seat)[0]);
}

// Rendering

function show() {
  const seat = seatOf(live.state, now.task.seat);
  if (!seat) return;
  keep();
  dialog.setAttribute("aria-label", t("keypad"));
  draw(dialog, html`<div class="keypad">
    <div class="heading">
      <div><h2>${badge(now.task.seat)} ${seat.name}</h2><p class="quiet">${now.task.words ?? t(`keypad.${now.task.kind}`, now.task)}</p></div>
      <button class="small quiet-button" data-do="close" aria-label="${t("close")}">${icon("close")}</button>
    </div>
    ${now.task.kind === "number" ? "" : html`<div class="ways" role="radiogroup" aria-label="${t("keypad.way")}">
      ${way("number", !now.byTiles)}${way("tiles", now.byTiles)}
      <label class="way" data-do="camera">${icon("camera")} <input type="file" accept="image/*" capture="environment" data-do="photo"> ${t("keypad.by.photo")}</label></div>`}
    ${readout(seat)}
    ${question ? html`<div class="question" role="alert"><p>${say(question.said)}</p>
      ${decisions()}</div>` : html`${tiled() ? picker() : keys()}
    ${now.task.kind === "number" || tiled() ? "" : further()}`}
    ${now.task.kind === "enter" && hosting(live.state) ? html`<div class="missing"><p class="quiet">${t("keypad.who")}</p><ul class="chips">${playing().map((number) => chip(number))}</ul></div>` : ""}
  </div>`);
}

/** Yes and no; where a hand is counted already, what each of them leads to. */
function decisions() {
  const { pips, now: to } = question.said.facts ?? {};
  const [yes, no] = to === undefined ? [t("yes"), t("no")]
    : [t("keypad.change", { points: to }), t("keypad.keep", { points: pips })];
  return html`<button class="main" data-do="confirm">${yes}</button>
    <button data-do="${to === undefined ? "deny" : "skip"}">${no}</button>`;
}

const way = (kind, on) => html`<label class="way"><input type="radio" name="way" value="${kind}" data-do="way" ${on ? "checked" : ""}> ${t(`keypad.by.${kind}`)}</label>`;

/** What was typed for the next hand before the hub refused this one. */
function waiting() {
  const typed = now.ahead.filter(([action]) => action === "type").map(([, digit]) => digit).join("");
  return typed && !busy ? t("keypad.ahead", { typed }) : "";
}

function readout(seat) {
  const score = seat.scores[now.task.round - 1];
  const known = now.task.kind !== "number" && score !== null && score !== undefined;
  const total = now.hand.reduce((all, [one, other]) => all + one + other, 0);
  const points = tiled() ? (now.hand.length ? total : "") : now.typed === "" && !now.terms.length ? "" : sum();
  const steps = tiled() ? "" : now.terms.length ? `${[...now.terms, ...(now.typed ? [now.typed] : [])].join(" + ")}${now.typed ? " =" : " +"}` : "";
  return html`<output class="display" tabindex="-1" aria-live="polite" aria-label="${t("keypad.points")}">
    <small>${waiting() || steps}</small>${points !== "" ? points : html`<span class="quiet">${known ? score : "–"}</span>`}</output>`;
}

const key = (digit) => html`<button class="digit" data-do="digit" data-digit="${digit}">${digit}</button>`;

const next = () => html`<button class="main" data-do="enter">${now.task.kind === "enter" && missing().length > 1 && hosting(live.state) ? t("keypad.next") : t("keypad.done")}</button>`;

const keys = () => html`<div class="keys">${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(key)}
  <button class="digit" data-do="back" aria-label="${t("keypad.back")}">${icon("back")}</button>${key(0)}
  <button class="digit" data-do="plus" aria-label="${t("keypad.plus")}">+</button>${next()}</div>`;

/** Picks a tile by two taps: its halves, in any order. */
function picker() {
  return html`<ul class="hand" aria-label="${t("tiles.hand")}">${now.hand.map(([one, other], at) => html`
      <li><button data-do="drop" data-at="${at}" aria-label="${t("tiles.drop", { tile: `${one}-${other}` })}">${tile(one, other)}</button></li>`)}</ul>
    <p class="quiet" role="status">${now.first === null ? t("tiles.first") : t("tiles.second", { half: now.first })}</p>
    ${halfPicker(live.state.set, now.first, (half) => now.first !== null && taken(ordered(now.first, half)))}
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
  <input type="checkbox" data-do="extra" data-extra="${name}" ${now.extras[name] ? "checked" : ""}> ${words}</label>`;

const count = (name, words) => html`<label>${words}
  <input type="number" min="0" max="999" inputmode="numeric" value="${now.extras[name] ?? ""}" data-do="count" data-extra="${name}"></label>`;

function chip(number) {
  const seat = seatOf(live.state, number);
  const open = missing().includes(number);
  const words = open ? t("keypad.missing", seat) : t("keypad.has", { name: seat.name, score: seat.scores.at(-1) });
  return html`<li><button class="chip ${open ? "is-missing" : ""}" data-do="seat" data-seat="${number}"
    ${number === now.task.seat ? html`aria-current="true"` : ""} aria-label="${words}">${seat.name} <b>${open ? "–" : seat.scores.at(-1)}</b></button></li>`;
}

function restore() {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  const { phase, round, started_at: game } = live.state;
  if (kept?.game !== game || !seatOf(live.state, kept.task.seat)) return;
  if (kept.task.kind === "enter" && (phase !== "scoring" || kept.task.round !== round)) return;
  Object.assign(now, kept, { ahead: [] });
  show();
  openDialog(dialog);
  focusDisplay();
}

restore();
