// Players: their colour and shape, places and movements.

import { html } from "./dom.js";
import { listed, t } from "./words.js";

/** A seat's coloured shape; decorative, since the name is beside it. */
export const badge = (seat) => html`<svg class="badge seat-${seat}" aria-hidden="true"
  focusable="false"><use href="/static/icons.svg#shape-${((seat - 1) % 10) + 1}"/></svg>`;

/** The class of a name that needs smaller letters, to be read whole where the room is small. */
export const long = (words) => (words.length > 10 ? "is-longest" : words.length > 7 ? "is-long" : "");

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
 * Those who share one total: partners, or one player.
 * @param {any[]} players
 */
export const partners = (players) => players.map((player) =>
  (player.team ? players.filter(({ team }) => team === player.team) : [player]))
  .filter(([first], at) => first === players[at]);

/**
 * Those who share one total, by place.
 * @param {State} state
 */
export const sides = (state) => partners(ranked(state));

/** One entry for each total: a player, or partners as one with their scores added. */
export const added = (players) => partners(players).map((both) => (both.length === 1 ? both[0] : {
  ...both[0],
  name: listed(both.map(({ name }) => name)),
  scores: both[0].scores.map((_, round) => (both.every(({ scores }) => (scores[round] ?? null) === null) ? null
    : both.reduce((sum, { scores }) => sum + (scores[round] ?? 0), 0))),
}));

/** True where one player plays alone, against the tiles. */
export const alone = (state) => state.counts.alone;

/**
 * A game of one player: the tiles left at its end, the row before, and the best so far.
 * @param {State} state
 */
export function patience(state) {
  const over = state.phase !== "playing";
  const left = over ? state.seats[0].scores.at(-1) ?? 0 : Infinity;
  const best = Math.min(left, state.best ?? Infinity);
  return [
    over ? t("alone.left", { left }) : typeof state.row === "number" && t("alone.row", state),
    best < Infinity && t("alone.best", { best, size: state.set }),
  ].filter(Boolean);
}

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
export const movement = (places) => {
  if (!places) return "";
  const way = places > 0 ? "up" : "down";
  return html`<span class="moved ${way}"><span aria-hidden="true">${places > 0 ? "▲" : "▼"}${Math.abs(places)}</span>
    <span class="unseen">${t(`moved.${way}`, { places: Math.abs(places) })}</span></span>`;
};
