// The signs of a seat: what everybody should see of it, as an icon and a text.

import { html, icon } from "./dom.js";
import { alone, missing } from "./players.js";
import { t } from "./words.js";

/** Signs that a card's buttons show as pressed. */
export const ON_BUTTONS = ["double", "last", "open"];

/**
 * The signs of a seat, the most important first: each an icon's name and a text's key.
 * @param {State} state
 */
export function signs(state, seat) {
  const plays = state.phase === "playing";
  return [
    plays && seat.open_double && ["double", state.double_due === seat.seat ? "sign.due" : "sign.double"],
    plays && seat.last_tile && ["last", "sign.last"],
    plays && seat.marker && ["open", "sign.open"],
    state.phase === "scoring" && state.out === seat.seat && ["out", "sign.out"],
    seat.skipped && ["skip", "sign.skip"],
    state.turn === seat.seat && ["start", "sign.turn"],
    plays && state.turn === null && state.starter === seat.seat && !alone(state) && ["start", "sign.start"],
    state.phase === "finished" && state.winners.includes(seat.seat) && ["cup", "sign.won"],
    missing(state).includes(seat.seat) && ["late", "board.missing"],
    seat.left && ["skip", "sign.left"],
    seat.parked && ["late", "sign.parked"],
    !seat.left && !seat.parked && !seat.plays && ["late", "sign.late"],
  ].filter(Boolean);
}

/** A list of signs. */
export const signList = (shown) => html`<ul class="signs">${shown.map(([kind, key]) =>
  html`<li class="sign ${kind}">${icon(kind)}<span>${t(key)}</span></li>`)}</ul>`;
