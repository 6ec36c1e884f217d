// Finds tiles in a photograph: regions, quads, faces, pips. Pure.

import { brightRegions, outlineOf } from "./count_regions.js";
import { areaOf, hullOf, lengthsOf, mapOf, ontoEdges, overlap, placeIn, quadOf } from "./count_quads.js";
import { barOf, bodyOf, colourOf, flattened, halfOf, pyramidOf, standingOut } from "./count_faces.js";
import { gridsUpTo, readHalf } from "./count_pips.js";

/** Grey pictures in which light tiles and dark tiles are bright. */
function tones({ pixels, width, height, scale }) {
  const [light, dark] = blank(2, width * height);
  for (let at = 0, from = 0; at < light.length; at++, from += 4) {
    const [r, g, b] = [pixels[from], pixels[from + 1], pixels[from + 2]];
    light[at] = Math.min(r, g, b);
    dark[at] = 255 - Math.max(r, g, b);
  }
  return [light, dark].map((values) => ({ values, width, scale }));
}

/** Grey pictures in which tiles of another hue than the table are bright, also in the shade. */
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

const blank = (count, size) => Array.from({ length: count }, () => new Uint8ClampedArray(size));

/** Quads that may be tiles: whole regions, and parts of regions where several tiles touch. */
function candidates(views) {
  const quads = [];
  for (const { values, width, scale } of views) {
    const seen = new Int32Array(values.length);
    brightRegions(values, width, scale > 2 ? 40 : 80).forEach((region, mark) => {
      const hull = hullOf(outlineOf(values, width, region, seen, mark + 1));
      const quad = quadOf(hull);
      const fit = quad ? areaOf(hull) / areaOf(quad) : 0;
      if (fit > 0.8 && fit < 1.08) quads.push(...partsOf(quad.map(([x, y]) => [x * scale, y * scale]), fit));
    });
  }
  return quads;
}

const ASPECTS = [1.45, 2.75];
const STACKS = [2, 3, 4, 5];

/** A quad as one tile, as tiles side by side and as tiles end to end, as its sides allow. */
function partsOf(quad, fit) {
  const parts = [];
  for (const turned of [quad, [quad[1], quad[2], quad[3], quad[0]]]) {
    const [a, b, c, d] = lengthsOf(turned);
    const aspect = (a + c) / (b + d);
    if (fit > 0.9 && tileLike(aspect)) parts.push({ quad: turned, reach: 0.075 });
    for (const count of STACKS) {
      if (count / aspect > 1.6 && count / aspect < 2.5) parts.push(...cut(turned, count, true));
      if (aspect / count > 1.6 && aspect / count < 2.5) parts.push(...cut(turned, count, false));
    }
  }
  return parts;
}

const tileLike = (aspect) => aspect > ASPECTS[0] && aspect < ASPECTS[1];

/** Cut a quad into equal parts along its first side; tiles side by side lie across it. */
function cut(quad, count, across) {
  const map = mapOf(quad);
  return Array.from({ length: count }, (_, at) => {
    const [from, to] = [at / count, (at + 1) / count];
    const [a, b, c, d] = [[from, 0], [to, 0], [to, 1], [from, 1]].map(([u, v]) => placeIn(map, u, v));
    return { quad: across ? [b, c, d, a] : [a, b, c, d], reach: 0.1 };
  });
}

/** Read a quad as a tile. */
function readTile(candidate, photo, habits = {}) {
  const { quad } = candidate;
  const planes = flattened(quad, photo.pyramid, lengthsOf(quad)[0]);
  const body = bodyOf(planes);
  const light = body[0] * 0.3 + body[1] * 0.59 + body[2] * 0.11;
  const sign = habits.sign ?? (light > 105 ? 1 : -1);
  const out = standingOut(planes, sign);
  const halves = [false, true].map((second) => readHalf(halfOf(out, second), photo.grids, photo.set, habits));
  const tile = { ...candidate, body, sign, halves };
  tile.worth = worthOf(tile);
  return tile;
}

/** Prepare a photograph from its pixels (RGBA), with tiles up to a set's number. */
export const photoOf = ({ pixels, width, height, set }) =>
  ({ pyramid: pyramidOf(new Uint8ClampedArray(pixels), width, height), set, grids: gridsUpTo(set), width, height });

/** Candidates by tone and by hue. The searches are independent, so they can run in parallel. */
export const searchTones = ({ pyramid }) => onEdges(candidates(tones(pyramid[1])), pyramid);
export const searchHues = ({ pyramid }) => onEdges(candidates(hues(pyramid[2])), pyramid);

/** The tiles among the candidates. Calls `tell(part)` with the progress. */
export function tilesAmong(found, photo, tell = () => {}) {
  const wanted = promising(found);
  tell(0.5);
  const first = chosen(wanted, (candidate) => readTile(candidate, photo));
  tell(0.8);
  const habits = habitsOf(first);
  const again = chosen(first, (tile) => readTile(tile, photo, habits), habits);
  tell(1);
  return again.some(isClear) ? again.map((tile) => reported(tile, photo)) : [];
}

const LEAST_EDGES = 0.4; // Least part of a candidate's sides that lies on edges.

/** Fit candidates to edges; those without edges keep only `rough`. */
function onEdges(quads, pyramid) {
  const colourAt = colourOf(pyramid[0]);
  return quads.map(({ quad: rough, reach }) => {
    const found = ontoEdges(rough, colourAt, LEAST_EDGES, reach);
    if (!found) return { rough };
    const { quad, edges } = found;
    const [a, b, c, d] = lengthsOf(quad);
    const aspect = (a + c) / (b + d);
    if (aspect < 1.5 || aspect > 2.6) return { rough };
    const bar = barOf(quad, colourAt);
    return { rough, quad, aspect, edges, bar, likely: edges + Math.min(bar / 12, 1) };
  });
}

