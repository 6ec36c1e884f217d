// The organiser's desk, with choices instead of free text. Orders for every table ask for
// confirmation and can be taken back for ten seconds. The token stays in this tab.

import { draw, html, listen, openDialog } from "./dom.js";
import { follow, languages, look, short, speak, time } from "./shared.js";
import { say, t } from "./words.js";

const app = document.getElementById("app");
const sure = document.getElementById("sure");
const GRACE_S = 10;

let token = sessionStorage.getItem("hall-token") ?? "";
let rules = null; // known once the token is right
let hall = null;
let said = "";
let waiting = null;
const picked = new Map(); // what was chosen, kept while the page is drawn anew
const found = { tables: null, people: null };

async function post(path, body) {
  const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": key, Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return await answer.json();
  } catch {
    return { error: { said: { template: t("hall.silent") } } };
  }
}

// Fields

const number = (name, words, value, low, high, needed = true) => html`<label>${words}
  <input type="number" name="${name}" value="${value}" min="${low}" max="${high}" inputmode="numeric" ${needed ? "required" : ""}></label>`;

function select(key, words, options, usual = "") {
  const now = String(picked.get(key) ?? usual);
  return html`<label>${words} <select name="${key.split(".")[1]}" data-key="${key}">${options.map(([value, told]) => html`
    <option value="${value}" ${String(value) === now ? "selected" : ""}>${told}</option>`)}</select></label>`;
}

const check = (key, value, words, usual = false) => html`<label class="check"><input type="checkbox" name="${key.split(".")[1]}"
  data-key="${key}${value ? ` ${value}` : ""}" ${value ? html`value="${value}" data-many` : ""}
  ${picked.get(value ? `${key} ${value}` : key) ?? usual ? "checked" : ""}> ${words}</label>`;

/** Checkboxes for some of many: the search results, and everything checked before. */
function some(key, kind, words, options) {
  const chosen = [...picked.keys()].filter((each) => each.startsWith(`${key} `) && picked.get(each)).map((each) => each.slice(key.length + 1));
  const missing = chosen.filter((value) => !options.some(([each]) => each === value));
  return html`<details><summary>${words}</summary><label>${t("hall.search")} <input type="search" data-find="${kind}" maxlength="60" autocomplete="off"></label>
    <div class="some">${[...options, ...missing.map(choice)].map(([value, told]) => check(key, value, told))}</div></details>`;
}

const called = (value) => {
  if (!value.startsWith("[")) return short(value);
  const [table, name] = JSON.parse(value);
  return `${name} (${short(table)})`;
};

const choice = (value) => [value, called(value)];
const tables = () => (found.tables ?? hall.tables).map(({ table }) => choice(table));
const people = () => (found.people ?? hall.people).filter(({ left }) => !left)
  .map(({ table, name }) => choice(JSON.stringify([table, name])));

const form = (ask, fields, deed, everywhere = false) => html`<form data-do="ask" data-ask="${ask}" ${everywhere ? "data-all" : ""}
  class="block"><h2 id="ask-${ask}">${t(`desk.${ask}`)}</h2><p class="quiet">${t(`desk.${ask}.about`)}</p>${fields}<button class="main">${t(deed)}</button></form>`;

function card() {
  const usual = hall.card?.rules ?? "mexican-train/rally";
  const now = rules.find((each) => each.rules === (picked.get("card.rules") ?? usual)) ?? rules[0];
  return form("card", html`${select("card.rules", t("setup.rules"), rules.map((each) => [each.rules, each.title]), usual)}
    ${select("card.set", t("setup.set"), now.sets.map((size) => [size, t("setup.double", { size })]), hall.card?.set ?? now.sets[0])}`, "desk.card.go", true);
}

function playOff() {
  if (!hall.ties.length) return html`<section class="block"><h2>${t("desk.play-off")}</h2><p class="quiet">${t("desk.play-off.none")}</p></section>`;
  const places = hall.ties.map((tie) => [tie.place, t("desk.play-off.place", { place: tie.place, names: tie.people.map((p) => p.name) })]);
  const free = hall.tables.filter(({ phase }) => phase !== "playing" && phase !== "scoring").map(({ table }) => [table, short(table)]);
  return form("play-off", html`${select("play-off.place", t("desk.play-off.who"), places, places[0][0])}
    ${select("play-off.table", t("hall.table"), [["", t("desk.play-off.first")], ...free])}
    ${number("rounds", t("desk.rounds"), 1, 1, 13)}`, "desk.play-off.go");
}

const asks = () => html`<div class="forms">
  ${card()}
  ${form("start", html`${number("minutes", t("desk.minutes"), 105, 1, 1440)}${number("in_s", t("desk.seconds"), 5, 0, 3600)}`, "start", true)}
  ${form("clock", number("minutes_left", t("desk.left"), "", 0, 1440), "desk.clock.go", true)}
  ${form("finish-round", "", "desk.finish-round.go", true)}
  ${form("announce", html`<label>${t("desk.words")} <input name="text" maxlength="200" autocomplete="off" required></label>
    ${some("announce.tables", "tables", t("desk.only"), tables())}`, "desk.announce.go", true)}
  ${playOff()}
  ${form("change-tables", html`${number("movers", t("desk.movers"), 3, 1, 6)}
    ${some("change-tables.staying", "people", t("desk.staying"), people())}`, "desk.change-tables.go", true)}
  ${form("late", html`<label>${t("setup.name")} <input name="name" maxlength="40" autocomplete="off" required></label>
    ${select("late.table", t("hall.table"), [["", t("desk.any")], ...hall.tables.map(({ table }) => [table, short(table)])])}`, "desk.late.go")}
  ${form("quiet", html`${select("quiet.volume", t("settings.volume"), [0, 20, 40, 60, 80, 100].map((share) => [share / 100, `${share} %`]), hall.quiet?.volume ?? 0.6)}
    <label>${t("desk.lights")} <input name="light_only_from" type="time"></label>`, "desk.quiet.go", true)}
  </div>
  <details class="maintenance"><summary>${t("desk.maintenance")}</summary><div class="forms">
    ${form("free", select("free.table", t("hall.table"), hall.tables.map(({ table }) => [table, short(table)]), hall.tables[0]?.table), "desk.free.go")}</div></details>`;

