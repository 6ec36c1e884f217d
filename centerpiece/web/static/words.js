// Texts: one catalogue for each language. Pages' texts have keys; the hub's sentences are keys.

import { choice } from "./choices.js";

let catalogue = { plurals: [], page: {}, core: {} };
export let language = "en";

/** Load this screen's language, or else the table's. */
export async function loadWords(tableLanguage) {
  language = choice("language") || tableLanguage || "en";
  let answer = await fetch(`/static/${language}.json`);
  if (!answer.ok) answer = await fetch("/static/en.json"); // A chosen language may no longer exist.
  catalogue = await answer.json();
  document.documentElement.lang = language;
}

/** Fill `{name}` and `{count|tile|tiles}`, with forms in the order of the language's plural forms. */
const fill = (template, facts) =>
  template.replace(/\{(\w+)((?:\|[^{}|]*)*)\}/g, (whole, name, forms) => {
    if (!(name in facts)) return whole;
    return forms ? form(forms.slice(1).split("|"), facts[name]) : format(facts[name]);
  });

function form(forms, fact) {
  const count = Math.abs(Array.isArray(fact) ? fact.length : fact);
  return forms[catalogue.plurals[count < 200 ? count : 100 + count % 100]] ?? forms.at(-1);
}

function format(fact) {
  if (Array.isArray(fact)) return fact.length ? listed(fact.map(format)) : word("nobody");
  return fact && fact.template ? say(fact) : String(fact);
}

/** A text of the pages. */
export const t = (key, facts = {}) => fill(catalogue.page[key] ?? key, facts);

/** A sentence with the winners: partners together, and all in a shared first place. */
export const won = (names) => (names.length ? t("won", { names }) : t("won.nobody"));

/** The progress of a game; play-off rounds are not counted among the agreed ones. */
export function whereIn({ phase, round, rounds, play_offs: playOffs }) {
  if (phase === "lobby" || phase === "finished") return t(phase);
  if (playOffs.some((played) => played.round === round)) return t("round.decides");
  return t(rounds === null ? "round" : "round.of", { round, rounds });
}

/** A sentence of the hub, from its template and facts. */
export function say(sentence) {
  if (!sentence) return "";
  const { template, facts = {} } = sentence;
  const whole = catalogue.core[template];
  if (whole !== undefined) return fill(whole, facts);
  const parts = template.split(/(?<=[.?!]) (?=\S)/);
  return fill(parts.map((part) => catalogue.core[part] ?? part).join(" "), facts);
}

/** A fragment of the hub's texts, such as a button's label. */
export const word = (text) => catalogue.core[text] ?? text;

/** A number from 0 to 15 as a double: "double ten". */
export const double = (number) => t(`double.${number}`);

/** A place as it is written: "2nd". English knows four kinds; other languages' have the last. */
export function ordinal(place) {
  const key = `ordinal.${new Intl.PluralRules(language, { type: "ordinal" }).select(place)}`;
  return t(key in catalogue.page ? key : "ordinal.other", { place });
}

/** Names as a list in this language. */
export const listed = (names) =>
  new Intl.ListFormat(language, { type: "conjunction" }).format(names);

/** Seconds as m:ss, or as h:mm:ss from an hour on. */
export const minutes = (seconds) => new Date(seconds * 1_000).toISOString().slice(11, 19).replace(/^(00:)?0?/, "");

/** Capitalize the first letter. */
export const title = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
