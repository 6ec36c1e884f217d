// Set-up: the game, the people round the table, the deal, the rules.

import { draw, html, icon, listen } from "./dom.js";
import { person } from "./dialogs.js";
import { ask, live, send } from "./live.js";
import { about, done } from "./page.js";
import { badge } from "./players.js";
import { laid } from "./tile.js";
import { double, say, t, word } from "./words.js";

const app = document.getElementById("app");
let books = { games: [], house_rules: [] };
let names = [];
let card = null;
let open = false;

await refresh();

/** Load rule books and names again. */
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
  game: (source) => choose(source.dataset.game),
  profile: (source) => choose(source.value),
  fit: (source) => done(send({ type: "choose-rules", rules: source.dataset.rules, set: Number(source.dataset.set) })),
  set: (source) => done(send({ type: "choose-rules", rules: rules(), set: Number(source.value), changes: changes() })),
  add: (source) => add(source.dataset.name),
  added: async (form) => {
    const field = form.elements.name;
    if (await add(field.value)) field.value = "";
    field.focus();
  },
  person: (source, event) => { if (!event.defaultPrevented) person(Number(source.dataset.seat)); },
  house: (source) => change(source.dataset.setting, JSON.parse(source.value || "null")),
  "rule-number": (source) => change(source.dataset.setting, source.value === "" ? null : Number(source.value)),
  "rule-numbers": (source) => change(source.dataset.setting, source.value.split(/[\s,;]+/).filter(Boolean).map(Number)),
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
const move = (seat, to) => done(send({ type: "move-seat", seat, to }));

// Seats are changed by dragging a name onto another one, or with the arrow keys.

let dragged = null;

app.addEventListener("pointerdown", (event) => {
  const chip = event.target.closest(".around button");
  if (!chip || !about.may_write) return;
  dragged = { chip, x: event.clientX, y: event.clientY, moved: false };
  chip.setPointerCapture(event.pointerId);
});
app.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const [x, y] = [event.clientX - dragged.x, event.clientY - dragged.y];
  dragged.moved ||= Math.hypot(x, y) > 8;
  if (dragged.moved) dragged.chip.style.translate = `${x}px ${y}px`;
});
for (const end of ["pointerup", "pointercancel"]) {
  app.addEventListener(end, (event) => {
    if (!dragged) return;
    const { chip, moved } = dragged;
    dragged = null;
    chip.style.translate = "";
    if (!moved || end === "pointercancel") return;
    chip.addEventListener("click", (click) => click.preventDefault(), { once: true });
    const target = nearest(chip, event.clientX, event.clientY);
    if (target) move(Number(chip.dataset.seat), Number(target.dataset.seat));
  });
}
app.addEventListener("keydown", (event) => {
  const chip = event.target.closest?.(".around button");
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!chip || !step || !about.may_write) return;
  event.preventDefault();
  const seats = live.state.seats.map(({ seat }) => seat);
  const to = seats[(seats.indexOf(Number(chip.dataset.seat)) + step + seats.length) % seats.length];
  move(Number(chip.dataset.seat), to).then(() => document.getElementById(`place-${to}`)?.focus());
});

function nearest(chip, x, y) {
  const others = [...app.querySelectorAll(".around button")].filter((other) => other !== chip);
  const far = (other) => {
    const box = other.getBoundingClientRect();
    return Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
  };
  const closest = others.sort((a, b) => far(a) - far(b))[0];
  return closest && far(closest) < 70 ? closest : null;
}

// Rendering

let drawnFor = "";

function redraw() {
  const place = document.getElementById("main-setup");
  if (place) draw(place, body(live.state));
}

/**
 * The set-up, as a part of the phone page.
 * @param {State} state
 */
export function view(state) {
  const key = `${state.game}/${state.rules}/${state.set}`;
  if (key !== drawnFor) {
    drawnFor = key;
    card = null;
    if (open) loadCard().then(redraw);
  }
  return html`<div id="main-setup">${body(state)}</div>`;
}

