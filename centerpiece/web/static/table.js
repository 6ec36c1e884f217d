// The tablet in the middle of the table, as the hub: each edge faces its players. Touches go to the
// simulated board like those of buttons.

import { draw, html, icon, listen } from "./dom.js";
import { stayAwake } from "./awake.js";
import { order, person } from "./dialogs.js";
import { ending, share, shareButton } from "./ending.js";
import { clockLeft, live, questionLeft, send, watch } from "./live.js";
import { about, banner, begin, done, minutes } from "./page.js";
import { dock, listenToMarkers } from "./markers.js";
import { followPairing, pairingNumber } from "./pairing_number.js";
import { alone, badge, long, missing, name, patience, playing, ranked } from "./players.js";
import { followBoard, held, listenToPresses } from "./presses.js";
import { signs } from "./signs.js";
import { loud, play } from "./sounds.js";
import { tile } from "./tile.js";
import { double, say, t, title, whereIn, won, word } from "./words.js";

const app = document.getElementById("app");
const EDGES = ["bottom", "left", "top", "right"];
const EDGE_OF = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]; // By place, clockwise; the same before the game and in it.
const CONTROLS = { undo: "undo", train: "open", whistle: "last", advance: "next" };
const PLACES = Array.from({ length: 10 }, (_, place) => place + 1);
const HOLD_S = 0.8;
let panel = { labels: {}, holds: {}, docks: [] };
let putAway = null; // the game whose end is not to be seen again

// Seats by edge, clockwise from the bottom.

/** @param {State} state */
function places(state) {
  if (state.phase === "lobby") return PLACES.map((seat) => state.seats.find((each) => each.seat === seat) ?? { seat, free: true });
  return playing(state);
}

/** @param {State} state */
function edges(state) {
  return EDGES.map((edge) => html`<ol class="edge edge-${edge}">
    ${places(state).filter(({ seat }) => edgeOf(seat) === edge).map((seat) => card(state, seat))}</ol>`);
}

const edgeOf = (seat) => EDGES[EDGE_OF[(seat - 1) % 10]];

const label = (button, gesture) => word(panel.labels[button]?.[gesture] ?? "");

/** @param {State} state */
function card(state, seat) {
  const button = `seat-${seat.seat}`;
  const lobby = state.phase === "lobby";
  const asked = state.asks?.seats?.includes(seat.seat) || (state.asks === null && missing(state).includes(seat.seat));
  return html`<li class="place ${seat.free ? "is-free" : ""} ${seat.marker && state.phase === "playing" ? "is-open" : ""} ${asked ? "is-asked" : ""} ${seat.last_tile ? "is-last" : ""}">
    <p class="who">${badge(seat.seat)}<strong class="${seat.free ? "" : long(seat.name)}">${seat.free ? t("hub.seat", seat) : seat.name}</strong>
      ${panel.docks.includes(seat.seat) ? dock(seat) : ""}${seat.free || lobby || alone(state) ? "" : html`<b>${seat.total}</b>`}</p>
    <p class="signs">${seat.free ? "" : signs(state, seat).map(([, key]) => html`<span>${t(key)}</span>`)}</p>
    <div class="two">${lobby && !asked ? chair(seat, button) : html`${touch(button, "tap")}
      ${seat.free ? "" : touch(button, "hold")}`}</div></li>`;
}

/** Before the game: sit down here, give the seat a name, or get up. */
const chair = (seat, button) => (seat.free
  ? html`<button class="touch tap" data-button="${button}"><span>${t("table.sit")}</span></button>`
  : html`<button class="touch" data-do="name" data-seat="${seat.seat}"><span>${t("table.name")}</span></button>
    <button class="touch tap" data-button="${button}"><span>${t("table.up")}</span></button>`);

/** One of a seat's two touch areas, for tap and for hold; both press the seat's button. */
function touch(button, gesture) {
  const does = label(button, gesture);
  if (!does) return "";
  return html`<button class="touch ${gesture}" data-button="${button}" data-gesture="${gesture}"><span class="${long(does)}">${title(does)}</span>
    ${gesture === "hold" ? html`<small>${t("table.hold")}</small>` : ""}</button>`;
}

// The middle: the round and the four shared buttons, towards both sides.

/** @param {State} state */
function middle(state) {
  const left = clockLeft();
  const lobby = state.phase === "lobby";
  const drawn = Number.isInteger(state.engine) && (state.phase === "playing" || state.phase === "scoring");
  const heading = drawn ? title(double(state.engine))
    : state.phase !== "finished" ? state.title
    : alone(state) ? patience(state)[0] : won(state.winners.map((seat) => name(state, seat)));
  const side = (way) => html`<div class="side ${way}" ${way === "far" ? html`aria-hidden="true"` : ""}>
    <div class="centre"><div class="engine">${drawn ? tile(state.engine) : ""}<div>
        <strong>${heading}</strong><span>${lobby ? agreed(state) : whereIn(state)}</span>
        ${state.phase === "playing" ? facts(state).map((line) => html`<span>${line}</span>`) : ""}
        ${left === null ? "" : html`<time class="clock-text">${minutes(left)}</time>`}</div></div>
      ${standings(state)}</div>
    <p class="said ${state.question ? "is-question" : ""}" ${way === "far" ? "" : html`role="status"`}>${say(state.question?.said ?? state.said)}
      ${questionLeft() === null ? "" : html`<b class="left">${seconds()}</b>`}</p>${way === "near" ? pairingNumber() : ""}
    <div class="controls">${lobby ? html`<button class="control main" data-do="start"
      ${state.seats.length ? "" : "disabled"} ${way === "far" ? html`tabindex="-1"` : ""}>${t("start")}</button>` : ""}${Object.entries(CONTROLS).map(([button, sign]) => html`<button class="control ${button}" data-button="${button}" ${way === "far" ? html`tabindex="-1"` : ""}>
      ${icon(sign)}<span>${title(label(button, "tap") || t(`button.${button}`))}</span>${label(button, "hold") ? html`<small>${t("table.holding", { does: label(button, "hold") })}</small>` : ""}</button>`)}</div></div>`;
  return html`<section class="middle" aria-label="${t("table.middle")}">${side("far")}${side("near")}</section>`;
}

