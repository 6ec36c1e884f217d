// Where tiles may lie: quads from regions of a body's tone or hue, cut where several tiles touch, and
// quads around what may be the bar in the middle of a tile. Pure.

import { barOf, colourOf } from "./count_faces.js";
import { areaOf, hullOf, lengthsOf, mapOf, middleOf, ontoEdges, placeIn, quadAround, quadOf } from "./count_quads.js";
import { outlineOf, regionsIn } from "./count_regions.js";

/**
 * @typedef {import("./count_quads.js").Quad} Quad
 * @typedef {import("./count_faces.js").Picture} Picture
 * @typedef {import("./count_regions.js").Shape} Shape
 * @typedef {{values: Uint8ClampedArray, width: number, scale: number}} View A grey picture.
 * @typedef {{quad: Quad, reach: number, least: number}} Guess A quad whose sides may be off by `reach` breadths.
 * @typedef {{quad: Quad, aspect: number, edges: number, bar: number, likely: number}} Candidate
 * @typedef {{x: number, y: number, dx: number, dy: number, long: number}} Bar Its middle, direction and length.
 * @typedef {{candidates: Candidate[], bars: Bar[]}} Search
 */

/** Grey pictures in which light tiles and dark tiles are bright; so are the bars of the others.
 * @param {Picture} picture @returns {View[]} */
function tones({ pixels, width, height, scale }) {
  const [light, dark] = blank(2, width * height);
  for (let at = 0, from = 0; at < light.length; at++, from += 4) {
    const [r, g, b] = [pixels[from], pixels[from + 1], pixels[from + 2]];
    light[at] = Math.min(r, g, b);
    dark[at] = 255 - Math.max(r, g, b);
  }
  return [light, dark].map((values) => ({ values, width, scale }));
}

/** Grey pictures in which tiles of another hue than the table are bright, also in the shade.
 * @param {Picture} picture @returns {View[]} */
function hues({ pixels, width, height, scale }) {
  const [red, noRed, blue, noBlue, dark] = blank(5, width * height);
  for (let at = 0, from = 0; at < red.length; at++, from += 4) {
    const [r, g, b] = [pixels[from], pixels[from + 1], pixels[from + 2]];
    const sum = r + g + b + 40;
    const [warm, cold] = [(r * 600) / sum - 70, (b * 600) / sum - 70];
    red[at] = warm; noRed[at] = 255 - warm; blue[at] = cold; noBlue[at] = 255 - cold;
    dark[at] = 255 - 0.3 * r - 0.59 * g - 0.11 * b;
  }
  return [red, noRed, blue, noBlue, dark].map((values) => ({ values, width, scale }));
}

/** @param {number} count @param {number} size */
const blank = (count, size) => Array.from({ length: count }, () => new Uint8ClampedArray(size));

const ENOUGH = 600; // Pixels of a picture's longer side in which tiles are sought by tone.

/** Search by tone, for bodies and for bars.
 * @param {Picture[]} pyramid @returns {Search} */
export function searchByTone(pyramid) {
  return searched(tones(levelOf(pyramid, ENOUGH)), pyramid, 80, true);
}

/** Search by hue, for bodies; half the pixels a side are enough.
 * @param {Picture[]} pyramid @returns {Search} */
export function searchByHue(pyramid) {
  return searched(hues(levelOf(pyramid, ENOUGH / 2)), pyramid, 40, false);
}

/** Search for the bars of small tiles, in all pixels.
 * @param {Picture[]} pyramid @returns {Bar[]} */
export function smallBars(pyramid) {
  return tones(pyramid[0]).flatMap((view) => regionsIn(view.values, view.width, 0, true).bars.map((shape) => barAt(shape, view)));
}

/** The smallest picture whose longer side has enough pixels.
 * @param {Picture[]} pyramid @param {number} enough */
const levelOf = (pyramid, enough) =>
  pyramid.findLast(({ width, height }) => Math.max(width, height) >= enough) ?? pyramid[0];

/** @param {View[]} views @param {Picture[]} pyramid @param {number} most @param {boolean} withBars @returns {Search} */
function searched(views, pyramid, most, withBars) {
  /** @type {Guess[]} */
  const guesses = [];
  /** @type {Bar[]} */
  const bars = [];
  for (const view of views) {
    const { values, width, scale } = view;
    const seen = new Int32Array(values.length);
    const regions = regionsIn(values, width, most, withBars);
    regions.bodies.forEach((region, mark) => {
      const hull = hullOf(outlineOf(values, width, region, seen, mark + 1));
      const quad = quadOf(hull);
      const fit = quad ? areaOf(hull) / areaOf(quad) : 0;
      if (fit > 0.8 && fit < 1.08) guesses.push(...partsOf(quad.map(([x, y]) => [x * scale, y * scale]), fit));
    });
    for (const shape of regions.bars) bars.push(barAt(shape, view));
  }
  return { candidates: onEdges([...guesses, ...bars.flatMap(aroundBar)], pyramid), bars };
}

const ASPECTS = [1.45, 2.75];
const STACKS = [2, 3, 4, 5];
const LEAST_EDGES = 0.4; // Least part of a candidate's sides that lies on edges.

