// What the hall's pages share: words in this screen's language, the clock, a look every two seconds.

import { choice, choose } from "./choices.js";
import { html } from "./dom.js";
import { loadWords, t } from "./words.js";

const EVERY_MS = 2_000;

/** Seconds as a clock shows them; empty without any. */
export function time(clock) {
  if (!clock) return "";
  const s = clock.remaining_s;
  const two = (n) => String(n).padStart(2, "0");
  return s >= 3600
    ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
    : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

/** The hall as it is now; null while it does not answer. */
export async function look(query = {}) {
  try {
    const answer = await fetch(`/api/hall?${new URLSearchParams(query)}`);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** Load the words, then `show` what is found, again and again; `show` gets null for no answer. */
export async function follow(query, show) {
  let first = await look(query());
  await loadWords(Object.keys(first?.languages ?? {}).find((code) => navigator.language.startsWith(code)));
  show(first);
  return setInterval(async () => show(await look(query())), EVERY_MS);
}

/** What language this screen speaks; heard by `data-do="language"`. */
export const languages = (hall) => html`<label>${t("settings.language")} <select data-do="language">
  ${Object.entries(hall.languages).map(([code, name]) => html`<option value="${code}"
    ${code === document.documentElement.lang ? "selected" : ""}>${name}</option>`)}</select></label>`;

/** Speak it from now on. */
export async function speak(select) {
  choose("language", select.value);
  await loadWords(choice("language"));
}

/** How people call a table: most are numbered. */
export const short = (table) => table.replace(/^table-(?=\d+$)/, "");
