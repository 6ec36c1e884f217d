// A season: everybody's sums, who beats whom, records, a calendar of evenings.

import { draw, html, listen } from "./dom.js";
import { ask, live, send, watch } from "./live.js";
import { lastName } from "./mine.js";
import { about, banner, begin, done, links } from "./page.js";
import { day, seasonPicture, shareWords } from "./picture.js";
import { language, say, t } from "./words.js";

const MOST_IN_MATRIX = 12;
const MONTHS = 12;

const app = document.getElementById("app");
const shown = { span: "year", from: "", game: "", people: [], search: "", months: MONTHS };
let season = null;
let asked = ""; // the query of the latest request
let named = null; // seq after somebody was named; undo is offered as long as it is the latest

const number = (value, digits = 1) => (value === null || value === undefined ? "–"
  : new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value));
const date = (at) => new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(at * 1000);
const evening = (each, words) => html`<a href="/history#game-${each.number}">${words}</a>`;
const player = (name) => html`<a href="#player=${encodeURIComponent(name)}">${name}</a>`;

/** The person in the address; empty on the general page. */
const person = () => decodeURIComponent(/^#player=(.+)$/.exec(location.hash)?.[1] ?? "");

/** The beginning of the span, in seconds; 0 for all. */
function since() {
  const now = new Date();
  if (shown.span === "year") return new Date(now.getFullYear(), 0).getTime() / 1000;
  if (shown.span === "month") return new Date(now.getFullYear(), now.getMonth()).getTime() / 1000;
  return (shown.span === "since" && new Date(`${shown.from}T00:00`).getTime() / 1000) || 0;
}

const spanWords = () => (shown.span === "since" && shown.from ? t("season.from", { day: date(since()) }) : t(`season.span.${shown.span}`));

function show() {
  const page = season === null ? html`<p>${t("loading")}</p>` : season.error ? html`<p>${t("history.failed")}</p>`
    : person() ? whose(person()) : html`${filters()}${people()}${matrix()}${records()}${calendar()}${exports()}`;
  draw(app, html`<header class="top"><h1>${t("nav.season")}</h1></header>${banner()}
    <main id="main">${undoing()}${page}${links("/season")}</main>`);
}

const option = (value, words, chosen) => html`<option value="${value}" ${chosen ? "selected" : ""}>${words}</option>`;

const filters = () => html`<section class="block no-print" aria-label="${t("season.filter")}">
  <div class="fields"><label>${t("season.span")} <select data-do="filter" name="span">
    ${["year", "month", "all", "since"].map((span) => option(span, t(`season.span.${span}`), span === shown.span))}</select></label>
  ${shown.span === "since" ? html`<label>${t("season.date")} <input type="date" data-do="filter" name="from" value="${shown.from}"></label>` : ""}
  ${season.games.length > 1 ? html`<label>${t("season.game")} <select data-do="filter" name="game">${option("", t("season.game.all"), !shown.game)}
    ${season.games.map(({ game, title }) => option(game, title, game === shown.game))}</select></label>` : ""}
  <label>${t("season.search")} <input type="search" data-do="search" value="${shown.search}"></label></div>
  <details id="circle"><summary>${t("season.circle")}</summary><p class="quiet">${t("season.circle.hint")}</p><div class="fields">
    ${season.everybody.map((name) => html`<label class="check"><input type="checkbox" data-do="circle" value="${name}" ${shown.people.includes(name) ? "checked" : ""}> ${name}</label>`)}</div></details></section>`;

const found = () => season.people.filter(({ name }) => name.toLocaleLowerCase(language).includes(shown.search.toLocaleLowerCase(language)));

const rating = ({ rating: range }) => (range ? `${range[0]}–${range[1]}` : "–");

/** The columns after the games: the key of the heading, and the value. */
function columns() {
  const tables = [...new Set(season.people.flatMap((each) => (each.tables ?? []).map(({ players }) => players)))].sort((a, b) => a - b);
  const average = (each, players) => {
    const table = each.tables.find((one) => one.players === players);
    return table ? number(table.points / table.rounds) : "–";
  };
  const points = season.people[0]?.tables ? [
    ...tables.map((players) => [t("season.points", { players }), (each) => average(each, players)]),
    [t("season.best"), ({ best }) => number(best)], [t("season.worst"), ({ worst }) => number(worst)],
    [t("season.comeback"), ({ comeback }) => number(comeback || null)]] : [];
  return [[t("history.games"), ({ games }) => games], [t("history.wins"), ({ wins }) => wins], [t("season.place"), ({ place }) => number(place)],
    ...points, [t("season.run"), ({ run }) => run], [t("season.whistles"), ({ whistles }) => whistles],
    [t("season.caught"), ({ caught }) => caught], [t("season.rating"), rating]];
}

function people() {
  if (!season.people.length) return html`<p>${t("season.none")}</p>`;
  return html`<section aria-labelledby="people"><h2 id="people">${spanWords()}</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="people"><table class="season">
      <thead><tr><th scope="col">${t("setup.name")}</th>${columns().map(([words]) => html`<th scope="col"><span>${words}</span></th>`)}</tr></thead>
      <tbody>${found().map((each) => html`<tr ${each.name === lastName() ? html`class="mine"` : ""}><th scope="row">${player(each.name)}</th>
        ${columns().map(([, value]) => html`<td>${value(each)}</td>`)}</tr>`)}</tbody></table></div>
    <p class="quiet">${t("season.luck")}</p></section>`;
}

/** Everybody's games against one person: name, games won and lost against them, games together. */
const against = (name) => season.meetings.filter(({ names }) => names.includes(name)).map(({ names, won, met }) => {
  const at = names.indexOf(name);
  return { name: names[1 - at], won: won[at], lost: won[1 - at], met };
});

function matrix() {
  const names = found().sort((a, b) => b.games - a.games).slice(0, MOST_IN_MATRIX).map(({ name }) => name);
  if (names.length < 2) return "";
  const rows = names.map((name) => new Map(against(name).map((each) => [each.name, each])));
  const cell = (met) => (met ? `${met.won}:${met.lost}` : "");
  return html`<section aria-labelledby="matrix"><h2 id="matrix">${t("season.matrix")}</h2><p class="quiet">${t("season.matrix.hint")}</p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="matrix"><table class="season"><thead><tr><td></td>${names.map((name) => html`<th scope="col"><span>${name}</span></th>`)}</tr></thead>
    <tbody>${names.map((name, at) => html`<tr><th scope="row">${player(name)}</th>${names.map((other) => {
      const met = rows[at].get(other);
      return html`<td ${met && met.won > met.lost ? html`class="ahead"` : ""}>${cell(met)}</td>`;
    })}</tr>`)}</tbody></table></div></section>`;
}

const records = () => (season.records.length ? html`<section class="block records" aria-labelledby="records"><h2 id="records">${t("season.records")}</h2>
  <dl class="person">${season.records.map((each) => html`<div><dt>${t(`season.record.${each.kind}`)}</dt><dd>${number(each.value)} · ${player(each.name)}</dd>
    <dd class="quiet">${evening(each, date(each.at))}</dd></div>`)}</dl></section>` : "");

function calendar() {
  const months = new Map();
  for (const each of season.evenings) {
    const at = new Date(each.at * 1000);
    const month = new Date(at.getFullYear(), at.getMonth()).getTime();
    if (!months.has(month)) months.set(month, new Map());
    const days = months.get(month);
    days.set(at.getDate(), [...days.get(at.getDate()) ?? [], each]);
  }
  const latest = [...months].reverse();
  return html`<section aria-labelledby="calendar"><h2 id="calendar">${t("season.calendar")} (${season.evenings.length})</h2>
    <ul class="months">${latest.slice(0, shown.months).map(([month, days]) => html`<li><h3>${new Intl.DateTimeFormat(language, { month: "long", year: "numeric" }).format(month)}</h3>
      <ol class="days">${Array.from({ length: daysIn(month) }, (_, at) => dayOf(month, at + 1, days.get(at + 1)))}</ol></li>`)}</ul>
    ${latest.length > shown.months ? html`<button class="no-print" data-do="months">${t("season.months")}</button>` : ""}</section>`;
}

const daysIn = (month) => new Date(new Date(month).getFullYear(), new Date(month).getMonth() + 1, 0).getDate();

/** A day of the calendar; weeks begin on Monday. */
function dayOf(month, at, evenings) {
  const place = at === 1 ? html`class="from-${(new Date(month).getDay() + 6) % 7}"` : "";
  return html`<li ${place}>${evenings ? html`<a href="/history#game-${evenings[0].number}" aria-label="${day(evenings[0].at)}">${at}</a>` : at}</li>`;
}

const exports = () => html`<section class="block no-print"><h2>${t("season.export")}</h2><div class="choices">
  <button data-do="share">${t(shareWords())}</button><button data-do="print">${t("season.print")}</button>
  <a class="button" href="/api/season/rounds.csv" download="season.csv">${t("history.csv")}</a>
  <a class="button" href="/api/season/rounds.json" download="season.json">${t("season.json")}</a></div></section>`;

// One person

function whose(name) {
  const their = season.people.find((each) => each.name === name);
  const fact = ([words, value]) => html`<div><dt>${words}</dt><dd>${value(their)}</dd></div>`;
  const met = against(name).sort((a, b) => b.met - a.met);
  const worst = met.filter(({ won, lost }) => lost > won).sort((a, b) => (b.lost - b.won) - (a.lost - a.won))[0];
  return html`<p><a href="#">${t("season.everybody")}</a></p><section class="block"><h2>${name}</h2><p class="quiet">${spanWords()}</p>
    ${their ? html`<dl class="person">${columns().map(fact)}</dl><p class="quiet">${t("season.luck")}</p>
    ${worst ? html`<p class="nemesis">${t("season.nemesis", { name: worst.name, lost: worst.lost, met: worst.met })}</p>` : ""}` : html`<p>${t("season.none")}</p>`}
    <p><a href="/history#player=${encodeURIComponent(name)}">${t("history.person", { name })}</a></p></section>
    ${met.length ? html`<section class="block" aria-labelledby="met"><h2 id="met">${t("season.matrix")}</h2><ul class="met">
      ${met.map((each) => html`<li><span>${player(each.name)}</span><strong>${each.won}:${each.lost}</strong></li>`)}</ul></section>` : ""}
    ${about.may_write ? naming(name) : ""}`;
}

/** The form to rename somebody, to merge them with somebody else, or to tell two of one name apart. */
function naming(name) {
  const evenings = season.evenings.filter(({ who }) => who.some((at) => season.everybody[at] === name)).reverse();
  const merged = season.names.filter(({ now, started_at: at }) => now === name && !at);
  return html`<section class="block"><h2>${t("season.name")}</h2><p class="quiet">${t("season.name.hint")}</p>
    <form data-do="name" data-name="${name}" autocomplete="off"><label>${t("setup.name")} <input name="now" required maxlength="30" list="names" value="${name}"></label>
      <datalist id="names">${season.everybody.map((each) => html`<option value="${each}"></option>`)}</datalist>
      <label>${t("season.name.where")} <select name="at">${option("", t("season.name.all"), true)}${evenings.map((each) => option(each.at, day(each.at), false))}</select></label>
      <button>${t("season.name.save")}</button></form>
    ${merged.map(({ name: was }) => html`<p><button data-do="apart" data-name="${was}">${t("season.name.apart", { name: was })}</button></p>`)}</section>`;
}

const undoing = () => (named !== null && live.state?.seq === named && live.state.undo
  ? html`<p class="forecast" role="status">${say(live.state.said)} <button data-do="undo">${t("undo")}</button></p>` : "");

async function load() {
  const query = new URLSearchParams({ since: String(since()), game: shown.game });
  for (const name of shown.people) query.append("person", name);
  asked = String(query);
  const answer = await ask("GET", `/api/season?${query}`);
  if (asked !== String(query)) return; // Something else was chosen meanwhile.
  season = answer;
  show();
}

/** Give somebody another name, and stay with them. */
async function rename(command) {
  const answer = await send({ type: "name-person", ...command });
  if (!await done(answer)) return;
  named = answer.seq;
  if (command.started_at === undefined) location.hash = `player=${encodeURIComponent(command.now)}`;
  await load();
}

await begin();
document.title = `${t("nav.season")} · ${t("title")}`;
listen(app, {
  filter: (source) => { shown[source.name] = source.value; return load(); },
  search: (source) => { shown.search = source.value; show(); },
  circle: ({ value, checked }) => {
    shown.people = checked ? [...shown.people, value] : shown.people.filter((name) => name !== value);
    return load();
  },
  months: () => { shown.months = Infinity; show(); },
  share: () => seasonPicture(t("nav.season"), spanWords(), season.people.slice(0, 10).map(({ name, wins, games }) => ({ name, words: t("season.won", { wins, games }) }))),
  print: () => print(),
  name: ({ dataset: { name }, elements }) => rename({ name, now: elements.now.value, started_at: elements.at.value ? Number(elements.at.value) : undefined }),
  apart: ({ dataset: { name } }) => rename({ name, now: name }),
  undo: async () => { if (await done(send({ type: "undo" }, true))) { location.hash = ""; await load(); } },
});
addEventListener("hashchange", () => { show(); scrollTo(0, 0); });
watch(show);
await load();
if (season.people?.length === 0) {
  shown.span = "all";
  await load();
}
