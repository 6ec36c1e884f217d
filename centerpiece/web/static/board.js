// The big screen, for a television across the room: it is only looked at.

import { chart } from "./chart.js";
import { choice, choose } from "./choices.js";
import { draw, html, icon, listen } from "./dom.js";
import { clockLeft, live, watch } from "./live.js";
import { ending, past } from "./ending.js";
import { about, banner, begin, invitation, minutes } from "./page.js";
import { followPairing, pairingNumber } from "./pairing_number.js";
import { added, alone, badge, missing, moved, movement, name, patience, ranked, seatOf } from "./players.js";
import { followBoard } from "./presses.js";
import { signs } from "./signs.js";
import { loud, play } from "./sounds.js";
import { tile } from "./tile.js";
import { double, say, t, title, whereIn, won, word } from "./words.js";

const app = document.getElementById("app");
const MOMENT_MS = 3_000;
const SHORT = { "sign.due": "sign.double" }; // The line below says which double is due.
const still = matchMedia("(prefers-reduced-motion: reduce)");

// On the left: the round, the rest of the game, the siding, the code for phones.

/** @param {State} state */
function stage(state) {
  const clock = clockLeft();
  const engine = (state.phase === "playing" || state.phase === "scoring") && Number.isInteger(state.engine);
  return html`<section class="stage">
    <h1>${whereIn(state)}</h1>
    ${engine ? html`<div class="face" id="engine-${state.round}">${tile(state.engine)}</div><p class="engine-name">${title(double(state.engine))}</p>` : html`<p class="engine-name">${state.title}</p>`}
    ${state.phase === "playing" && state.starter && state.turn === null && !alone(state) ? html`<p>${t("starts", { name: name(state, state.starter) })}</p>` : ""}
    ${remaining(state)}
    ${state.phase === "playing" && state.siding.name ? html`<p class="siding is-${state.siding.look}">${icon("open")}<span><strong>${word(state.siding.name)}</strong> ${word(state.siding.words)}</span></p>` : ""}
    ${clock === null ? "" : html`<p class="clock ${clock < 300 ? "soon" : ""}">${icon("late")} <time id="clock">${minutes(clock)}</time></p>`}
    ${state.phase === "lobby" ? invitation(t("board.join")) : ""}
    ${state.phase === "finished" && about.reachable && past?.number ? html`<div class="join"><img src="/api/qr.svg?game=${past.number}" alt="${t("board.sheet.code")}" width="150" height="150"><p>${t("board.sheet")}</p></div>` : ""}
  </section>`;
}

/** @param {State} state */
function remaining(state) {
  if (state.phase !== "playing" && state.phase !== "scoring") return "";
  const best = Math.max(...state.seats.map(({ total }) => total));
  if (state.counts.goal) return html`<p class="quiet">${t("board.goal", { goal: state.counts.goal, left: Math.max(0, state.counts.goal - best) })}</p>`;
  return state.rounds === null || state.rounds === 1 ? "" : html`<p class="quiet">${t("board.left", { left: state.rounds - state.round })}</p>`;
}

// On the right: standings, changes of places, all trains.

/** @param {State} state */
function standings(state) {
  const seats = ranked(state);
  if (alone(state) && state.phase !== "lobby") return left(state);
  if (!seats.length) return html`<section class="standings empty"><p>${t("board.nobody")}</p></section>`;
  const places = moved(state);
  return html`<section class="standings" aria-label="${t("standings")}"><ol>${seats.map((seat) => html`
    <li id="row-${seat.seat}" class="${seat.marker && state.phase === "playing" ? "is-open" : ""} ${seat.place === 1 ? "leads" : ""}">
      <span class="place">${seat.place ?? ""}</span>${badge(seat.seat)}<span class="name">${seat.name}</span>
      <span class="what">${signs(state, seat).slice(0, 2).map(([kind, key]) => sign(kind, t(SHORT[key] ?? key)))}</span>
      ${movement(places[seat.seat])}<span class="total">${state.phase === "lobby" ? "" : seat.total}</span></li>`)}</ol>
    ${trend(state)}</section>`;
}

const sign = (kind, words) => html`<span class="sign ${kind} ${words.length > 12 ? "is-longest" : ""}">
  ${icon(kind)}<span>${words}</span></span>`;

/**
 * The tiles, in a game of one player.
 * @param {State} state
 */
const left = (state) => html`<section class="standings empty">
  ${[...patience(state), ...state.notes.map(say)].map((line) => html`<p>${line}</p>`)}</section>`;

/**
 * A line chart in what room is left, once three rounds are counted.
 * @param {State} state
 */
function trend(state) {
  const players = state.seats.filter((seat) => !seat.left && seat.scores.length >= 3);
  return players.length && state.phase !== "lobby" ? html`<div class="plot">${chart(added(players), room)}</div>` : "";
}

