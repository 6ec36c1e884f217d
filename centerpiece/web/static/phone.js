// The phone page: the table at a glance, and under the thumb the one thing to do next.

import { inOrder } from "./choices.js";
import { draw, html, icon, listen } from "./dom.js";
import { keypad } from "./keypad.js";
import { clockLeft, live, send, watch } from "./live.js";
import { about, banner, begin, done, links, minutes } from "./page.js";
import { seatDialog, tableDialog, whoHolds, whoWentOut } from "./dialogs.js";
import { sheet } from "./sheet.js";
import { tile } from "./tile.js";
import { double, say, t, title, won, word } from "./words.js";

const app = document.getElementById("app");
let setup = null;
let phase = "";

async function show() {
  if (!live.state) return;
  const before = phase;
  phase = live.state.phase;
  if (phase === "lobby" && !setup) setup = await import("./setup.js");
  else if (phase === "lobby" && before !== "lobby") await setup.refresh();
  const { state } = live; // It may be another one by now.
  draw(app, html`${header(state)}${banner()}
    <main id="main">${state.phase === "lobby" && setup ? setup.view(state) : table(state)}${links("/")}</main>
    ${footer(state)}`);
  document.title = `${heading(state)} · ${t("title")}`;
  keypad.refresh();
}

// At the top: where we are.

const heading = (state) => {
  if (state.phase === "lobby") return t("lobby");
  if (state.phase === "finished") return t("finished");
  return state.rounds === null ? t("round", state) : t("round.of", state);
};

function header(state) {
  const left = clockLeft();
  return html`<header class="top">
    <h1>${heading(state)}</h1>
    ${left === null ? "" : html`<p class="clock ${left < 300 ? "soon" : ""}">
      <span class="quiet">${t("clock")}</span> <time id="clock">${minutes(left)}</time></p>`}
  </header>`;
}

function tick() {
  const place = document.getElementById("clock");
  if (place) place.textContent = minutes(clockLeft());
}

// In the middle: the engine and the seats.

const name = (state, number) => state.seats.find((seat) => seat.seat === number)?.name ?? "";

function table(state) {
  return html`
    ${state.phase === "finished" ? winners(state) : engine(state)}
    ${alerts(state)}
    <section aria-labelledby="seats-title">
      <h2 id="seats-title" class="unseen">${t("standings")}</h2>
      <ol class="cards">${inOrder(state.seats, state.settings).map((seat) => card(state, seat))}</ol>
      ${state.phase === "playing" ? trainCard(state) : ""}
    </section>
    ${state.seats.some((seat) => seat.scores.length) ? sheet(state, about.may_write) : ""}`;
}

function engine(state) {
  const starts = state.starter ? t("starts", { name: name(state, state.starter) }) : "";
  const hand = state.hand ? t("hand", { hand: state.hand }) : "";
  const lines = html`<p>${starts}</p><p class="quiet">${hand}</p>`;
  if (state.engine === null || state.engine === undefined) return html`<section class="engine plain"><div>
    <h2>${state.title}</h2>${lines}</div></section>`;
  return html`<section class="engine">${tile(state.engine)}<div>
    <h2>${title(double(state.engine))}</h2>${lines}</div></section>`;
}

function winners(state) {
  const words = won(state.winners.map((number) => name(state, number)));
  return html`<section class="engine plain won">${icon("cup")}<div><h2>${words}</h2></div></section>`;
}

function alerts(state) {
  const lines = [...state.alerts, ...state.notes].map(say);
  if (state.direction === "counterclockwise") lines.push(t("alert.direction"));
  for (const { round, seats } of state.phase === "playing" ? state.missing : []) {
    lines.push(t("alert.missing", { round, names: seats.map((seat) => name(state, seat)) }));
  }
  return lines.length ? html`<ul class="alerts">${lines.map((line) => html`<li>${line}</li>`)}</ul>` : "";
}

const sign = (kind, key) => html`<li class="sign ${kind}">${icon(kind)}${t(key)}</li>`;

export function signs(state, seat) {
  const playing = state.phase === "playing";
  return [
    playing && seat.open_double && sign("double", "sign.double"),
    playing && seat.last_tile && sign("last", "sign.last"),
    state.phase === "scoring" && state.out === seat.seat && sign("out", "sign.out"),
    playing && seat.marker && sign("open", "sign.open"),
    playing && state.starter === seat.seat && sign("start", "sign.start"),
    state.turn === seat.seat && sign("start", "sign.turn"),
    seat.skipped && sign("skip", "sign.skip"),
    seat.left && sign("skip", "sign.left"),
    seat.parked && sign("late", "sign.parked"),
    !seat.left && !seat.parked && !seat.plays && sign("late", "sign.late"),
  ].filter(Boolean);
}

