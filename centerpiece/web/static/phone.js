// The phone page: my seat and the table on top, the next action at the bottom, near the thumb.

import { draw, html, icon, listen } from "./dom.js";
import { clockLeft, live, send, watch } from "./live.js";
import { getUp, host, hosting, mySeat, sitAt } from "./mine.js";
import { about, banner, begin, done, links, minutes } from "./page.js";
import { missing, seatOf } from "./players.js";
import { gameMenu, order, seatMenu, whoHolds, whoWentOut } from "./dialogs.js";
import { more } from "./more.js";
import { tableView } from "./seats.js";
import { double, say, t, whereIn } from "./words.js";

const app = document.getElementById("app");
const lazy = {};
let shown = "";

/** Load the keypad once a game runs; the lobby does not need it. */
const keypad = (use) => import("./keypad.js").then((module) => use(module.keypad));

const tab = () => ({ "#scores": "scores", "#more": "more" })[location.hash] ?? "table";

/** A module loaded on demand; it draws nothing until then. */
function part(file) {
  if (!(file in lazy)) {
    lazy[file] = null;
    import(file).then((module) => { lazy[file] = module; show(); });
  }
  return lazy[file];
}

function show() {
  const { state } = live;
  if (!state) return;
  const place = `${state.phase} ${state.round} ${tab()}`;
  const arrived = shown !== place;
  if (arrived && state.phase === "lobby") lazy["./setup.js"]?.refresh();
  shown = place;
  draw(app, html`${header(state)}${banner()}<main id="main" class="tab-${tab()}">${body(state)}</main>${footer(state)}`);
  document.title = `${whereIn(state)} · ${t("title")}`;
  if (arrived) scrollTo(0, 0);
  if (state.phase !== "lobby") keypad((pad) => pad.refresh());
}

/** @param {State} state */
function body(state) {
  if (tab() === "more") return more(state);
  if (tab() === "scores") return part("./scores.js")?.scores(state) ?? "";
  if (state.phase === "lobby") return part("./setup.js")?.view(state) ?? html`<p>${t("loading")}</p>`;
  return tableView(state);
}

// At the top: the state of the game.

/** @param {State} state */
function header(state) {
  const left = clockLeft();
  return html`<header class="top"><h1>${whereIn(state)}</h1>
    ${left === null ? "" : html`<p class="clock ${left < 300 ? "soon" : ""}">
      <span class="unseen">${t("clock")}</span>${icon("late")} <time id="clock">${minutes(left)}</time></p>`}
    ${about.may_write && state.phase !== "lobby" ? html`<button class="small quiet-button" data-do="menu"
      aria-label="${t("game.menu")}">${icon("more")}</button>` : ""}
  </header>`;
}

function tick() {
  const place = document.getElementById("clock");
  if (place) place.textContent = minutes(clockLeft());
}

// At the bottom: the latest event, the next action, and the tabs.

