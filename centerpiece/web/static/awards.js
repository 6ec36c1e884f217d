// What was remarkable about a game, beside who won it.

/** `past` is the game's record, once it is known. */
export function awards(state, past) {
  const played = state.seats.filter((seat) => seat.place);
  const told = (seat, fact) => past?.players.find((player) => player.seat === seat.seat)?.[fact] ?? 0;
  const sign = state.counts.wins === "highest" ? -1 : 1;
  return [
    best("award.rounds", played, (seat) => told(seat, "won")),
    best("award.comeback", played, (seat) => comeback(played, seat, sign)),
    best("award.whistles", played, (seat) => told(seat, "whistles")),
  ].filter(Boolean);
}

function best(key, seats, count) {
  const counts = seats.map(count);
  const most = Math.max(0, ...counts);
  return most ? { key, count: most, names: seats.filter((_, at) => counts[at] === most).map(({ name }) => name) } : null;
}

/** How many places somebody made good, from the worst one to the last. */
function comeback(seats, seat, sign) {
  const after = (each, rounds) => sign * each.scores.slice(0, rounds).reduce((all, score) => all + (score ?? 0), 0);
  const places = seat.scores.slice(0, -1).map((_, round) =>
    1 + seats.filter((other) => after(other, round + 1) < after(seat, round + 1)).length);
  return places.length ? Math.max(...places) - seat.place : 0;
}
