// The pairing number, on screens that may write and so are in the room. Other devices do not learn
// that pairing is open.

import { html } from "./dom.js";
import { ask } from "./live.js";
import { about } from "./page.js";
import { t } from "./words.js";

const EVERY_MS = 3_000;
let open = null;

/** Poll for the number, and call `changed` when it appears, changes or goes. */
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
