// Settings of this screen and of the hub, and the paired phones.

import { choice, choose, dress } from "./choices.js";
import { draw, html, listen } from "./dom.js";
import { ask, live, watch } from "./live.js";
import { about, banner, begin, done, learn, links } from "./page.js";
import { language, loadWords, t } from "./words.js";

const app = document.getElementById("app");
let pairing = { may_write: false, open: null, phones: [] };
let paired = false;

async function load() {
  const answer = await ask("GET", "/api/pair");
  if (!answer.error) pairing = answer;
  show();
}

function show() {
  draw(app, html`<header class="top"><h1>${t("nav.settings")}</h1></header>${banner()}
    <main id="main">${screen()}${phones()}${about.may_write ? hub() : ""}${links("/settings")}</main>`);
}

const option = (value, words, chosen) => html`<option value="${value}" ${chosen ? "selected" : ""}>${words}</option>`;

function screen() {
  const tables = t("settings.table");
  return html`<section class="block"><h2>${t("settings.screen")}</h2>
    <label>${t("settings.language")} <select data-do="own" data-name="language">
      ${option("", tables, choice("language") === undefined)}
      ${languages(choice("language"))}</select></label>${unreviewed(choice("language"))}
    <label>${t("settings.text")} <select data-do="own" data-name="large_text">
      ${option("", tables, choice("large_text") === undefined)}${option("false", t("settings.text.normal"), choice("large_text") === false)}
      ${option("true", t("settings.text.large"), choice("large_text") === true)}</select></label>
    <label>${t("settings.order")} <select data-do="own" data-name="order">
      ${option("", tables, choice("order") === undefined)}${orders(choice("order"))}</select></label>
    <label>${t("speech.here")} <select data-do="aloud">
      ${["", "all", "mine"].map((who) => option(who, t(`speech.here.${who || "off"}`), (choice("speech") ?? "") === who))}</select></label>
  </section>`;
}

const languages = (now) => Object.entries(about.languages ?? {}).map(([code, name]) => option(JSON.stringify(code), name, now === code));

const unreviewed = (code) => about.unreviewed?.[code] ? html`<p class="quiet" lang="${code}">${about.unreviewed[code]}</p>` : "";

const orders = (now) => ["clockwise", "counterclockwise"].map((order) => option(JSON.stringify(order), t(`settings.${order}`), now === order));

function phones() {
  return html`<section class="block" id="pairing"><h2>${t("pair.title")}</h2>
    ${about.may_write && about.simulated && !pairing.phones.some((phone) => phone.this) ? html`<p>${t("pair.newcomer")}</p>` : ""}
    ${about.may_write ? "" : html`<ol class="steps"><li>${t("pair.step1")}</li><li>${t("pair.step2")}</li></ol>
    <form class="add" data-do="pair"><label for="phone-name">${t("pair.name")}</label>
      <input id="phone-name" name="name" maxlength="40" autocomplete="off" required>
      <label for="phone-number">${t("pair.number")}</label>
      <input id="phone-number" name="number" inputmode="numeric" pattern="[0-9]{2}" maxlength="2" autocomplete="off" required>
      <button class="main">${t("pair.go")}</button></form>`}
    ${paired && about.may_write ? html`<p class="forecast">${t("pair.done")}</p><a class="button main" href="/">${t("pair.table")}</a>` : ""}
    ${pairing.phones.length ? html`<ul class="phones">${pairing.phones.map((phone) => html`<li>
      <span><strong>${phone.name}</strong> ${phone.this ? html`<span class="quiet">${t("pair.this")}</span>` : ""}<br>
        <span class="quiet">${t("pair.since", { day: day(phone.paired) })}, ${t("pair.seen", { day: day(phone.seen) })}</span></span>
      <button data-do="revoke" data-id="${phone.id}" aria-label="${t("pair.revoke.name", phone)}">${t("pair.revoke")}</button></li>`)}</ul>` : ""}
  </section>`;
}

const day = (at) => new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(at * 1000);

function hub() {
  const now = live.state.settings;
  const percent = (value) => Math.round(value * 100);
  return html`<section class="block"><h2>${t("settings.hub")}</h2>
    <label>${t("settings.volume")} <input type="range" min="0" max="100" step="5" value="${percent(now.volume)}" data-do="share" data-name="volume"></label>
    <label class="check"><input type="checkbox" data-do="switch" data-name="muted" ${now.muted ? "checked" : ""}> ${t("settings.muted")}</label>
    <fieldset><legend>${t("settings.quiet")}</legend>
      <label>${t("settings.quiet.from")} <input type="time" value="${now.quiet_from ?? ""}" data-do="time" data-name="quiet_from"></label>
      <label>${t("settings.quiet.until")} <input type="time" value="${now.quiet_until ?? ""}" data-do="time" data-name="quiet_until"></label></fieldset>
    <label>${t("settings.quiet.brightness")} <input type="range" min="0" max="100" step="5" value="${percent(now.quiet_brightness)}" data-do="share" data-name="quiet_brightness"></label>
    <label>${t("settings.brightness")} <input type="range" min="5" max="100" step="5" value="${percent(now.brightness)}" data-do="share" data-name="brightness"></label>
    <label class="check"><input type="checkbox" data-do="switch" data-name="gentle" ${now.gentle ? "checked" : ""}> ${t("settings.gentle")}</label>
    ${speech(now)}
    ${["ssh", "protected"].filter((what) => typeof about[what] === "boolean").map((what) => html`<label class="check"><input type="checkbox" data-do="machine" data-name="${what}" ${about[what] ? "checked" : ""}> ${t(`settings.${what}`)}</label>`)}
    <a class="button" href="/api/report" download>${t("settings.report")}</a><p class="quiet">${t("settings.report.about")}</p>
    <h3>${t("settings.everyone")}</h3>
    <label>${t("settings.language")} <select data-do="value" data-name="language">${languages(now.language)}</select></label>${unreviewed(now.language)}
    <label class="check"><input type="checkbox" data-do="switch" data-name="large_text" ${now.large_text ? "checked" : ""}> ${t("settings.text.large")}</label>
    <label>${t("settings.order")} <select data-do="value" data-name="order">${orders(now.order)}</select></label>
  </section>`;
}

