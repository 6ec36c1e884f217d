// The big screen, for a television across the room: it is only looked at.

import { chart } from "./chart.js";
import { choice, choose } from "./choices.js";
import { draw, html, icon, listen } from "./dom.js";
import { ask, clockLeft, live, watch } from "./live.js";
import { about, banner, begin, invitation, minutes } from "./page.js";
import { followPairing, pairingNumber } from "./pairing_number.js";
import { badge, missing, moved, movement, name, ranked, seatOf } from "./players.js";
import { awards } from "./awards.js";
import { celebrate } from "./confetti.js";
import { followBoard } from "./presses.js";
import { signs } from "./signs.js";
import { loud, play } from "./sounds.js";
import { tile } from "./tile.js";
import { double, ordinal, say, t, title, whereIn, won, word } from "./words.js";

const app = document.getElementById("app");
const MOMENT_MS = 3_000;
const still = matchMedia("(prefers-reduced-motion: reduce)");

// On the left: the round, the rest of the game, the siding, the code for phones.

/** @param {State} state */
function stage(state) {
  const clock = clockLeft();
  const engine = (state.phase === "playing" || state.phase === "scoring") && Number.isInteger(state.engine);
  return html`<section class="stage">
    <h1>${whereIn(state)}</h1>
    ${engine ? html`<div class="face" id="engine-${state.round}">${tile(state.engine)}</div><p class="engine-name">${title(double(state.engine))}</p>` : html`<p class="engine-name">${state.title}</p>`}
    ${state.phase === "playing" && state.starter && state.turn === null ? html`<p>${t("starts", { name: name(state, state.starter) })}</p>` : ""}
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
  if (!seats.length) return html`<section class="standings empty"><p>${t("board.nobody")}</p></section>`;
  const places = moved(state);
  return html`<section class="standings rows-${seats.length}" aria-label="${t("standings")}"><ol>${seats.map((seat) => html`
    <li id="row-${seat.seat}" class="${seat.marker && state.phase === "playing" ? "is-open" : ""} ${seat.place === 1 ? "leads" : ""}">
      <span class="place">${seat.place ?? ""}</span>${badge(seat.seat)}<span class="name">${seat.name}</span>
      <span class="what">${signs(state, seat).slice(0, 2).map(([kind, key], at) => html`<span class="sign ${kind}">${icon(kind)}<span class="${at && seats.length > 5 ? "unseen" : ""}">${t(key)}</span></span>`)}</span>
      <span>${movement(places[seat.seat], t)}</span><span class="total">${state.phase === "lobby" ? "" : seat.total}</span></li>`)}</ol>
    ${trend(state, seats)}</section>`;
}

/**
 * A line chart, once three rounds are counted and if there is room for legible letters.
 * @param {State} state
 */
function trend(state, seats) {
  const room = { 1: 0.5, 2: 0.5, 3: 0.44, 4: 0.4, 5: 0.32 }[seats.length];
  const players = state.seats.filter((seat) => !seat.left && seat.scores.length >= 3);
  if (!room || !players.length || state.phase === "lobby" || innerWidth < innerHeight) return "";
  return chart(players, { width: Math.round(0.6 * innerWidth), height: Math.round(room * innerHeight), text: Math.round(0.041 * innerHeight) });
}

// At the end: a podium and awards.

let past = null;

/** @param {State} state */
function podium(state) {
  const best = ranked(state).filter((seat) => seat.place);
  const steps = [2, 1, 3].map((place) => ({ place, seats: best.filter((seat) => seat.place === place) }))
    .filter(({ seats }) => seats.length);
  return html`<section class="podium"><ol class="steps">${steps.map(({ place, seats }) => html`<li class="step-${place}">
      <p>${seats.map((seat) => html`<span class="name">${badge(seat.seat)} ${seat.name}</span>`)}</p><div><b>${place}</b><span>${seats[0].total}</span></div></li>`)}</ol>
    <ul class="awards">${awards(state, past).map(({ key, names, count }) => html`<li>${icon("cup")}<span>${t(key, { names, count })}</span></li>`)}</ul>
    ${best.length > 3 ? html`<p class="others">${best.filter((seat) => seat.place > 3).map((seat) => `${ordinal(seat.place)} ${seat.name} ${seat.total}`).join(" · ")}</p>` : ""}</section>`;
}

/** @param {State} state */
async function remember(state) {
  if (state.phase !== "finished") { past = null; return; }
  if (past?.seq === state.seq) return;
  past = { seq: state.seq, players: [] };
  const all = await ask("GET", "/api/history");
  const game = all.error ? all : await ask("GET", `/api/history/${all.games.find(({ started_at }) => started_at === state.started_at)?.number}`);
  if (!game.error && past?.seq === state.seq) { past = { seq: state.seq, players: game.players, number: game.number }; show(live); }
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
  else if (counted && !out) flash("cup", ranked(state)[0]?.seat, t("moment.leads", { names: ranked(state).filter(({ place }) => place === 1).map((seat) => seat.name) }));
  else if (out) flash("out", state.out, t("round.out", { name: name(state, state.out) }));
  else if (state.phase === "finished" && was.phase !== "finished") {
    moment = null;
    celebrate(still.matches);
  }
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
  remember(state);
  const places = new Map([...app.querySelectorAll(".standings li")].map((row) => [row.id, row.offsetTop]));
  draw(app, html`${banner()}<main id="main" class="board phase-${state.phase}">
    ${stage(state)}${state.phase === "finished" ? podium(state) : standings(state)}
    <p class="alert" role="status">${state.phase === "finished" ? won(state.winners.map((seat) => name(state, seat))) : say(state.alerts[0] ?? state.said)}</p>
    <nav class="corner" aria-label="${t("nav")}"><a href="/" aria-label="${t("nav.table")}">${icon("close")}</a>
      <button data-do="voice" aria-pressed="${String(choice("speech") === "all")}" aria-label="${t("speech.here")}">${icon("voice")}</button>
      ${about.simulated ? html`<button data-do="sound" aria-pressed="${String(sounding)}" aria-label="${t("hub.sound")}">${icon("last")}</button>` : ""}</nav>
    ${pairingNumber()}${overlay()}</main>`);
  document.title = `${whereIn(state)} · ${t("title")}`;
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
followPairing(() => show(live));
setInterval(() => {
  const place = document.getElementById("clock");
  if (place && live.state?.clock) place.textContent = minutes(clockLeft());
}, 1_000);
