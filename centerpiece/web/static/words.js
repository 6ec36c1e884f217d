// Words: one catalogue a language. Page texts have keys; sentences of the hub are their own keys.

import { choice } from "./choices.js";

let catalogue = { plurals: [], page: {}, core: {} };
export let language = "en";

/** Load the language of this screen, or else that of the table. */
export async function loadWords(wanted) {
  language = choice("language") || wanted || "en";
  let answer = await fetch(`/static/${language}.json`);
  if (!answer.ok) answer = await fetch("/static/en.json"); // It was chosen before it went away.
  catalogue = await answer.json();
  document.documentElement.lang = language;
}

/** Holes are `{name}`, or `{count|tile|tiles}`: forms in the order of the language's plurals. */
const fill = (template, facts) =>
  template.replace(/\{(\w+)((?:\|[^{}|]*)*)\}/g, (whole, name, forms) => {
    if (!(name in facts)) return whole;
    return forms ? form(forms.slice(1).split("|"), facts[name]) : told(facts[name]);
  });

function form(forms, fact) {
  const kind = new Intl.PluralRules(language).select(Array.isArray(fact) ? fact.length : fact);
  return forms[catalogue.plurals.indexOf(kind)] ?? forms.at(-1);
}

function told(fact) {
  if (Array.isArray(fact)) return fact.length ? listed(fact.map(told)) : word("nobody");
  return fact && fact.template ? say(fact) : String(fact);
}

/** A text of the pages. */
export const t = (key, facts = {}) => fill(catalogue.page[key] ?? key, facts);

/** Who has won: partners together, and whoever shares the first place. */
export const won = (names) => (names.length ? t("won", { names }) : t("won.nobody"));

/** How far a game is; a round among those who share the first place is none of the agreed ones. */
export function whereIn({ phase, round, rounds, play_offs: playOffs }) {
  if (phase === "lobby" || phase === "finished") return t(phase);
  if (playOffs.some((played) => played.round === round)) return t("round.decides");
  return t(rounds === null ? "round" : "round.of", { round, rounds });
}

/** A sentence of the hub, which comes as a template with its facts. */
export function say(sentence) {
  if (!sentence) return "";
  const { template, facts = {} } = sentence;
  const whole = catalogue.core[template];
  if (whole !== undefined) return fill(whole, facts);
  const parts = template.split(/(?<=[.?!]) (?=\S)/);
  return fill(parts.map((part) => catalogue.core[part] ?? part).join(" "), facts);
}

/** A fragment of the hub's own words, such as what a button does. */
export const word = (text) => catalogue.core[text] ?? text;

/** A number from 0 to 15 as a double: "double ten". */
export const double = (number) => t(`double.${number}`);

/** A place as it is written: "2nd". */
export const ordinal = (place) =>
  t(`ordinal.${new Intl.PluralRules(language, { type: "ordinal" }).select(place)}`, { place });

/** Names as a list in this language. */
export const listed = (names) =>
  new Intl.ListFormat(language, { type: "conjunction" }).format(names);

/** First letter large, as a button has it. */
export const title = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
