// The virtual hub: the lights' frame as pixels, buttons to press, hold and chord, and each button's
// present function beside it.

import { draw, html, listen } from "./dom.js";
import { ask, onSpeech, questionLeft, watch } from "./live.js";
import { dock, listenToMarkers } from "./markers.js";
import { banner, begin, invitation, links } from "./page.js";
import { followPairing, pairingNumber } from "./pairing_number.js";
import { long } from "./players.js";
import { followBoard, held, listenToPresses } from "./presses.js";
import { signs } from "./signs.js";
import { loud, play } from "./sounds.js";
import { language, listed, say, t, word } from "./words.js";

const app = document.getElementById("app");
const NS = "http://www.w3.org/2000/svg";
const KEYS = { t: "train", w: "whistle", a: "advance", u: "undo", 0: "seat-10" };
for (let seat = 1; seat <= 9; seat += 1) KEYS[seat] = `seat-${seat}`;
const CONTROLS = ["train", "whistle", "advance", "undo"];
const GESTURES = ["tap", "double", "hold"];

const recentCues = [];
let pixels = [];
let layout = { zones: [], buttons: [], cues: [] };
let panel = { labels: {}, holds: {}, docks: [] };
let state = null;

// Geometry. The centre is 500, 500; seats go clockwise, the first one right of the top.

const turn = (degrees) => (degrees * Math.PI) / 180;
const around = (radius, degrees) =>
  [500 + radius * Math.cos(turn(degrees)), 500 + radius * Math.sin(turn(degrees))];
const angle = (seat) => -72 + 36 * (seat - 1);

function places(zone) {
  const count = zone.count;
  const each = (place) => Array.from({ length: count }, (_, number) => place(number));
  if (zone.name === "face") {
    return each((number) => {
      const half = Math.floor(number / 15);
      const cell = number % 15;
      return [500 + (half ? 30 : -94) + 32 * (cell % 3), 436 + 32 * Math.floor(cell / 3), 12];
    });
  }
  if (zone.name === "ring") return each((number) => [...around(176, -90 + (360 / count) * number), 9]);
  if (zone.name === "train") return each((number) => [...around(220, 90 - 9 * (number - (count - 1) / 2)), 13]);
  const middle = angle(Number(zone.name.slice(5)));
  return each((number) => [...around(254, middle + 8 * (number - (count - 1) / 2)), 14]);
}

// The drawing is the app's icon; its lamps lie below those of the frame.

const board = () => html`<img class="wood" src="/static/icon.svg" alt="">
  <svg class="wood" viewBox="0 0 1000 1000" aria-hidden="true"><g id="pixels"></g></svg>`;

function page() {
  return html`<header class="top"><h1>${t("hub")}</h1>
    <label class="check"><input type="checkbox" id="loud" data-do="loud"> ${t("hub.sound")}</label></header>
    <main id="main" class="hub">
      <div class="centerpiece">${board()}
        ${seats().map((name) => html`
          <button class="arcade seat" id="${name}" data-button="${name}"><small></small><span>${name.slice(5)}</span><em></em></button>`)}
        <div id="docks"></div>
      </div>
      <section class="strip" aria-label="${t("hub.heard")}">
        <p class="notice"><span role="status" id="said"></span> <b id="left"></b></p>
        <p class="caption" id="caption" hidden></p><p id="number" hidden></p><div id="pairing"></div>
        <details><summary>${t("hub.heard")}</summary><ol id="heard"></ol></details>
        <div id="banner"></div></section>
      <div class="panel">${CONTROLS.map((name) => html`
        <button class="arcade ${name}" id="${name}" data-button="${name}"><span class="${long(t(`hub.${name}`))}">${t(`hub.${name}`)}</span></button>`)}
        ${CONTROLS.map((name) => html`<div class="plate"><h2>${t(`hub.${name}`)}</h2><div id="does-${name}"></div></div>`)}
        <div class="plate seats" id="does-seats"></div></div>
      <section class="help"><h2>${t("hub.together")}</h2><dl id="together"></dl><p>${t("hub.keys")}</p><p>${t("hub.latch")}</p><p>${t("hub.docks")}</p>
        ${invitation()}</section>
      ${links("/hub")}
    </main>`;
}

