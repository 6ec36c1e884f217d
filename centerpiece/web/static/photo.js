// Counting a hand from a photograph: shows the picture with every tile outlined and numbered, their
// sum and doubtful tiles, to confirm, correct, add and remove. Nothing leaves this device.

import { settled, troubles } from "./count_hand.js";
import { middleOf } from "./count_quads.js";
import { draw, html, icon, listen, openDialog, styled } from "./dom.js";
import { isWider, tooLarge, unreadable } from "./photo_file.js";
import { halfPicker, tile } from "./tile.js";
import { t } from "./words.js";

const LONGEST = 1600; // Pixels of the longer side after scaling down, so that every photograph costs the same.

let dialog = null;
let task = null; // {name, set, engine, held, take}; null when cancelled.
let canvas = null;
let handTiles = []; // {quad | null, tile, sure}
/** @type {number[][][]} */
let missed = []; // Quads that look like tiles but could not be read.
/** @type {Record<string, any>} */
let step = { kind: "reading", part: 0 };
let worker = null; // Kept for the next hand: a warmed-up worker is twice as fast.

/** Count the tiles in a picture. `about` has the player's name, the set, the engine and others'
 * tiles; `take(hand)` is called with the confirmed tiles. */
export async function countFrom(file, about) {
  task = about;
  handTiles = [];
  missed = [];
  step = { kind: "reading", part: 0 };
  canvas = null;
  makeReady();
  show();
  openDialog(dialog);
  let end = null;
  try {
    const answer = answered(); // The worker may still be loading.
    const picture = await pictureOf(file);
    if (task !== about) return;
    canvas = picture;
    ask(picture);
    const { tiles, missed: marked, why } = await answer;
    handTiles = settledTiles(tiles);
    missed = marked;
    end = handTiles.length ? { kind: "check" } : { kind: "failed", why };
  } catch (trouble) {
    end = { kind: "failed", why: trouble.why ?? "unreadable" };
  }
  if (task !== about) return;
  step = end;
  show();
  dialog.querySelector("[autofocus]")?.focus();
}

/** Prepare everything that does not need the picture yet. */
export function makeReady() {
  worker ??= new Worker("/static/count_worker.js", { type: "module" });
  if (!dialog) prepare();
}

function prepare() {
  styled("photo");
  dialog = document.createElement("dialog");
  dialog.id = "photo";
  dialog.className = "full";
  document.body.append(dialog);
  dialog.addEventListener("close", () => {
    if (step.kind === "reading") stop();
    task = null;
  });
  listen(dialog, {
    close: () => dialog.close(),
    fix: (source) => choose(Number(source.dataset.at)),
    missed: (source) => choose(handTiles.length, missed[Number(source.dataset.at)]),
    beside: (source, event) => choose(handTiles.length, placeOf(event)),
    add: () => choose(handTiles.length),
    half: (source) => half(Number(source.dataset.half)),
    right: () => { handTiles[step.at].sure = true; check(step.at); },
    remove: (source) => remove(Number(source.dataset.at)),
    back: () => check(step.at),
    take,
  });
  listenForSwipes();
}

const SWIPE = 60; // Pixels to either side.

/** Remove a tile by a swipe over its line, and ignore the click that follows with a mouse. */
function listenForSwipes() {
  let down = null;
  let swiped = false;
  dialog.addEventListener("pointerdown", ({ target, clientX }) => {
    down = { at: target.closest("li[data-at]")?.dataset.at, clientX };
    swiped = false;
  });
  dialog.addEventListener("pointerup", ({ clientX }) => {
    swiped = down?.at !== undefined && Math.abs(clientX - down.clientX) > SWIPE;
    if (swiped) remove(Number(down.at));
  });
  dialog.addEventListener("click", (event) => {
    if (swiped && event.detail) event.stopPropagation();
    swiped = false;
  }, { capture: true });
}

/** Draw the picture on a canvas, rotated and scaled down. */
async function pictureOf(file) {
  const why = await tooLarge(file);
  if (why) throw Object.assign(new Error(why), { why });
  const smaller = await isWider(file, LONGEST) ? { resizeWidth: LONGEST, resizeQuality: "medium" } : {};
  const bitmap = await createImageBitmap(file, /** @type {ImageBitmapOptions} */ (smaller)).catch(async () => {
    const reason = await unreadable(file);
    throw Object.assign(new Error(reason), { why: reason });
  });
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const made = document.createElement("canvas");
  made.dataset.keep = "1";
  made.width = Math.round(bitmap.width * scale);
  made.height = Math.round(bitmap.height * scale);
  made.getContext("2d", { willReadFrequently: true }).drawImage(bitmap, 0, 0, made.width, made.height);
  bitmap.close();
  return made;
}

