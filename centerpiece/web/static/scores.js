// The scores tab: standings, score sheet and chart.

import { chart } from "./chart.js";
import { html } from "./dom.js";
import { about } from "./page.js";
import { badge, moved, movement, ranked } from "./players.js";
import { sheet } from "./sheet.js";
import { ordinal, t } from "./words.js";

/** @param {State} state */
export function scores(state) {
  if (!state.seats.some((seat) => seat.scores.length)) return html`<p>${t("scores.none")}</p>`;
  const places = moved(state);
  const lines = state.seats.filter((seat) => !seat.left && seat.scores.length > 1);
  return html`<section aria-labelledby="standings"><h2 id="standings">${t("standings")}</h2>
    <ol class="rows">${ranked(state).map((seat) => html`<li><div class="row"><span class="place">${seat.place ? ordinal(seat.place) : ""}</span>
      ${badge(seat.seat)}<span class="who"><strong>${seat.name}</strong></span>${movement(places[seat.seat], t)}<span class="total">${seat.total}</span></div></li>`)}</ol></section>
    ${sheet(state, about.may_write)}
    ${lines.length ? html`<section>${chart(lines)}</section>` : ""}`;
}
