// The face of a tile, rectified: contrast of its pips against its body. Pure.

import { mapOf, placeIn } from "./count_quads.js";

export const HALF = 64; // Side of a rectified half in pixels.
const WIDE = 2 * HALF;
const PIP_WINDOW = Math.round(HALF * 0.3); // Wider than any pip, so that pips are features narrower than it.
const RIM = 0.045; // Bevel at the edge, as a part of a half.
const BAR = 0.055; // Half of the middle bar's greatest width, as a part of a half.

/** @typedef {{pixels: Uint8ClampedArray, width: number, height: number, scale: number}} Picture */

/** The picture at full, half and quarter size; large tiles are sampled from smaller ones.
 * @param {Uint8ClampedArray} pixels @param {number} width @param {number} height @returns {Picture[]} */
export function pyramidOf(pixels, width, height) {
  const levels = [{ pixels, width, height, scale: 1 }];
  while (levels.length < 3) levels.push(halved(levels.at(-1)));
  return levels;
}

/** @param {Picture} picture @returns {Picture} */
function halved({ pixels, width, height, scale }) {
  const [w, h] = [width >> 1, height >> 1];
  const small = new Uint8ClampedArray(w * h * 4);
  for (let y = 0, to = 0; y < h; y++) {
    for (let x = 0; x < w; x++, to += 4) {
      const at = (2 * y * width + 2 * x) * 4;
      const below = at + width * 4;
      for (let c = 0; c < 3; c++) {
        small[to + c] = (pixels[at + c] + pixels[at + 4 + c] + pixels[below + c] + pixels[below + 4 + c] + 2) >> 2;
      }
    }
  }
  return { pixels: small, width: w, height: h, scale: scale * 2 };
}

/** Return a function that interpolates the colour at a point of the full-size picture.
 * @param {Picture} picture
 * @returns {(x: number, y: number, into: Float32Array, from?: number) => void} */
export function colourOf({ pixels, width, height, scale }) {
  return (x, y, into, from = 0) => {
    const px = Math.min(Math.max(x / scale - 0.5, 0), width - 1.001);
    const py = Math.min(Math.max(y / scale - 0.5, 0), height - 1.001);
    const left = px | 0;
    const top = py | 0;
    const fx = px - left;
    const fy = py - top;
    const at = (top * width + left) * 4;
    const below = at + width * 4;
    for (let c = 0; c < 3; c++) {
      const upper = pixels[at + c] + (pixels[at + 4 + c] - pixels[at + c]) * fx;
      const lower = pixels[below + c] + (pixels[below + 4 + c] - pixels[below + c]) * fx;
      into[from + c] = upper + (lower - upper) * fy;
    }
  };
}

/** The three colour planes of a rectified tile, its first side at the top.
 * @param {import("./count_quads.js").Quad} quad @param {Picture[]} pyramid @param {number} length */
export function flattened(quad, pyramid, length) {
  const level = pyramid[length / WIDE > 5 ? 2 : length / WIDE > 2.4 ? 1 : 0];
  const colourAt = colourOf(level);
  const [a, b, c, d, e, f, g, h] = mapOf(quad);
  const planes = [0, 1, 2].map(() => new Float32Array(WIDE * HALF));
  const into = new Float32Array(3);
  for (let y = 0, at = 0; y < HALF; y++) {
    const v = (y + 0.5) / HALF;
    for (let x = 0; x < WIDE; x++, at++) {
      const u = (x + 0.5) / WIDE;
      const by = g * u + h * v + 1;
      colourAt((a * u + b * v + c) / by, (d * u + e * v + f) / by, into);
      planes[0][at] = into[0]; planes[1][at] = into[1]; planes[2][at] = into[2];
    }
  }
  return planes.map(softened);
}

function softened(plane) {
  const soft = plane.slice();
  for (let y = 1; y < HALF - 1; y++) {
    for (let x = 1; x < WIDE - 1; x++) {
      const at = y * WIDE + x;
      soft[at] = (4 * plane[at] + 2 * (plane[at - 1] + plane[at + 1] + plane[at - WIDE] + plane[at + WIDE])
        + plane[at - WIDE - 1] + plane[at - WIDE + 1] + plane[at + WIDE - 1] + plane[at + WIDE + 1]) / 16;
    }
  }
  return soft;
}

/** Sliding window maximum of a row or column (minimum for sign -1), by a monotonic queue.
 * @param {Float32Array} from @param {Float32Array} to */
function extremes(from, to, start, count, step, reach, sign) {
  const queue = extremes.queue;
  let head = 0, tail = 0;
  for (let at = 0; at < count + reach; at++) {
    if (at < count) {
      const value = sign * from[start + at * step];
      while (tail > head && sign * from[start + queue[tail - 1] * step] <= value) tail--;
      queue[tail++] = at;
    }
    const place = at - reach;
    if (place < 0) continue;
    while (queue[head] < place - reach) head++;
    to[start + place * step] = from[start + queue[head] * step];
  }
}
extremes.queue = new Int32Array(4 * WIDE);

