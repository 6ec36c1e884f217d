// Pairing this phone by the two digits on the hub's face.

import { draw, html, icon, listen, openDialog } from "./dom.js";
import { ask, live } from "./live.js";
import { mySeat } from "./mine.js";
import { complain, hush, learn } from "./page.js";
import { name } from "./players.js";
import { t } from "./words.js";

const dialog = document.getElementById("dialog");
const DIGITS = 2;
let typed = "";
let paired = () => {};
let listening = false;

/** Ask for the number; `then` is called once this phone may write. */
export function pair(then) {
  paired = then;
  typed = "";
  show();
  openDialog(dialog);
  dialog.querySelector("h2").focus();
  if (listening) return;
  listening = true;
  listen(dialog, { number: (source) => type(source.dataset.number), unpair: () => dialog.close(), wipe: () => { typed = ""; show(); } });
  dialog.addEventListener("keydown", (event) => {
    if (/^\d$/.test(event.key) && dialog.querySelector("[data-do=number]")) type(event.key);
  });
}

async function type(digit) {
  if (typed.length >= DIGITS) return;
  typed += digit;
  show();
  if (typed.length < DIGITS) return;
  const mine = name(live.state, mySeat(live.state));
  const answer = await ask("POST", "/api/pair", { name: mine || t("pair.phone"), number: typed });
  if (answer.error) {
    complain(answer.error);
    typed = "";
    show();
    return;
  }
  hush();
  await learn();
  dialog.close();
  paired();
}

const key = (digit) => html`<button class="digit" data-do="number" data-number="${digit}">${digit}</button>`;

function show() {
  draw(dialog, html`<div class="keypad pairing">
    <div class="heading"><h2 id="dialog-title" tabindex="-1">${t("pair.which")}</h2>
      <button class="small quiet-button" data-do="unpair" aria-label="${t("close")}">${icon("close")}</button></div>
    <p>${t("pair.how")}</p>
    <output class="face-digits" aria-live="polite" aria-label="${t("pair.number")}">${[0, 1].map((at) => html`<span>${typed[at] ?? "·"}</span>`)}</output>
    <div class="keys three">${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(key)}<span></span>${key(0)}
      <button class="digit" data-do="wipe" aria-label="${t("keypad.back")}">${icon("back")}</button></div></div>`);
}
