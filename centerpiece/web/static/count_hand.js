// What dominoes know: every tile is there once. Doubtful readings give way to tiles that can be.
// Pure: readings and the tiles that lie elsewhere in, a hand with its troubles out.

const ordered = ([a, b]) => (a < b ? [a, b] : [b, a]);
const name = (tile) => ordered(tile).join("-");

/** What each reading is taken for: `{tile, sure}`. A doubtful one that cannot be, because a surer
 * one or another hand has the tile, becomes the next likely tile that can; it stays doubtful.
 * A reading is `{halves, sure, others}`; `others` are further tiles, the likeliest first. */
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

/** What cannot be about a hand: `{at, why, ...facts}`, in the words of the page. */
export function troubles(hand, { engine, set, held }) {
  const found = [];
  hand.forEach((tile, at) => {
    const words = { at, tile: name(tile) };
    const holder = held.find((other) => other.tiles.some((theirs) => name(theirs) === name(tile)));
    if (Math.max(...tile) > set) found.push({ ...words, why: "set", set });
    else if (tile[0] === tile[1] && tile[0] === engine) found.push({ ...words, why: "engine" });
    else if (hand.findIndex((other) => name(other) === name(tile)) < at) found.push({ ...words, why: "twice" });
    else if (holder) found.push({ ...words, why: "held", name: holder.name });
  });
  const most = ((set + 1) * (set + 2)) / 2 - (engine === null ? 0 : 1)
    - held.reduce((sum, { tiles }) => sum + tiles.length, 0);
  if (hand.length > most) found.push({ why: "many", tiles: hand.length, most });
  return found;
}