/** A quad as one tile, as tiles side by side and as tiles end to end, as its sides allow.
 * @param {Quad} quad @param {number} fit @returns {Guess[]} */
function partsOf(quad, fit) {
  /** @type {Guess[]} */
  const parts = [];
  for (const turned of [quad, [quad[1], quad[2], quad[3], quad[0]]]) {
    const [a, b, c, d] = lengthsOf(turned);
    const aspect = (a + c) / (b + d);
    if (fit > 0.9 && aspect > ASPECTS[0] && aspect < ASPECTS[1]) parts.push({ quad: turned, reach: 0.075, least: LEAST_EDGES });
    for (const count of STACKS) {
      if (count / aspect > 1.6 && count / aspect < 2.5) parts.push(...cut(turned, count, true));
      if (aspect / count > 1.6 && aspect / count < 2.5) parts.push(...cut(turned, count, false));
    }
  }
  return parts;
}

/** Cut a quad into equal parts along its first side; tiles side by side lie across it.
 * @param {Quad} quad @param {number} count @param {boolean} across @returns {Guess[]} */
function cut(quad, count, across) {
  const map = mapOf(quad);
  return Array.from({ length: count }, (_, at) => {
    const [from, to] = [at / count, (at + 1) / count];
    const [a, b, c, d] = [[from, 0], [to, 0], [to, 1], [from, 1]].map(([u, v]) => placeIn(map, u, v));
    return { quad: across ? [b, c, d, a] : [a, b, c, d], reach: 0.1, least: LEAST_EDGES };
  });
}

/** @param {Shape} shape @param {View} view @returns {Bar} */
const barAt = ({ x, y, angle, long }, { scale }) =>
  ({ x: (x + 0.5) * scale, y: (y + 0.5) * scale, dx: Math.cos(angle), dy: Math.sin(angle), long: long * scale });

/** Quads around a bar as seen from above, where nothing is known of the set: a tile is about twice as
 * long as it is broad, and its bar nearly as long as the tile is broad.
 * @param {Bar} bar @returns {Guess[]} */
function aroundBar(bar) {
  return [0.74, 0.8, 0.86, 0.93].flatMap((part) => [1.8, 2.05].map((aspect) => {
    const breadth = bar.long / part;
    return { quad: quadAround(bar, [bar.dx * breadth, bar.dy * breadth], [-bar.dy * breadth * aspect, bar.dx * breadth * aspect]), reach: 0.12, least: 0.3 };
  }));
}

/** Fit guesses to edges, without near duplicates, the likeliest first.
 * @param {Guess[]} guesses @param {Picture[]} pyramid @returns {Candidate[]} */
export function onEdges(guesses, pyramid) {
  const colourAt = colourOf(pyramid[0]);
  const tried = new Quads(0.04);
  const found = [];
  for (const { quad: rough, reach, least } of guesses) {
    if (tried.has(rough)) continue;
    tried.add(rough);
    const fitted = ontoEdges(rough, colourAt, least, reach);
    if (!fitted) continue;
    const { quad, edges } = fitted;
    const [a, b, c, d] = lengthsOf(quad);
    const aspect = (a + c) / (b + d);
    if (aspect < 1.4 || aspect > 2.7) continue;
    const bar = barOf(quad, colourAt);
    const likely = edges + Math.min(bar / 12, 1);
    if (likely > 0.5) found.push({ quad, aspect, edges, bar, likely });
  }
  return distinct(found);
}

/** The likeliest candidates first, without near duplicates.
 * @param {Candidate[]} candidates @returns {Candidate[]} */
export function distinct(candidates) {
  const seen = new Quads(0.05);
  return candidates.sort((one, other) => other.likely - one.likely).filter(({ quad }) => {
    if (seen.has(quad)) return false;
    seen.add(quad);
    return true;
  });
}

/** Quads by their place, to find near duplicates. */
class Quads {
  /** @param {number} near Part of the short side that corners may differ. */
  constructor(near) {
    this.near = near;
    /** @type {Map<string, Quad[]>} */
    this.all = new Map();
  }

  /** @param {Quad} quad */
  has(quad) {
    const [x, y] = middleOf(quad);
    const far = Math.min(...lengthsOf(quad)) * this.near;
    for (let across = -1; across < 2; across++) {
      for (let down = -1; down < 2; down++) {
        const beside = this.all.get(this.cell(x + across * CELL, y + down * CELL)) ?? [];
        if (beside.some((other) => quad.every(([u, v]) => other.some(([p, q]) => Math.hypot(u - p, v - q) < far)))) return true;
      }
    }
    return false;
  }

  /** @param {Quad} quad */
  add(quad) {
    const [x, y] = middleOf(quad);
    const name = this.cell(x, y);
    if (!this.all.has(name)) this.all.set(name, []);
    this.all.get(name).push(quad);
  }

  /** @param {number} x @param {number} y */
  cell(x, y) { return `${Math.floor(x / CELL)} ${Math.floor(y / CELL)}`; }
}

const CELL = 24; // Pixels; larger than near duplicates are apart.