function card(state, seat) {
  const shown = signs(state, seat);
  const inside = html`
    ${seat.place ? html`<span class="place" aria-hidden="true">${seat.place}</span>` : ""}
    <span class="who"><strong>${seat.name}</strong>
      ${seat.team ? html`<span class="quiet">${t("team", seat)}</span>` : ""}
      ${seat.place ? html`<span class="unseen">${t("place", seat)}</span>` : ""}</span>
    <span class="total"><span class="unseen">${t("total")}</span> ${seat.total}
      ${typeof seat.won === "number" ? html`<span class="quiet won-rounds">${t("won.rounds", seat)}</span>` : ""}</span>
    ${shown.length ? html`<ul class="signs">${shown}</ul>` : ""}`;
  const kind = `card ${seat.place ? "" : "no-place"} ${seat.marker && state.phase === "playing" ? "is-open" : ""} ${seat.left ? "is-gone" : ""}`;
  return about.may_write && !seat.left && state.phase !== "finished"
    ? html`<li id="seat-${seat.seat}"><button class="${kind}" data-do="seat" data-seat="${seat.seat}">${inside}</button></li>`
    : html`<li id="seat-${seat.seat}"><div class="${kind}">${inside}</div></li>`;
}

function trainCard(state) {
  const { name: called, words, look } = state.siding;
  if (!called) {
    return about.may_write
      ? html`<button class="card train" data-do="train"><span class="who"><strong>${t("table.deeds")}</strong></span></button>` : "";
  }
  const inside = html`<span class="place" aria-hidden="true">${icon("open")}</span>
    <span class="who"><strong>${word(called)}</strong><span class="quiet">${word(words)}</span></span>
    ${look === "double" ? html`<ul class="signs">${sign("double", "sign.double")}</ul>` : ""}`;
  const kind = `card train ${look === "closed" ? "" : "is-open"}`;
  return about.may_write
    ? html`<button class="${kind}" data-do="train">${inside}</button>`
    : html`<div class="${kind}">${inside}</div>`;
}

// At the bottom: what just happened, and what comes next.

function footer(state) {
  return html`<footer class="bottom">
    <p class="notice" role="status">${say(state.said)}</p>
    ${about.may_write ? html`<div class="deeds">
      <button class="undo" data-do="undo" ${state.can_undo ? "" : "disabled"}>${icon("undo")}<span>${t("undo")}</span></button>
      ${mainDeed(state)}</div>`
    : html`<p class="deeds"><a class="main button" href="/settings#pairing">${t("pair.invite")}</a></p>`}
  </footer>`;
}

const button = (deed, key, facts, kind = "main") =>
  html`<button class="${kind}" data-do="${deed}">${t(key, facts)}</button>`;

function mainDeed(state) {
  if (state.phase === "lobby") {
    return html`<button class="main" data-do="start" ${state.seats.length ? "" : "disabled"}>${t("start")}</button>`;
  }
  if (state.asks?.what === "double") return button("double", "who.holds", { double: double(state.asks.double) });
  if (state.phase === "playing") return button("out", "end");
  if (state.phase === "finished") {
    return html`${button("lobby", "lobby.open", {}, "")}${button("rematch", "rematch")}`;
  }
  if (!state.out && !state.blocked) return button("out", "who.out");
  const now = state.missing.find(({ round }) => round === state.round);
  const last = state.rounds !== null && state.round >= state.rounds;
  const next = last ? "final" : "next";
  if (!now) return button("next", next);
  return html`${button("next", next, {}, "")}${button("score", "score", { count: now.seats.length })}`;
}

// Everything is known by now.

await begin();
listen(app, {
  undo: () => done(send({ type: "undo" }, true)),
  redo: () => done(send({ type: "redo" }, true)),
  seat: (source) => seatDialog(Number(source.dataset.seat)),
  train: () => tableDialog(),
  out: () => whoWentOut(),
  score: () => keypad.open(),
  correct: (source) => keypad.correct(Number(source.dataset.round), Number(source.dataset.seat)),
  next: () => done(send({ type: "next-round" }, true)),
  rematch: () => done(send({ type: "rematch" }, true)),
  double: () => whoHolds(),
  lobby: () => done(send({ type: "open-lobby" })),
});
watch(show);
setInterval(tick, 1_000);
