// A worker that counts the pips of a photograph, so that the page stays responsive. A second worker
// does half of the search, for devices with several cores.

import { photoOf, searchHues, searchTones, tilesAmong } from "./count_photo.js";

const helper = globalThis.Worker && new Worker("/static/count_helper.js", { type: "module" });

/** Resolve to the second worker's result; rejects where workers cannot start workers. */
const searchInHelper = (request) => new Promise((resolve, reject) => {
  helper.onmessage = ({ data }) => resolve(data);
  helper.onerror = reject;
  helper.postMessage(request);
});

async function count(request) {
  const fromHelper = searchInHelper(request).catch(() => null);
  const photo = photoOf(request);
  const tell = (part) => self.postMessage({ part });
  tell(0.1);
  const hues = searchHues(photo);
  tell(0.3);
  const tones = (await fromHelper) ?? searchTones(photo);
  self.postMessage({ answer: tilesAmong([tones, hues], photo, tell) });
}

self.onmessage = ({ data }) => count(data).catch((trouble) => self.postMessage({ trouble: String(trouble) }));
