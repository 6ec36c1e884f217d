// Whose phone this is: a seat of its own, or the host's, who keeps score for everybody.

import { choice, choose } from "./choices.js";

/** The seat of this phone, as long as the same person sits there; null if it has none. */
export function mySeat(state) {
  const mine = choice("seat");
  const seat = mine && state.seats.find(({ seat: number }) => number === mine.seat);
  return seat && seat.name === mine.name && !seat.left ? seat.seat : null;
}

/** Whether this phone keeps score for all: chosen, or because it has no seat of its own. */
export const hosting = (state) => Boolean(choice("host")) || mySeat(state) === null;

/** Whether it should be asked whose phone this is. */
export const unclaimed = (state) => mySeat(state) === null && !choice("host");

export const sitAt = (seat) => { choose("seat", { seat: seat.seat, name: seat.name }); choose("host", undefined); };
export const host = (on) => choose("host", on || undefined);
export const getUp = () => { choose("seat", undefined); choose("host", undefined); };
