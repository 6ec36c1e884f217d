// Presses of a page that is the hub. They go out one after the other, so that none overtakes
// another, and each says when it was by this page's clock: the way may take longer than the finger.

import { ask } from "./live.js";
import { complain } from "./page.js";

const page = Math.random().toString(36).slice(2);
let line = Promise.resolve();

/** A button went down or up. */
export function send(button, down) {
  const press = { button, down, page, now: performance.now() / 1_000 };
  line = line.then(() => ask("POST", "/api/hub/press", press)).then((answer) => {
    if (answer.error) complain(answer.error);
  });
}