function drawPixels() {
  const group = document.getElementById("pixels");
  pixels = [];
  for (const zone of layout.zones) {
    places(zone).forEach(([x, y, radius], number) => {
      const glow = shape(group, x, y, radius * 1.9, "glow");
      const lamp = shape(group, x, y, radius, "lamp");
      pixels[zone.start + number] = { glow, lamp, shown: "" };
    });
  }
}

function shape(group, x, y, radius, kind) {
  const circle = document.createElementNS(NS, "circle");
  circle.setAttribute("cx", x);
  circle.setAttribute("cy", y);
  circle.setAttribute("r", radius);
  circle.setAttribute("class", kind);
  group.append(circle);
  return circle;
}

// Gamma correction: a pixel looks brighter than its linear value.
const seen = (value) => Math.round(255 * (value / 255) ** 0.55);

function light(frame) {
  pixels.forEach((pixel, number) => {
    const colour = [...frame.subarray(3 * number, 3 * number + 3)];
    const exact = colour.join(",");
    if (pixel.shown === exact) return;
    pixel.shown = exact;
    const dark = exact === "0,0,0";
    const fill = dark ? "" : `rgb(${colour.map(seen).join(" ")})`;
    pixel.lamp.dataset.rgb = exact;
    for (const part of [pixel.lamp, pixel.glow]) {
      if (dark) part.removeAttribute("fill");
      else part.setAttribute("fill", fill);
    }
    pixel.glow.setAttribute("class", dark ? "glow off" : "glow");
  });
}

const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

function watchFrames() {
  followBoard({
    panel: (now) => {
      panel = now;
      relabel();
    },
    frame: (data) => light(bytes(data)),
    sound: ({ cue, volume }) => {
      recentCues.unshift(t(`cue.${cue}`));
      recentCues.length = Math.min(recentCues.length, 6);
      draw(document.getElementById("heard"), recentCues.map((line) => html`<li>${line}</li>`));
      speech?.cut();
      play(cue, volume);
    },
  });
}

function pressed(button, down) {
  document.getElementById(button)?.toggleAttribute("data-down", down);
  fill();
}

/** Fill a ring round the held buttons, if holding them does something. */
function fill() {
  const together = layout.buttons.filter((name) => held.has(name));
  const what = together.join("+");
  const means = panel.labels[what]?.hold && panel.holds[what];
  for (const name of layout.buttons) {
    const button = document.getElementById(name);
    button.style.setProperty("--hold", `${means || 0}s`);
    button.toggleAttribute("data-filling", Boolean(means) && held.has(name));
  }
}

// The buttons' present functions: beside the buttons, and for screen readers.

const seats = () => layout.buttons.filter((name) => name.startsWith("seat-"));
const does = (name) => GESTURES.filter((gesture) => panel.labels[name]?.[gesture])
  .map((gesture) => [t(`hub.${gesture}`), word(panel.labels[name][gesture])]);
const listing = (lines) => html`<dl>${lines.map(([gesture, label]) => html`
  <div><dt>${gesture}</dt> <dd>${label}</dd></div>`)}</dl>`;

/** Draw the docks beside the seats, and the trains that are in them or lie on the table. */
function drawDocks() {
  const docked = (state?.seats ?? []).filter(({ seat }) => panel.docks.includes(seat));
  draw(document.getElementById("docks"), docked.map((seat) => html`<div class="berth" id="berth-${seat.seat}">${dock(seat)}</div>`));
}

