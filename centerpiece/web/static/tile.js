// Draws domino tiles: pips as on printed tiles, in the colour of their suit.

import { html } from "./dom.js";
import { double } from "./words.js";

const PIPS = [
  "", "4", "26", "246", "0268", "02468", "023568", "0234568", "01235678", "012345678",
];
const TALL = [
  "o.o o.o o.o o.o o.o", "o.o o.o ooo o.o o.o", "ooo ooo ... ooo ooo",
  "ooo o.o ooo o.o ooo", "ooo ooo o.o ooo ooo", "ooo ooo ooo ooo ooo",
];

/** The positions of a number's pips on a half of 100 by 100. */
function places(number) {
  if (number < 10) {
    return [...PIPS[number]].map(Number).map((at) => [24 + 26 * (at % 3), 24 + 26 * Math.floor(at / 3)]);
  }
  const dots = TALL[number - 10].replace(/ /g, "");
  return [...dots].flatMap((dot, at) =>
    dot === "o" ? [[24 + 26 * (at % 3), 15 + 17.5 * Math.floor(at / 3)]] : []);
}

const half = (number, left) => html`<g class="suit-${number}">${places(number).map(([x, y]) =>
  html`<circle cx="${left + x}" cy="${y}" r="${number < 10 ? 9.5 : 7}"/>`)}</g>`;

const body = (one, other) => html`<rect class="body" x="0" y="0" width="204" height="100" rx="14"/>
  <path class="bar" d="M102 12V88"/>${half(one, 0)}${half(other, 104)}`;

/** A horizontal tile, with its name for screen readers. */
export const tile = (one, other = one) => html`
  <svg class="tile" viewBox="-4 -4 212 108" role="img" aria-label="${one === other ? double(one) : `${one}-${other}`}">
    ${body(one, other)}</svg>`;

/** A single half, for pickers. */
export const pips = (number) => html`
  <svg class="half" viewBox="0 0 100 100" aria-hidden="true">${half(number, 0)}</svg>`;

/**
 * Buttons for all halves of a set, to pick a tile by two taps; `first` is the one picked already.
 * @param {number} set
 * @param {number | null} first
 * @param {(number: number) => boolean} disabled
 */
export const halfPicker = (set, first, disabled = (_number) => false) => html`
  <div class="halves">${Array.from({ length: set + 1 }, (_, number) => html`
    <button data-do="half" data-half="${number}" aria-label="${number}"
      ${number === first ? html`aria-pressed="true"` : ""} ${disabled(number) ? "disabled" : ""}>
      ${pips(number)}<span aria-hidden="true">${number}</span></button>`)}</div>`;

/** Several tiles on a table: [first, second, x, y, upright], in units of half a tile. */
export function laid(tiles) {
  const box = tiles.map(([, , x, y, upright]) => (upright ? [x - 0.5, y - 1, x + 0.5, y + 1] : [x - 1, y - 0.5, x + 1, y + 0.5]));
  const low = [0, 1].map((way) => Math.min(...box.map((sides) => sides[way])) * 104 - 6);
  const high = [2, 3].map((way) => Math.max(...box.map((sides) => sides[way])) * 104 + 6);
  return html`<svg class="laid" viewBox="${low[0]} ${low[1]} ${high[0] - low[0]} ${high[1] - low[1]}" aria-hidden="true">
    ${tiles.map(([one, other, x, y, upright]) => html`<g class="tile" transform="translate(${x * 104} ${y * 104})${upright ? " rotate(90)" : ""} translate(-102 -50)">
      ${body(one, other)}</g>`)}</svg>`;
}
