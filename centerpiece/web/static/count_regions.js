// Finds regions that are brighter than their surroundings and may be tiles, or the bars in their
// middle. A component tree holds the regions of every threshold, each with its area and moments, and
// the moments tell which have the right shape. Pure.

const LEAST_SIDE = 0.022; // The smallest tile's short side, as a part of the picture's longer side.
const MOST_SIDE = 0.7;
const LEAST_BAR = 20; // Pixels of the smallest bar.
const SHORTEST_BAR = 11;
const LONGEST_BAR = 0.3;
const MOST_BARS = 160;
const STEP = 10; // Change of threshold over which a stable region hardly grows.

/** The stack of components that a flood of the picture, from the brightest pixels, has not joined
 * yet, the darkest at the bottom; each has its sums and its regions without a parent. */
class Pools {
  constructor() {
    this.levels = new Int16Array(258);
    this.sums = new Float64Array(258 * 6); // area, x, y, xx, xy, yy
    this.places = new Int32Array(258);
    this.orphans = []; // Heads of linked lists by `beside`.
    this.top = -1;
    this.open(256);
  }

  open(level) {
    this.top++;
    this.levels[this.top] = level;
    for (let sum = 0; sum < 6; sum++) this.sums[this.top * 6 + sum] = 0;
    this.orphans[this.top] = null;
  }

  add(at, x, y) {
    const { sums, top } = this;
    const own = top * 6;
    sums[own]++; sums[own + 1] += x; sums[own + 2] += y;
    sums[own + 3] += x * x; sums[own + 4] += x * y; sums[own + 5] += y * y;
    this.places[top] = at;
  }

  /** Raise the flood to a level: make regions of at least `least` pixels, and join components. */
  rise(level, least, regions) {
    while (this.top > 0 && this.levels[this.top] < level) {
      this.keep(least, regions);
      if (level < this.levels[this.top - 1]) this.levels[this.top] = level;
      else this.join();
    }
  }

  keep(least, regions) {
    const { top, sums } = this;
    const own = top * 6;
    if (sums[own] < least) return;
    const all = [sums[own], sums[own + 1], sums[own + 2], sums[own + 3], sums[own + 4], sums[own + 5]];
    const region = { at: this.places[top], level: 255 - this.levels[top], sums: all, parent: null, beside: null };
    for (let inner = this.orphans[top]; inner; inner = inner.beside) inner.parent = region;
    this.orphans[top] = region;
    regions.push(region);
  }

  join() {
    const { sums, top } = this;
    for (let sum = 0; sum < 6; sum++) sums[(top - 1) * 6 + sum] += sums[top * 6 + sum];
    this.places[top - 1] = this.places[top];
    this.adopt(this.orphans[top]);
    this.top--;
  }

  /** Put the top component's orphans before those of the one below it. */
  adopt(first) {
    let last = first;
    while (last?.beside) last = last.beside;
    if (!last) return;
    last.beside = this.orphans[this.top - 1];
    this.orphans[this.top - 1] = first;
  }
}

/** The regions of every threshold, each with a pixel, level, sums and parent. Visits each pixel
 * once, by flooding downhill first (Nistér and Stewénius, 2008). */
function regionsOf(values, width, least) {
  const size = values.length;
  const first = new Int32Array(257).fill(-1); // Border pixels of the flood, by level.
  const next = new Int32Array(size);
  const done = new Uint8Array(size).fill(255); // Number of neighbours visited; 255: not reached.
  const pools = new Pools();
  const regions = [];
  let lowest = 256;
  let at = 0;
  done[0] = 0;
  pools.open(255 - values[0]);
  for (;;) {
    const x = at % width;
    const value = values[at];
    let deeper = -1;
    while (done[at] < 4) {
      const side = done[at]++;
      const beside = side === 0 ? (x > 0 ? at - 1 : -1) : side === 1 ? (x < width - 1 ? at + 1 : -1)
        : side === 2 ? at - width : at + width;
      if (beside < 0 || beside >= size || done[beside] !== 255) continue;
      done[beside] = 0;
      const shore = values[beside] > value ? at : beside;
      const level = 255 - values[shore];
      next[shore] = first[level];
      first[level] = shore;
      if (level < lowest) lowest = level;
      if (shore === at) { deeper = beside; break; }
    }
    if (deeper >= 0) {
      at = deeper;
      pools.open(255 - values[at]);
      continue;
    }
    pools.add(at, x, (at - x) / width);
    while (lowest < 256 && first[lowest] < 0) lowest++;
    pools.rise(lowest, least, regions);
    if (lowest === 256) return regions;
    at = first[lowest];
    first[lowest] = next[at];
  }
}

/**
 * @typedef {{area: number, x: number, y: number, fill: number, aspect: number, short: number, long: number, angle: number}} Shape
 * @typedef {Shape & {at: number, level: number, growth: number}} Found
 */

/** A region's centre and its likeness to a parallelogram, by its moments.
 * @param {Float64Array | number[]} sums @returns {Shape} */
