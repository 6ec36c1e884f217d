// The scores tab: standings, score sheet and chart.

import { chart } from "./chart.js";
import { html } from "./dom.js";
import { about } from "./page.js";
import { added, alone, badge, moved, movement, sides } from "./players.js";
import { sheet } from "./sheet.js";
import { listed, ordinal, t } from "./words.js";

/** @param {State} state */
export function scores(state) {
  if (!state.seats.some((seat) => seat.scores.length)) return html`<p>${t("scores.none")}</p>`;
  const places = moved(state);
  const lines = added(state.seats.filter((seat) => !seat.left && seat.scores.length > 1));
  return html`<section aria-labelledby="standings" ${alone(state) ? "hidden" : ""}><h2 id="standings">${t("standings")}</h2>
    <ol class="rows">${sides(state).map((partners) => html`<li><div class="row">
      <span class="place">${partners[0].place ? ordinal(partners[0].place) : ""}</span>
      ${partners.map(({ seat }) => badge(seat))}
      <span class="who"><strong>${listed(partners.map(({ name }) => name))}</strong></span>
      ${movement(places[partners[0].seat])}<span class="total">${partners[0].total}</span></div></li>`)}</ol></section>
    ${sheet(state, about.may_write && state.counts.wins !== "rounds" && !alone(state))}
    ${lines.length ? html`<section>${chart(lines)}</section>` : ""}`;
}
