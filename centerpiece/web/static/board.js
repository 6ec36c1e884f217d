// The big screen: for a television across the room. Nothing to press, everything to see.

import { chart } from "./chart.js";
import { draw, html, icon } from "./dom.js";
import { clockLeft, live, watch } from "./live.js";
import { banner, begin, invitation, minutes } from "./page.js";
import { tile } from "./tile.js";
import { double, say, t, title, won } from "./words.js";

const app = document.getElementById("app");

const name = (state, number) => state.seats.find((seat) => seat.seat === number)?.name ?? "";

function heading(state) {
  if (state.phase === "lobby") return t("lobby");
  if (state.phase === "finished") return t("finished");
  return state.rounds === null ? t("round", state) : t("round.of", state);
}

function left(state) {
  const clock = clockLeft();
  return html`<section class="stage">
    <h1>${heading(state)}</h1>
    ${state.phase !== "lobby" && Number.isInteger(state.engine) ? html`${tile(state.engine)}<p class="engine-name">${title(double(state.engine))}</p>` : html`<p class="engine-name">${state.title}</p>`}
    ${state.starter && state.phase === "playing" ? html`<p>${t("starts", { name: name(state, state.starter) })}</p>` : ""}
    ${clock === null ? "" : html`<p class="clock ${clock < 300 ? "soon" : ""}">${icon("late")} <time id="clock">${minutes(clock)}</time></p>`}
    ${join(state)}
  </section>`;
}

const join = (state) => invitation(state.phase === "lobby" ? t("board.join") : "");

function signs(state, seat) {
  if (state.phase === "finished") return state.winners.includes(seat.seat) ? [["cup", "sign.won"]] : [];
  const playing = state.phase === "playing";
  return [
    playing && seat.open_double && ["double", "sign.double"],
    playing && seat.last_tile && ["last", "sign.last"],
    playing && seat.marker && ["open", "sign.open"],
    !playing && state.out === seat.seat && ["out", "sign.out"],
    seat.skipped && ["skip", "sign.skip"],
    state.turn === seat.seat && ["start", "sign.turn"],
    playing && state.starter === seat.seat && ["start", "sign.start"],
  ].filter(Boolean).slice(0, 2);
}

function standings(state) {
  const seats = state.seats.filter((seat) => !seat.left)
    .sort((a, b) => (a.place ?? 99) - (b.place ?? 99) || a.seat - b.seat);
  if (!seats.length) return html`<section class="standings empty"><p>${t("board.nobody")}</p></section>`;
  const missing = state.missing.find(({ round }) => round === state.round)?.seats ?? [];
  return html`<section class="standings rows-${seats.length}" aria-label="${t("standings")}"><ol>${seats.map((seat) => html`
    <li><span class="place">${seat.place ?? ""}</span><span class="name">${seat.name}</span>
      <span class="what">${signs(state, seat).map(([kind, key]) => html`<span class="sign ${kind}">${icon(kind)}${t(key)}</span>`)}
      ${state.phase === "scoring" && missing.includes(seat.seat) ? html`<span class="sign">${t("board.missing")}</span>` : ""}</span>
      <span class="total">${state.phase === "lobby" ? "" : seat.total}</span></li>`)}</ol>
    ${trend(state)}</section>`;
}

function trend(state) {
  const players = state.seats.filter((seat) => !seat.left && seat.scores.length >= 3);
  return players.length && state.seats.length <= 5 && state.phase !== "lobby" ? chart(players, { width: 1300, height: 420, text: 50 }) : "";
}

function alert(state) {
  if (state.phase === "finished") {
    return won(state.winners.map((number) => name(state, number)));
  }
  return say(state.alerts[0] ?? state.said);
}

function show({ state }) {
  if (!state) return;
  draw(app, html`${banner()}<main id="main" class="board phase-${state.phase}">
    ${left(state)}${standings(state)}
    <p class="alert" role="status">${alert(state)}</p></main>`);
  document.title = `${heading(state)} · ${t("title")}`;
}

await begin();
watch(show);
setInterval(() => {
  const place = document.getElementById("clock");
  if (place && live.state?.clock) place.textContent = minutes(clockLeft());
}, 1_000);
