// What every page has: its words, its links, the word when something was not possible.

import { choice, dress } from "./choices.js";
import { html, icon } from "./dom.js";
import { ask, live, watch } from "./live.js";
import { language, loadWords, say, t } from "./words.js";

export const about = { may_write: false, simulated: false, address: "" };

/** Load words and what we may do; then the page can be drawn. */
export async function begin() {
  dress(live.state?.settings);
  await becomeKeeper();
  await Promise.all([loadWords(live.state?.settings?.language), learn()]);
  if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("/sw.js");
  if (choice("speech")) import("./speech.js");
  watch(follow);
}

/** A link from the hub's terminal makes this device its keeper; the key is good once. */
async function becomeKeeper() {
  const key = /^#keeper=(.+)$/.exec(location.hash)?.[1];
  if (!key) return;
  history.replaceState(null, "", location.pathname);
  const answer = await ask("POST", "/api/keeper", { key });
  if (answer.error) complain(answer.error);
}

/** How phones come here: a code to scan, or how to let them in where they cannot. */
export const invitation = (words = t("join")) => (about.reachable
  ? html`<div class="join"><img src="/api/qr.svg" alt="${t("qr", about)}" width="150" height="150">
    <p>${words} <strong>${about.address.replace(/^http:\/\/|\/$/g, "")}</strong></p></div>`
  : html`<div class="join"><p>${t("join.none")} <code>make run ARGS=--lan</code></p></div>`);

/** The table may change its language and size of text while we look. */
function follow({ state }) {
  if (!state) return;
  dress(state.settings);
  if (!choice("language") && state.settings.language !== language) location.reload();
}

/** Ask again what we may do, after pairing for example. */
export async function learn() {
  const answer = await ask("GET", "/api/about");
  if (!answer.error) Object.assign(about, answer);
}

/** The three tabs; on every other page they lead back. */
export function links(here) {
  const tabs = [["/#table", "nav.table", "table"], ["/#scores", "nav.scores", "scores"], ["/#more", "nav.more", "more"]];
  return html`<nav class="tabs" aria-label="${t("nav")}"><ul>${tabs.map(([path, key, sign]) => html`
    <li><a href="${path}" ${path === here ? html`aria-current="page"` : ""}>${icon(sign)}<span>${t(key)}</span></a></li>`)}
  </ul></nav>`;
}

/** The banner over everything while the hub cannot be heard. */
export function banner() {
  const { state, connected } = live;
  const lines = [];
  if (!connected) {
    const time = new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(live.seen);
    lines.push(t("offline", { time }));
  } else if (state && !state.saved && !state.saving) {
    lines.push(t("unsaved"));
  }
  for (const trouble of state?.trouble ?? []) lines.push(say(trouble.said ?? { template: trouble.message }));
  const saving = connected && state?.saving ? html`<p class="saving">${t("saving")}</p>` : "";
  return lines.length
    ? html`${saving}<div class="banner">${lines.map((line) => html`<p>${icon("warn")} ${line}</p>`)}</div>`
    : saving;
}

/** Say why something was not possible; it stays until read, but no longer than ten seconds. */
export function complain(error) {
  const place = document.getElementById("complaint");
  // A dialog hides all else from screen readers, so the words must be inside it.
  (document.querySelector("dialog[open]") ?? document.body).append(place);
  place.textContent = say(error.said) || error.message;
  place.hidden = false;
  clearTimeout(complain.timer);
  complain.timer = setTimeout(hush, 10_000);
}

/** Nothing to complain about any more. */
export function hush() {
  const place = document.getElementById("complaint");
  if (place) place.hidden = true;
}

/** Do what `asked` promises; complain if it was refused. Whether it was done. */
export async function done(asked) {
  const answer = await asked;
  if (answer.error) {
    if (answer.error.code === "not-paired") learn();
    complain(answer.error);
    return false;
  }
  hush();
  return true;
}

/** Minutes and seconds. */
export const minutes = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
