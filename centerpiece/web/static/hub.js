// The virtual hub: pixels as the lights got them, buttons that can be pressed, held and chorded.

import { draw, html, listen } from "./dom.js";
import { ask, watch } from "./live.js";
import { banner, begin, complain, invitation, links } from "./page.js";
import { say, t } from "./words.js";

const app = document.getElementById("app");
const NS = "http://www.w3.org/2000/svg";
const KEYS = { t: "train", w: "whistle", a: "advance", u: "undo", 0: "seat-10" };
for (let seat = 1; seat <= 9; seat += 1) KEYS[seat] = `seat-${seat}`;
const CONTROLS = ["train", "whistle", "advance", "undo"];

const held = new Set();
const latched = new Set();
const heard = [];
let pixels = [];
let layout = { zones: [], buttons: [], cues: [] };

// Where everything is. The middle is 500, 500; seats stand clockwise, the first right of the top.

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
  if (zone.name === "ring") return each((number) => [...around(188, -90 + (360 / count) * number), 9]);
  if (zone.name === "train") return each((number) => [...around(245, 90 - 9 * (number - (count - 1) / 2)), 13]);
  const middle = angle(Number(zone.name.slice(5)));
  return each((number) => [...around(296, middle + 7.5 * (number - (count - 1) / 2)), 13]);
}

function board() {
  const corners = Array.from({ length: 8 }, (_, side) => around(492, 22.5 + 45 * side).map(Math.round).join(","));
  const inner = Array.from({ length: 8 }, (_, side) => around(468, 22.5 + 45 * side).map(Math.round).join(","));
  const rails = Array.from({ length: 10 }, (_, seat) => {
    const [x1, y1] = around(212, angle(seat + 1));
    const [x2, y2] = around(350, angle(seat + 1));
    return html`<path class="rail" d="M${x1} ${y1}L${x2} ${y2}"/><path class="sleepers" d="M${x1} ${y1}L${x2} ${y2}"/>`;
  });
  return html`<svg class="wood" viewBox="0 0 1000 1000" aria-hidden="true">
    <defs>
      <linearGradient id="grain" x1="0" y1="0" x2="1" y2="1"><stop offset="0" class="g1"/><stop offset=".5" class="g2"/><stop offset="1" class="g3"/></linearGradient>
      <radialGradient id="slot"><stop offset="0" class="s1"/><stop offset="1" class="s2"/></radialGradient>
    </defs>
    <polygon class="edge" points="${corners.join(" ")}"/><polygon class="top-wood" points="${inner.join(" ")}"/>
    <clipPath id="within"><polygon points="${inner.join(" ")}"/></clipPath><g clip-path="url(#within)">
    ${[90, 170, 260, 350, 455, 560, 640, 735, 830, 905].map((y, n) => html`<path class="vein" d="M40 ${y}C300 ${y - 22 + 9 * (n % 4)} 640 ${y + 26 - 7 * (n % 5)} 960 ${y - 6}"/>`)}</g>
    ${rails}
    <circle class="groove" cx="500" cy="500" r="188"/>
    <rect class="slot" x="384" y="416" width="232" height="168" rx="22"/>
    <path class="bar" d="M500 432V568"/>
    <g id="pixels"></g>
  </svg>`;
}