/** @param {State} state */
function body(state) {
  const game = books.games.find(({ name }) => name === state.game);
  return html`${games(state)}${people(state)}${forecast(state, game)}${choices(state, game)}
    ${about.may_write ? houseRules(state, game) : ""}`;
}

/** @param {State} state */
function games(state) {
  return html`<section class="setup"><h2>${t("setup.game")}</h2><ul class="games">${books.games.map((game) => html`
    <li><button data-do="game" data-game="${game.name}" aria-pressed="${String(game.name === state.game)}" ${about.may_write ? "" : "disabled"}>
      ${game.picture.length ? laid(game.picture) : ""}<strong>${game.title}</strong>
      <span class="quiet">${t("setup.players", span(game.profiles.flatMap(({ players }) => players)))}<br>${t("setup.minutes", span(game.minutes))}</span></button></li>`)}</ul></section>`;
}

const span = (numbers) => {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return { high, range: low === high ? low : `${low}–${high}` };
};

/**
 * The names round a table, clockwise, the first one at the bottom.
 * @param {State} state
 */
function people(state) {
  const seated = new Set(state.seats.map(({ name }) => name.toLocaleLowerCase()));
  const absent = names.filter((name) => !seated.has(name.toLocaleLowerCase())).slice(0, 8);
  return html`<section class="setup"><h2>${t("setup.people")}</h2>
    ${state.seats.length ? html`<ol class="around of-${state.seats.length}"><li class="middle" aria-hidden="true">${icon("clockwise")}</li>
      ${state.seats.map((seat, place) => html`<li class="at-${place}"><button class="chip" id="place-${seat.seat}" data-do="person" data-seat="${seat.seat}"
        aria-label="${t("setup.place", seat)}" ${about.may_write ? "" : "disabled"}>${badge(seat.seat)}<span>${seat.name}</span></button></li>`)}</ol>
      ${about.may_write && state.seats.length > 1 ? html`<p class="quiet">${t("setup.drag")}</p>` : ""}`
    : html`<p>${t("setup.nobody")}</p>`}
    ${about.may_write ? html`
      <form class="add" data-do="added"><label for="add-name">${t("setup.name")}</label>
        <input id="add-name" name="name" maxlength="40" autocomplete="off" enterkeyhint="done" required>
        <button>${t("setup.add")}</button></form>
      ${absent.length ? html`<ul class="chips" aria-label="${t("setup.known")}">${absent.map((name) => html`
        <li><button class="chip" data-do="add" data-name="${name}">+ ${name}</button></li>`)}</ul>` : ""}` : ""}
  </section>`;
}

/**
 * The deal; if this number of people cannot play, rules and sets that fit.
 * @param {State} state
 */
function forecast(state, game) {
  const count = state.seats.length;
  if (!count) return "";
  if (state.hand === null) return misfit(state, game, count);
  const lines = [t("setup.deal", { count, hand: state.hand })];
  if (state.engines.length) lines.push(t("setup.engine", { double: double(state.engines[0]) }));
  if (state.rounds) lines.push(t("setup.rounds", state));
  return html`<p class="forecast">${lines.join(" ")}</p>
    ${about.may_write && count > 1 ? html`<button data-do="draw">${t("setup.draw")}</button>` : ""}`;
}

/** @param {State} state */
function misfit(state, game, count) {
  const limits = Object.keys(game?.profiles.find(({ name }) => name === state.rules)?.hands[state.set] ?? {}).map(Number);
  const fitting = (game?.profiles ?? []).flatMap((profile) => profile.sets
    .filter((size) => profile.hands[size]?.[count]).map((size) => ({ profile, size })));
  const likely = ({ profile, size }) => (size === state.set ? 0 : profile.name === state.rules ? 1 : 2);
  fitting.sort((one, other) => likely(one) - likely(other));
  return html`<div class="forecast warn"><p>${icon("warn")} ${limits.length
    ? t("setup.count", { ...span(limits), count })
    : t("setup.cannot", { count })}</p>
    ${about.may_write ? html`<ul class="chips">${fitting.slice(0, 4).map(({ profile, size }) => html`<li><button class="chip" data-do="fit"
      data-rules="${profile.rules}" data-set="${size}">${t("setup.fits", { profile: profileName(profile.name), size })}</button></li>`)}</ul>` : ""}</div>`;
}

