// The number that a phone types while pairing is open, for a screen that may write: whoever sees it
// is in the room. Nobody else is told, not even that there is one.

import { html } from "./dom.js";
import { ask } from "./live.js";
import { about } from "./page.js";
import { t } from "./words.js";

const EVERY_MS = 3_000;
let open = null;

/** Keep looking; `changed` is called when there is a number, and when there is none any more. */
export function followPairing(changed) {
  const look = async () => {
    if (!about.may_write) return;
    const before = open?.number;
    open = (await ask("GET", "/api/pair")).open ?? null;
    if (open?.number !== before) changed();
  };
  look();
  setInterval(look, EVERY_MS);
}

export const pairingNumber = () => (open
  ? html`<p class="pairing-number" role="status"><span>${t("pair.screen")}</span> <strong>${open.number}</strong></p>` : "");
