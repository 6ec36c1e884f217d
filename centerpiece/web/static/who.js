// "Who are you?": the one thing that a phone is asked when it joins.

import { html } from "./dom.js";
import { ask, live, send } from "./live.js";
import { lastName, sitAt } from "./mine.js";
import { done } from "./page.js";
import { badge } from "./players.js";
import { t } from "./words.js";

const { players: known = [] } = await ask("GET", "/api/players");
const plain = (name) => name.trim().toLocaleLowerCase();
const sitting = (state) => state.seats.filter((seat) => !seat.left);

/** @param {State} state */
export function whoAreYou(state) {
  const taken = new Set(sitting(state).map(({ name }) => plain(name)));
  const names = [...new Set([lastName(), ...known])].filter((name) => name && !taken.has(plain(name)));
  return html`<section class="whoami"><h2>${t("who.you")}</h2>
    <form class="add" data-do="me"><label for="my-name">${t("setup.name")}</label>
      <input id="my-name" name="name" maxlength="40" autocomplete="off" enterkeyhint="done" required>
      <button class="main">${t("who.sit")}</button></form>
    <div class="choices">
      ${sitting(state).map((seat) => html`<button data-do="mine" data-seat="${seat.seat}">
        ${badge(seat.seat)} ${seat.name}</button>`)}
      ${names.slice(0, 6).map((name) => html`<button data-do="me" data-name="${name}">${name}</button>`)}
    </div>
    <button data-do="mine">${t("mine.host")}</button></section>`;
}

/** Take a seat under this name, or one's own if it is at the table already. */
export async function sitDown(name) {
  const own = ({ seats }) => sitting({ seats }).find((seat) => plain(seat.name) === plain(name));
  if (!own(live.state) && !(await done(send({ type: "join", name })))) return;
  const state = await ask("GET", "/api/state");
  const seat = state.seats && own(state);
  if (seat) sitAt(seat);
}