/** @param {State} state */
function choices(state, game) {
  const house = books.house_rules.filter((own) => own.game === state.game);
  const profiles = [...(game?.profiles ?? []).map(({ name }) => name), ...house.map(({ name }) => name)];
  const sets = game?.profiles.find(({ name }) => name === (house.find((own) => own.name === state.rules)?.profile ?? state.rules))?.sets ?? [state.set];
  const off = about.may_write ? "" : "disabled";
  return html`<section class="setup"><div class="fields">
      <label>${t("setup.rules")} <select data-do="profile" ${off}>${profiles.map((name) =>
        option(`${state.game}/${name}`, profileName(name), name === state.rules))}
        ${profiles.includes(state.rules) ? "" : option(rules(), state.rules, true)}</select></label>
      <label>${t("setup.set")} <select data-do="set" ${off}>${sets.map((size) =>
        option(size, t("setup.double", { size }), size === state.set))}</select></label>
    </div>
    <p><a href="/rules">${t("setup.learn", { game: state.title })}</a></p></section>`;
}

const option = (value, words, chosen) =>
  html`<option value="${value}" ${chosen ? "selected" : ""}>${words}</option>`;

const profileName = (name) => {
  const title = t(`profile.${name}`);
  return title.startsWith("profile.") ? name : title;
};

/**
 * Disputed rules first, each as a question; all other settings in a nested disclosure.
 * @param {State} state
 */
function houseRules(state, game) {
  const saved = books.house_rules.some((own) => own.game === state.game && own.name === state.rules);
  const keySettings = game?.key_settings ?? {};
  const settings = card?.settings.filter(({ kind }) => kind !== "fixed") ?? [];
  const disputed = Object.keys(keySettings).map((name) => settings.find((item) => item.name === name)).filter(Boolean);
  return html`<details id="house-rules" class="setup"><summary>${t("setup.house")}</summary>
    ${card ? html`<ul class="settings">${disputed.map((item) => setting(item, word(keySettings[item.name])))}</ul>
    <details class="setup"><summary>${t("setup.all")}</summary>
      <ul class="settings">${settings.filter((item) => !disputed.includes(item)).map((item) => setting(item))}</ul></details>
    <form class="add" data-do="keep"><label for="house-name">${t("setup.house.name")}</label>
      <input id="house-name" name="name" maxlength="40" autocomplete="off" required>
      <button>${t("keep")}</button></form>
    ${saved ? html`<button data-do="forget">${t("setup.house.forget", { name: state.rules })}</button>` : ""}`
    : html`<p>${t("loading")}</p>`}</details>`;
}

function setting(item, question = "") {
  const id = `rule-${item.name}`;
  const changed = item.changed ? html` <em class="changed">${t("setup.changed")}</em>` : "";
  if (item.kind === "choice") {
    return html`<li id="${id}"><label class="${question ? "" : "unseen"}" for="${id}-field">${question || item.name.replaceAll("_", " ")}${changed}</label>
      <select id="${id}-field" data-do="house" data-setting="${item.name}">${item.choices.map((choice) =>
        option(JSON.stringify(choice.value), say(choice.said), choice.value === item.value))}</select>${question ? "" : changed}</li>`;
  }
  const list = item.kind === "numbers";
  const value = list ? item.value.join(", ") : item.value ?? "";
  return html`<li id="${id}"><label for="${id}-field">${question || say(item.said)}${changed}</label>
    <input id="${id}-field" ${list ? "" : html`type="number" min="${item.low}" max="${item.high}"`} inputmode="numeric"
      value="${value}" data-do="rule-${item.kind}" data-setting="${item.name}"></li>`;
}