/** @param {State} state */
function footer(state) {
  return html`<footer class="bottom">
    <p class="notice"><span role="status">${say(state.said)}</span>
      ${state.saved && live.connected ? html`<span class="saved">${icon("out")}${t("saved")}</span>` : ""}</p>
    ${about.may_write ? html`<div class="deeds">
      <button class="undo" data-do="undo" aria-label="${t("undo")}" ${state.undo ? "" : "disabled"}>${icon("undo")}<span>${t("undo")}</span></button>
      ${mainActions(state)}</div>`
    : html`<p class="deeds"><button class="main" data-do="pair">${t("pair.invite")}</button></p>`}
    ${links(`/#${tab()}`)}
  </footer>`;
}

const button = (action, key, facts = {}, kind = "main") =>
  html`<button class="${kind}" data-do="${action}">${t(key, facts)}</button>`;

/** @param {State} state */
function mainActions(state) {
  if (state.phase === "lobby") {
    return html`<button class="main" data-do="start" ${state.seats.length ? "" : "disabled"}>${t("start")}</button>`;
  }
  if (state.phase === "playing") return playingActions(state);
  if (state.phase === "finished") return html`${button("lobby", "lobby.open", {}, "")}${state.tie.length ? button("playoff", "playoff") : button("rematch", "rematch")}`;
  if (!state.out && !state.blocked) return button("out", "who.out");
  const open = missing(state);
  const next = state.rounds !== null && state.round >= state.rounds ? "final" : "next";
  if (!open.length) return button("next", next);
  const mine = mySeat(state);
  if (hosting(state) || !open.includes(mine)) {
    return html`${button("next", next, {}, "")}${button("score", "score", { count: open.length })}`;
  }
  return button("score", "score.mine");
}

/**
 * The actions while a round is played. An only player with a last tile will most likely go out.
 * @param {State} state
 */
function playingActions(state) {
  if (state.asks?.what === "double") return button("double", "who.holds", { double: double(state.asks.double) });
  const over = (kind) => button("out", kind === "main" ? "end" : "end.short", {}, kind);
  if (state.counts.turns && state.turn) return html`${over("")}${button("pass", "pass", seatOf(state, state.turn))}`;
  const last = state.seats.filter((seat) => seat.last_tile);
  if (last.length !== 1) return over("main");
  return html`${over("")}<button class="main" data-do="went" data-seat="${last[0].seat}">${t("went.out", last[0])}</button>`;
}

// The keypad opens by itself: for one's own hand, or for the host with all of them.

let counted = `${live.state?.round} ${live.state?.phase}`;
let hostCounts = false; // Set because an answer may arrive before the state that it led to.

function openCounting({ state }) {
  const now = state ? `${state.round} ${state.out || state.blocked ? "counts" : state.phase}` : "";
  if (now === counted) return;
  counted = now;
  if (!now.endsWith("counts") || !about.may_write || state.phase !== "scoring") return;
  const open = missing(state);
  if (hostCounts) keypad((pad) => pad.open());
  else if (!hosting(state) && open.includes(mySeat(state))) keypad((pad) => pad.open(mySeat(state), true));
  hostCounts = false;
}

async function wentOut(command) {
  hostCounts = hosting(live.state);
  if (!(await order(command))) hostCounts = false;
}

const redraw = (change) => (source) => { change(source); show(); };

await begin();
listen(app, {
  undo: () => done(send({ type: "undo" }, true)),
  pair: () => import("./pair.js").then(({ pair }) => pair(show)),
  menu: () => gameMenu(),
  seat: (source) => seatMenu(Number(source.dataset.seat)),
  mine: redraw((source) => (source.dataset.seat ? sitAt(seatOf(live.state, Number(source.dataset.seat))) : host(true))),
  host: redraw((source) => host(source.checked)),
  getup: redraw(getUp),
  command: (source) => order(JSON.parse(source.dataset.command), "seen" in source.dataset),
  number: ({ dataset: { seat, command, number, words } }) =>
    keypad((pad) => pad.number(Number(seat), JSON.parse(command), number, words)),
  out: () => whoWentOut(wentOut),
  went: (source) => wentOut({ type: "go-out", seat: Number(source.dataset.seat) }),
  score: (source) => keypad((pad) => pad.open(source.dataset.seat ? Number(source.dataset.seat) : hosting(live.state) ? null : mySeat(live.state))),
  correct: (source) => keypad((pad) => pad.correct(Number(source.dataset.round), Number(source.dataset.seat))),
  next: () => order({ type: "next-round" }, true),
  pass: () => done(send({ type: "pass-turn" }, true)),
  playoff: () => done(send({ type: "play-off" }, true)),
  rematch: () => done(send({ type: "rematch" }, true)),
  double: () => whoHolds(),
  lobby: () => done(send({ type: "open-lobby" })),
});
watch((now) => { show(); openCounting(now); });
addEventListener("hashchange", show);
setInterval(tick, 1_000);