/** The likeliest candidates first, without duplicates. */
function promising(found) {
  const kept = [];
  const rough = new Quads(0.04);
  const fine = new Quads(0.05);
  for (const candidate of found) {
    if (rough.has(candidate.rough)) continue;
    rough.add(candidate.rough);
    if (!candidate.quad || fine.has(candidate.quad)) continue;
    fine.add(candidate.quad);
    kept.push(candidate);
  }
  return kept.filter(({ likely }) => likely > 0.5).sort((one, other) => other.likely - one.likely).slice(0, 90);
}

const GOOD = 2.2; // From this worth on, overlapping candidates are not read.

/** Read candidates, unless they overlap a good tile; of overlapping tiles the best one stays. */
function chosen(wanted, read, habits = null) {
  const good = [];
  const others = [];
  for (const candidate of wanted) {
    if (good.length > 2 && Math.abs(Math.log(areaOf(candidate.quad) / middle(good.map(({ quad }) => areaOf(quad))))) > 0.9) continue;
    if (good.some((tile) => overlap(tile.quad, candidate.quad) > 0.15)) continue;
    const tile = read(candidate);
    if (habits) tile.worth -= oddity(tile, habits);
    (tile.worth > GOOD && tile.edges > 0.6 ? good : others).push(tile);
  }
  const kept = [];
  for (const tile of [...good, ...others].sort((one, other) => other.worth - one.worth)) {
    if (mayBeTile(tile) && !kept.some((other) => overlap(other.quad, tile.quad) > 0.15)) kept.push(tile);
  }
  return kept;
}

const isBlank = ({ halves }) => halves.every((half) => !half.number);

/** Anything flat looks like a double blank, which therefore needs a higher worth and a bar. */
const mayBeTile = (tile) => (isBlank(tile) ? tile.worth > 1.35 && tile.bar > 4 : tile.worth > 0.8);

/** Without one tile as clear as this, a photograph has none: cloth, fur, letters, noise. A blank
 * cannot gain worth by its pips. */
const isClear = (tile) => tile.worth > (isBlank(tile) ? 1.65 : 1.85);

const middle = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Properties that the tiles of one set share: size, colour, contrast of pips. */
function habitsOf(tiles) {
  if (tiles.length < 2) return {};
  const sign = Math.sign(tiles.reduce((sum, tile) => sum + tile.sign * tile.worth, 0)) || 1;
  const clear = tiles.filter((tile) => tile.sign === sign)
    .flatMap((tile) => tile.halves.filter((half) => half.number > 1 && half.margin > 0.5 && half.share > 0.5));
  return {
    sign,
    area: middle(tiles.map(({ quad }) => areaOf(quad))),
    body: [0, 1, 2].map((plane) => middle(tiles.map(({ body }) => body[plane]))),
    ...(clear.length > 2 ? { faintest: Math.max(16, 0.35 * middle(clear.map((half) => half.contrast))) } : {}),
  };
}

/** The penalty of a tile that differs from the others of its photograph. */
function oddity(tile, habits) {
  if (!habits.area) return 0;
  const size = Math.abs(Math.log(areaOf(tile.quad) / habits.area));
  const tone = Math.max(...tile.body.map((value, plane) => Math.abs(value - habits.body[plane]))) / 255;
  return 1.5 * Math.max(0, size - 0.35) + 3 * Math.max(0, tone - 0.2);
}

/** The result for a tile: outline, halves, confidence, alternatives. */
function reported(tile, { width, height }) {
  const cut = tile.quad.some(([x, y]) => x < 2 || y < 2 || x > width - 2 || y > height - 2);
  const margin = Math.min(...tile.halves.map((half) => half.margin));
  return {
    quad: tile.quad, halves: tile.halves.map((half) => half.number), worth: tile.worth,
    sure: !cut && margin > 0.5 && tile.worth > 1.7 && tile.halves.every((half) => !half.number || half.share > 0.55),
    others: othersOf(tile.halves),
  };
}

/** The next likely tiles, with one half or the other read as its second best. */
function othersOf([one, other]) {
  const ways = [[one.next, other.number, one.margin], [one.number, other.next, other.margin]];
  return ways.sort((a, b) => a[2] - b[2]).map(([a, b]) => [a, b]);
}

const EXPLAINED = 0.5; // Part of a half's contrast that its pips should explain.

function worthOf({ halves: [one, other], edges, bar }) {
  const unexplained = Math.max(0, ...[one, other].map(({ number, share }) => (number ? EXPLAINED - share : 0)));
  return Math.min(one.margin, other.margin, 1) + (Math.min(one.share, 1) + Math.min(other.share, 1)) / 2
    + edges + Math.min(bar / 12, 1) - 1.2 - 1.5 * unexplained;
}

const centre = (quad) => [0, 1].map((way) => (quad[0][way] + quad[1][way] + quad[2][way] + quad[3][way]) / 4);

/** A set of quads that finds near duplicates. */
class Quads {
  constructor(near) { this.near = near; this.all = []; }

  has(quad) {
    const [x, y] = centre(quad);
    const far = Math.min(...lengthsOf(quad)) * this.near;
    return this.all.some((other) => Math.abs(other.x - x) < far && Math.abs(other.y - y) < far
      && quad.every(([u, v]) => other.quad.some(([p, q]) => Math.hypot(u - p, v - q) < far)));
  }

  add(quad) {
    const [x, y] = centre(quad);
    this.all.push({ x, y, quad });
  }
}
