// The parts of counting a photograph, by small examples: run by `node --test`.

import assert from "node:assert";
import test from "node:test";
import { chosen } from "../../centerpiece/web/static/count_choice.js";
import { photoOf, searchHues, searchTones, tilesAmong } from "../../centerpiece/web/static/count_photo.js";
import { planeOf } from "../../centerpiece/web/static/count_plane.js";
import { regionsIn } from "../../centerpiece/web/static/count_regions.js";

const box = (x, y, wide, high) => [[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]];
const tile = (name, worth, quad) => /** @type {any} */ ({ name, worth, quad });
const names = (tiles) => tiles.map(({ name }) => name).sort().join(" ");

test("two tiles win against one that lies across their seam", () => {
  const left = tile("left", 2, box(0, 0, 100, 50));
  const right = tile("right", 2, box(100, 0, 100, 50));
  const across = tile("across", 2.3, box(50, 0, 100, 50));

  assert.equal(names(chosen([across, left, right])), "left right");
});

test("a clear tile wins against two poor ones that overlap it", () => {
  const clear = tile("clear", 2.6, box(50, 0, 100, 50));
  const poor = [0, 100].map((x) => tile("poor", 1, box(x, 0, 100, 50)));

  assert.equal(names(chosen([...poor, clear])), "clear");
});

test("a heap of tiles that all overlap ends in time", () => {
  const heap = Array.from({ length: 60 }, (_, at) => tile(at, 1 + (at % 7) / 10, box(at * 20, 0, 100, 50)));
  const kept = chosen(heap);

  assert.ok(kept.length >= 10);
});

test("a bar tells where its tile lies, also when the camera leans", () => {
  const leaning = ([x, y]) => [x + 0.3 * y, 0.6 * y];
  const lying = [box(-100, -50, 200, 100), box(300, -50, 200, 100)].map((quad) => quad.map(leaning));
  const standing = box(-50, 200, 100, 200).map(leaning);
  const [from, to] = [[-40, 300], [40, 300]].map(leaning);
  const long = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const { quad, part } = planeOf(lying)({
    x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2, dx: (to[0] - from[0]) / long, dy: (to[1] - from[1]) / long, long,
  });

  assert.ok(Math.abs(part - 0.8) < 0.05);
  for (const corner of standing) {
    assert.ok(quad.some(([x, y]) => Math.hypot(x - corner[0], y - corner[1]) < 12), `${corner} of ${quad}`);
  }
});

test("a thin straight region is a bar, a round one is none", () => {
  const [width, height] = [200, 100];
  const values = new Uint8ClampedArray(width * height).fill(20);
  for (let y = 40; y < 80; y++) for (let x = 30; x < 36; x++) values[y * width + x] = 220;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (Math.hypot(x - 120, y - 50) < 15) values[y * width + x] = 220;
  const { bars } = regionsIn(values, width, 80, true);

  assert.deepEqual(bars.map(({ x, y }) => [Math.round(x), Math.round(y)]), [[33, 60]]);
});

/** A picture with tiles drawn from above: `[x, y, halves]`, each 200 by 100, on a table of one grey.
 * A half is a list of places of pips, from -1 to 1 along and across. */
function drawn(tiles, { table = 236, body = 244, ink = 40 } = {}) {
  const [width, height] = [1000, 700];
  const pixels = new Uint8ClampedArray(width * height * 4).fill(table);
  const paint = (x, y, grey) => pixels.fill(grey, (y * width + x) * 4, (y * width + x) * 4 + 3);
  for (const [left, top, halves] of tiles) {
    for (let y = -3; y < 103; y++) for (let x = -3; x < 203; x++) paint(left + x, top + y, table - 25);
    for (let y = 0; y < 100; y++) for (let x = 0; x < 200; x++) paint(left + x, top + y, body);
    for (let y = 10; y < 90; y++) for (let x = 97; x < 103; x++) paint(left + x, top + y, ink);
    halves.forEach((places, second) => places.forEach(([u, v]) => {
      const [px, py] = [left + 50 + second * 100 + 28 * u, top + 50 + 28 * v];
      for (let y = -9; y <= 9; y++) for (let x = -9; x <= 9; x++) if (x * x + y * y < 81) paint(px + x, py + y, ink);
    }));
  }
  return { pixels, width, height, set: 6 };
}

const TWO = [[-1, -1], [1, 1]];
const FIVE = [[-1, -1], [1, 1], [-1, 1], [1, -1], [0, 0]];
const ONE = [[0, 0]];
const HAND = [[100, 100, [TWO, FIVE]], [500, 100, [FIVE, FIVE]], [100, 400, [ONE, TWO]], [500, 400, [ONE, FIVE]]];

const counted = (picture) => {
  const photo = photoOf(picture);
  return tilesAmong([searchTones(photo), searchHues(photo)], photo);
};
const read = ({ tiles }) => tiles.map(({ halves }) => [...halves].sort().join("-")).sort().join(" ");

test("light tiles are found on a light table", () => {
  assert.equal(read(counted(drawn(HAND))), "1-2 1-5 2-5 5-5");
});

test("grey tiles in dim light are read whichever way their pips stand out", () => {
  assert.equal(read(counted(drawn(HAND, { table: 20, body: 90, ink: 30 }))), "1-2 1-5 2-5 5-5");
  assert.equal(read(counted(drawn(HAND, { table: 150, body: 90, ink: 200 }))), "1-2 1-5 2-5 5-5");
});

test("tiles that all read alike are no tiles with pips", () => {
  const { tiles, why } = counted(drawn(HAND.map(([x, y]) => [x, y, [ONE, ONE]])));

  assert.deepEqual([tiles, why], [[], "signs"]);
});

test("a tile whose pips cannot be read is marked", () => {
  const scratched = Array.from({ length: 9 }, (_, at) => [-1.3 + at * 0.3, 0.2 * (at % 3)]);
  const { tiles, missed } = counted(drawn([...HAND.slice(0, 3), [500, 400, [scratched, scratched]]]));

  assert.equal(tiles.length + missed.length, 4);
});
