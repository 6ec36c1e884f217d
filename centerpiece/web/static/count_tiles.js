// Reads a quad as a tile, and judges it: by its pips, its edges and its bar, and by what the tiles of
// one photograph have in common. Pure.

import { barOf, bodyOf, colourOf, flattened, halfOf, standingOut } from "./count_faces.js";
import { readHalf } from "./count_pips.js";
import { areaOf, lengthsOf } from "./count_quads.js";
import { oddSizeOn } from "./count_plane.js";

/**
 * @typedef {import("./count_candidates.js").Candidate} Candidate
 * @typedef {import("./count_faces.js").Picture} Picture
 * @typedef {import("./count_pips.js").Half} Half
 * @typedef {{pyramid: Picture[], set: number, grids: object[], width: number, height: number}} Photo
 * @typedef {Candidate & {body: number[], sign: number, halves: Half[], worth: number}} Tile `sign` is 1
 *   where pips are darker than the body.
 * @typedef {{sign?: number, body?: number[], faintest?: number, oddSize?: (quad: number[][]) => number}} Habits
 */

const MUST_BE_DARK = 170; // A body as light as this has dark pips,
const MUST_BE_LIGHT = 40; // and one as dark as this has light ones.

/** Read a quad as a tile, its pips dark or light, whichever explains it better; null as soon as it
 * cannot be one.
 * @param {Candidate} candidate @param {Photo} photo @param {Habits} habits @returns {Tile | null} */
export function readTile(candidate, photo, habits = {}) {
  const planes = flattened(candidate.quad, photo.pyramid, lengthsOf(candidate.quad)[0]);
  const body = bodyOf(planes);
  const odd = oddity(candidate.quad, body, habits);
  if (odd > MOST_ODD) return null;
  const light = body[0] * 0.3 + body[1] * 0.59 + body[2] * 0.11;
  const signs = habits.sign ? [habits.sign] : light > MUST_BE_DARK ? [1] : light < MUST_BE_LIGHT ? [-1] : [1, -1];
  /** @type {Tile | null} */
  let best = null;
  for (const sign of signs) {
    const out = standingOut(planes, sign);
    const one = readHalf(halfOf(out, false), photo.grids, photo.set, habits);
    if (worthOf(candidate, one, PERFECT) - odd < Math.max(LEAST_WORTH, best?.worth ?? 0)) continue;
    const other = readHalf(halfOf(out, true), photo.grids, photo.set, habits);
    const worth = worthOf(candidate, one, other) - odd;
    if (worth > (best?.worth ?? LEAST_WORTH)) best = { ...candidate, body, sign, halves: [one, other], worth };
  }
  return best && (!isBlank(best) || (best.worth > 1.35 && best.bar > 4)) ? best : null;
}

const LEAST_WORTH = 0.8;
const MOST_ODD = 1.5;
const PERFECT = { number: 0, next: 0, margin: 1, share: 1, contrast: 0, strongest: 0 };
const EXPLAINED = 0.5; // Part of a half's contrast that its pips should explain.

/** @param {Candidate} candidate @param {Half} one @param {Half} other */
function worthOf({ edges, bar }, one, other) {
  const unexplained = Math.max(0, ...[one, other].map(({ number, share }) => (number ? EXPLAINED - share : 0)));
  return Math.min(one.margin, other.margin, 1) + (Math.min(one.share, 1) + Math.min(other.share, 1)) / 2
    + edges + Math.min(bar / 12, 1) - 1.2 - 1.5 * unexplained;
}

/** Anything flat looks like a double blank, which therefore needs a higher worth and a bar.
 * @param {Tile} tile */
const isBlank = ({ halves }) => halves.every((half) => !half.number);

/** Without one tile as clear as this, a photograph has none: cloth, fur, letters, noise. A blank
 * cannot gain worth by its pips. @param {Tile} tile */
export const isClear = (tile) => tile.worth > (isBlank(tile) ? 1.65 : 1.85);

/** @param {number[]} numbers */
export const middle = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Tell whether a quad has edges and a bar like a tile, but signs that no pips explain: numerals, letters.
 * @param {Candidate} candidate @param {Photo} photo */
export function hasSigns(candidate, photo) {
  if (candidate.edges < 0.8 || candidate.bar < 10) return false;
  const planes = flattened(candidate.quad, photo.pyramid, lengthsOf(candidate.quad)[0]);
  return [1, -1].every((sign) => {
    const out = standingOut(planes, sign);
    return [false, true].some((second) => {
      const half = readHalf(halfOf(out, second), photo.grids, photo.set);
      return half.strongest > SIGN && half.share < SIGN_SHARE;
    });
  });
}

/** Tell whether a place has a bar of at least this contrast, on a body like that of the other tiles.
 * @param {number[][]} quad @param {Photo} photo @param {Habits} habits @param {number} least */
export function looksLikeTile(quad, photo, habits, least) {
  if (barOf(quad, colourOf(photo.pyramid[0])) < least) return false;
  return oddity(quad, bodyOf(flattened(quad, photo.pyramid, lengthsOf(quad)[0])), habits) < 0.15;
}

const SIGN = 60; // Contrast of a sign, of 255;
const SIGN_SHARE = 0.4; // and the part of it that pips explain at most.

/** What the tiles of one set have in common: contrast of pips, body, size on the table. Learnt from
 * clear tiles only, of about the same size.
 * @param {Tile[]} tiles @returns {Habits} */
export function habitsOf(tiles) {
  const clear = alike(tiles.filter(isClear));
  if (!clear.length) return {};
  const sign = Math.sign(clear.reduce((sum, tile) => sum + tile.sign * tile.worth, 0)) || 1;
  const halves = clear.filter((tile) => tile.sign === sign)
    .flatMap((tile) => tile.halves.filter((half) => half.number > 1 && half.margin > 0.5 && half.share > 0.5));
  return {
    sign,
    body: [0, 1, 2].map((plane) => middle(clear.map(({ body }) => body[plane]))),
    oddSize: oddSizeOn(clear.map(({ quad }) => quad)),
    ...(halves.length > 2 ? { faintest: Math.max(16, 0.35 * middle(halves.map((half) => half.contrast))) } : {}),
  };
}

/** The tiles of middling size. @param {Tile[]} tiles */
export function alike(tiles) {
  const area = middle(tiles.map(({ quad }) => areaOf(quad)));
  return tiles.filter(({ quad }) => Math.abs(Math.log(areaOf(quad) / area)) < 0.6);
}

/** The penalty of a tile that differs from the others of its photograph.
 * @param {number[][]} quad @param {number[]} colour @param {Habits} habits */
function oddity(quad, colour, { body, oddSize }) {
  if (!body || !oddSize) return 0;
  const tone = Math.max(...colour.map((value, plane) => Math.abs(value - body[plane]))) / 255;
  return 3 * Math.max(0, oddSize(quad) - 0.15) + 3 * Math.max(0, tone - 0.25);
}
