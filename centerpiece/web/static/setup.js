// Set-up: the game, its rules, the people in seat order; what will be dealt, before it starts.

import { rename } from "./dialogs.js";
import { draw, html, icon, listen } from "./dom.js";
import { ask, live, send } from "./live.js";
import { about, done } from "./page.js";
import { double, say, t } from "./words.js";

const app = document.getElementById("app");
let books = { games: [], house_rules: [] };
let names = [];
let card = null;
let open = false;

await refresh();

/** Names and rules that were kept since we last looked. */
export async function refresh() {
  await Promise.all([loadBooks(), loadNames()]);
}

async function loadBooks() {
  const answer = await ask("GET", "/api/rules");
  if (!answer.error) books = answer;
}

async function loadNames() {
  const answer = await ask("GET", "/api/players");
  if (!answer.error) names = answer.players;
}

async function loadCard() {
  const answer = await ask("GET", "/api/rulecard");
  if (!answer.error) card = answer;
}

listen(app, {
  start: () => done(send({ type: "start" })),
  game: (source) => choose(source.value),
  profile: (source) => choose(source.value),
  set: (source) => done(send({ type: "choose-rules", rules: rules(), set: Number(source.value), changes: changes() })),
  add: (source) => add(source.dataset.name),
  added: async (form) => {
    const field = form.elements.name;
    if (await add(field.value)) field.value = "";
    field.focus();
  },
  rename: (source) => rename(Number(source.dataset.seat), "rename"),
  free: (source) => done(send({ type: "leave", seat: Number(source.dataset.seat) })),
  house: async (source) => {
    open = source.closest("details").open;
    const { setting } = source.dataset;
    await change(setting, JSON.parse(source.value || "null"));
  },
  number: (source) => change(source.dataset.setting, source.value === "" ? null : Number(source.value)),
  numbers: (source) => change(source.dataset.setting, source.value.split(/[\s,;]+/).filter(Boolean).map(Number)),
  keep: async (form) => {
    const name = form.elements.name.value;
    if (await done(send({ type: "save-house-rules", name }))) {
      await loadBooks();
      await choose(`${live.state.game}/${name.trim()}`);
    }
  },
  forget: async () => {
    if (await done(send({ type: "forget-house-rules", name: live.state.rules }))) {
      await loadBooks();
      await choose(live.state.game);
    }
  },
  up: (source) => done(send({ type: "move-seat", seat: Number(source.dataset.seat), to: Number(source.dataset.to) })),
  draw: () => done(send({ type: "draw-starter" })),
});

app.addEventListener("toggle", async (event) => {
  if (event.target.id !== "house-rules") return;
  open = event.target.open;
  if (open && !card) { await loadCard(); redraw(); }
}, true);

const rules = () => `${live.state.game}/${live.state.rules}`;
const changes = () => Object.fromEntries((card?.settings ?? [])
  .filter((setting) => setting.changed).map((setting) => [setting.name, setting.value]));

async function choose(name) {
  await done(send({ type: "choose-rules", rules: name }));
}

async function change(setting, value) {
  await done(send({ type: "change-rule", setting, value }));
  await loadCard();
  redraw();
}

const add = async (name) => done(send({ type: "join", name }));

let drawnFor = "";

function redraw() {
  const place = document.getElementById("main-setup");
  if (place) draw(place, body(live.state));
}

/** The set-up of the table, for the phone page. */
export function view(state) {
  const key = `${state.game}/${state.rules}/${state.set}`;
  if (key !== drawnFor) {
    drawnFor = key;
    card = null;
    if (open) loadCard().then(redraw);
  }
  return html`<div id="main-setup">${body(state)}</div>`;
}

function body(state) {
  const game = books.games.find(({ name }) => name === state.game);
  return html`${people(state)}${forecast(state, game)}${games(state, game)}
    ${about.may_write ? houseRules(state) : ""}`;
}

function games(state, game) {
  const house = books.house_rules.filter((own) => own.game === state.game);
  const profiles = [...(game?.profiles ?? []).map(({ name }) => name), ...house.map(({ name }) => name)];
  const sets = game?.profiles.find(({ name }) => name === (house.find((own) => own.name === state.rules)?.profile ?? state.rules))?.sets ?? [state.set];
  const off = about.may_write ? "" : "disabled";
  return html`<section class="setup"><h2>${t("setup.game")}</h2>
    <div class="fields">
      <label>${t("setup.which")} <select data-do="game" ${off}>${books.games.map(({ name, title }) =>
        option(name, title, name === state.game))}</select></label>
      <label>${t("setup.rules")} <select data-do="profile" ${off}>${profiles.map((name) =>
        option(`${state.game}/${name}`, profileName(name), name === state.rules))}
        ${profiles.includes(state.rules) ? "" : option(rules(), state.rules, true)}</select></label>
      <label>${t("setup.set")} <select data-do="set" ${off}>${sets.map((size) =>
        option(size, t("setup.double", { size }), size === state.set))}</select></label>
    </div>
    <p><a href="/rules">${t("nav.rules")}</a></p></section>`;
}

