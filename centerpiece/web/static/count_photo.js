// Finds tiles in a photograph: candidates, faces, pips, a choice among them, and a second look with
// what the clear ones taught. Pure.

import { distinct, onEdges, searchByHue, searchByTone, smallBars } from "./count_candidates.js";
import { chosen } from "./count_choice.js";
import { pyramidOf } from "./count_faces.js";
import { gridsUpTo } from "./count_pips.js";
import { planeOf } from "./count_plane.js";
import { inside, lengthsOf, middleOf, overlap } from "./count_quads.js";
import { alike, habitsOf, hasSigns, isClear, looksLikeTile, middle, readTile } from "./count_tiles.js";

/**
 * @typedef {import("./count_candidates.js").Bar} Bar
 * @typedef {import("./count_candidates.js").Candidate} Candidate
 * @typedef {import("./count_candidates.js").Guess} Guess
 * @typedef {import("./count_candidates.js").Search} Search
 * @typedef {import("./count_quads.js").Quad} Quad
 * @typedef {import("./count_tiles.js").Habits} Habits
 * @typedef {import("./count_tiles.js").Photo} Photo
 * @typedef {import("./count_tiles.js").Tile} Tile
 * @typedef {{quad: Quad, halves: number[], worth: number, sure: boolean, others: number[][]}} Reading
 * @typedef {{tiles: Reading[], missed: Quad[], why?: "none" | "signs"}} Answer `missed` are places with a
 *   bar, but without a tile; `why` tells why there are no tiles.
 */

/** Prepare a photograph from its pixels (RGBA), with tiles up to a set's number.
 * @param {{pixels: ArrayBuffer | Uint8ClampedArray, width: number, height: number, set: number}} request
 * @returns {Photo} */
export const photoOf = ({ pixels, width, height, set }) =>
  ({ pyramid: pyramidOf(new Uint8ClampedArray(pixels), width, height), set, grids: gridsUpTo(set), width, height });

/** Search by tone and by hue. The searches are independent, so they can run in parallel.
 * @param {Photo} photo */
export const searchTones = ({ pyramid }) => searchByTone(pyramid);
/** @param {Photo} photo */
export const searchHues = ({ pyramid }) => searchByHue(pyramid);

/** The tiles that were found. Calls `tell(part)` with the progress.
 * @param {Search[]} searches @param {Photo} photo @param {(part: number) => void} tell @returns {Answer} */
export function tilesAmong(searches, photo, tell = () => {}) {
  const candidates = distinct(searches.flatMap((search) => search.candidates));
  tell(0.5);
  const first = firstLook(candidates, photo);
  tell(0.8);
  const clear = alike(chosen(first).filter(isClear));
  if (!clear.length) return { tiles: [], missed: [], why: haveSigns(candidates, photo) ? "signs" : "none" };
  const habits = habitsOf(clear);
  const bars = searches.flatMap((search) => search.bars);
  if (middle(clear.map(({ quad }) => lengthsOf(quad)[0])) < SMALL) bars.push(...smallBars(photo.pyramid));
  const places = placesOf(bars, clear);
  const fitting = candidates.filter(({ quad }) => habits.oddSize(quad) < 0.4);
  const again = read([...clear, ...distinct([...onEdges(places, photo.pyramid), ...fitting])], photo, habits);
  const tiles = chosen(again);
  tell(1);
  if (2 * repeated(tiles) > tiles.length) return { tiles: [], missed: [], why: "signs" };
  return { tiles: tiles.map((tile) => reported(tile, photo)), missed: unexplained(places, tiles, photo, habits) };
}

const SMALL = 140; // Pixels; the bars of shorter tiles are sought in all pixels.
const LIKELY = [1.4, 1, 0]; // Candidates less likely are read only where no other tile is clear.
const GOOD = 2.2; // From this worth on, candidates that nearly coincide are not read.

/** Read the likely candidates, until a tile is clear.
 * @param {Candidate[]} candidates @param {Photo} photo @returns {Tile[]} */
