// Reads a half's number from its contrast: of all printed layouts, the one that explains most of it
// wins. The distance to the next best number is the confidence. Pure.

import { HALF } from "./count_faces.js";

const PRINTED = {
  1: ["... .o. ..."],
  2: ["..o ... o..", "o.. ... ..o", ".o. ... .o."],
  3: ["..o .o. o..", "o.. .o. ..o"],
  4: ["o.o ... o.o"],
  5: ["o.o .o. o.o"],
  6: ["o.o o.o o.o"],
  7: ["o.o ooo o.o"],
  8: ["ooo o.o ooo"],
  9: ["ooo ooo ooo"],
  10: ["ooo o.o o.o ooo", "o.o o.o o.o o.o o.o", "o.o ooo ooo o.o"],
  11: ["ooo ... o.o .o. o.o ... ooo", "o.o o.o ooo o.o o.o"],
  12: ["ooo ooo ooo ooo", "ooo ooo ... ooo ooo", "ooo o.o o.o o.o ooo"],
  13: ["ooo o.o ooo o.o ooo"],
  14: ["ooo ooo o.o ooo ooo"],
  15: ["ooo ooo ooo ooo ooo"],
};
const ROWS = { 3: 3, 4: 4, 5: 5, 7: 4 }; // Seven lines are four rows with a pip in between.
const RADII = [0.062, 0.08, 0.1, 0.125];
const SQUARE = [0.22, 0.245, 0.27, 0.295, 0.32, 0.345].flatMap((wide) => [-0.025, 0, 0.025].map((more) => [wide, wide + more]));
const TALL = [0.3, 0.325, 0.35, 0.375].flatMap((along) => [0.23, 0.26, 0.29, 0.32, 0.345].map((across) => [along, across]));
const SHIFTS = [-0.04, 0, 0.04];
const TIGHT = 0.5; // The largest pip, in distances between pips, which do not overlap.
const LEAST_SHARE = 0.2; // Pips that explain less of the contrast do not count.
const FAINTEST = 16; // Least contrast of a pip, of 255.

/** Grids with all layouts up to a set's number: `spots` from -1 to 1 along and across, and for each
 * layout the indices of its spots. A tall grid lies along the tile or across it. */
export function gridsUpTo(set) {
  const grids = new Map();
  for (let number = 1; number <= set; number++) {
    for (const rows of PRINTED[number]) {
      const lines = rows.split(" ");
      for (const turned of lines.length > 3 ? [false, true] : [false]) {
        const name = `${lines.length} ${turned}`;
        if (!grids.has(name)) grids.set(name, { spots: gridOf(lines.length, turned), layouts: [], tall: lines.length > 3, turned, apart: 2 / (ROWS[lines.length] - 1) });
        addTurns(grids.get(name), number, lines);
      }
    }
  }
  return [...grids.values()];
}

const gridOf = (rows, turned) => Array.from({ length: rows * 3 }, (_, place) => {
  const [along, across] = [(Math.floor(place / 3) / (rows - 1)) * 2 - 1, (place % 3) - 1];
  return turned ? [across, along] : [along, across];
});

/** Add a layout as it is printed, upside down, mirrored, and on a square grid also rotated. */
function addTurns(grid, number, lines) {
  const upside = [...lines].reverse();
  const mirrored = (some) => some.map((line) => [...line].reverse().join(""));
  const ways = [lines, upside, mirrored(lines), mirrored(upside)];
  if (lines.length === 3) ways.push(...ways.map((some) => [0, 1, 2].map((at) => some.map((line) => line[at]).join(""))));
  for (const dots of new Set(ways.map((way) => way.join("")))) {
    const has = [...dots].flatMap((dot, place) => (dot === "o" ? [place] : []));
    if (!grid.layouts.some((other) => String(other.has) === String(has))) grid.layouts.push({ number, has: Uint8Array.from(has) });
  }
}

