// The third tab: the phone's owner, and links to all other pages.

import { html, icon } from "./dom.js";
import { hosting, mySeat } from "./mine.js";
import { about, invitation } from "./page.js";
import { badge, playing, seatOf } from "./players.js";
import { t } from "./words.js";

/** @param {State} state */
export function more(state) {
  const mine = seatOf(state, mySeat(state));
  const pages = [["/season", "nav.season"], ["/rules", "nav.rules"], ["/history", "nav.history"], ["/settings", "nav.settings"],
    ["/board", "nav.board"], ...(about.simulated ? [["/table", "nav.tablet"], ["/hub", "nav.hub"]] : [])];
  return html`<section class="block"><h2>${t("mine.title")}</h2>
    ${mine ? html`<p>${badge(mine.seat)} <strong>${mine.name}</strong></p>
      <label class="check"><input type="checkbox" data-do="host" ${hosting(state) ? "checked" : ""}> ${t("mine.switch")}</label>
      <button data-do="getup">${t("mine.other")}</button>`
    : state.seats.length ? html`<p>${t("mine.which")}</p><ul class="chips">${playing(state).map((seat) => html`
      <li><button class="chip" data-do="mine" data-seat="${seat.seat}">${badge(seat.seat)}${seat.name}</button></li>`)}</ul>`
    : html`<p>${t("mine.nobody")}</p>`}</section>
    <ul class="pages">${pages.map(([path, key]) => html`
      <li><a href="${path}"><strong>${t(key)}</strong><span class="quiet">${t(`${key}.about`)}</span>${icon("next")}</a></li>`)}</ul>
    ${invitation()}`;
}
