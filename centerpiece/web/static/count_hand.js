// Checks a hand that was read from a photograph: each tile of a set exists once. Pure.

const ordered = ([a, b]) => (a < b ? [a, b] : [b, a]);
const name = (tile) => ordered(tile).join("-");

/** Resolve readings to tiles `{tile, sure}`. A doubtful reading whose tile is in another hand or in
 * a surer reading becomes its next likely tile that is free, and stays doubtful.
 * A reading is `{halves, sure, others}`; `others` are alternatives, the likeliest first. */
export function settled(readings, taken) {
  const gone = new Set(taken.map(name));
  const hand = readings.map(({ halves, sure }) => ({ tile: ordered(halves), sure }));
  const bySureness = [...readings.keys()].sort((one, other) => readings[other].sure - readings[one].sure
    || readings[other].worth - readings[one].worth);
  for (const at of bySureness) {
    if (gone.has(name(hand[at].tile))) {
      const free = readings[at].sure ? null : readings[at].others.find((tile) => !gone.has(name(tile)));
      hand[at] = { tile: ordered(free ?? hand[at].tile), sure: false };
    }
    gone.add(name(hand[at].tile));
  }
  return hand;
}

/** List what is impossible in a hand: `{at, why, ...facts}`; `why` is part of a text's key. */
export function troubles(hand, { engine, set, held }) {
  const result = [];
  hand.forEach((tile, at) => {
    const words = { at, tile: name(tile) };
    const holder = held.find((other) => other.tiles.some((theirs) => name(theirs) === name(tile)));
    if (Math.max(...tile) > set) result.push({ ...words, why: "set", set });
    else if (tile[0] === tile[1] && tile[0] === engine) result.push({ ...words, why: "engine" });
    else if (hand.findIndex((other) => name(other) === name(tile)) < at) result.push({ ...words, why: "twice" });
    else if (holder) result.push({ ...words, why: "held", name: holder.name });
  });
  const most = ((set + 1) * (set + 2)) / 2 - (engine === null ? 0 : 1)
    - held.reduce((sum, { tiles }) => sum + tiles.length, 0);
  if (hand.length > most) result.push({ why: "many", tiles: hand.length, most });
  return result;
}
