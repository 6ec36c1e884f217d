// The game in two minutes, the rule card, and the functions of the buttons.

import { draw, html, listen } from "./dom.js";
import { ask, live, watch } from "./live.js";
import { banner, begin, links } from "./page.js";
import { laid } from "./tile.js";
import { say, t, word } from "./words.js";

const app = document.getElementById("app");
let card = null;
let panel = [];
let loadedKey = "";
let query = "";

/** @param {State} state */
async function load(state) {
  const key = `${state.game}/${state.rules}/${state.phase === "lobby" ? state.seq : JSON.stringify(state.from_next_round)}`;
  if (key === loadedKey) return;
  loadedKey = key;
  const [rules, map] = await Promise.all([ask("GET", "/api/rulecard"), ask("GET", "/api/panel")]);
  if (rules.game !== state.game) return; // without a connection, the card of another evening
  card = rules;
  if (!map.error) panel = map.panel;
  show();
  if (location.hash) document.querySelector(location.hash)?.scrollIntoView();
}

function show() {
  draw(app, html`<header class="top"><h1>${t("nav.rules")}</h1></header>${banner()}
    <main id="main">${card ? html`${heading()}${lesson()}${search()}<div class="rule-card">${hands()}${card.sections.map(section)}</div>${buttons()}` : html`<p>${t("loading")}</p>`}${links("/rules")}</main>`);
}

function heading() {
  const name = t(`profile.${card.name}`);
  return html`<h2>${card.title}: ${name.startsWith("profile.") ? card.name : name}</h2>
    ${card.base ? html`<p class="quiet">${t("rules.base", { base: t(`profile.${card.base}`) })}</p>` : ""}`;
}

/** The lesson, step by step, with drawn tiles. */
const lesson = () => (card.lesson.length ? html`<section class="no-print"><h3>${t("rules.learn")}</h3><ol class="lesson">${card.lesson.map((step) => html`
  <li>${step.tiles.length ? laid(step.tiles) : ""}<strong>${word(step.title)}</strong><p>${sentences(step.words)}</p></li>`)}</ol></section>` : "");

const sentences = (words) => say({ template: words });

const search = () => html`<label class="no-print">${t("rules.search")} <input type="search" data-do="search" value="${query}"></label>
  ${query && !card.sections.some((each) => matching(each).length) ? html`<p>${t("rules.none")}</p>` : ""}`;

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const matching = ({ lines }) => lines.filter((line) => !query || plain(say(line.said)).includes(plain(query)));

const section = (whole) => (matching(whole).length ? html`<section><h3>${word(whole.title)}</h3>
  <ul class="rules-list">${matching(whole).map((line) => html`<li>${say(line.said)}${line.coming ? coming() : line.own ? own() : ""}</li>`)}</ul></section>` : "");

const own = () => html` <em class="changed">${t("rules.own")}</em>`;

const coming = () => html` <em class="changed">${t("rules.coming")}</em>`;

function hands() {
  const sizes = card.sets.filter((size) => card.hands[size]);
  if (!sizes.length || query) return "";
  const counts = [...new Set(Object.values(card.hands).flatMap((table) => Object.keys(table)))].map(Number).sort((a, b) => a - b);
  const cell = (size, count) => html`<td>${card.hands[size][count] ?? "–"}${count in (card.own_hands[size] ?? {}) ? own() : ""}</td>`;
  return html`<section><h3>${t("rules.hands")}</h3><div class="scroll" tabindex="0" role="region" aria-label="${t("rules.hands")}">
    <table class="hands"><thead><tr><th scope="col">${t("rules.players")}</th>${sizes.map((size) => html`<th scope="col">${t("rules.set", { size })}</th>`)}</tr></thead>
    <tbody>${counts.map((count) => html`<tr><th scope="row">${count}</th>${sizes.map((size) => cell(size, count))}</tr>`)}</tbody></table></div></section>`;
}

const FIRST_CASES = ["counting", "all-counted", ""]; // What people look up most often.

function buttons() {
  const phases = [["lobby", "rules.lobby"], ["playing", "rules.playing"], ["scoring", "rules.scoring"], ["finished", "rules.finished"]];
  return html`<details class="no-print" id="buttons" ${location.hash ? "open" : ""}><summary>${t("rules.buttons")}</summary>${phases.map(([phase, key]) => {
    const here = panel.filter((row) => row.phases.includes(phase));
    const cases = new Set(here.map((row) => row.when));
    const order = new Set([...FIRST_CASES.filter((when) => cases.has(when)), ...cases]);
    return html`<h3 id="${phase}">${t(key)}</h3>${[...order].map((when, at) => html`
      ${when || at ? html`<h4>${t(`rules.when.${when || "always"}`)}</h4>` : ""}
      <ul class="rules-list">${firsts(here.filter((row) => row.when === when)).map(button)}</ul>`)}`;
  })}</details>`;
}

/** The first binding of each button and gesture, which hides later ones. */
const firsts = (rows) => rows.filter((row, at) => rows.findIndex((other) =>
  other.control === row.control && other.gesture === row.gesture) === at);

const button = ({ control, gesture, words }) => html`<li>
  <strong>${control.split("+").map((part) => t(`button.${part}`)).join(" + ")}, ${t(`gesture.${gesture}`)}:</strong> ${word(words)}</li>`;

await begin();
document.title = `${t("nav.rules")} · ${t("title")}`;
listen(app, { search: (source) => { query = source.value.trim(); show(); } });
app.addEventListener("input", (event) => {
  if (event.target.matches("[type=search]")) { query = event.target.value.trim(); show(); }
});
watch(({ state }) => { show(); if (state) load(live.state); });