// Troubles of all tables

const troubled = () => hall.tables.filter(({ flags }) => flags.length);

const troubles = () => (troubled().length ? html`<section class="block wrong"><h2>${t("desk.wrong")}</h2>
  <ul>${troubled().map((table) => html`<li><strong>${short(table.table)}</strong> ${table.flags.map((flag) => say(flag)).join(" ")}</li>`)}</ul></section>` : "");

function show() {
  if (!hall) return;
  draw(app, html`<main class="hall" id="main">
    <header><h1>${t("desk.title")}</h1><p class="clock" role="timer" aria-label="${t("clock")}">${time(hall.clock)}</p></header>
    <p class="said" role="status">${said}</p>
    ${waiting ? html`<p id="waiting" class="waiting" role="alert"><span>${t("desk.waiting", waiting)}</span> <button data-do="back">${t("desk.back")}</button></p>` : ""}
    ${rules === null ? html`<form id="enter" class="block" data-do="enter"><label>${t("desk.token")}
      <input type="password" name="token" autocomplete="off" required></label><button class="main">${t("desk.enter")}</button></form>`
    : html`<p>${t("hall.counts", hall.counts)}</p>${troubles()}${asks()}`}
    <nav class="elsewhere" aria-label="${t("nav")}">${languages(hall)}<a href="/">${t("hall.title")}</a>
      <a href="/results?language=${document.documentElement.lang}">${t("hall.results")}</a></nav></main>`);
  document.title = t("desk.title");
}

function tell(words) {
  said = words;
  show();
}

async function enter() {
  const answer = await post("/api/hall/token", {});
  if (!answer.error) {
    rules = answer.rules;
    sessionStorage.setItem("hall-token", token);
  }
  tell(answer.error ? say(answer.error.said) : "");
}

/** Ask for confirmation; true unless refused or taken back while the seconds run down. */
async function meant(what) {
  draw(sure, html`<form method="dialog" class="sheet-of-paper"><h2 id="sure-title" tabindex="-1">${what}?</h2>
    <p>${t("desk.sure", hall.counts)}</p>
    <div class="choices"><button value="yes" class="main">${t("yes")}</button><button value="no">${t("no")}</button></div></form>`);
  sure.returnValue = "no";
  openDialog(sure);
  sure.querySelector("h2").focus();
  await new Promise((closed) => { sure.addEventListener("close", closed, { once: true }); });
  return sure.returnValue === "yes" && grace(what);
}

function grace(what) {
  waiting?.end(false);
  return new Promise((decided) => {
    const end = (kept) => {
      clearInterval(ticking);
      waiting = null;
      tell(kept ? "" : t("desk.taken"));
      decided(kept);
    };
    const ticking = setInterval(() => {
      waiting.seconds -= 1;
      if (waiting.seconds > 0) show();
      else end(true);
    }, 1_000);
    waiting = { what, seconds: GRACE_S, end };
    show();
  });
}

/** Return the request of a form, without its empty fields. */
function asked(source) {
  const body = { type: source.dataset.ask };
  for (const input of source.querySelectorAll("[name]")) {
    if ("many" in input.dataset) {
      if (input.checked) (body[input.name] ??= []).push(input.value.startsWith("[") ? JSON.parse(input.value) : input.value);
    } else if (input.type === "checkbox") body[input.name] = input.checked;
    else if (input.value !== "") body[input.name] = input.type === "number" || NUMBERS.has(input.name) ? Number(input.value) : input.value;
  }
  return body;
}

const NUMBERS = new Set(["set", "place", "volume"]); // chosen from a list

listen(app, {
  language: async (box) => { await speak(box); show(); },
  back: () => waiting?.end(false),
  enter: (source) => { token = new FormData(source).get("token"); enter(); },
  ask: async (source) => {
    const body = asked(source);
    const everywhere = "all" in source.dataset && !body.tables?.length;
    if (everywhere && !(await meant(`${t(`desk.${body.type}`)}: ${source.querySelector("button.main").textContent}`))) return;
    const { error } = await post("/api/hall/orders", body);
    if (!error) forget(source);
    tell(error ? say(error.said) : t("desk.done", { what: t(`desk.${body.type}`) }));
  },
});

/** Clear a form after its request is done. */
function forget(source) {
  for (const input of source.querySelectorAll("[data-key]")) picked.delete(input.dataset.key);
  source.reset();
}

app.addEventListener("change", ({ target }) => {
  if (!target.dataset.key) return;
  picked.set(target.dataset.key, target.type === "checkbox" ? target.checked : target.value);
  show();
});
app.addEventListener("input", async ({ target }) => {
  const kind = target.dataset.find;
  if (!kind) return;
  found[kind] = target.value ? (await look({ q: target.value }))?.[kind] ?? [] : null;
  show();
});
addEventListener("beforeunload", (event) => { if (waiting) event.preventDefault(); });

await follow(() => ({}), (now) => { hall = now ?? hall; show(); });
if (token) await enter();