/** Resolve to the worker's result for the next picture. */
const answered = () => new Promise((resolve, reject) => {
  worker.onmessage = ({ data: { part, answer, trouble } }) => {
    if (trouble) {
      reject(trouble);
    } else if (answer) {
      resolve(answer);
    } else {
      step = { kind: "reading", part };
      show();
    }
  };
  worker.onerror = (trouble) => {
    stop();
    reject(trouble);
  };
});

function ask(picture) {
  const { data } = picture.getContext("2d").getImageData(0, 0, picture.width, picture.height);
  worker.postMessage({ pixels: data.buffer, width: picture.width, height: picture.height, set: task.set }, [data.buffer]);
}

function stop() {
  worker.terminate();
  worker = null;
}

/** Resolve the worker's readings by the tiles of other hands. */
function settledTiles(tiles) {
  const hand = settled(tiles, taken());
  return tiles.map(({ quad }, at) => ({ quad, ...hand[at] }));
}

const taken = () => [
  ...(task.engine === null ? [] : [[task.engine, task.engine]]),
  ...task.held.flatMap(({ tiles }) => tiles),
];

// Correcting

function placeOf({ clientX, clientY, currentTarget }) {
  const box = currentTarget.querySelector("canvas").getBoundingClientRect();
  const scale = canvas.width / box.width;
  const [x, y] = [(clientX - box.left) * scale, (clientY - box.top) * scale];
  const [a, b] = [0.04 * canvas.width, 0.02 * canvas.width];
  return [[x - a, y - b], [x + a, y - b], [x + a, y + b], [x - a, y + b]];
}

function choose(at, quad = null) {
  step = { kind: "choose", at, quad, first: null };
  show();
  dialog.querySelector(".halves button").focus();
}

function half(number) {
  if (step.first === null) {
    step.first = number;
    show();
    return;
  }
  const pair = [step.first, number].sort((a, b) => a - b);
  missed = missed.filter((quad) => quad !== step.quad);
  handTiles[step.at] = { quad: step.quad ?? handTiles[step.at]?.quad ?? null, tile: pair, sure: true };
  check(step.at);
}

function remove(at) {
  handTiles.splice(at, 1);
  check(Math.min(at, handTiles.length - 1));
}

function check(at) {
  step = { kind: "check" };
  show();
  (dialog.querySelector(`li[data-at="${at}"] button`) ?? dialog.querySelector("[data-do=add]")).focus();
}

function take() {
  const { take: given } = task;
  dialog.close();
  given(handTiles.map((each) => each.tile));
}

// Rendering

const sum = () => handTiles.reduce((all, { tile: [one, other] }) => all + one + other, 0);

function show() {
  dialog.setAttribute("aria-label", t("photo"));
  draw(dialog, html`<div class="keypad photo">
    <div class="heading"><div><h2>${task.name}</h2><p class="quiet">${t("photo.private")}</p></div>
      <button class="small quiet-button" data-do="close" aria-label="${t("close")}">${icon("close")}</button></div>
    ${canvas ? html`<div class="picture" data-do="${step.kind === "check" ? "beside" : ""}">
      <div class="canvas"></div>${step.kind === "choose" ? "" : outlines()}</div>` : ""}
    ${PARTS[step.kind]()}</div>`);
  if (!canvas) return;
  const quad = step.kind === "choose" && (step.quad ?? handTiles[step.at]?.quad);
  const shown = quad ? (step.zoom ??= zoomed(quad)) : canvas;
  if (!shown.isConnected) dialog.querySelector(".canvas").replaceChildren(shown);
}

/** The part of the picture around one tile, as wide as the dialog, with nothing drawn over it. */
function zoomed(quad) {
  const [xs, ys] = [0, 1].map((way) => quad.map((corner) => corner[way]));
  const [wide, tall] = [xs, ys].map((all) => Math.max(...all) - Math.min(...all));
  const size = 1.3 * Math.max(wide, tall / 0.75);
  const [x, y] = [xs, ys].map((all) => (Math.min(...all) + Math.max(...all)) / 2);
  const made = document.createElement("canvas");
  made.dataset.keep = "1";
  [made.width, made.height] = [800, 600];
  made.getContext("2d").drawImage(canvas, x - size / 2, y - size * 0.375, size, size * 0.75, 0, 0, 800, 600);
  return made;
}

