// Pairing this phone by the two digits on the hub's face.

import { draw, html, icon, listen, openDialog } from "./dom.js";
import { ask, live } from "./live.js";
import { mySeat } from "./mine.js";
import { complain, hush, learn } from "./page.js";
import { name } from "./players.js";
import { t } from "./words.js";

const dialog = document.getElementById("dialog");
const DIGITS = 2;
/** What was typed, and how to show it: in a dialog, or as a part of the page. */
const pad = { typed: "", show: () => {}, paired: () => {} };

addEventListener("keydown", (event) => {
  if (/^\d$/.test(event.key) && document.querySelector("[data-do=pair-digit]")) type(event.key);
});
listen(document.body, {
  "pair-digit": (source) => type(source.dataset.number),
  "pair-wipe": () => { pad.typed = ""; pad.show(); },
  unpair: () => dialog.close(),
});

/** Ask for the number in a dialog; `then` is called once this phone may write. */
export function pair(then) {
  Object.assign(pad, { typed: "", show: showDialog, paired: () => { dialog.close(); then(); } });
  showDialog();
  openDialog(dialog);
  dialog.querySelector("h2").focus();
}

/** The same as a part of the page, which `show` draws again. */
export function pairing(show) {
  Object.assign(pad, { show, paired: show });
  return panel();
}

async function type(digit) {
  if (pad.typed.length >= DIGITS) return;
  pad.typed += digit;
  pad.show();
  if (pad.typed.length < DIGITS) return;
  const mine = name(live.state, mySeat(live.state));
  const answer = await ask("POST", "/api/pair", { name: mine || t("pair.phone"), number: pad.typed });
  pad.typed = "";
  if (answer.error) {
    complain(answer.error);
    pad.show();
    return;
  }
  hush();
  await learn();
  pad.paired();
}

const key = (digit) => html`<button class="digit" data-do="pair-digit" data-number="${digit}">${digit}</button>`;

/** @param {import("./dom.js").Safe | string} close */
const panel = (close = "") => html`<div class="keypad pairing">
  <div class="heading"><h2 id="dialog-title" tabindex="-1">${t("pair.which")}</h2>${close}</div>
  <p>${t("pair.how")}</p>
  <output class="face-digits" aria-live="polite" aria-label="${t("pair.number")}">
    ${[0, 1].map((at) => html`<span>${pad.typed[at] ?? "·"}</span>`)}</output>
  <div class="keys">${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(key)}<span></span>${key(0)}
    <button class="digit" data-do="pair-wipe" aria-label="${t("keypad.back")}">${icon("back")}</button></div></div>`;

const showDialog = () => draw(dialog, panel(html`
  <button class="small quiet-button" data-do="unpair" aria-label="${t("close")}">${icon("close")}</button>`));
