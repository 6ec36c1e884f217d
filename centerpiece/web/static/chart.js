// A line chart of totals by round; each line has its own dashes, and its name at the end.

import { html } from "./dom.js";
import { t } from "./words.js";

/** Draw a chart. `players` have a name and their scores by round; a missing score adds nothing.
    `text` is the letters' height, in the units of width and height. */
export function chart(players, { width = 800, height = 480, text = 30 } = {}) {
  const [left, right, top, bottom] = [3 * text, 7.6 * text, 0.75 * text, 1.9 * text];
  const rounds = Math.max(...players.map(({ scores }) => scores.length));
  const lines = players.map(({ name, scores }) => {
    let sum = 0;
    return { name, sums: scores.map((score) => (sum += score ?? 0)) };
  });
  const values = lines.flatMap(({ sums }) => sums);
  const low = Math.min(0, ...values);
  const step = roundStep(Math.max(1, ...values) - low);
  const high = Math.ceil(Math.max(1, ...values) / step) * step;
  const x = (round) => left + ((width - left - right) * round) / Math.max(1, rounds - 1);
  const y = (value) => top + ((height - top - bottom) * (high - value)) / (high - low);
  const grid = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) grid.push(value);
  const names = spread(lines.map(({ sums }) => y(sums.at(-1))), height - 0.7 * text, 1.15 * text);
  return html`<svg class="chart" font-size="${text}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${t("chart")}">
    ${grid.map((value) => html`<path class="grid" d="M${left} ${y(value)}H${width - right}"/>
      <text x="${left - 8}" y="${y(value) + text / 3}" text-anchor="end">${value}</text>`)}
    ${Array.from({ length: rounds }, (_, round) => (rounds < 10 || round % 2 === 0) && html`
      <text x="${x(round)}" y="${height - text / 2}" text-anchor="middle">${round + 1}</text>`)}
    ${lines.map(({ name, sums }, place) => html`<g class="line line-${place % 10}">
      <polyline points="${sums.map((value, round) => `${x(round)},${y(value)}`).join(" ")}"/>
      <path d="M${x(sums.length - 1)} ${y(sums.at(-1))}L${width - right + 14} ${names[place]}h10"/>
      <text x="${width - right + 30}" y="${names[place] + text / 3}">${short(name)}</text></g>`)}
  </svg>`;
}

const short = (name) => (name.length > 11 ? `${name.slice(0, 10)}…` : name);

function roundStep(range) {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
  return steps.find((step) => range / step <= 5) ?? 20000;
}

/** Place labels near their lines, without overlaps. */
function spread(ideal, lowest, apart) {
  const order = ideal.map((_, place) => place).sort((a, b) => ideal[a] - ideal[b]);
  const placed = [...ideal];
  let last = -Infinity;
  for (const place of order) last = placed[place] = Math.max(placed[place], last + apart);
  let floor = lowest;
  for (const place of order.reverse()) {
    placed[place] = Math.min(placed[place], floor);
    floor = placed[place] - apart;
  }
  return placed;
}