const PARTS = {
  reading: () => html`<p role="status">${t("photo.reading")}</p>
    <progress max="1" value="${step.part}" aria-label="${t("photo.reading")}"></progress>`,
  failed: () => html`<p role="alert">${t(`photo.failed.${step.why}`)}</p>
    <button class="main" data-do="close" autofocus>${t("photo.keypad")}</button>`,
  check: checking,
  choose: choosing,
};

function checking() {
  const wrong = troubles(handTiles.map((each) => each.tile), task);
  const open = handTiles.filter((each) => !each.sure).length;
  return html`<output class="display" aria-live="polite" aria-label="${t("keypad.points")}">${sum()}</output>
    <p role="status">${t("photo.all", { count: handTiles.length })} ${missed.length ? t("photo.missed", { count: missed.length }) : ""} ${open ? t("photo.doubts", { count: open }) : ""}</p>
    ${wrong.map((trouble) => html`<p class="trouble">${icon("warn")} ${t(`photo.trouble.${trouble.why}`, trouble)}</p>`)}
    <button class="main" data-do="take" autofocus ${handTiles.length ? "" : "disabled"}>${t("photo.take")}</button>
    <ol class="found" aria-label="${t("tiles.hand")}">${handTiles.map(line)}</ol>
    <button data-do="add">${t("photo.add")}</button>`;
}

const nameOf = ([one, other]) => `${one}-${other}`;

const line = ({ tile: [one, other], sure }, at) => html`<li data-at="${at}" class="${sure ? "" : "doubtful"}">
  <button data-do="fix" data-at="${at}" aria-label="${t(sure ? "photo.fix" : "photo.fix.doubtful", { number: at + 1, tile: `${one}-${other}` })}">
    <b>${at + 1}${sure ? "" : "?"}</b>${tile(one, other)}</button>
  <button class="small quiet-button" data-do="remove" data-at="${at}" aria-label="${t("tiles.drop", { tile: `${one}-${other}` })}">${icon("close")}</button></li>`;

/** Pick a tile by two taps, as in the keypad. */
function choosing() {
  const now = handTiles[step.at];
  return html`<p role="status">${step.first === null ? t("photo.which", { number: step.at + 1 }) : t("tiles.second", { half: step.first })}</p>
    ${now ? html`<button data-do="right">${t("photo.right", { tile: nameOf(now.tile) })}</button>` : ""}
    ${halfPicker(task.set, step.first)}
    <div class="pair">${now ? html`<button data-do="remove" data-at="${step.at}">${t("tiles.drop", { tile: nameOf(now.tile) })}</button>` : ""}
      <button data-do="back">${icon("back")} ${t("tiles.back")}</button></div>`;
}

/** Outlines over the picture; the list below is the accessible form. */
function outlines() {
  const size = Math.max(canvas.width, canvas.height) / 40;
  return html`<svg class="outlines" viewBox="0 0 ${canvas.width} ${canvas.height}" aria-hidden="true">${handTiles.map(({ quad, sure }, at) => (quad ? outline(quad, sure, at, size) : ""))}${missed.map((quad, at) => mark(quad, at, size))}</svg>`;
}

const pointsOf = (quad) => quad.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

/** A tile that was seen but not read: a tap adds it. */
function mark(quad, at, size) {
  const [x, y] = middleOf(quad);
  return html`<g data-do="missed" data-at="${at}" class="missed">
    <polygon points="${pointsOf(quad)}" stroke-width="${size / 5}"/>
    <circle cx="${x}" cy="${y}" r="${size}"/><text x="${x}" y="${y}" dy="0.35em" font-size="${size * 1.2}">+</text></g>`;
}

function outline(quad, sure, at, size) {
  const [x, y] = middleOf(quad);
  return html`<g data-do="fix" data-at="${at}" class="${sure ? "" : "doubtful"}">
    <polygon points="${pointsOf(quad)}" stroke-width="${size / 5}"/>
    <circle cx="${x}" cy="${y}" r="${size}"/><text x="${x}" y="${y}" dy="0.35em" font-size="${size * 1.2}">${at + 1}${sure ? "" : "?"}</text></g>`;
}
