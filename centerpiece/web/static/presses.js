// Button presses on a virtual hub. They are sent one after the other, so that they stay in order, and
// with this page's time, so that network delay does not alter gestures.

import { ask } from "./live.js";
import { complain } from "./page.js";

const page = Math.random().toString(36).slice(2);
let line = Promise.resolve();

/** Send a press or release. */
export function send(button, down) {
  const press = { button, down, page, now: performance.now() / 1_000 };
  line = line.then(() => ask("POST", "/api/hub/press", press)).then((answer) => {
    if (answer.error) complain(answer.error);
  });
}
