// Players: their colour and shape, places and movements.

import { html } from "./dom.js";

/** A seat's coloured shape; decorative, since the name is beside it. */
export const badge = (seat) => html`<svg class="badge seat-${seat}" aria-hidden="true"
  focusable="false"><use href="/static/icons.svg#shape-${((seat - 1) % 10) + 1}"/></svg>`;

/** @param {State} state */
export const seatOf = (state, number) => state.seats.find((seat) => seat.seat === number);
/** @param {State} state */
export const name = (state, number) => seatOf(state, number)?.name ?? "";

/**
 * The seats that play in this round.
 * @param {State} state
 */
export const playing = (state) => state.seats.filter((seat) => seat.plays && !seat.left);

/**
 * The seats whose hand is missing in this round.
 * @param {State} state
 */
export const missing = (state) => (state.phase === "scoring"
  ? state.missing.find(({ round }) => round === state.round)?.seats ?? [] : []);

/**
 * Seats by place, the best first; those without a place last.
 * @param {State} state
 */
export const ranked = (state) => state.seats.filter((seat) => !seat.left || seat.place)
  .sort((a, b) => (a.place ?? 99) - (b.place ?? 99) || a.seat - b.seat);

/**
 * Those who share one total, by place: partners, or one player.
 * @param {State} state
 */
export const sides = (state) => ranked(state).map((seat, at, all) => {
  const partners = seat.team ? all.filter(({ team }) => team === seat.team) : [seat];
  return partners[0] === seat ? partners : [];
}).filter((partners) => partners.length);

/** True where one player plays alone, against the tiles. */
export const alone = (state) => state.phase !== "lobby" && state.seats.length === 1;

/**
 * The places that each seat gained (or lost, below zero) in the last counted round.
 * @param {State} state
 */
export function moved(state) {
  const last = state.phase === "playing" ? state.round - 1 : state.round;
  if (last < 2 || state.counts.wins === "rounds" || state.seats.some((seat) => seat.team)) return {};
  const placed = state.seats.filter((seat) => seat.place);
  const sign = state.counts.wins === "highest" ? -1 : 1;
  const before = placed.map((seat) => sign * (seat.total - (seat.scores[last - 1] ?? 0)));
  return Object.fromEntries(placed.map((seat, at) =>
    [seat.seat, 1 + before.filter((sum) => sum < before[at]).length - seat.place]));
}

/** An arrow and a number, with words for screen readers. */
export const movement = (places, t) => {
  if (!places) return "";
  const way = places > 0 ? "up" : "down";
  return html`<span class="moved ${way}"><span aria-hidden="true">${places > 0 ? "▲" : "▼"}${Math.abs(places)}</span>
    <span class="unseen">${t(`moved.${way}`, { places: Math.abs(places) })}</span></span>`;
};
