// Words, awards and the chart without a browser: run by `node --test`.

import assert from "node:assert";
import test from "node:test";

globalThis.document = /** @type {any} */ ({
  createElement: () => ({}), getElementById: () => null, head: { append() {} }, documentElement: {},
});
const english = {
  plurals: Array.from({ length: 200 }, (_, count) => Number(count !== 1)),
  page: { tiles: "{count} {count|tile|tiles}", "ordinal.two": "{place}nd", "ordinal.other": "{place}th", chart: "Totals", "won.nobody": "Nobody has won" },
  core: { nobody: "nobody", "{name} leads.": "{name} is ahead.", "Undone: {what}": "Taken back: {what}" },
};
globalThis.fetch = /** @type {any} */ (async () => ({ ok: true, json: async () => english }));

const folder = "../../centerpiece/web/static";
const { loadWords, minutes, ordinal, say, t, title, won } = await import(`${folder}/words.js`);
const { awards } = await import(`${folder}/awards.js`);
const { chart } = await import(`${folder}/chart.js`);
await loadWords("en");

test("a number takes the form of its noun, and a place its own ending", () => {
  assert.deepEqual([1, 2, 0].map((count) => t("tiles", { count })), ["1 tile", "2 tiles", "0 tiles"]);
  assert.deepEqual([2, 4].map(ordinal), ["2nd", "4th"]);
  assert.equal(won([]), "Nobody has won");
});

test("a sentence may hold another, and one without a translation stays as it is", () => {
  const inner = { template: "{name} leads.", facts: { name: "Ann" } };

  assert.equal(say({ template: "Undone: {what}", facts: { what: inner } }), "Taken back: Ann is ahead.");
  assert.equal(say({ template: "Nobody knows {name}.", facts: { name: "Bob" } }), "Nobody knows Bob.");
  assert.equal(say(null), "");
});

test("a time has hours only from an hour on", () => {
  assert.deepEqual([5, 65, 600, 3_725].map(minutes), ["0:05", "1:05", "10:00", "1:02:05"]);
  assert.equal(title("open train"), "Open train");
});

const seat = (number, place, scores) => ({ seat: number, name: "ABCD"[number - 1], place, scores, team: null,
  total: scores.reduce((all, score) => all + score, 0) });

test("an award is for few, and a comeback counts places from the worst", () => {
  const seats = [seat(1, 1, [90, 0]), seat(2, 2, [60, 50]), seat(3, 3, [50, 70]), seat(4, 4, [40, 99])];
  const past = { players: seats.map((each) => ({ seat: each.seat, won: 1, whistles: each.seat === 2 ? 3 : 0 })) };
  const found = awards(/** @type {any} */ ({ seats, counts: { wins: "lowest" } }), past);

  assert.deepEqual(found, [
    { key: "award.comeback", count: 3, names: ["A"] },
    { key: "award.whistles", count: 3, names: ["B"] },
  ]);
});

test("a chart has a line for everybody, within its frame, and names are escaped", () => {
  const drawn = String(chart([seat(1, 1, [0, 10, 5]), { ...seat(2, 2, [30, 30, 30]), name: "<b>" }]));
  const points = [...drawn.matchAll(/points="([^"]+)"/g)].map(([, line]) => line.split(" "));

  assert.deepEqual(points.map(({ length }) => length), [3, 3]);
  for (const [x, y] of points.flat().map((each) => each.split(",").map(Number))) {
    assert.ok(x >= 0 && x <= 800 && y >= 0 && y <= 480);
  }
  assert.ok(drawn.includes("&lt;b&gt;") && !drawn.includes("<b>"));
});
