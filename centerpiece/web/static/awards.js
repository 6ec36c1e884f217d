// Awards at the end of a game, besides the winner; what most people share is none.

/**
 * List the awards; `past` is the game's record, once it is loaded.
 * @param {State} state
 */
export function awards(state, past) {
  const played = state.seats.filter((seat) => seat.place);
  const factOf = (seat, fact) => past?.players.find((player) => player.seat === seat.seat)?.[fact] ?? 0;
  const sign = state.counts.wins === "highest" ? -1 : 1;
  return [
    best("award.rounds", played, (seat) => factOf(seat, "won")),
    best("award.comeback", played, (seat) => comeback(played, seat, sign)),
    best("award.whistles", played, (seat) => factOf(seat, "whistles")),
  ].filter(Boolean);
}

function best(key, seats, count) {
  const counts = seats.map(count);
  const most = Math.max(0, ...counts);
  const names = seats.filter((_, at) => counts[at] === most).map(({ name }) => name);
  return most && 2 * names.length <= seats.length ? { key, count: most, names } : null;
}

/** The places gained from a seat's worst one to its last. */
function comeback(seats, seat, sign) {
  const after = (each, rounds) => sign * each.scores.slice(0, rounds).reduce((all, score) => all + (score ?? 0), 0);
  const places = seat.scores.slice(0, -1).map((_, round) =>
    1 + seats.filter((other) => after(other, round + 1) < after(seat, round + 1)).length);
  return places.length ? Math.max(...places) - seat.place : 0;
}
