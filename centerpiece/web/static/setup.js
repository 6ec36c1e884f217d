// Set-up: the game, the people round the table, the deal, the rules.

import { draw, html, icon, listen } from "./dom.js";
import { person } from "./dialogs.js";
import { ask, live, send } from "./live.js";
import { mySeat } from "./mine.js";
import { done } from "./page.js";
import { badge, long } from "./players.js";
import { laid } from "./tile.js";
import { say, t, word } from "./words.js";

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
  start: async () => {
    const fit = suited(live.state, chosenGame());
    if (!fit || await done(send({ type: "choose-rules", rules: fit.rules, set: fit.size }))) {
      await done(send({ type: "start" }));
    }
  },
  rounds: (source) => rounds(Number(source.dataset.by)),
  game: (source) => choose(source.dataset.game),
  profile: (source) => choose(source.value),
  set: (source) => done(send({ type: "choose-rules", rules: rules(), set: Number(source.value), changes: changes() })),
  add: (source) => add(source.dataset.name),
  added: async (form) => {
    const field = form.elements.name;
    if (await add(field.value)) field.value = "";
    field.focus();
    field.scrollIntoView({ block: "nearest" });
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
});

app.addEventListener("toggle", async (event) => {
  if (event.target.id !== "house-rules") return;
  open = event.target.open;
  if (open && !card) { await loadCard(); redraw(); }
}, true);

// The field keeps the focus, and so a phone its keyboard, while several names are added.
app.addEventListener("pointerdown", (event) => {
  if (event.target.closest("[data-do=added] button")) event.preventDefault();
});

const rules = () => `${live.state.game}/${live.state.rules}`;
const changes = () => Object.fromEntries((card?.settings ?? [])
  .filter((setting) => setting.changed).map((setting) => [setting.name, setting.value]));

const chosenGame = () => books.games.find(({ name }) => name === live.state.game);
/** The doubles of this set, and so the most rounds. */
const most = (game, state) => (game?.profiles.find(({ name }) => name === state.rules) ?? game?.profiles[0])
  ?.doubles[state.set] ?? 0;

/** Play a number of rounds more or less; all of them is the rule book's own value. */
async function rounds(by) {
  const all = most(chosenGame(), live.state);
  const value = Math.min(all, Math.max(1, live.state.rounds + by));
  await done(send({ type: "change-rule", setting: "rounds", value: value === all ? null : value }));
}

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
  if (!chip) return;
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
  if (!chip || !step) return;
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
  const game = chosenGame();
  return html`${games(state)}${people(state)}${forecast(state, game)}${choices(state, game)}
    ${houseRules(state, game)}`;
}

/** @param {State} state */
function games(state) {
  const players = (game) => t("setup.players", span(game.profiles.flatMap((each) => each.players)));
  return html`<section class="setup"><h2 class="unseen">${t("setup.game")}</h2>
    <ul class="games">${books.games.map((game) => html`<li>
      <button data-do="game" data-game="${game.name}" aria-pressed="${String(game.name === state.game)}">
        ${game.picture.length ? laid(game.picture) : ""}<strong>${game.title}</strong>
        <span class="quiet">${players(game)}</span></button></li>`)}</ul></section>`;
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
  const mine = mySeat(state);
  return html`<section class="setup"><h2 class="unseen">${t("setup.people")}</h2>
    <form class="add" data-do="added"><label class="unseen" for="add-name">${t("setup.name")}</label>
      <input id="add-name" name="name" maxlength="40" autocomplete="off" enterkeyhint="next"
        placeholder="${t("setup.people")}" required>
      <button>${t("setup.add")}</button></form>
    ${absent.length ? html`<ul class="chips known" aria-label="${t("setup.known")}">${absent.map((name) => html`
      <li><button class="chip" data-do="add" data-name="${name}">+ ${name}</button></li>`)}</ul>` : ""}
    ${state.seats.length ? html`<ol class="around of-${state.seats.length}">
      <li class="middle" aria-hidden="true">${icon("clockwise")}</li>
      ${state.seats.map((seat, place) => html`<li class="at-${place} ${seat.seat === mine ? "mine" : ""}">
        <button class="chip" id="place-${seat.seat}" data-do="person" data-seat="${seat.seat}"
          aria-label="${t("setup.place", seat)}">${badge(seat.seat)}<span class="${long(seat.name)}">${seat.name}</span></button></li>`)}</ol>
      ${state.seats.length > 1 ? html`<p class="quiet hint">${t("setup.drag")}</p>` : ""}` : ""}
  </section>`;
}