const option = (value, words, chosen) =>
  html`<option value="${value}" ${chosen ? "selected" : ""}>${words}</option>`;

const profileName = (name) => {
  const known = t(`profile.${name}`);
  return known.startsWith("profile.") ? name : known;
};

function people(state) {
  const seated = new Set(state.seats.map(({ name }) => name.toLocaleLowerCase()));
  const known = names.filter((name) => !seated.has(name.toLocaleLowerCase())).slice(0, 12);
  return html`<section class="setup"><h2>${t("setup.people")}</h2>
    ${state.seats.length ? html`<ol class="seated">${state.seats.map((seat, place) => html`
      <li><span class="place">${seat.seat}</span>${who(seat)}
      ${about.may_write ? html`${place ? html`<button class="small" data-do="up" data-seat="${seat.seat}"
        data-to="${state.seats[place - 1].seat}" aria-label="${t("setup.up", seat)}">${icon("up")}</button>` : ""}<button class="small" data-do="free" data-seat="${seat.seat}"
        aria-label="${t("setup.free", seat)}">${icon("close")}</button>` : ""}</li>`)}</ol>`
    : html`<p>${t("setup.nobody")}</p>`}
    ${about.may_write ? html`
      ${known.length ? html`<ul class="chips" aria-label="${t("setup.known")}">${known.map((name) => html`
        <li><button class="chip" data-do="add" data-name="${name}">+ ${name}</button></li>`)}</ul>` : ""}
      <form class="add" data-do="added"><label for="add-name">${t("setup.name")}</label>
        <input id="add-name" name="name" maxlength="40" autocomplete="off" enterkeyhint="done" required>
        <button>${t("setup.add")}</button></form>` : ""}
  </section>`;
}

const who = (seat) => (about.may_write
  ? html`<button class="name" data-do="rename" data-seat="${seat.seat}" aria-label="${t("setup.rename", seat)}"><strong>${seat.name}</strong></button>`
  : html`<strong>${seat.name}</strong>`);

/** What will be dealt. */
function forecast(state, game) {
  const count = state.seats.length;
  if (!count) return "";
  if (state.hand === null) {
    const limits = game?.profiles.find(({ name }) => name === state.rules)?.hands[state.set];
    const counts = Object.keys(limits ?? {}).map(Number);
    return html`<p class="forecast warn">${icon("warn")} ${counts.length
      ? t("setup.count", { fewest: Math.min(...counts), most: Math.max(...counts), count })
      : t("setup.cannot", { count })}</p>`;
  }
  const lines = [t("setup.deal", { count, hand: state.hand })];
  if (state.engines.length) lines.push(t("setup.engine", { double: double(state.engines[0]) }));
  if (state.rounds) lines.push(t("setup.rounds", state));
  return html`<p class="forecast">${lines.join(" ")}</p>
    ${about.may_write && count > 1 ? html`<button data-do="draw">${t("setup.draw")}</button>` : ""}`;
}

function houseRules(state) {
  const saved = books.house_rules.some((own) => own.game === state.game && own.name === state.rules);
  return html`<details id="house-rules" class="setup"><summary>${t("setup.house")}</summary>
    ${card ? html`<ul class="settings">${card.settings.filter(({ kind }) => kind !== "fixed").map(setting)}</ul>
    <form class="add" data-do="keep"><label for="house-name">${t("setup.house.name")}</label>
      <input id="house-name" name="name" maxlength="40" autocomplete="off" required>
      <button>${t("keep")}</button></form>
    ${saved ? html`<button data-do="forget">${t("setup.house.forget", { name: state.rules })}</button>` : ""}`
    : html`<p>${t("loading")}</p>`}</details>`;
}

function setting(item) {
  const id = `rule-${item.name}`;
  const changed = item.changed ? html` <em class="changed">${t("setup.changed")}</em>` : "";
  if (item.kind === "choice") {
    return html`<li id="${id}"><label class="unseen" for="${id}-field">${item.name.replaceAll("_", " ")}</label>
      <select id="${id}-field" data-do="house" data-setting="${item.name}">${item.choices.map((choice) =>
        option(JSON.stringify(choice.value), say(choice.said), choice.value === item.value))}</select>${changed}</li>`;
  }
  const list = item.kind === "numbers";
  const value = list ? item.value.join(", ") : item.value ?? "";
  return html`<li id="${id}"><label for="${id}-field">${say(item.said)}${changed}</label>
    <input id="${id}-field" ${list ? "" : html`type="number" min="${item.low}" max="${item.high}"`} inputmode="numeric"
      value="${value}" data-do="${item.kind}" data-setting="${item.name}"></li>`;
}