const seconds = () => Math.ceil(questionLeft() ?? 0);

/**
 * Below the round: the tiles to draw, or those of a game of one player.
 * @param {State} state
 */
const facts = (state) => (alone(state) ? patience(state).slice(0, 1) : state.hand ? [t("hand", state)] : []);

/**
 * Before the game: what will be played.
 * @param {State} state
 */
const agreed = (state) => [state.rounds && t("setup.rounds", state), t("setup.double", { size: state.set }),
  state.hand && t("hand", state)].filter(Boolean).join(" · ");

/**
 * The first five; everybody's total is at their own edge.
 * @param {State} state
 */
const standings = (state) => (state.seats.some(({ place }) => place) && !alone(state) ? html`<ol class="standings" aria-label="${t("standings")}">${ranked(state).slice(0, 5).map((seat) => html`
  <li><span>${seat.place ?? ""}</span>${badge(seat.seat)}<strong class="${long(seat.name)}">${seat.name}</strong><b>${seat.total}</b></li>`)}</ol>` : "");

/**
 * The end of the game, turned towards the winner, until it is put away.
 * @param {State} state
 */
function end(state) {
  if (state.phase !== "finished") putAway = null;
  if (state.phase !== "finished" || putAway === state.started_at) return "";
  const button = (action, key, kind = "") => html`<button class="${kind}" data-do="${action}">${t(key)}</button>`;
  const actions = html`${about.may_write ? [button("rematch", "rematch", "main"), button("lobby", "lobby.open")] : ""}${shareButton()}${button("away", "table.back")}`;
  return html`<div class="end towards-${edgeOf(state.winners[0])}">${ending(state, show, { actions, wide: true })}</div>`;
}

/**
 * The digits while a hand is counted, turned towards the counting player.
 * @param {State} state
 */
function keys(state) {
  if (!state.counting) return "";
  const edge = edgeOf(state.counting.seat);
  const digit = (number) => html`<button data-button="seat-${number || 10}">${number}</button>`;
  return html`<section class="counting towards-${edge}" aria-label="${t("keypad")}"><div>
    <div class="hand-of"><p>${badge(state.counting.seat)} <strong>${name(state, state.counting.seat)}</strong></p>
      <output>${state.counting.typed || "–"}</output>
      ${["train", "whistle"].filter((button) => label(button, "tap")).map((button) => html`
        <button data-button="${button}">${title(label(button, "tap"))}</button>`)}</div>
    <div class="digits">${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(digit)}
      <button data-button="undo" aria-label="${t("keypad.back")}">${icon("back")}</button>${digit(0)}
      <button class="main" data-button="advance">${t("keypad.next")}</button></div></div></section>`;
}

function show() {
  const { state } = live;
  if (!state) return;
  draw(app, html`<main id="main"><h1 class="unseen">${t("nav.tablet")}</h1><div class="tabletop">${banner()}${edges(state)}${middle(state)}${keys(state)}${end(state)}
    <nav class="corner" aria-label="${t("nav")}"><a class="button" href="/" aria-label="${t("table.leave")}">${icon("close")}</a>
    <button data-do="full" aria-label="${t("table.full")}">${icon("full")}</button></nav></div>
    <section class="too-small"><p>${t("table.small")}</p><a class="button" href="/">${t("table.phone")}</a></section></main>`);
  document.title = `${t("nav.tablet")} · ${t("title")}`;
  for (const button of held) hold(button, true);
}

/** Show a button as pressed, on both sides of the table. */
function hold(button, down) {
  for (const place of app.querySelectorAll(`[data-button="${button}"]`)) {
    place.style.setProperty("--hold", `${panel.holds[button] ?? HOLD_S}s`);
    place.toggleAttribute("data-down", down);
  }
}

await begin();
app.addEventListener("pointerup", () => { loud(true); stayAwake(); }, { once: true });
listen(app, {
  name: (source) => person(Number(source.dataset.seat)),
  start: async () => {
    if (await done(send({ type: "take-fitting" }))) await done(send({ type: "start" }));
  },
  full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.()),
  rematch: () => order({ type: "rematch" }, true),
  lobby: () => done(send({ type: "open-lobby" })),
  share,
  away: () => { putAway = live.state.started_at; show(); },
});
listenToPresses(app, hold);
listenToMarkers(app, show);
followBoard({
  panel: (now) => {
    panel = now;
    show();
  },
  sound: ({ cue, volume }) => play(cue, volume),
});
addEventListener("contextmenu", (event) => event.preventDefault());
watch(show);
followPairing(show);
setInterval(() => {
  for (const place of app.querySelectorAll(".clock-text")) place.textContent = minutes(clockLeft());
  for (const place of app.querySelectorAll(".left")) place.textContent = String(seconds());
}, 1_000);