// The chart's room: measured, with letters of a size that is readable from four metres.

const isWide = () => matchMedia("(min-width: 50rem) and (orientation: landscape)").matches;
let room = {};

function measure() {
  const plot = app.querySelector(".plot");
  const now = plot?.clientHeight && isWide()
    ? { width: plot.clientWidth, height: plot.clientHeight, text: Math.ceil(0.0405 * innerHeight) } : {};
  if (JSON.stringify(now) === JSON.stringify(room)) return;
  room = now;
  show(live);
}

// Moments: messages across the whole screen for three seconds.

let before = null;
let moment = null;
let momentTimer = 0;

/** @param {State} state */
function moments(state) {
  const was = before;
  before = state;
  if (!was || was.table !== state.table) return;
  const newly = (test) => state.seats.find((seat) => test(seat) && !test(seatOf(was, seat.seat) ?? {}));
  const last = state.phase === "playing" && newly((seat) => seat.last_tile);
  const double_ = state.phase === "playing" && newly((seat) => seat.open_double);
  const counted = state.phase === "scoring" && !missing(state).length && (was.phase !== "scoring" || missing(was).length);
  const out = state.phase === "scoring" && state.out && was.out !== state.out;
  if (last) flash("last", last.seat, t("moment.last", last));
  else if (double_) flash("double", double_.seat, t("moment.double", double_));
  else if (counted && !out && !alone(state)) flash("cup", ranked(state)[0]?.seat, t("moment.leads", { names: ranked(state).filter(({ place }) => place === 1).map((seat) => seat.name) }));
  else if (out) flash("out", state.out, t("round.out", { name: name(state, state.out) }));
  else if (state.phase === "finished" && was.phase !== "finished") moment = null;
}

function flash(kind, seat, words) {
  moment = { kind, seat, words };
  clearTimeout(momentTimer);
  momentTimer = setTimeout(() => { moment = null; show(live); }, MOMENT_MS);
}

const overlay = () => (moment ? html`<div class="moment ${moment.kind}" role="status">${icon(moment.kind)}
  <p>${moment.seat ? badge(moment.seat) : ""} ${moment.words}</p></div>` : "");

// Drawing: rows move to their new places.

function show({ state }) {
  if (!state) return;
  moments(state);
  const words = state.phase === "finished" && !alone(state) ? won(state.winners.map((seat) => name(state, seat))) : say(state.alerts[0] ?? state.said);
  document.documentElement.style.setProperty("--rows", String(state.seats.length));
  const places = new Map([...app.querySelectorAll(".standings li")].map((row) => [row.id, row.offsetTop]));
  draw(app, html`${banner()}<main id="main" class="board phase-${state.phase}">
    ${stage(state)}${state.phase === "finished" ? ending(state, () => show(live), { room, wide: isWide() }) : standings(state)}
    <p class="alert ${words.length > 34 ? "is-long" : ""}" role="status">${words}</p>
    <nav class="corner" aria-label="${t("nav")}"><a href="/" aria-label="${t("nav.table")}">${icon("close")}</a>
      <button data-do="voice" aria-pressed="${String(choice("speech") === "all")}" aria-label="${t("speech.here")}">${icon("voice")}</button>
      ${about.simulated ? html`<button data-do="sound" aria-pressed="${String(sounding)}" aria-label="${t("hub.sound")}">${icon("last")}</button>` : ""}</nav>
    ${pairingNumber()}${overlay()}</main>`);
  document.title = `${whereIn(state)} · ${t("title")}`;
  measure();
  if (still.matches) return;
  for (const row of app.querySelectorAll(".standings li")) {
    const from = places.get(row.id);
    if (from === undefined || from === row.offsetTop) continue;
    row.animate([{ transform: `translateY(${from - row.offsetTop}px)` }, { transform: "none" }], { duration: 700, easing: "ease-in-out" });
  }
}

let sounding = false;
let following = false;

async function sound() {
  sounding = !sounding;
  await loud(sounding);
  if (!following) {
    following = true;
    followBoard({ sound: ({ cue, volume }) => sounding && play(cue, volume) });
  }
  show(live);
}

/** Switch this screen's voice on or off. */
async function voice() {
  const on = choice("speech") !== "all";
  choose("speech", on ? "all" : undefined);
  const { hush, speak } = await import("./speech.js");
  if (on) speak(t("speech.sample"));
  else hush();
  show(live);
}

await begin();
listen(app, { sound, voice });
watch(show);
addEventListener("resize", measure);
addEventListener("load", measure);
followPairing(() => show(live));
setInterval(() => {
  const place = document.getElementById("clock");
  if (place && live.state?.clock) place.textContent = minutes(clockLeft());
}, 1_000);
