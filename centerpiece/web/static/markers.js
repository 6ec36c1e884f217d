// The little trains of the virtual board: dragged out of their docks and back, or moved by a click.
//
// A train is an element with `data-marker` and the number of its seat in one with `data-dock`.

import { html, icon, styled } from "./dom.js";
import { ask } from "./live.js";
import { complain } from "./page.js";
import { t } from "./words.js";

const CLICK = 6; // Most pixels that a finger moves in a click.
let line = Promise.resolve();

/** The seats whose marker was moved here, until the hub has settled it: home or not. */
const moved = new Map();

/** Whether a seat's marker is home, as far as this page knows. */
function isHome(seat) {
  const home = seat.dock !== "lifted";
  if (moved.get(seat.seat) === home) moved.delete(seat.seat);
  return moved.get(seat.seat) ?? home;
}

/** A seat's dock with its train, or without it. */
export function dock(seat) {
  const home = isHome(seat);
  return html`<span class="dock ${home ? "" : "is-empty"}" data-dock="${seat.seat}"><button class="marker" data-marker="${seat.seat}"
    aria-pressed="${String(!home)}" aria-label="${t("hub.marker", seat)}">${icon("open")}</button></span>`;
}

/** Turn drags and clicks on trains into moves; `changed` is called after each. */
export function listenToMarkers(root, changed) {
  let drag = null;
  let ended = false;
  styled("markers");

  function move(seat, home) {
    moved.set(seat, home);
    changed();
    line = line.then(() => ask("POST", "/api/hub/marker", { seat, home })).then((answer) => {
      if (!answer.error) return;
      moved.delete(seat);
      complain(answer.error);
      changed();
    });
  }

  root.addEventListener("pointerdown", (event) => {
    ended = false;
    const train = event.target.closest("[data-marker]");
    if (!train || drag) return;
    event.preventDefault();
    train.focus();
    drag = { pointer: event.pointerId, seat: Number(train.dataset.marker), x: event.clientX, y: event.clientY, train, ghost: null };
  });
  addEventListener("pointermove", (event) => {
    if (drag?.pointer !== event.pointerId) return;
    if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < CLICK) return;
    drag.ghost ??= ghostOf(drag.train);
    drag.ghost.style.left = `${event.clientX}px`;
    drag.ghost.style.top = `${event.clientY}px`;
  });
  addEventListener("pointerup", (event) => {
    if (drag?.pointer !== event.pointerId) return;
    const { seat, ghost } = drag;
    drag = null;
    if (!ghost) return;
    ghost.remove();
    ended = true;
    move(seat, isOver(root.querySelector(`[data-dock="${seat}"]`), event));
  });
  addEventListener("pointercancel", () => {
    drag?.ghost?.remove();
    drag = null;
  });
  root.addEventListener("click", (event) => {
    const train = event.target.closest("[data-marker]");
    if (train && !ended) move(Number(train.dataset.marker), train.getAttribute("aria-pressed") === "true");
    ended = false;
  });
}

/** The train that follows the finger. */
function ghostOf(train) {
  const ghost = document.createElement("div");
  ghost.className = "marker dragged";
  ghost.innerHTML = train.innerHTML;
  document.body.append(ghost);
  return ghost;
}

/** True if a train was let go over its dock. */
function isOver(dock, { clientX, clientY }) {
  const box = dock.getBoundingClientRect();
  const [x, y] = [clientX - (box.left + box.right) / 2, clientY - (box.top + box.bottom) / 2];
  return Math.hypot(x, y) < Math.max(box.width, box.height);
}
