// The score sheet: every round and seat, corrections and penalties.

import { inOrder } from "./choices.js";
import { html } from "./dom.js";
import { badge, long, name, partners } from "./players.js";
import { t } from "./words.js";

/** @param {State} state */
export function sheet(state, mayCorrect) {
  const sides = partners(inOrder(state.seats, state.settings));
  const seats = sides.flat(); // Partners side by side, above their one total.
  const rounds = Math.max(...seats.map((seat) => seat.scores.length));
  const numbers = Array.from({ length: rounds }, (_, place) => place + 1);
  return html`<section class="sheet"><h2>${t("sheet")}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="${t("sheet")}"><table>
      <thead><tr><th scope="col">${t("sheet.round")}</th>${seats.map((seat) => html`<th scope="col">${badge(seat.seat)}<span class="${long(seat.name)}">${seat.name}</span></th>`)}</tr></thead>
      <tbody>${numbers.map((round) => html`<tr><th scope="row">${round}${engine(state, round)}${note(state, round)}</th>
        ${seats.map((seat) => html`<td>${cell(state, seat, round, mayCorrect)}</td>`)}</tr>`)}</tbody>
      <tfoot><tr><th scope="row">${t("total")}</th>${sides.map((side) => html`
        <td colspan="${side.length}">${side[0].total}</td>`)}</tr></tfoot>
    </table></div>
    ${mayCorrect ? html`<p class="quiet">${t("sheet.hint")}</p>` : ""}
    ${inPlay(state, mayCorrect)}
    ${trail(state)}
    ${tilesLeft(state)}
  </section>`;
}

/** @param {State} state */
const engine = (state, round) => {
  const number = state.engines[round - 1];
  return Number.isInteger(number) ? html` <span class="quiet">(${number})</span>` : "";
};

/**
 * A note at a round that counts for no total.
 * @param {State} state
 */
const note = (state, round) => {
  const key = state.play_offs.some((off) => off.round === round) ? "sheet.playoff"
    : state.left_out.includes(round) ? "sheet.leftout" : "";
  return key ? html` <span class="note quiet">(${t(key)})</span>` : "";
};

/** @param {State} state */
function cell(state, seat, round, mayCorrect) {
  const score = seat.scores[round - 1];
  const known = score !== null && score !== undefined;
  if (!mayCorrect) return known ? score : html`<span class="quiet">–</span>`;
  const words = t("sheet.correct", { name: seat.name, round, score: known ? score : "–" });
  return html`<button class="cell" data-do="correct" data-round="${round}" data-seat="${seat.seat}"
    aria-label="${words}">${known ? score : "–"}</button>`;
}

/**
 * The points made in play, in games that have them; a tap corrects them.
 * @param {State} state
 */
function inPlay(state, mayCorrect) {
  if (!state.in_play?.length) return "";
  return html`<h3>${t("sheet.play")}</h3><ul class="trail">${state.in_play.map(({ round, seat, points }) => {
    const words = t("sheet.play.of", { round, name: name(state, seat), points });
    const command = JSON.stringify({ type: "correct-awards", round, seat });
    return html`<li>${mayCorrect ? html`<button class="cell" data-do="number" data-seat="${seat}"
      data-command="${command}" data-number="points" data-words="${words}">${words}</button>` : words}</li>`;
  })}</ul>`;
}

/**
 * The tiles of hands that were counted tile by tile.
 * @param {State} state
 */
function tilesLeft(state) {
  const line = ({ round, seat, tiles }) => t("sheet.tiles", {
    round, name: name(state, seat), tiles: tiles.map((halves) => halves.join("-")).join(", "),
  });
  return state.hands.length
    ? html`<h3>${t("tiles.left")}</h3><ul class="trail">${state.hands.map((hand) => html`<li>${line(hand)}</li>`)}</ul>` : "";
}

/** @param {State} state */
function trail(state) {
  const lines = [
    ...state.corrections.map((c) => t("trail.correction", { ...c, name: name(state, c.seat) })),
    ...state.penalties.map((p) => t(`trail.${p.kind}`, { ...p, name: name(state, p.seat) })),
  ];
  return lines.length
    ? html`<h3>${t("trail")}</h3><ul class="trail">${lines.map((line) => html`<li>${line}</li>`)}</ul>` : "";
}