function relabel() {
  drawDocks();
  for (const name of CONTROLS) draw(document.getElementById(`does-${name}`), listing(does(name)));
  draw(document.getElementById("does-seats"), groups().map(([who, lines]) => html`<h2>${who}</h2>${listing(lines)}`));
  draw(document.getElementById("together"), Object.keys(panel.labels).filter((name) => name.includes("+")).map((name) => html`
    <div><dt>${listed(name.split("+").map((each) => (each === "seat" ? t("hub.any") : t(`hub.${each}`))))}, ${t("hub.seconds", { count: panel.holds[name] ?? panel.holds[name.replace("seat", "seat-1")] })}</dt>
    <dd>${word(panel.labels[name].hold)}</dd></div>`));
  describe();
  fill();
}

/** The functions that all seats share, then those of groups of seats. */
function groups() {
  const each = new Map(seats().map((name) => [Number(name.slice(5)), does(name).map(([gesture, label]) =>
    [gesture, /^\d$/.test(label) ? t("hub.digit") : label].join("\n"))]));
  const common = [...each.values()].reduce((all, lines) => all.filter((line) => lines.includes(line)));
  const result = new Map(common.length ? [[common.join("\t"), [t("hub.every"), common]]] : []);
  const taken = new Set(state?.seats.map((seat) => seat.seat));
  for (const seat of each.keys()) {
    const own = each.get(seat).filter((line) => !common.includes(line));
    const alike = [...each.keys()].filter((other) => each.get(other).join() === each.get(seat).join());
    const who = alike.some((other) => taken.has(other)) ? t("hub.seats", { seats: alike }) : t("hub.dark");
    if (own.length) result.set(own.join("\t"), [who, own]);
  }
  return [...result.values()].map(([who, lines]) => [who, lines.map((line) => line.split("\n"))]);
}

function describe() {
  for (const name of seats()) {
    const number = Number(name.slice(5));
    const seat = state?.seats.find((each) => each.seat === number);
    const facts = seat ? [seat.name, ...signs(state, seat).map(([, key]) => t(key))] : [t("hub.free")];
    const lines = does(name);
    const button = document.getElementById(name);
    button.setAttribute("aria-label", [`${t("hub.seat", { seat: number })}: ${facts.join(", ")}`,
      ...lines.map((line) => line.join(": "))].join(". "));
    const words = button.querySelector("small");
    words.textContent = seat ? seat.name : "";
    words.className = long(words.textContent);
    button.querySelector("span").textContent = String(state?.counting ? number % 10 : number);
    button.querySelector("em").textContent = state?.counting ? "" : word(panel.labels[name]?.tap ?? "");
  }
}

/** Show the number being dialled, which the face shows in pixels only. */
function dialled() {
  const place = document.getElementById("number");
  place.hidden = !state.counting;
  if (!state.counting) return;
  const name = state.seats.find((each) => each.seat === state.counting.seat)?.name;
  draw(place, html`${t("hub.counting", { name })} <strong>${state.counting.typed || "–"}</strong>`);
}

/** Show the seconds left to answer a question. */
function countDown() {
  const left = questionLeft();
  document.getElementById("left").textContent = left === null ? "" : String(Math.ceil(left));
}

// Speech: captions, and aloud once sound is switched on.

let speech = null;

function caption(said) {
  const place = document.getElementById("caption");
  place.hidden = false;
  place.textContent = said.words[language] ?? said.words.en;
  speech?.follow(said);
}

async function sounds(box) {
  if (box.checked) speech = await import("./speech.js");
  else { speech?.hush(); speech = null; }
  await loud(box.checked, layout.cues);
}

await begin();
layout = await ask("GET", "/api/hub");
draw(app, page());
document.title = `${t("hub")} · ${t("title")}`;
drawPixels();
listen(app, { loud: sounds });
onSpeech(caption);
listenToMarkers(app, drawDocks);
listenToPresses(app, pressed, { keys: KEYS, latches: true });
watchFrames();
followPairing(() => draw(document.getElementById("pairing"), pairingNumber()));
setInterval(countDown, 1_000);
watch((live) => {
  draw(document.getElementById("banner"), banner());
  if (!live.state) return;
  state = live.state;
  document.getElementById("said").textContent = say(state.said);
  countDown();
  dialled();
  relabel();
});
