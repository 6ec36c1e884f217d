// Domino tiles, drawn: pips as on printed tiles, in the colour of their suit.

import { html } from "./dom.js";
import { double } from "./words.js";

const PIPS = [
  "", "4", "26", "246", "0268", "02468", "023568", "0234568", "01235678", "012345678",
];
const TALL = [
  "o.o o.o o.o o.o o.o", "o.o o.o ooo o.o o.o", "ooo ooo ... ooo ooo",
  "ooo o.o ooo o.o ooo", "ooo ooo o.o ooo ooo", "ooo ooo ooo ooo ooo",
];

/** Where the pips of a number lie on a half of 100 by 100. */
function places(number) {
  if (number < 10) {
    return [...PIPS[number]].map((at) => [24 + 26 * (at % 3), 24 + 26 * Math.floor(at / 3)]);
  }
  const dots = TALL[number - 10].replace(/ /g, "");
  return [...dots].flatMap((dot, at) =>
    dot === "o" ? [[24 + 26 * (at % 3), 15 + 17.5 * Math.floor(at / 3)]] : []);
}

const half = (number, left) => places(number).map(([x, y]) =>
  html`<circle cx="${left + x}" cy="${y}" r="${number < 10 ? 9.5 : 7}"/>`);

/** A double, lying on its side; its name is for those who cannot see it. */
export const tile = (number) => html`
  <svg class="tile suit-${number}" viewBox="-4 -4 212 108" role="img" aria-label="${double(number)}">
    <rect class="body" x="0" y="0" width="204" height="100" rx="14"/>
    <path class="bar" d="M102 12V88"/>
    ${half(number, 0)}${half(number, 104)}
  </svg>`;
