// From what stands out on a half to its number: every layout that is printed is laid over it, and
// the one that explains most of it wins. How far the next best number is behind is the confidence.
// Pure.

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
  11: ["ooo ooo oo. ooo", "o.o ooo ooo ooo", "o.o o.o ooo o.o o.o"],
  12: ["ooo ooo ooo ooo", "ooo ooo ... ooo ooo", "ooo o.o o.o o.o ooo"],
  13: ["ooo o.o ooo o.o ooo"],
  14: ["ooo ooo o.o ooo ooo"],
  15: ["ooo ooo ooo ooo ooo"],
};
const RADII = [0.062, 0.08, 0.1, 0.125];
const SQUARE = [0.22, 0.245, 0.27, 0.295, 0.32, 0.345].flatMap((wide) => [-0.025, 0, 0.025].map((more) => [wide, wide + more]));
const TALL = [0.3, 0.325, 0.35, 0.375].flatMap((along) => [0.23, 0.26, 0.29, 0.32].map((across) => [along, across]));
const SHIFTS = [-0.04, 0, 0.04];
const FAINTEST = 16; // What stands out less than this, of 255, is no pip.

/** Grids with all layouts on them up to a set's number: `spots` from -1 to 1 along and across,
 * and for each layout which of them it has. A tall grid lies along the tile or across it. */
export function gridsUpTo(set) {
  const grids = new Map();
  for (let number = 1; number <= set; number++) {
    for (const rows of PRINTED[number]) {
      const lines = rows.split(" ");
      for (const turned of lines.length > 3 ? [false, true] : [false]) {
        const name = `${lines.length} ${turned}`;
        if (!grids.has(name)) grids.set(name, { spots: gridOf(lines.length, turned), layouts: [], tall: lines.length > 3, turned });
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

/** A layout as it is printed, upside down, mirrored, and on a square grid also turned. */
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

/** The mean of a disc around each place. */
function discMeans(half, radius) {
  const sums = new Float32Array((HALF + 1) * HALF); // Row by row, summed from the left.
  for (let y = 0; y < HALF; y++) {
    for (let x = 0; x < HALF; x++) sums[y * (HALF + 1) + x + 1] = sums[y * (HALF + 1) + x] + half[y * HALF + x];
  }
  const means = new Float32Array(HALF * HALF);
  const reach = Math.floor(radius);
  let area = 0;
  for (let dy = -reach; dy <= reach; dy++) {
    const span = Math.floor(Math.sqrt(radius * radius - dy * dy));
    area += 2 * span + 1;
    for (let y = Math.max(0, -dy); y < Math.min(HALF, HALF - dy); y++) {
      const row = (y + dy) * (HALF + 1);
      for (let x = 0; x < HALF; x++) {
        means[y * HALF + x] += sums[row + Math.min(HALF, x + span + 1)] - sums[row + Math.max(0, x - span)];
      }
    }
  }
  for (let at = 0; at < means.length; at++) means[at] /= area;
  return means;
}

/** The best of the nearest places: a pip may lie a little beside where it should. */
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

/** The number of a half with what speaks for each other one: `scores[number]`, in explained energy:
 * pips times the square of their contrast, which each layout finds itself, times their area. */
export function readHalf(half, grids, set, habits = {}) {
  const faintest = habits.faintest ?? FAINTEST;
  const found = { faintest, scores: new Float64Array(set + 1), ways: new Array(set + 1).fill(null) };
  for (const radius of habits.radii ?? RADII) {
    const best = forgiving(discMeans(half, radius * HALF));
    for (const grid of grids) {
      for (const [along, across] of grid.tall ? habits.tall ?? TALL : habits.square ?? SQUARE) {
        layOver(best, grid, radius, grid.turned ? across : along, grid.turned ? along : across, found);
      }
    }
  }
  return judged(found.scores, found.ways, half);
}

const values = new Float32Array(32);

/** Lay all layouts of a grid over a half, at every shift. */
function layOver(best, { spots, layouts }, radius, wide, high, { scores, ways, faintest }) {
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
          ways[number] = { radius, wide, high, dx, dy };
        }
      }
    }
  }
}

function judged(scores, ways, half) {
  let number = 0;
  for (let other = 1; other < scores.length; other++) if (scores[other] > scores[number]) number = other;
  let next = number === 0 ? 1 : 0;
  for (let other = 0; other < scores.length; other++) {
    if (other !== number && scores[other] > scores[next]) next = other;
  }
  const way = ways[number];
  let energy = 0;
  for (let place = 0; place < half.length; place++) energy += half[place] * half[place];
  const per = number ? scores[number] / number : 1;
  return {
    number, next, scores, way,
    margin: number ? (scores[number] - scores[next]) / per : 1,
    share: energy ? (scores[number] * Math.PI * HALF * HALF) / energy : 1,
    contrast: way ? Math.sqrt(per) / way.radius : 0,
  };
}