function shapeOf(sums) {
  const area = sums[0];
  const x = sums[1] / area;
  const y = sums[2] / area;
  const xx = sums[3] / area - x * x + 1 / 12;
  const xy = sums[4] / area - x * y;
  const yy = sums[5] / area - y * y + 1 / 12;
  const spread = Math.sqrt((xx - yy) ** 2 / 4 + xy * xy);
  const longest = (xx + yy) / 2 + spread;
  const shortest = Math.max((xx + yy) / 2 - spread, 1e-6);
  return {
    area, x, y,
    fill: area / (12 * Math.sqrt(longest * shortest)),
    aspect: Math.sqrt(longest / shortest),
    short: Math.sqrt(12 * shortest), long: Math.sqrt(12 * longest),
    angle: 0.5 * Math.atan2(2 * xy, xx - yy),
  };
}

/** @param {Shape} shape @param {number} scale */
const bodyLike = (shape, scale) =>
  shape.short > LEAST_SIDE * scale && shape.long < 1.3 * scale && shape.short < MOST_SIDE * scale
  && shape.fill > 0.55 && shape.fill < 1.12 && shape.aspect < 11;

/** @param {Shape} shape @param {number} scale */
const barLike = (shape, scale) =>
  shape.fill > 0.85 && shape.fill < 1.15 && shape.aspect > 4 && shape.aspect < 14
  && shape.long > SHORTEST_BAR && shape.long < LONGEST_BAR * scale;

/** The growth of a region when the threshold falls by `STEP`. */
function growth(region) {
  let around = region;
  while (around.parent && region.level - around.parent.level <= STEP) around = around.parent;
  return around.sums[0] / region.sums[0] - 1;
}

/** Bright regions that may be bodies of tiles (at most `most`) or bars, the most stable first,
 * without near duplicates.
 * @param {Uint8ClampedArray} values @param {number} width @param {number} most @param {boolean} withBars
 * @returns {{bodies: Found[], bars: Found[]}} */
export function regionsIn(values, width, most, withBars) {
  const scale = Math.max(width, values.length / width);
  const least = 2 * (LEAST_SIDE * scale) ** 2 * 0.6;
  /** @type {Found[]} */
  const bodies = [];
  /** @type {Found[]} */
  const bars = [];
  for (const region of regionsOf(values, width, withBars ? LEAST_BAR : least)) {
    const area = region.sums[0];
    if (area > values.length * 0.5) continue;
    const shape = shapeOf(region.sums);
    if (area >= least && bodyLike(shape, scale)) bodies.push({ ...shape, at: region.at, level: region.level, growth: growth(region) });
    if (withBars && barLike(shape, scale)) bars.push({ ...shape, at: region.at, level: region.level, growth: growth(region) });
  }
  return {
    bodies: steadiest(bodies, most, (one, other) => Math.abs(other.area / one.area - 1) < 0.12
      && Math.hypot(other.x - one.x, other.y - one.y) < 0.06 * one.short),
    bars: steadiest(bars, MOST_BARS, (one, other) => Math.abs(other.long / one.long - 1) < 0.12
      && Math.hypot(other.x - one.x, other.y - one.y) < 0.25 * one.long),
  };
}

/** @param {Found[]} found @param {number} most @param {(one: Found, other: Found) => boolean} twins */
function steadiest(found, most, twins) {
  found.sort((one, other) => one.growth - other.growth);
  /** @type {Found[]} */
  const kept = [];
  for (const region of found) {
    if (kept.length === most) break;
    if (!kept.some((other) => twins(region, other))) kept.push(region);
  }
  return kept;
}

/** The starts of a region's unseen runs between two places of a row. */
function beginnings(values, from, to, level, seen, mark, into) {
  let within = false;
  for (let at = from; at <= to; at++) {
    const now = values[at] >= level;
    if (now && !within && seen[at] !== mark) into.push(at);
    within = now;
  }
}

/** The outline of a region: the leftmost and rightmost pixel of each of its rows. */
export function outlineOf(values, width, { at, level }, seen, mark) {
  const height = values.length / width;
  const left = new Int32Array(height).fill(width);
  const right = new Int32Array(height).fill(-1);
  const waiting = [at];
  while (waiting.length) {
    const place = waiting.pop();
    if (seen[place] === mark) continue;
    const y = Math.floor(place / width);
    const [begin, end] = [y * width, (y + 1) * width - 1];
    let from = place;
    let to = place;
    seen[place] = mark;
    while (from > begin && values[from - 1] >= level) seen[--from] = mark;
    while (to < end && values[to + 1] >= level) seen[++to] = mark;
    left[y] = Math.min(left[y], from - begin);
    right[y] = Math.max(right[y], to - begin);
    if (y > 0) beginnings(values, from - width, to - width, level, seen, mark, waiting);
    if (y < height - 1) beginnings(values, from + width, to + width, level, seen, mark, waiting);
  }
  const points = [];
  for (let y = 0; y < height; y++) {
    if (right[y] >= 0) points.push([left[y], y], [left[y], y + 1], [right[y] + 1, y], [right[y] + 1, y + 1]);
  }
  return points;
}
