// The virtual board: presses on its buttons by fingers, mouse and keys, and what comes back from it.
//
// Presses are sent one after the other, so that they stay in order, and with this page's time, so
// that network delay does not alter gestures.

import { ask } from "./live.js";
import { complain } from "./page.js";

const page = Math.random().toString(36).slice(2);
let line = Promise.resolve();

/** The buttons that are down. */
export const held = new Set();

/** Follow the board: each handler gets the data of its own event (panel, frame, sound). */
export function followBoard(handlers) {
  const source = new EventSource("/api/hub/frames");
  for (const [kind, handle] of Object.entries(handlers)) {
    source.addEventListener(kind, ({ data }) => handle(kind === "frame" ? data : JSON.parse(data)));
  }
}

/**
 * Turn touches, clicks and keys on elements with `data-button` into presses, by several fingers at
 * once. `keys` names the button of a key; with `latches`, a click with Shift or the right mouse
 * button keeps a button down. `changed(button, down)` is called before a press is sent.
 */
export function listenToPresses(root, changed, { keys = {}, latches = false } = {}) {
  const fingers = new Map();
  const latched = new Set();

  function press(button, down) {
    if (down === held.has(button)) return;
    (down ? held.add : held.delete).call(held, button);
    changed(button, down);
    send(button, down);
  }

  function latch(button) {
    const on = !latched.has(button);
    (on ? latched.add : latched.delete).call(latched, button);
    press(button, on);
  }

  root.addEventListener("pointerdown", (event) => {
    const button = event.target.closest("[data-button]")?.dataset.button;
    if (!button) return;
    event.preventDefault();
    if (latches && (event.shiftKey || event.button === 2)) latch(button);
    else {
      fingers.set(event.pointerId, button);
      press(button, true);
    }
  });
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, (event) => {
      const button = fingers.get(event.pointerId);
      fingers.delete(event.pointerId);
      if (button && !latched.has(button) && ![...fingers.values()].includes(button)) press(button, false);
    });
  }
  const onKey = (down) => (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const focused = event.target.closest?.("[data-button]")?.dataset.button;
    const button = event.key === "Enter" || event.key === " " ? focused : keys[event.key.toLowerCase()];
    if (!button || event.target.matches?.("input:not([type=checkbox])")) return;
    event.preventDefault();
    if (!event.repeat) press(button, down);
  };
  addEventListener("keydown", onKey(true));
  addEventListener("keyup", onKey(false));
  addEventListener("blur", () => [...held].filter((button) => !latched.has(button))
    .forEach((button) => press(button, false)));
  root.addEventListener("contextmenu", (event) => {
    if (event.target.closest("[data-button]")) event.preventDefault();
  });
}

/** Send a press or release. */
function send(button, down) {
  const press = { button, down, page, now: performance.now() / 1_000 };
  line = line.then(() => ask("POST", "/api/hub/press", press)).then((answer) => {
    if (answer.error) complain(answer.error);
  });
}
