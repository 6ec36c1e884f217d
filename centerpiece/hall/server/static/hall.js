// The wall: leaders and the state of every table, for people ten metres away. Lists that do not fit
// change pages every ten seconds; on a phone everything is below each other.

import { draw, html, icon, listen } from "./dom.js";
import { follow, languages, look, short, speak, time } from "./shared.js";
import { double, say, t } from "./words.js";

const app = document.getElementById("app");
const TURN_MS = 10_000;
const PART = 100; // as many as the hall tells at once
const FEW = 3; // tables whose people are listed; twice as many fill the wall
const ROWS = { people: 10, tables: 6 }; // on a wall
const wide = matchMedia("(min-width: 60rem) and (min-aspect-ratio: 5/4)");

let hall = null;
let connected = true;
let turns = 0;
let menu = false;
const begin = { people: 0, tables: 0 };
const searched = () => app.querySelector("[name=q]")?.value ?? "";

const columns = () => getComputedStyle(app.querySelector(".grid") ?? app).gridTemplateColumns.split(" ").length;

/** Return whether pages turn by themselves. */
const turning = () => wide.matches && !searched();

/** Return the number of rows on the screen, by list. */
const fitting = () => (turning() ? { people: ROWS.people, tables: ROWS.tables * columns() } : { people: 20, tables: PART });

/** Return the offset of a list: turned by itself on a wall, by hand elsewhere. */
function from(list) {
  const all = hall?.[`${list}_found`] ?? 0;
  const count = fitting()[list];
  return turning() ? count * (turns % Math.max(1, Math.ceil(all / count))) : begin[list];
}

const query = () => ({ q: searched(), people: from("people"), tables: from("tables") });

// Leaders

const person = (p) => html`<tr><td class="number">${p.place ?? "–"}</td><th scope="row">${p.name}</th>
  <td>${short(p.table)}</td><td class="number">${p.total}</td></tr>`;

const people = (count) => html`<section class="people" aria-labelledby="people-title">
  <h2 id="people-title">${t("hall.leaders")}</h2>
  <table><thead><tr><th scope="col" class="number"><span class="label">${t("hall.place")}</span></th><th scope="col">${t("setup.name")}</th>
    <th scope="col">${t("hall.table")}</th><th scope="col" class="number">${t("total")}</th></tr></thead>
  <tbody>${hall.people.slice(0, count).map(person)}</tbody></table>${hall.people.length ? "" : html`<p class="expected">${t("hall.counts", hall.counts)}</p>`}${pager("people", count)}</section>`;

// Tables

const SIGNS = { playing: "open", scoring: "edit", finished: "cup", lobby: "late" };

function health(table) {
  if (table.flags.length) return "warn";
  return SIGNS[table.phase] ?? "late";
}

/** Return the progress of a table, as short as possible. */
function far(table) {
  if (table.phase !== "playing") return t(`hall.${table.phase}`);
  if (!table.rounds) return t("round", table);
  if (table.round > table.rounds) return t("hall.decides");
  return html`<span class="unseen">${t("round.of", table)}</span><span aria-hidden="true">${table.round}/${table.rounds}</span>`;
}

function seen(seconds) {
  if (seconds === null) return t("hall.seen.never");
  if (seconds < 30) return t("hall.seen.now");
  return seconds < 120 ? t("hall.seen.seconds", { seconds }) : t("hall.seen.minutes", { minutes: Math.round(seconds / 60) });
}

const details = (table) => [table.phase === "playing" && table.engine !== null && double(table.engine),
  time(table.clock), seen(table.seen_s)].filter(Boolean).join(" · ");

const oneTable = (table) => html`<li class="table is-${health(table)}"><h3><span class="unseen">${t("hall.table")}</span> ${short(table.table)}
    ${icon(health(table))}</h3>
  <p class="far">${far(table)}</p><p class="detail quiet">${details(table)}</p>
  ${hall.tables.length <= FEW && wide.matches ? html`<ul class="seated">${table.seated.map(({ name, total }) => html`<li><span>${name}</span>
    ${table.phase === "lobby" ? "" : html`<b>${total}</b>`}</li>`)}</ul>` : ""}
  ${table.flags.map((flag) => html`<p class="detail flag">${say(flag)}</p>`)}</li>`;

