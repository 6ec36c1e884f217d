// The phone page: my seat and the table on top, the next action at the bottom, near the thumb.

import { draw, html, icon, listen } from "./dom.js";
import { clockLeft, live, questionLeft, send, watch } from "./live.js";
import { getUp, host, hosting, mySeat, sitAt, unclaimed } from "./mine.js";
import { about, banner, begin, done, links, minutes } from "./page.js";
import { alone, missing, name, seatOf } from "./players.js";
import { gameMenu, order, seatMenu, whoHolds, whoStarts, whoWentOut } from "./dialogs.js";
import { double, say, t, title, whereIn, word } from "./words.js";

const app = document.getElementById("app");
const lazy = {};
const now = {
  place: "", // The phase, round and tab that are shown.
  counted: `${live.state?.round} ${live.state?.phase}`,
  typing: "centerpiece.typed" in sessionStorage, // The keypad was used; it may show an older state.
  hostCounts: false, // Set because an answer may arrive before the state that it led to.
};

/** Load the keypad once it is used, or hands are counted. */
const keypad = (use) => import("./keypad.js").then((module) => { now.typing = true; use(module.keypad); });

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
  const arrived = now.place !== place;
  if (arrived && state.phase === "lobby") lazy["./setup.js"]?.refresh();
  now.place = place;
  draw(app, html`${header(state)}<main id="main" class="tab-${tab()}">${body(state)}</main>${footer(state)}`);
  document.title = `${whereIn(state)} · ${t("title")}`;
  if (arrived) scrollTo(0, 0);
  if (state.phase === "scoring" || now.typing) keypad((pad) => pad.refresh());
}

/**
 * True while the page asks for the phone's owner, and for nothing else.
 * @param {State} state
 */
const asksWho = (state) => about.may_write && unclaimed(state) && state.phase !== "finished";

/** @param {State} state */
function body(state) {
  if (tab() === "more") return part("./more.js")?.more(state) ?? "";
  if (tab() === "scores") return part("./scores.js")?.scores(state) ?? "";
  if (asksWho(state)) return part("./who.js")?.whoAreYou(state) ?? "";
  if (state.phase === "lobby" && !about.may_write) return part("./pair.js")?.pairing(show) ?? "";
  if (state.phase === "lobby") return part("./setup.js")?.view(state) ?? html`<p>${t("loading")}</p>`;
  const seats = part("./seats.js");
  if (state.phase !== "finished") return seats?.tableView(state) ?? html`<p>${t("loading")}</p>`;
  return part("./ending.js")?.ending(state, show, { actions: afterwards(), above: seats?.alerts(state) }) ?? "";
}

const afterwards = () => html`${lazy["./ending.js"].shareButton()}<a class="button" href="/history">${t("nav.history")}</a>`;

// At the top: the state of the game.

/** @param {State} state */
function header(state) {
  const left = clockLeft();
  return html`<header class="top"><h1>${whereIn(state)}</h1>
    ${left === null ? "" : html`<p class="clock ${left < 300 ? "soon" : ""}">
      <span class="unseen">${t("clock")}</span>${icon("late")} <time id="clock">${minutes(left)}</time></p>`}
    ${state.saved && live.connected ? html`<span class="saved">${icon("out")}<span>${t("saved")}</span></span>` : ""}
    ${about.may_write && state.phase !== "lobby" ? html`<button class="small quiet-button" data-do="menu"
      aria-label="${t("game.menu")}">${icon("more")}</button>` : ""}
  </header>`;
}

function tick() {
  const place = document.getElementById("clock");
  if (place) place.textContent = minutes(clockLeft());
  const question = document.getElementById("question-left");
  if (question) question.textContent = String(Math.ceil(questionLeft() ?? 0));
}

// At the bottom: news, undo, the next action, and the tabs. It grows upwards: no button moves.

