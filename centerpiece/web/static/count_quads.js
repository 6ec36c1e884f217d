// Quadrilaterals: from a region's outline, fitted to edges, and rectified. Pure.

/** @typedef {number[][]} Quad Four corners in order; the first side is a long one. */

const cross = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);

/** The convex hull of points, in order. */
export function hullOf(points) {
  const inOrder = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const chain = (all) => {
    const kept = [];
    for (const point of all) {
      while (kept.length > 1 && cross(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    kept.pop();
    return kept;
  };
  return [...chain(inOrder), ...chain(inOrder.reverse())];
}

export const areaOf = (points) =>
  Math.abs(points.reduce((sum, [x, y], at) => {
    const [u, v] = points[(at + 1) % points.length];
    return sum + x * v - u * y;
  }, 0)) / 2;

/** The line through weighted points: [nx, ny, d] with nx·x + ny·y = d. */
function lineThrough(points) {
  let sum = 0, x = 0, y = 0;
  for (const [px, py, weight] of points) { sum += weight; x += weight * px; y += weight * py; }
  x /= sum; y /= sum;
  let xx = 0, xy = 0, yy = 0;
  for (const [px, py, weight] of points) {
    xx += weight * (px - x) ** 2; xy += weight * (px - x) * (py - y); yy += weight * (py - y) ** 2;
  }
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy) + Math.PI / 2;
  const [nx, ny] = [Math.cos(angle), Math.sin(angle)];
  return [nx, ny, nx * x + ny * y];
}

function crossing([a, b, c], [d, e, f]) {
  const by = a * e - b * d;
  return Math.abs(by) < 1e-9 ? null : [(c * e - b * f) / by, (a * f - c * d) / by];
}

/** The angle of the smallest rectangle around a hull. */
function tightest(hull) {
  let best = [Infinity, 0];
  for (let at = 0; at < hull.length; at++) {
    const [p, q] = [hull[at], hull[(at + 1) % hull.length]];
    const angle = Math.atan2(q[1] - p[1], q[0] - p[0]);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    let [lowU, highU, lowV, highV] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const [x, y] of hull) {
      const [u, v] = [x * c + y * s, y * c - x * s];
      lowU = Math.min(lowU, u); highU = Math.max(highU, u); lowV = Math.min(lowV, v); highV = Math.max(highV, v);
    }
    const area = (highU - lowU) * (highV - lowV);
    if (area < best[0]) best = [area, angle];
  }
  return best[1];
}

/** The corners of a quad that follows a hull; null if the hull has no such shape. */
export function quadOf(hull) {
  const angle = tightest(hull);
  const sides = [[], [], [], []];
  for (let at = 0; at < hull.length; at++) {
    const [p, q] = [hull[at], hull[(at + 1) % hull.length]];
    const turned = (Math.atan2(q[1] - p[1], q[0] - p[0]) - angle) / (Math.PI / 2);
    const side = ((Math.round(turned) % 4) + 4) % 4;
    const off = Math.abs(turned - Math.round(turned));
    if (off > 0.3) continue;
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
    sides[side].push([p[0], p[1], length], [q[0], q[1], length], [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, length]);
  }
  if (sides.some((points) => !points.length)) return null;
  return cornersOf(sides.map(lineThrough));
}

/** The corners between four lines in order. */
export function cornersOf(lines) {
  const corners = lines.map((line, at) => crossing(line, lines[(at + 1) % 4]));
  return corners.some((corner) => !corner || !corner.every(Number.isFinite)) ? null : corners;
}

export const lengthsOf = (quad) =>
  quad.map(([x, y], at) => Math.hypot(x - quad[(at + 1) % 4][0], y - quad[(at + 1) % 4][1]));

/** The quad around a middle, from its short side and its long side as vectors.
 * @param {{x: number, y: number}} middle @param {number[]} short @param {number[]} long @returns {Quad} */
export function quadAround({ x, y }, [sx, sy], [lx, ly]) {
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => [x + (u * lx + v * sx) / 2, y + (u * ly + v * sy) / 2]);
}

/** The projective map from the unit square to a quad.
 * @param {Quad} quad @returns {number[]} */
export function mapOf(quad) {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = quad;
  const dx = x0 - x1 + x2 - x3;
  const dy = y0 - y1 + y2 - y3;
  const by = (x1 - x2) * (y3 - y2) - (x3 - x2) * (y1 - y2);
  const g = (dx * (y3 - y2) - (x3 - x2) * dy) / by;
  const h = ((x1 - x2) * dy - dx * (y1 - y2)) / by;
  return [x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h];
}

/** @param {number[]} map @param {number} u @param {number} v */
export function placeIn(map, u, v) {
  const [a, b, c, d, e, f, g, h] = map;
  const by = g * u + h * v + 1;
  return [(a * u + b * v + c) / by, (d * u + e * v + f) / by];
}

