// Awards at the end of a game, besides the winner; what most people share is none.

import { added } from "./players.js";

/**
 * List the awards; `past` is the game's record, once it is loaded.
 * @param {State} state
 */
export function awards(state, past) {
  const played = state.seats.filter((seat) => seat.place);
  const factOf = (seat, fact) => past?.players.find((player) => player.seat === seat.seat)?.[fact] ?? 0;
  const sides = added(played);
  const sign = state.counts.wins === "highest" ? -1 : 1;
  return [
    best("award.rounds", played, (seat) => factOf(seat, "won")),
    state.counts.wins !== "rounds" && best("award.comeback", sides, (side) => comeback(sides, side, sign)),
    best("award.whistles", played, (seat) => factOf(seat, "whistles")),
  ].filter(Boolean);
}

function best(key, seats, count) {
  const counts = seats.map(count);
  const most = Math.max(0, ...counts);
  const names = seats.filter((_, at) => counts[at] === most).map(({ name }) => name);
  return most && 2 * names.length <= seats.length ? { key, count: most, names } : null;
}

/** The places gained from the worst one to the last, of a player or of partners. */
function comeback(sides, side, sign) {
  const after = (each, rounds) => sign * each.scores.slice(0, rounds).reduce((all, score) => all + (score ?? 0), 0);
  const places = side.scores.slice(0, -1).map((_, round) =>
    1 + sides.filter((other) => after(other, round + 1) < after(side, round + 1)).length);
  return places.length ? Math.max(...places) - side.place : 0;
}