const LENGTHS = ["off", "short", "full"];

const lengths = (choices, chosen) => choices.map((length) => option(length, t(`speech.length.${length}`), length === chosen));

/** The hub's speech: off, short or full; or each topic by itself. */
function speech(now) {
  const much = howMuch(now);
  return html`<fieldset class="topics"><legend>${t("speech.title")}</legend>
    <label>${t("speech.aloud")} <select data-do="talk" data-name="speech">${lengths(much === "mixed" ? [...LENGTHS, much] : LENGTHS, much)}</select></label>
    ${now.aloud ? html`<details id="topics"><summary>${t("speech.topics")}</summary>
      ${Object.entries(now.speech).map(([topic, chosen]) => html`<label>${t(`speech.${topic}`)}
        <select data-do="topic" data-name="${topic}">${lengths(LENGTHS, chosen)}</select></label>`)}</details>
    <button data-do="read" data-what="standings">${t("speech.read.standings")}</button>
    <button data-do="read" data-what="card">${t("speech.read.card")}</button>
    ${["calm", "attention"].map((name) => html`<label class="check"><input type="checkbox" data-do="switch" data-name="${name}" ${now[name] ? "checked" : ""}> ${t(`speech.${name}`)}</label>`)}
    <button data-do="read" data-what="sample">${t("speech.read.sample")}</button>
    ${names(now)}` : ""}</fieldset>`;
}

/** How the voice reads each name at the table. */
const names = (now) => live.state.seats.length === 0 ? "" : html`<details id="names"><summary>${t("speech.names")}</summary>
  <p class="quiet">${t("speech.names.hint")}</p>
  ${live.state.seats.map(({ seat, name }) => html`<label>${name} <input data-do="spelling" data-name="${name}" data-seat="${seat}" maxlength="40" autocomplete="off" value="${now.spellings[name] ?? ""}"></label>`)}</details>`;

/** The topics' settings for a length; "full" is each topic's default. */
const topicsOf = (much) => Object.fromEntries(Object.entries(about.speech).map(([topic, usual]) => [topic, much === "short" ? much : usual]));

function howMuch({ aloud, speech: topics }) {
  if (!aloud) return "off";
  const as = (much) => Object.entries(topicsOf(much)).every(([topic, length]) => topics[topic] === length);
  return ["short", "full"].find(as) ?? "mixed";
}

const set = (name, value) => done(ask("PUT", "/api/settings", { [name]: value }));

await begin();
listen(app, {
  own: async (source) => {
    choose(source.dataset.name, source.value === "" ? undefined : JSON.parse(source.value));
    await redress();
  },
  aloud: async (source) => {
    choose("speech", source.value || undefined);
    const { hush, speak } = await import("./speech.js");
    if (source.value) speak(t("speech.sample"));
    else hush();
  },
  talk: ({ value: much }) => done(ask("PUT", "/api/settings", {
    aloud: much !== "off", ...(["short", "full"].includes(much) ? { speech: topicsOf(much) } : {}),
  })),
  topic: (source) => set("speech", { ...live.state.settings.speech, [source.dataset.name]: source.value }),
  read: (source) => done(ask("POST", "/api/speech", { what: source.dataset.what })),
  spelling: async ({ value, dataset: { name, seat } }) => {
    const { [name]: _, ...others } = live.state.settings.spellings;
    const sound = value.trim();
    const spellings = sound ? { ...others, [name]: sound } : others;
    if (await set("spellings", spellings)) await done(ask("POST", "/api/speech", { what: "sample", seat: Number(seat) }));
  },
  share: (source) => set(source.dataset.name, Number(source.value) / 100),
  switch: (source) => set(source.dataset.name, source.checked),
  machine: async ({ dataset: { name }, checked }) => {
    if (await done(ask("PUT", "/api/machine", { [name]: checked }))) about[name] = checked;
    show();
  },
  value: (source) => set(source.dataset.name, JSON.parse(source.value)),
  time: (source) => set(source.dataset.name, source.value || null),
  pair: async (form) => {
    if (await done(ask("POST", "/api/pair", { name: form.elements.name.value, number: form.elements.number.value }))) {
      await learn();
      paired = true;
      await load();
    }
  },
  revoke: async (source) => {
    await done(ask("DELETE", `/api/phones/${source.dataset.id}`));
    await learn();
    await load();
  },
});

async function redress() {
  await loadWords(live.state?.settings.language);
  dress(live.state?.settings);
  document.title = `${t("nav.settings")} · ${t("title")}`;
  show();
}

document.title = `${t("nav.settings")} · ${t("title")}`;
watch(show);
await load();
if (location.hash) document.querySelector(location.hash)?.scrollIntoView();