function firstLook(candidates, photo) {
  /** @type {Tile[]} */
  const tiles = [];
  let most = Infinity;
  for (const least of LIKELY) {
    tiles.push(...read(candidates.filter(({ likely }) => likely > least && likely <= most), photo));
    if (tiles.some(isClear)) break;
    most = least;
  }
  return tiles;
}

/** Read candidates, unless one is nearly the same as a good tile.
 * @param {Candidate[]} candidates @param {Photo} photo @param {Habits} [habits] @returns {Tile[]} */
function read(candidates, photo, habits) {
  /** @type {Tile[]} */
  const good = [];
  /** @type {Tile[]} */
  const tiles = [];
  for (const candidate of candidates) {
    if (good.some((tile) => overlap(tile.quad, candidate.quad) > 0.6)) continue;
    const tile = readTile(candidate, photo, habits);
    if (!tile) continue;
    tiles.push(tile);
    if (tile.worth > GOOD && tile.edges > 0.6) good.push(tile);
  }
  return tiles;
}

const LOOKED_AT = 12; // Likely candidates are enough to see that a set has numerals.

/** Tell whether some of the likely candidates have signs instead of pips; one alone is no set.
 * @param {Candidate[]} candidates @param {Photo} photo */
function haveSigns(candidates, photo) {
  /** @type {Candidate[]} */
  const apart = [];
  for (const candidate of candidates) {
    if (apart.length === LOOKED_AT) break;
    if (!apart.some(({ quad }) => overlap(quad, candidate.quad) > 0.15)) apart.push(candidate);
  }
  return apart.filter((candidate) => hasSigns(candidate, photo)).length > 1;
}

/** The number of tiles that read like an earlier one. Each tile of a set exists once, so where most
 * read alike, they have numerals, each of which is taken for one large pip.
 * @param {Tile[]} tiles */
const repeated = (tiles) => tiles.length - new Set(tiles.map(({ halves }) => halves.map(({ number }) => number).sort().join())).size;

const BAR_PARTS = [0.6, 1.05]; // Length of a bar in breadths of its tile.

/** Where tiles must lie if the bars are bars of the set. @param {Bar[]} bars @param {Tile[]} clear */
function placesOf(bars, clear) {
  const plane = planeOf(clear.map(({ quad }) => quad));
  return bars.flatMap((bar) => {
    const place = plane(bar);
    return place && place.part > BAR_PARTS[0] && place.part < BAR_PARTS[1] ? [{ quad: place.quad, reach: 0.1, least: 0.2 }] : [];
  });
}

/** Places with the bar and the body of the set's tiles, but without a tile.
 * @param {Guess[]} places @param {Tile[]} tiles @param {Photo} photo @param {Habits} habits @returns {Quad[]} */
function unexplained(places, tiles, photo, habits) {
  const taken = tiles.map(({ quad }) => quad);
  const least = middle(tiles.map(({ bar }) => bar)) / 2;
  return places.map(({ quad }) => quad).filter((quad) => {
    const [x, y] = middleOf(quad);
    if (taken.some((other) => inside(other, x, y) || overlap(other, quad) > 0.3)) return false;
    const seen = looksLikeTile(quad, photo, habits, least);
    if (seen) taken.push(quad);
    return seen;
  });
}

/** The result for a tile: outline, halves, confidence, alternatives.
 * @param {Tile} tile @param {Photo} photo @returns {Reading} */
function reported(tile, { width, height }) {
  const cut = tile.quad.some(([x, y]) => x < 2 || y < 2 || x > width - 2 || y > height - 2);
  const margin = Math.min(...tile.halves.map((half) => half.margin));
  return {
    quad: tile.quad, halves: tile.halves.map((half) => half.number), worth: tile.worth,
    sure: !cut && margin > 0.5 && tile.worth > 1.7 && tile.halves.every((half) => !half.number || half.share > 0.55),
    others: othersOf(tile.halves),
  };
}

/** The next likely tiles, with one half or the other read as its second best.
 * @param {import("./count_pips.js").Half[]} halves */
function othersOf([one, other]) {
  const ways = [[one.next, other.number, one.margin], [one.number, other.next, other.margin]];
  return ways.sort((a, b) => a[2] - b[2]).map(([a, b]) => [a, b]);
}