const tables = (count) => html`<section class="tables" aria-labelledby="tables-title">
  <h2 id="tables-title">${t("hall.tables", hall.counts)}</h2>
  <ul class="grid ${hall.tables_found <= 2 * FEW ? "is-few" : ""}">${hall.tables.slice(0, count).map(oneTable)}</ul>${pager("tables", count)}</section>`;

/** Return the number of the page, with buttons for the others except on a wall. */
function pager(list, count) {
  const all = hall[`${list}_found`];
  if (all <= count) return "";
  const page = { page: Math.floor(from(list) / count) + 1, pages: Math.ceil(all / count) };
  const step = (by, key) => {
    const to = begin[list] + by;
    return to < 0 || to >= all ? "" : html`<button data-do="turn" data-list="${list}" data-to="${to}">${t(key)}</button>`;
  };
  return html`<p class="pager">${t("hall.page", page)}${turning() ? "" : html` ${step(-count, "hall.back")}${step(count, "nav.more")}`}</p>`;
}

// Messages, one after the other on a wall

function words() {
  const { announced } = hall;
  if (announced) return [announced.tables.length ? t("hall.flag", { table: announced.tables.map(short), what: announced.text }) : announced.text];
  const ties = hall.ties.map((tie) => t("hall.tie", { place: tie.place, names: tie.people.map((p) => p.name) }));
  const flags = hall.tables.flatMap((table) => table.flags.map((flag) => t("hall.flag", { table: short(table.table), what: say(flag) })));
  const state = hall.final ? [t("hall.final")] : hall.finish ? [t("hall.last")] : [];
  return [...state, ...ties, ...flags];
}

function show() {
  if (!hall) return;
  const { people: rows, tables: tiles } = fitting();
  const all = words();
  draw(app, html`<main class="hall wall" id="main">
    <header><h1>${hall.title}</h1><p class="counts">${t("hall.counts", hall.counts)}</p>
      <p class="clock" role="timer" aria-label="${t("clock")}">${time(hall.clock)}</p></header>
    <p class="trouble" role="status">${connected ? say({ template: hall.trouble }) : t("hall.silent")}</p>
    <div id="tools" class="tools" ${wide.matches && !menu ? "hidden" : ""}>
      <form role="search" data-do="search"><label>${t("hall.search")} <input type="search" name="q" autocomplete="off" maxlength="60"></label></form>
      <nav class="elsewhere" aria-label="${t("nav")}">${languages(hall)}
        <a href="/results?language=${document.documentElement.lang}">${t("hall.results")}</a> <a href="/desk">${t("desk.title")}</a></nav></div>
    <div class="both">${people(rows)}${tables(tiles)}</div>
    <p class="words">${wide.matches ? all[turns % all.length] ?? "" : all.map((line) => html`<span>${line}</span>`)}</p>
    ${wide.matches ? html`<button class="menu" data-do="menu" aria-expanded="${String(menu)}" aria-controls="tools" aria-label="${t("nav.more")}">${icon("more")}</button>` : ""}
  </main>`);
  document.title = hall.title;
  if (fitting().tables !== tiles) show(); // only what is drawn tells how wide it is
}

async function again() {
  const found = await look(query());
  connected = found !== null;
  hall = found ?? hall;
  show();
}

listen(app, {
  language: async (select) => { await speak(select); show(); },
  turn: (source) => { begin[source.dataset.list] = Number(source.dataset.to); again(); },
  search: () => {},
  menu: () => { menu = !menu; show(); },
});
app.addEventListener("input", (event) => {
  if (event.target.name !== "q") return;
  begin.people = begin.tables = 0;
  again();
});
wide.addEventListener("change", again);
setInterval(() => { turns += 1; again(); }, TURN_MS);
await follow(query, (found) => { connected = found !== null; hall = found ?? hall; show(); });