export const inside = (quad, x, y) => {
  let turn = 0;
  for (let at = 0; at < 4; at++) {
    const way = Math.sign(cross(quad[at], quad[(at + 1) % 4], [x, y]));
    if (way && turn && way !== turn) return false;
    turn ||= way;
  }
  return true;
};

/** Approximately the part of the smaller quad that lies in the other. */
export function overlap(one, other) {
  const [small, large] = areaOf(one) < areaOf(other) ? [one, other] : [other, one];
  const map = mapOf(small);
  let hits = 0;
  for (let u = 0; u < 8; u++) {
    for (let v = 0; v < 8; v++) hits += inside(large, ...placeIn(map, (u + 0.5) / 8, (v + 0.5) / 8)) ? 1 : 0;
  }
  return hits / 64;
}

const SEARCH = 0.075; // Greatest distance of a side from its edge, in breadths of the tile.
const SAMPLES = 18;
const DEPTH = 17;

/** Move each side to the innermost strong edge near it; returns the quad and the part of its sides
 * that lies on edges, or null if that is less than `least`. `colourAt(x, y, into, at)`. */
export function ontoEdges(quad, colourAt, least, reach = SEARCH) {
  const [a, b] = lengthsOf(quad);
  const breadth = Math.min(a, b);
  const middle = middleOf(quad);
  const lines = [];
  let parts = 0;
  for (let at = 0; at < 4; at++) {
    const { line, part } = edgeBeside(quad[at], quad[(at + 1) % 4], middle, breadth * reach, colourAt);
    lines.push(line);
    parts += part;
    if (parts + 3 - at < 4 * least) return null;
  }
  const moved = cornersOf([lines[3], lines[0], lines[1], lines[2]]);
  return { quad: moved ?? quad, edges: parts / 4 };
}

/** @param {Quad} quad */
export const middleOf = (quad) => [0, 1].map((way) => quad.reduce((sum, corner) => sum + corner[way], 0) / 4);

const colours = new Float32Array(DEPTH * 3);
const steps = new Float32Array(DEPTH);

/** Find the edge across a side, from inside to outside, at samples along it. */
function edgeBeside(p, q, middle, reach, colourAt) {
  const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
  let nx = (q[1] - p[1]) / length;
  let ny = -(q[0] - p[0]) / length;
  if ((p[0] - middle[0]) * nx + (p[1] - middle[1]) * ny < 0) { nx = -nx; ny = -ny; }
  const points = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const along = 0.1 + 0.8 * (sample / (SAMPLES - 1));
    const x = p[0] + (q[0] - p[0]) * along;
    const y = p[1] + (q[1] - p[1]) * along;
    for (let at = 0; at < DEPTH; at++) {
      const out = ((at / (DEPTH - 1)) * 2 - 1) * reach;
      colourAt(x + nx * out, y + ny * out, colours, at * 3);
    }
    let strongest = 0;
    for (let at = 1; at < DEPTH - 1; at++) {
      const [one, other] = [at * 3 - 3, at * 3 + 3];
      steps[at] = Math.abs(colours[one] - colours[other]) + Math.abs(colours[one + 1] - colours[other + 1])
        + Math.abs(colours[one + 2] - colours[other + 2]);
      strongest = Math.max(strongest, steps[at]);
    }
    if (strongest < 12) continue;
    let at = 1;
    while (steps[at] < 0.6 * strongest) at++;
    while (at < DEPTH - 2 && steps[at + 1] > steps[at]) at++;
    const out = ((at / (DEPTH - 1)) * 2 - 1) * reach;
    points.push([x + nx * out, y + ny * out, Math.min(strongest, 90), out]);
  }
  return steadyLine(points, nx, ny, p, reach);
}

/** Fit a line without outliers; the side stays as it was if too few points agree. */
function steadyLine(points, nx, ny, p, reach) {
  const old = { line: [nx, ny, nx * p[0] + ny * p[1]], part: 0 };
  if (points.length < 6) return old;
  const middling = points.map((point) => point[3]).sort((a, b) => a - b)[points.length >> 1];
  let kept = points.filter((point) => Math.abs(point[3] - middling) < 0.5 * reach);
  let line = lineThrough(kept);
  for (let round = 0; round < 3; round++) {
    kept = points.filter(([x, y]) => Math.abs(line[0] * x + line[1] * y - line[2]) < 0.15 * reach + 0.8);
    if (kept.length < 5) return old;
    line = lineThrough(kept);
  }
  return Math.abs(line[0] * nx + line[1] * ny) > 0.985 ? { line, part: kept.length / SAMPLES } : old;
}
