// Reads rendered photographs with the page's own code: a line of JSON for each that is named on
// the standard input, as {pixels: file of RGB, width, height, set}.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { photoOf, searchHues, searchTones, tilesAmong } from "../../centerpiece/web/static/count_photo.js";
import { settled } from "../../centerpiece/web/static/count_hand.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { pixels, width, height, set } = JSON.parse(line);
  const rgb = readFileSync(pixels);
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) rgba.set(rgb.subarray(from, from + 3), to);
  const began = process.cpuUsage();
  const photo = photoOf({ pixels: rgba, width, height, set });
  const { tiles, missed, why } = tilesAmong([searchTones(photo), searchHues(photo)], photo);
  const seconds = process.cpuUsage(began).user / 1e6;
  const hand = settled(tiles, []);
  console.log(JSON.stringify({ seconds, missed, why, tiles: tiles.map(({ quad }, at) => ({ quad, halves: hand[at].tile, sure: hand[at].sure })) }));
}