function windowed(plane, sign) {
  const rows = new Float32Array(plane.length);
  const both = new Float32Array(plane.length);
  const reach = PIP_WINDOW >> 1;
  for (let y = 0; y < HALF; y++) extremes(plane, rows, y * WIDE, WIDE, 1, reach, sign);
  for (let x = 0; x < WIDE; x++) extremes(rows, both, x, HALF, WIDE, reach, sign);
  return both;
}

/** The contrast of each pixel: darker (sign 1) or brighter (sign -1) than the body around it.
 * @param {Float32Array[]} planes @param {number} sign */
export function standingOut(planes, sign) {
  const out = new Float32Array(WIDE * HALF);
  for (const plane of planes) {
    const body = windowed(windowed(plane, sign), -sign);
    for (let at = 0; at < out.length; at++) out[at] = Math.max(out[at], sign * (body[at] - plane[at]));
  }
  return out;
}

/** The contrast of one half, its outer end on the left, without rim and bar, above the noise.
 * @param {Float32Array} out @param {boolean} second */
export function halfOf(out, second) {
  const half = new Float32Array(HALF * HALF);
  const rim = Math.round(RIM * HALF);
  const bar = Math.round(BAR * HALF);
  for (let y = rim; y < HALF - rim; y++) {
    for (let x = rim; x < HALF - bar; x++) {
      half[y * HALF + x] = out[y * WIDE + (second ? WIDE - 1 - x : x)];
    }
  }
  const floor = middling(half);
  for (let at = 0; at < half.length; at++) half[at] = Math.max(0, half[at] - floor);
  return half;
}

/** The 30th percentile of a half's contrast: its noise. */
function middling(half) {
  const few = [];
  for (let at = 0; at < half.length; at += 7) if (half[at] > 0) few.push(half[at]);
  few.sort((a, b) => a - b);
  return few.length ? few[Math.floor(few.length * 0.3)] : 0;
}

/** The typical colour of the body: the median of each plane.
 * @param {Float32Array[]} planes */
export function bodyOf(planes) {
  return planes.map((plane) => {
    const few = [];
    for (let at = 3; at < plane.length; at += 11) few.push(plane[at]);
    few.sort((a, b) => a - b);
    return few[few.length >> 1];
  });
}

const BESIDE = 0.05; // Distance at which the bar is compared with the body, in lengths of a tile.
const COLUMNS = 13;
const INNER = [0.16, 0.24, 0.32, 0.4, 0.6, 0.68, 0.76, 0.84]; // Not the middle, where a spinner may be.
const OUTER = [0.025, 0.06, 0.94, 0.975];

/** The contrast of a bar in the middle. A seam between two touching tiles reaches the edges and
 * does not count; a bar ends before them. */
export function barOf(quad, colourAt) {
  const map = mapOf(quad);
  const inner = columnsOf(map, colourAt, INNER);
  const outer = columnsOf(map, colourAt, OUTER);
  return Math.max(...[0, 1, 2].map((plane) => {
    const [strength, x] = lineIn(inner[plane]);
    const seam = Math.max(...[x - 1, x, x + 1].map((near) => Math.abs(lineAt(outer[plane], near))));
    return Math.max(0, strength - seam);
  }));
}

/** The median colour of each column around the middle, over some rows. */
function columnsOf(map, colourAt, rows) {
  const columns = [0, 1, 2].map(() => new Float32Array(COLUMNS));
  const into = new Float32Array(3);
  const seen = [0, 1, 2].map(() => new Float32Array(rows.length));
  for (let x = 0; x < COLUMNS; x++) {
    const u = 0.5 + (x / (COLUMNS - 1) - 0.5) * 2 * BESIDE;
    for (let row = 0; row < rows.length; row++) {
      const [px, py] = placeIn(map, u, rows[row]);
      colourAt(px, py, into);
      for (let plane = 0; plane < 3; plane++) seen[plane][row] = into[plane];
    }
    for (let plane = 0; plane < 3; plane++) columns[plane][x] = seen[plane].sort()[rows.length >> 1];
  }
  return columns;
}

const lineAt = (columns, x) => columns[x] - (columns[x - 3] + columns[x + 3]) / 2;

function lineIn(columns) {
  let best = [0, 6];
  for (let x = 4; x < COLUMNS - 4; x++) {
    const strength = Math.abs(lineAt(columns, x)) - Math.abs(columns[x - 3] - columns[x + 3]) / 2;
    if (strength > best[0]) best = [strength, x];
  }
  return best;
}
