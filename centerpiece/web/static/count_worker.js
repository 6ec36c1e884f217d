// Counts the pips of a photograph beside the page, so that the page stays at hand; and half of the
// search beside itself, where the device has another core.

import { photoOf, searchHues, searchTones, tilesAmong } from "./count_photo.js";

const helper = globalThis.Worker && new Worker("/static/count_helper.js", { type: "module" });

/** What the helper finds; rejected where workers have no workers of their own. */
const foundElsewhere = (asked) => new Promise((resolve, reject) => {
  helper.onmessage = ({ data }) => resolve(data);
  helper.onerror = reject;
  helper.postMessage(asked);
});

async function count(asked) {
  const elsewhere = foundElsewhere(asked).catch(() => null);
  const photo = photoOf(asked);
  const tell = (part) => self.postMessage({ part });
  tell(0.1);
  const hues = searchHues(photo);
  tell(0.3);
  const tones = (await elsewhere) ?? searchTones(photo);
  self.postMessage({ tiles: tilesAmong([...tones, ...hues], photo, tell) });
}

self.onmessage = ({ data }) => count(data).catch((trouble) => self.postMessage({ trouble: String(trouble) }));
