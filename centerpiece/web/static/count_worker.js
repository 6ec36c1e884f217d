// Counts the pips of a photograph beside the page, so that the page stays at hand.

import { countPhoto } from "./count_photo.js";

self.onmessage = ({ data: { pixels, width, height, set } }) => {
  const tell = (part) => self.postMessage({ part });
  self.postMessage({ tiles: countPhoto(new Uint8ClampedArray(pixels), width, height, set, tell) });
};