/** @param {State} state */
function footer(state) {
  const left = questionLeft();
  // The undo button says the same sentence, unless something else was said since.
  const told = about.may_write && !asksWho(state) && say(undoing(state).told) === say(state.said);
  return html`<footer class="bottom">${banner()}
    <p class="notice ${told ? "unseen" : ""}"><span role="status">${say(state.said)}</span>
      ${left === null ? "" : html`<b class="left" id="question-left">${Math.ceil(left)}</b>`}</p>
    ${about.may_write ? actions(state)
    : state.phase === "lobby" ? ""
    : html`<p class="deeds"><button class="main" data-do="pair">${t("pair.invite")}</button></p>`}
    ${links(`/#${tab()}`)}
  </footer>`;
}

/** @param {State} state */
function actions(state) {
  if (asksWho(state)) return "";
  const { told } = undoing(state);
  const words = told ? t("undo.what", { what: say(told) }) : t("undo");
  return html`${likely(state)}<div class="deeds back">
    <button class="undo" data-do="undo" ${told ? "" : "disabled"}>${icon("undo")}<span>${words}</span></button>
    <button class="small redo" data-do="redo" ${state.redo ? "" : "disabled"}
      aria-label="${state.redo ? t("redo.what", { what: say(state.redo) }) : t("redo")}">${icon("redo")}</button></div>
    <div class="deeds" ${elsewhere(state) ? "inert" : ""}>${mainActions(state)}</div>`;
}

/**
 * True while the hub asks something that only its buttons answer.
 * @param {State} state
 */
const elsewhere = (state) => state.phase === "playing" && state.asks !== null
  && !["out", "starter", "double"].includes(state.asks.what);

/**
 * The step that Undo takes back: while hands are counted, this phone's own entry first.
 * @param {State} state
 */
function undoing(state) {
  const mine = hosting(state) ? null : mySeat(state);
  const told = mine === null ? null : state.undo_of[mine];
  return told ? { told, command: { type: "undo", seat: mine } } : { told: state.undo, command: { type: "undo" } };
}

const button = (action, key, facts = {}, kind = "main") =>
  html`<button class="${kind}" data-do="${action}">${t(key, facts)}</button>`;

/** @param {State} state */
function mainActions(state) {
  if (state.phase === "lobby") {
    return html`<button class="main" data-do="start" ${state.seats.length ? "" : "disabled"}>${t("start")}</button>`;
  }
  if (state.phase === "playing") return playingActions(state);
  if (state.phase === "finished") {
    return html`${button("lobby", "lobby.open", {}, "")}
      ${state.tie.length ? button("playoff", "playoff") : button("rematch", "rematch")}`;
  }
  if (!state.out && !state.blocked) return button("out", "who.out");
  const open = missing(state);
  const next = state.rounds !== null && state.round >= state.rounds ? "final" : "next";
  if (!open.length) return button("next", alone(state) ? "finish" : next);
  const mine = mySeat(state);
  if (hosting(state) || !open.includes(mine)) {
    return html`${button("next", next, {}, "")}${button("score", "score", { count: open.length })}`;
  }
  return button("score", "score.mine");
}

/**
 * The actions while a round is played; an open question is the only one.
 * @param {State} state
 */
function playingActions(state) {
  const asked = state.asks?.what;
  if (asked === "double") return button("double", "who.holds", { double: double(state.asks.double) });
  if (asked === "out") return button("out", "who.out");
  if (asked === "starter") {
    const starter = name(state, state.starter);
    return starter ? html`${button("starter", "starter.other", {}, "")}${button("starts", "starter.yes", { name: starter })}`
      : button("starter", "who.starts");
  }
  const over = (kind) => (alone(state) ? button("block", "end.alone", {}, kind)
    : button("out", kind ? "end" : "end.short", {}, kind));
  const pinned = state.offers.find((offer) => offer.pinned);
  if (pinned) {
    const command = JSON.stringify(pinned.command);
    return html`${over("")}<button class="main" data-do="command"
      data-command="${command}">${title(word(pinned.short))}</button>`;
  }
  if (state.counts.turns && state.turn) return html`${over("")}${button("pass", "pass", seatOf(state, state.turn))}`;
  return over("main");
}

/**
 * One more button, above the others: an only player with a last tile will most likely go out.
 * @param {State} state
 */
function likely(state) {
  const last = state.phase === "playing" && state.asks === null ? state.seats.filter((seat) => seat.last_tile) : [];
  return last.length === 1 ? html`<div class="deeds">
    <button class="likely" data-do="went" data-seat="${last[0].seat}">${t("went.out", last[0])}</button></div>` : "";
}

// The keypad opens by itself: for one's own hand, or for the host with all of them.

function openCounting({ state }) {
  const place = state ? `${state.round} ${state.out || state.blocked ? "counts" : state.phase}` : "";
  if (place === now.counted) return;
  now.counted = place;
  if (!place.endsWith("counts") || !about.may_write || state.phase !== "scoring") return;
  const open = missing(state);
  if (now.hostCounts && open.length) keypad((pad) => pad.open());
  else if (!hosting(state) && open.includes(mySeat(state))) keypad((pad) => pad.open(mySeat(state), true));
  now.hostCounts = false;
}

async function wentOut(command) {
  now.hostCounts = hosting(live.state);
  if (!(await order(command))) now.hostCounts = false;
}

const redraw = (change) => (source) => { change(source); show(); };

await begin();
listen(app, {
  undo: () => {
    const { command } = undoing(live.state);
    return done(send(command, !("seat" in command)));
  },
  redo: () => done(send({ type: "redo" }, true)),
  me: async (source) => {
    const { sitDown } = lazy["./who.js"];
    await sitDown(source.dataset.name ?? source.elements.name.value);
    show();
  },
  starts: () => done(send({ type: "designate-starter" }, true)),
  starter: () => whoStarts(),
  block: () => order({ type: "block" }, true),
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
  rematch: () => order({ type: "rematch" }, true),
  double: () => whoHolds(),
  share: () => lazy["./ending.js"].share(),
  lobby: () => done(send({ type: "open-lobby" })),
});
watch((news) => { show(); openCounting(news); });
addEventListener("hashchange", show);
setInterval(tick, 1_000);
