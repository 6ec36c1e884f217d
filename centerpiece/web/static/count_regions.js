// Where tiles may lie: regions that are brighter (or darker) than what is around them.
// A component tree holds the regions of every threshold at once, each with its area and moments;
// those that a parallelogram of two to one could have are kept. Pure: arrays in, regions out.

const LEAST_SIDE = 0.022; // The short side of the smallest tile, as a part of the picture's longer side.
const MOST_SIDE = 0.7;
const STEP = 10; // A region is stable if it hardly grows while the threshold moves by so much.

/** Pixels from the highest value to the lowest. */
function sorted(values) {
  const starts = new Uint32Array(257);
  for (let at = 0; at < values.length; at++) starts[256 - values[at]]++;
  for (let value = 1; value <= 256; value++) starts[value] += starts[value - 1];
  const order = new Uint32Array(values.length);
  for (let at = 0; at < values.length; at++) order[starts[255 - values[at]]++] = at;
  return order;
}

function rootOf(up, at) {
  let root = at;
  while (up[root] !== root) root = up[root];
  while (up[at] !== root) {
    const next = up[at];
    up[at] = root;
    at = next;
  }
  return root;
}

/** Each pixel's parent in the tree of bright regions; a region is its darkest pixel met last. */
function componentTree(values, width, order) {
  const size = values.length;
  const parent = new Int32Array(size);
  const up = new Int32Array(size).fill(-1);
  const sums = new Float64Array(size * 6); // area, x, y, xx, xy, yy
  const join = (at, beside) => {
    if (up[beside] < 0) return;
    const root = rootOf(up, beside);
    if (root === at) return;
    parent[root] = up[root] = at;
    const to = at * 6;
    const from = root * 6;
    sums[to] += sums[from]; sums[to + 1] += sums[from + 1]; sums[to + 2] += sums[from + 2];
    sums[to + 3] += sums[from + 3]; sums[to + 4] += sums[from + 4]; sums[to + 5] += sums[from + 5];
  };
  for (let place = 0; place < size; place++) {
    const at = order[place];
    const x = at % width;
    const y = (at - x) / width;
    parent[at] = up[at] = at;
    const own = at * 6;
    sums[own] = 1; sums[own + 1] = x; sums[own + 2] = y;
    sums[own + 3] = x * x; sums[own + 4] = x * y; sums[own + 5] = y * y;
    if (x > 0) join(at, at - 1);
    if (x < width - 1) join(at, at + 1);
    if (at >= width) join(at, at - width);
    if (at + width < size) join(at, at + width);
  }
  for (let place = size - 1; place >= 0; place--) { // A parent is a region of another level.
    const at = order[place];
    const above = parent[at];
    if (values[parent[above]] === values[above]) parent[at] = parent[above];
  }
  return { parent, sums };
}

/** What a region's moments say: its middle, and how much it is a parallelogram of two to one. */
function shapeOf(sums, at) {
  const own = at * 6;
  const area = sums[own];
  const x = sums[own + 1] / area;
  const y = sums[own + 2] / area;
  const xx = sums[own + 3] / area - x * x + 1 / 12;
  const xy = sums[own + 4] / area - x * y;
  const yy = sums[own + 5] / area - y * y + 1 / 12;
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

const likely = (shape, scale) =>
  shape.short > LEAST_SIDE * scale && shape.long < 1.3 * scale && shape.short < MOST_SIDE * scale
  && shape.fill > 0.55 && shape.fill < 1.12 && shape.aspect < 11;

/** How much a region grows when the threshold falls a little. */
function growth(values, tree, at) {
  let above = at;
  while (tree.parent[above] !== above && values[at] - values[tree.parent[above]] <= STEP) above = tree.parent[above];
  return tree.sums[above * 6] / tree.sums[at * 6] - 1;
}

/** Regions of bright pixels that may be tiles, the most stable first, no two nearly the same. */
export function brightRegions(values, width, most = 120) {
  const height = values.length / width;
  const scale = Math.max(width, height);
  const order = sorted(values);
  const tree = componentTree(values, width, order);
  const least = 2 * (LEAST_SIDE * scale) ** 2 * 0.6;
  const greatest = values.length * 0.5;
  const found = [];
  for (let place = order.length - 1; place >= 0; place--) {
    const at = order[place];
    const area = tree.sums[at * 6];
    if (area < least || area > greatest || values[tree.parent[at]] === values[at]) continue;
    const shape = shapeOf(tree.sums, at);
    if (likely(shape, scale)) found.push({ ...shape, at, level: values[at], growth: growth(values, tree, at) });
  }
  found.sort((one, other) => one.growth - other.growth);
  const kept = [];
  for (const region of found) {
    const twin = kept.some((other) => Math.abs(other.area / region.area - 1) < 0.12
      && Math.hypot(other.x - region.x, other.y - region.y) < 0.06 * region.short);
    if (!twin) kept.push(region);
    if (kept.length === most) break;
  }
  return kept;
}

/** The outline of a region: the leftmost and rightmost pixel of each of its rows. */
export function outlineOf(values, width, region, seen, mark) {
  const height = values.length / width;
  const waiting = [region.at];
  const left = new Int32Array(height).fill(width);
  const right = new Int32Array(height).fill(-1);
  const level = region.level;
  seen[region.at] = mark;
  const visit = (next) => {
    if (seen[next] !== mark && values[next] >= level) { seen[next] = mark; waiting.push(next); }
  };
  while (waiting.length) {
    const at = waiting.pop();
    const x = at % width;
    const y = (at - x) / width;
    if (left[y] > x) left[y] = x;
    if (right[y] < x) right[y] = x;
    if (x > 0) visit(at - 1);
    if (x < width - 1) visit(at + 1);
    if (y > 0) visit(at - width);
    if (y < height - 1) visit(at + width);
  }
  const points = [];
  for (let y = 0; y < height; y++) {
    if (right[y] >= 0) points.push([left[y], y], [left[y], y + 1], [right[y] + 1, y], [right[y] + 1, y + 1]);
  }
  return points;
}
