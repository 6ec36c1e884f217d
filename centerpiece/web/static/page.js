// Parts of every page: start, navigation, the banner, error messages.

import { choice, dress } from "./choices.js";
import { html, icon } from "./dom.js";
import { ask, live, watch } from "./live.js";
import { language, loadWords, say, t } from "./words.js";

export const about = { may_write: false, simulated: false, address: "" };

/** Load texts and this device's permissions; the page can be drawn after it. */
export async function begin() {
  dress(live.state?.settings);
  await becomeKeeper();
  await Promise.all([loadWords(live.state?.settings?.language), learn()]);
  if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("/sw.js");
  if (choice("speech")) import("./speech.js");
  watch(follow);
}

/** Pair this device by the keeper's link from the hub's terminal, whose key is single use. */
async function becomeKeeper() {
  const key = /^#keeper=(.+)$/.exec(location.hash)?.[1];
  if (!key) return;
  history.replaceState(null, "", location.pathname);
  const answer = await ask("POST", "/api/keeper", { key });
  if (answer.error) complain(answer.error);
}

/** A code for phones to scan, or a hint how to let them in if they cannot reach the hub. */
export const invitation = (words = t("join")) => (about.reachable
  ? html`<div class="join"><img src="/api/qr.svg" alt="${t("qr", about)}" width="150" height="150">
    <p>${words} <strong>${about.address.replace(/^http:\/\/|\/$/g, "")}</strong></p></div>`
  : html`<div class="join"><p>${t("join.none")} <code>make run ARGS=--lan</code></p></div>`);

/** Apply the table's language and size of text when they change. */
function follow({ state }) {
  if (!state) return;
  dress(state.settings);
  if (!choice("language") && state.settings.language !== language) location.reload();
}

/** Load this device's permissions again, for example after pairing. */
export async function learn() {
  const answer = await ask("GET", "/api/about");
  if (!answer.error) Object.assign(about, answer);
}

/** The three tabs of the phone page, linked from every page. */
export function links(here) {
  const tabs = [["/#table", "nav.table", "table"], ["/#scores", "nav.scores", "scores"], ["/#more", "nav.more", "more"]];
  return html`<nav class="tabs" aria-label="${t("nav")}"><ul>${tabs.map(([path, key, sign]) => html`
    <li><a href="${path}" ${path === here ? html`aria-current="page"` : ""}>${icon(sign)}<span>${t(key)}</span></a></li>`)}
  </ul></nav>`;
}

/** The banner for a lost connection, unsaved games and faulty devices. */
export function banner() {
  const { state, connected } = live;
  const lines = [];
  if (!connected) {
    const time = new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(live.seen);
    lines.push(t("offline", { time }));
  } else if (state && !state.saved && !state.saving) {
    lines.push(t("unsaved"));
  }
  for (const trouble of state?.trouble ?? []) lines.push(say({ template: trouble.message }));
  const saving = connected && state?.saving ? html`<p class="saving">${t("saving")}</p>` : "";
  return lines.length
    ? html`${saving}<div class="banner">${lines.map((line) => html`<p>${icon("warn")} ${line}</p>`)}</div>`
    : saving;
}

let complaintTimer = 0;

/** Show an error for ten seconds. */
export function complain(error) {
  const place = document.getElementById("complaint");
  // A dialog hides all else from screen readers, so the message must be inside it.
  (document.querySelector("dialog[open]") ?? document.body).append(place);
  place.textContent = say(error.said) || error.message;
  place.hidden = false;
  clearTimeout(complaintTimer);
  complaintTimer = setTimeout(hush, 10_000);
}

/** Hide the error. */
export function hush() {
  const place = document.getElementById("complaint");
  if (place) place.hidden = true;
}

/** Await an answer, and show its error if there is one; resolves to true if there is none. */
export async function done(pending) {
  const answer = await pending;
  if (answer.error) {
    if (answer.error.code === "not-paired") learn();
    complain(answer.error);
    return false;
  }
  hush();
  return true;
}

export { minutes } from "./words.js";
