// The plane that all tiles of a photograph lie on, learnt from tiles that are clear: how long and how
// broad a tile is at a place and in a direction, also when the camera looked from the side. Pure.

import { lengthsOf, middleOf, quadAround } from "./count_quads.js";

/**
 * @typedef {import("./count_quads.js").Quad} Quad
 * @typedef {import("./count_candidates.js").Bar} Bar
 * @typedef {{x: number, y: number, long: number[], short: number[]}} Sides A tile's middle and its sides as vectors.
 */

const ASPECT = 1.95; // Length of a tile in breadths.

/** @param {Quad} quad @returns {Sides} */
function sidesOf(quad) {
  const [a, b, c, d] = quad;
  const [x, y] = middleOf(quad);
  const mean = (way, p, q, r, s) => (p[way] - q[way] + r[way] - s[way]) / 2;
  return { x, y, long: [0, 1].map((way) => mean(way, b, a, c, d)), short: [0, 1].map((way) => mean(way, d, a, c, b)) };
}

/** The measure of lengths near a place, as the symmetric matrix [a, b, c]: a tile's long side has the
 * length `ASPECT`, its short side 1, and they are at right angles. Near tiles weigh more.
 * @param {Sides[]} tiles @param {number} x @param {number} y */
function measureAt(tiles, x, y) {
  const near = 4 * Math.hypot(...tiles[0].long);
  const sums = new Float64Array(12); // Normal equations: three rows of four.
  for (const tile of tiles) {
    const weight = 1 / (1 + ((tile.x - x) ** 2 + (tile.y - y) ** 2) / near ** 2);
    const size = Math.hypot(...tile.short) ** 2;
    const [[lx, ly], [sx, sy]] = [tile.long, tile.short];
    for (const [p, q, r, is] of [
      [lx * lx, 2 * lx * ly, ly * ly, ASPECT ** 2],
      [ASPECT * sx * sx, 2 * ASPECT * sx * sy, ASPECT * sy * sy, ASPECT],
      [2 * lx * sx, 2 * (lx * sy + ly * sx), 2 * ly * sy, 0],
    ]) {
      const row = [p / size, q / size, r / size, is / size];
      for (let at = 0; at < 3; at++) for (let to = 0; to < 4; to++) sums[at * 4 + to] += weight * row[at] * row[to];
    }
  }
  return solved(sums);
}

/** Three linear equations, by elimination. @param {Float64Array} rows */
function solved(rows) {
  for (let at = 0; at < 3; at++) {
    const by = rows[at * 5];
    if (Math.abs(by) < 1e-12) return null;
    for (let other = 0; other < 3; other++) {
      if (other === at) continue;
      const factor = rows[other * 4 + at] / by;
      for (let to = at; to < 4; to++) rows[other * 4 + to] -= factor * rows[at * 4 + to];
    }
  }
  return [rows[3] / rows[0], rows[7] / rows[5], rows[11] / rows[10]];
}

/** Return a function from a bar to the tile around it; null where no tile has such a bar.
 * @param {Quad[]} clear @returns {(bar: Bar) => {quad: Quad, part: number} | null} */
export function planeOf(clear) {
  const tiles = clear.map(sidesOf);
  return (bar) => {
    const { x, y, dx, dy, long } = bar;
    const measure = measureAt(tiles, x, y);
    if (!measure) return null;
    const [a, b, c] = measure;
    const breadth = 1 / Math.sqrt(a * dx * dx + 2 * b * dx * dy + c * dy * dy);
    const [u, v] = [-(b * dx + c * dy), a * dx + b * dy]; // At right angles to the bar, on the table.
    const length = ASPECT / Math.sqrt(a * u * u + 2 * b * u * v + c * v * v);
    if (!Number.isFinite(breadth) || !Number.isFinite(length)) return null;
    const quad = quadAround(bar, [dx * breadth, dy * breadth], [u * length, v * length]);
    return { quad, part: long / breadth };
  };
}

/** How far a quad is from the tile that the plane expects there: the ratio of their sides, as a
 * logarithm. @param {Quad[]} clear @returns {(quad: Quad) => number} */
export function oddSizeOn(clear) {
  const plane = planeOf(clear);
  return (quad) => {
    const [x, y] = middleOf(quad);
    const { short: [sx, sy] } = sidesOf(quad);
    const long = Math.hypot(sx, sy);
    const expected = plane({ x, y, dx: sx / long, dy: sy / long, long });
    if (!expected) return 0;
    const [[a, b], [c, d]] = [lengthsOf(quad), lengthsOf(expected.quad)];
    return Math.max(Math.abs(Math.log(a / c)), Math.abs(Math.log(b / d)));
  };
}