function page() {
  return html`<header class="top"><h1>${t("hub")}</h1>
    <label class="check"><input type="checkbox" id="loud" data-do="loud"> ${t("hub.sound")}</label></header>
    <div id="banner"></div>
    <main id="main" class="hub">
      <div class="centerpiece">${board()}
        ${layout.buttons.filter((name) => name.startsWith("seat-")).map((name) => html`
          <button class="arcade seat" id="${name}" data-button="${name}"><span>${name.slice(5)}</span><small></small></button>`)}
      </div>
      <div class="panel">${CONTROLS.map((name) => html`
        <button class="arcade ${name}" id="${name}" data-button="${name}"><span>${t(`hub.${name}`)}</span></button>`)}</div>
      <section class="strip" aria-labelledby="strip-title"><h2 id="strip-title">${t("hub.heard")}</h2>
        <p class="notice" role="status" id="said"></p><ol id="heard"></ol></section>
      <section class="help"><p>${t("hub.keys")}</p><p>${t("hub.latch")}</p>
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

// A lamp looks brighter than its number: the eye is not linear.
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
  const source = new EventSource("/api/hub/frames");
  source.addEventListener("frame", (event) => light(bytes(event.data)));
  source.addEventListener("sound", (event) => {
    const { cue, volume } = JSON.parse(event.data);
    heard.unshift(t(`cue.${cue}`));
    heard.length = Math.min(heard.length, 6);
    draw(document.getElementById("heard"), heard.map((line) => html`<li>${line}</li>`));
    play(cue, volume);
  });
}

// Sounds: allowed by the browser only after somebody has touched the page.

let audio = null;
const sounds = new Map();

async function load(cue) {
  if (!sounds.has(cue)) {
    sounds.set(cue, fetch(`/api/sounds/${cue}.wav`).then((answer) => answer.arrayBuffer())
      .then((file) => audio.decodeAudioData(file)));
  }
  return sounds.get(cue);
}

async function play(cue, volume) {
  if (!audio || audio.state !== "running" || !document.getElementById("loud").checked) return;
  const source = audio.createBufferSource();
  const gain = audio.createGain();
  source.buffer = await load(cue);
  gain.gain.value = volume;
  source.connect(gain).connect(audio.destination);
  source.start();
}

async function loud(box) {
  if (!box.checked) return;
  audio ??= new AudioContext();
  await audio.resume();
  for (const cue of layout.cues) await load(cue);
}

// Presses go out one after the other, so that none overtakes another.

let line = Promise.resolve();

function press(button, down) {
  if (down === held.has(button)) return;
  (down ? held.add : held.delete).call(held, button);
  document.getElementById(button)?.toggleAttribute("data-down", down);
  line = line.then(() => ask("POST", "/api/hub/press", { button, down })).then((answer) => {
    if (answer.error) complain(answer.error);
  });
}

function latch(button) {
  const on = !latched.has(button);
  (on ? latched.add : latched.delete).call(latched, button);
  press(button, on);
}

function listenToButtons() {
  for (const button of app.querySelectorAll("[data-button]")) {
    const name = button.dataset.button;
    button.addEventListener("pointerdown", (event) => {
      if (event.shiftKey || event.button === 2) return latch(name);
      button.setPointerCapture(event.pointerId);
      return press(name, true);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      button.addEventListener(end, () => latched.has(name) || press(name, false));
    }
    button.addEventListener("contextmenu", (event) => event.preventDefault());
  }
  addEventListener("keydown", (event) => onKey(event, true));
  addEventListener("keyup", (event) => onKey(event, false));
  addEventListener("blur", () => [...held].filter((name) => !latched.has(name)).forEach((name) => press(name, false)));
}

function onKey(event, down) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const focused = event.target.closest?.("[data-button]");
  const isPress = event.key === "Enter" || event.key === " ";
  const button = isPress ? focused?.dataset.button : KEYS[event.key.toLowerCase()];
  if (!button || event.target.matches?.("input:not([type=checkbox])")) return;
  event.preventDefault();
  if (!event.repeat) press(button, down);
}

// Words for those who do not see the lights.

function describe(state) {
  for (const name of layout.buttons.filter((each) => each.startsWith("seat-"))) {
    const number = Number(name.slice(5));
    const seat = state.seats.find((each) => each.seat === number);
    const facts = seat ? [seat.name, ...words(state, seat)] : [t("hub.free")];
    document.getElementById(name).setAttribute("aria-label", `${t("hub.seat", { seat: number })}: ${facts.join(", ")}`);
    document.querySelector(`#${name} small`).textContent = seat ? seat.name : "";
  }
}

const words = (state, seat) => [
  seat.open_double && t("sign.double"), seat.last_tile && t("sign.last"), seat.marker && t("sign.open"),
  state.starter === seat.seat && state.phase === "playing" && t("sign.start"),
  state.out === seat.seat && t("sign.out"),
].filter(Boolean);

await begin();
layout = await ask("GET", "/api/hub");
draw(app, page());
document.title = `${t("hub")} · ${t("title")}`;
drawPixels();
listen(app, { loud });
listenToButtons();
watchFrames();
watch(({ state }) => {
  draw(document.getElementById("banner"), banner());
  if (!state) return;
  document.getElementById("said").textContent = say(state.said);
  describe(state);
});