/** The mean over a disc around each pixel. */
function discMeans(half, radius) {
  const reach = Math.floor(radius);
  const wide = HALF + 2 * reach + 1;
  const sums = new Float32Array(wide * HALF); // Prefix sums of each row, with a margin.
  for (let y = 0; y < HALF; y++) {
    for (let x = 1; x < wide; x++) {
      const from = x - 1 - reach;
      sums[y * wide + x] = sums[y * wide + x - 1] + (from >= 0 && from < HALF ? half[y * HALF + from] : 0);
    }
  }
  const means = new Float32Array(HALF * HALF);
  let area = 0;
  for (let dy = -reach; dy <= reach; dy++) {
    const span = Math.floor(Math.sqrt(radius * radius - dy * dy));
    area += 2 * span + 1;
    for (let y = Math.max(0, -dy); y < Math.min(HALF, HALF - dy); y++) {
      let right = (y + dy) * wide + reach + span + 1;
      let left = right - 2 * span - 1;
      for (let at = y * HALF; at < (y + 1) * HALF; at++) means[at] += sums[right++] - sums[left++];
    }
  }
  for (let at = 0; at < means.length; at++) means[at] /= area;
  return means;
}

/** The best of the nearest pixels: a pip may be slightly misplaced. */
function forgiving(means) {
  const best = new Float32Array(means.length);
  for (let y = 1; y < HALF - 1; y++) {
    for (let x = 1; x < HALF - 1; x++) {
      const at = y * HALF + x;
      best[at] = Math.max(means[at], means[at - 1], means[at + 1], means[at - HALF], means[at + HALF]);
    }
  }
  return best;
}

const onHalf = (part) => Math.min(HALF - 2, Math.max(1, Math.round((0.5 + part) * HALF - 0.5)));

/** Read a half. `scores[number]` is each number's explained energy: its pips times the square of
 * their contrast, fitted for each layout, times their area.
 * @param {Float32Array} half @param {any[]} grids @param {number} set @param {{faintest?: number}} habits
 * @returns {Half} */
export function readHalf(half, grids, set, habits = {}) {
  const faintest = habits.faintest ?? FAINTEST;
  const found = { faintest, scores: new Float64Array(set + 1), radii: new Float64Array(set + 1) };
  for (const radius of RADII) {
    const best = forgiving(discMeans(half, radius * HALF));
    for (const grid of grids) {
      for (const [along, across] of grid.tall ? TALL : SQUARE) {
        if (radius > TIGHT * Math.min(along * grid.apart, across)) continue;
        layOver(best, grid, radius, grid.turned ? across : along, grid.turned ? along : across, found);
      }
    }
  }
  return judged(found.scores, found.radii, half);
}

const values = new Float32Array(32);

/** Score all layouts of a grid on a half, at every shift. */
function layOver(best, { spots, layouts }, radius, wide, high, { scores, radii, faintest }) {
  const size = radius * radius;
  for (const dx of SHIFTS) {
    for (const dy of SHIFTS) {
      for (let place = 0; place < spots.length; place++) {
        values[place] = best[onHalf(spots[place][1] * high + dy) * HALF + onHalf(spots[place][0] * wide + dx)];
      }
      for (const { number, has } of layouts) {
        let sum = 0;
        for (let place = 0; place < has.length; place++) sum += values[has[place]];
        const score = ((sum * sum) / number - number * faintest * faintest) * size;
        if (score > scores[number]) {
          scores[number] = score;
          radii[number] = radius;
        }
      }
    }
  }
}

/**
 * @typedef {{number: number, next: number, margin: number, share: number, contrast: number, strongest: number}} Half
 */

/** The likeliest number, the next one, and the confidence: `margin` in pips, and the `share` of the
 * contrast that its pips explain. A half of which they explain almost nothing is blank. */
function judged(scores, radii, half) {
  const [number, next] = bestTwo(scores);
  let energy = 0;
  let strongest = 0;
  for (let place = 0; place < half.length; place++) {
    energy += half[place] * half[place];
    strongest = Math.max(strongest, half[place]);
  }
  const share = energy ? (scores[number] * Math.PI * HALF * HALF) / energy : 1;
  if (number && share < LEAST_SHARE) return { number: 0, next: number, margin: 1 - share / LEAST_SHARE, share: 0, contrast: 0, strongest };
  const per = number ? scores[number] / number : 1;
  return {
    number, next, share, strongest,
    margin: number ? (scores[number] - scores[next]) / per : 1,
    contrast: number ? Math.sqrt(per) / radii[number] : 0,
  };
}

function bestTwo(scores) {
  const order = [...scores.keys()].sort((one, other) => scores[other] - scores[one] || one - other);
  return [order[0], order[1]];
}
