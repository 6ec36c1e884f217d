// The end of a game on phone, tablet and television: podium, awards, chart, and a picture to send.

import { awards } from "./awards.js";
import { chart } from "./chart.js";
import { celebrate } from "./confetti.js";
import { html, icon, styled } from "./dom.js";
import { ask } from "./live.js";
import { picture, shareWords } from "./picture.js";
import { added, alone, badge, long, name, patience, ranked } from "./players.js";
import { t, won } from "./words.js";

const CELEBRATED = "centerpiece.celebrated";

/** The game as the history has it, once it is loaded. */
export let past = null;

styled("ending");

/**
 * Draw the end of a game; `changed` is called once its awards are known. The chart has the size of
 * `room`; a `wide` place has two columns; `above` and `actions` are drawn above and below all.
 * @param {State} state
 */
export function ending(state, changed, { room = {}, wide = false, actions = html``, above = html`` } = {}) {
  load(state, changed);
  celebrateOnce(state);
  const seats = ranked(state);
  if (alone(state)) return leftOver(state, actions);
  const lines = added(state.seats.filter((seat) => !seat.left && seat.scores.length > 1));
  const rest = seats.filter((seat) => !seat.place || seat.place > 3);
  const won_ = awards(state, past);
  return html`<section class="ending ${wide ? "is-wide" : ""}" aria-labelledby="ending-title">
    <h2 id="ending-title" class="seat-${state.winners[0] ?? 0}">${icon("cup")}
      <span>${won(state.winners.map((seat) => name(state, seat)))}</span></h2>${above}
    <ol class="podium">${[1, 2, 3].map((place) => step(place, seats.filter((seat) => seat.place === place)))}</ol>
    ${won_.length ? html`<ul class="awards">${won_.map(({ key, names, count }) => html`
      <li>${icon("cup")}<span>${t(key, { names, count })}</span></li>`)}</ul>` : ""}
    ${rest.length ? html`<ol class="rest">${rest.map((seat) => html`<li>
      <span class="rank">${seat.place ?? ""}</span>${badge(seat.seat)}
      <span class="name">${seat.name}</span><b class="total">${seat.total}</b></li>`)}</ol>` : ""}
    ${lines.length ? html`<div class="plot">${chart(lines, room)}</div>` : ""}
    <div class="choices">${actions}</div></section>`;
}

/**
 * The end of a game of one player, who has won only with few enough tiles left.
 * @param {State} state
 */
function leftOver(state, actions) {
  const [left, best] = patience(state);
  const winner = state.winners.map((seat) => name(state, seat));
  return html`<section class="ending is-alone" aria-labelledby="ending-title">
    <h2 id="ending-title" class="seat-${state.winners[0] ?? 0}">${winner.length ? icon("cup") : ""}
      <span>${winner.length ? won(winner) : left}</span></h2>
    ${winner.length ? html`<p>${left}</p>` : ""}<p>${best}</p>
    <div class="choices">${actions}</div></section>`;
}

const step = (place, seats) => (seats.length ? html`<li class="step-${place} seat-${seats[0].seat}">
  <p>${seats.map((seat) => html`<span class="name">${badge(seat.seat)}<strong class="${long(seat.name)}">${seat.name}</strong></span>`)}</p>
  <div>${place === 1 ? icon("cup") : ""}<b>${place}</b><span class="total">${seats[0].total}</span></div></li>` : "");

/** The button for the picture; its action is `share`. */
export const shareButton = () => (past?.number ? html`<button data-do="share">${t(shareWords())}</button>` : "");

/** Send or save the game's picture. */
export const share = () => picture(past);

/** @param {State} state */
async function load(state, changed) {
  if (past?.seq === state.seq) return;
  const same = past?.started_at === state.started_at;
  past = { players: [], ...(same ? past : {}), seq: state.seq };
  const all = await ask("GET", "/api/history");
  const number = all.games?.find(({ started_at }) => started_at === state.started_at)?.number;
  const game = number ? await ask("GET", `/api/history/${number}`) : {};
  if (!game.number || past.seq !== state.seq) return;
  past = { ...game, seq: state.seq };
  changed();
}

/**
 * Throw confetti, once for each game.
 * @param {State} state
 */
function celebrateOnce(state) {
  try {
    if (!state.winners.length || sessionStorage.getItem(CELEBRATED) === String(state.started_at)) return;
    sessionStorage.setItem(CELEBRATED, String(state.started_at));
  } catch {
    return; // Without storage, every change would be celebrated.
  }
  celebrate(state.winners);
}
