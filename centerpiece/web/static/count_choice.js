// Chooses the tiles among readings that overlap: those that together are worth most, so that two
// tiles win against one that lies across their seam. Pure.

import { overlap } from "./count_quads.js";

/**
 * @typedef {import("./count_tiles.js").Tile} Tile
 */

const TOUCH = 0.15; // Part of a tile that may lie in another one.
const FLOOR = 0.7; // Worth of a tile that adds nothing to the choice.
const STEPS = 4000; // Most steps in a heap of tiles that all overlap; then the best so far stays.

/** The tiles that do not overlap and are worth most together, the best first.
 * @param {Tile[]} tiles @returns {Tile[]} */
export function chosen(tiles) {
  const inOrder = [...tiles].sort((one, other) => other.worth - one.worth);
  const rivals = rivalsOf(inOrder);
  return heapsOf(rivals).flatMap((heap) => best(heap, rivals, inOrder)).sort((a, b) => a - b).map((at) => inOrder[at]);
}

/** For each tile the others that it overlaps. @param {Tile[]} tiles @returns {Set<number>[]} */
function rivalsOf(tiles) {
  const rivals = tiles.map(() => /** @type {Set<number>} */ (new Set()));
  for (let one = 0; one < tiles.length; one++) {
    for (let other = 0; other < one; other++) {
      if (!(overlap(tiles[one].quad, tiles[other].quad) > TOUCH)) continue;
      rivals[one].add(other);
      rivals[other].add(one);
    }
  }
  return rivals;
}

/** Groups of tiles that overlap, directly or by others. @param {Set<number>[]} rivals @returns {number[][]} */
function heapsOf(rivals) {
  const seen = new Set();
  return rivals.flatMap((_, start) => {
    if (seen.has(start)) return [];
    seen.add(start);
    const heap = [start];
    for (const at of heap) {
      for (const rival of rivals[at]) if (!seen.has(rival)) { seen.add(rival); heap.push(rival); }
    }
    return [heap.sort((a, b) => a - b)];
  });
}

/** The most valuable part of a heap without rivals, by branch and bound: the better tile is tried
 * first, so that the first answer is the greedy one.
 * @param {number[]} heap @param {Set<number>[]} rivals @param {Tile[]} tiles @returns {number[]} */
function best(heap, rivals, tiles) {
  const values = tiles.map(({ worth }) => Math.max(worth - FLOOR, 0.01));
  let most = -1;
  let steps = 0;
  /** @type {number[]} */
  let answer = [];
  /** @param {number[]} open @param {number[]} taken @param {number} value */
  const extend = (open, taken, value) => {
    if (value > most) [most, answer] = [value, taken];
    if (!open.length || steps++ > STEPS || value + bound(open) <= most) return;
    const [first, ...rest] = open;
    extend(rest.filter((at) => !rivals[first].has(at)), [...taken, first], value + values[first]);
    if (rest.some((at) => rivals[first].has(at))) extend(rest, taken, value);
  };
  /** The value of the open tiles at most: of a tile and its rivals that follow it, a few can be taken.
   * @param {number[]} open */
  const bound = (open) => open.reduce((sum, at) => sum + values[at], 0);
  extend(heap, [], 0);
  return answer;
}
