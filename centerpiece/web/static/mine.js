// The phone's owner: a player with a seat, or the host, who keeps score for everybody.

import { choice, choose } from "./choices.js";

/**
 * This phone's seat, as long as the same person sits there; null if it has none.
 * @param {State} state
 */
export function mySeat(state) {
  const mine = choice("seat");
  const seat = mine && state.seats.find(({ seat: number }) => number === mine.seat);
  return seat && seat.name === mine.name && !seat.left ? seat.seat : null;
}

/**
 * True if this phone keeps score for all: by choice, or because it has no seat.
 * @param {State} state
 */
export const hosting = (state) => Boolean(choice("host")) || mySeat(state) === null;

/**
 * True if the page should ask for the phone's owner.
 * @param {State} state
 */
export const unclaimed = (state) => mySeat(state) === null && !choice("host");

/** The name of this phone's owner, also on another evening. */
export const lastName = () => choice("seat")?.name ?? "";

export const sitAt = (seat) => { choose("seat", { seat: seat.seat, name: seat.name }); choose("host", undefined); };
export const host = (on) => choose("host", on || undefined);
export const getUp = () => { choose("seat", undefined); choose("host", undefined); };