/**
 * The rule book and set that suit this number of people, as the hub would choose them; null if the
 * present ones do, or none.
 * @param {State} state
 */
function suited(state, game) {
  const count = state.seats.length;
  if (!count || state.hand !== null || !game) return null;
  const deals = ({ name, rules, hands }, size) => ({ name, rules, size, hand: hands[size]?.[count] });
  const present = game.profiles.find(({ name }) => name === state.rules);
  return [...game.profiles.map((profile) => deals(profile, state.set)),
    ...(present?.sets ?? []).map((size) => deals(present, size))].find(({ hand }) => hand) ?? null;
}

/**
 * The number of rounds, the time they take, and the deal.
 * @param {State} state
 */
function forecast(state, game) {
  const count = state.seats.length;
  const all = most(game, state);
  const step = (by, sign, off) => html`<button class="small" data-do="rounds" data-by="${by}" ${off ? "disabled" : ""}
    aria-label="${t(by < 0 ? "setup.fewer" : "setup.more")}">${sign}</button>`;
  const stepper = state.rounds && all > 1 ? html`<div class="stepper">${step(-1, "−", state.rounds < 2)}
    <p role="status">${t("setup.rounds", state)}, ${time(game, state.rounds / all)}</p>
    ${step(1, "+", state.rounds >= all)}</div>`
    : html`<p>${game ? time(game, 1) : ""}</p>`;
  if (!count) return stepper;
  const fit = suited(state, game);
  if (!fit && state.hand === null) {
    const limits = game?.profiles.flatMap(({ players }) => players) ?? [];
    return html`${stepper}<p class="forecast warn">${icon("warn")} ${t("setup.count", { ...span(limits), count })}</p>`;
  }
  return html`${stepper}<p class="forecast">${fit
    ? t("setup.suits", { ...fit, count, profile: profileName(fit.name) })
    : t("setup.deal", { count, hand: state.hand })}</p>`;
}

/** The time that a part of a game takes, to a quarter or half hour. */
function time({ minutes: [low, high] }, part) {
  const minutes = Math.max(10, part * (low + high) / 2);
  if (minutes < 75) return t("setup.minutes", { minutes: 5 * Math.round(minutes / 5) });
  const halves = Math.round(minutes / 30);
  return t("setup.hours", { hours: `${Math.floor(halves / 2)}${halves % 2 ? "½" : ""}` });
}

/** @param {State} state */
function choices(state, game) {
  const house = books.house_rules.filter((own) => own.game === state.game);
  const profiles = [...(game?.profiles ?? []).map(({ name }) => name), ...house.map(({ name }) => name)];
  const sets = game?.profiles.find(({ name }) => name === (house.find((own) => own.name === state.rules)?.profile ?? state.rules))?.sets ?? [state.set];
  return html`<section class="setup"><div class="fields">
      <label>${t("setup.rules")} <select data-do="profile">${profiles.map((name) =>
        option(`${state.game}/${name}`, profileName(name), name === state.rules))}
        ${profiles.includes(state.rules) ? "" : option(rules(), state.rules, true)}</select></label>
      <label>${t("setup.set")} <select data-do="set">${sets.map((size) =>
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
  const settings = card?.settings.filter(({ kind, name }) => kind !== "fixed" && name !== "rounds") ?? [];
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
    return html`<li id="${id}"><fieldset class="block"><legend class="${question ? "" : "unseen"}">
      ${question || item.name.replaceAll("_", " ")}</legend>${changed}${item.choices.map((choice) => html`
      <label class="check"><input type="radio" name="${id}" value="${JSON.stringify(choice.value)}" data-do="house"
        data-setting="${item.name}" ${choice.value === item.value ? "checked" : ""}> ${say(choice.said)}</label>`)}
      </fieldset></li>`;
  }
  const list = item.kind === "numbers";
  const value = list ? item.value.join(", ") : item.value ?? "";
  return html`<li id="${id}" class="block"><label for="${id}-field">${question || say(item.said)}${changed}</label>
    <input id="${id}-field" ${list ? "" : html`type="number" min="${item.low}" max="${item.high}"`} inputmode="numeric"
      value="${value}" data-do="rule-${item.kind}" data-setting="${item.name}"></li>`;
}
