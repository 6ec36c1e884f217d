// Shared by the hall's pages: the language, the clock, and a request every two seconds.

import { choice, choose } from "./choices.js";
import { html } from "./dom.js";
import { loadWords, minutes, t } from "./words.js";

const EVERY_MS = 2_000;

/** Format the remaining time; empty without a clock. */
export const time = (clock) => (clock ? minutes(clock.remaining_s) : "");

/** Return the current state of the hall; null while it does not answer. */
export async function look(query = {}) {
  try {
    const answer = await fetch(`/api/hall?${new URLSearchParams(query)}`);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** Return the first language that the browser prefers and the hall has; pt and pt-PT take pt-BR. */
function preferred(codes) {
  const base = (code) => code.split("-")[0];
  const alike = (code) => codes.find((each) => each === code) ?? codes.find((each) => base(each) === base(code));
  return navigator.languages.map(alike).find(Boolean);
}

/** Load the words, then call `show` with each state, or with null for no answer. */
export async function follow(query, show) {
  let first = await look(query());
  await loadWords(preferred(Object.keys(first?.languages ?? {})));
  show(first);
  return setInterval(async () => show(await look(query())), EVERY_MS);
}

/** Return the choice of language, handled by `data-do="language"`. */
export const languages = (hall) => html`<label>${t("settings.language")} <select data-do="language">
  ${Object.entries(hall.languages).map(([code, name]) => html`<option value="${code}"
    ${code === document.documentElement.lang ? "selected" : ""}>${name}</option>`)}</select></label>`;

/** Use and remember the chosen language. */
export async function speak(select) {
  choose("language", select.value);
  await loadWords(choice("language"));
}

/** Return a table's name as people say it: most are numbers. */
export const short = (table) => table.replace(/^table-(?=\d+$)/, "");
