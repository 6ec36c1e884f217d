// A line chart of totals by round; each line has its own dashes, and its player's shape at the end,
// with the name where there is room for all names.

import { html, styled } from "./dom.js";
import { t } from "./words.js";

styled("chart");

/** Draw a chart. `players` have a seat, a name and their scores by round; a missing score adds
    nothing. `text` is the letters' height, in the units of width and height. */
export function chart(players, { width = 800, height = 480, text = 30 } = {}) {
  const rounds = Math.max(1, ...players.map(({ scores }) => scores.findLastIndex((score) => score !== null) + 1));
  const longest = Math.max(...players.map(({ name }) => short(name).length));
  const columns = Math.ceil((1.15 * text * players.length) / (height - text));
  const named = columns === 1;
  const [left, right, top, bottom] = [3 * text, (named ? 2.4 + 0.66 * longest : 1.2 + 1.2 * columns) * text, 0.75 * text, 1.9 * text];
  const lines = players.map(({ seat, name, scores }) => {
    let sum = 0;
    return { seat, name, sums: scores.slice(0, rounds).map((score) => (sum += score ?? 0)) };
  });
  const values = lines.flatMap(({ sums }) => sums);
  const low = Math.min(0, ...values);
  const step = roundStep(Math.max(1, ...values) - low, Math.min(5, (height - top - bottom) / text / 1.5));
  const high = Math.ceil(Math.max(1, ...values) / step) * step;
  const x = (round) => left + ((width - left - right) * round) / Math.max(1, rounds - 1);
  const y = (value) => top + ((height - top - bottom) * (high - value)) / (high - low);
  const grid = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) grid.push(value);
  const floor = Math.min(height - 0.7 * text, Math.max(y(low), top + (1.15 * text * lines.length) / columns));
  const ends = spread(lines.map(({ sums }) => y(sums.at(-1))), floor, 1.15 * text, columns);
  return html`<svg class="chart" font-size="${text}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${t("chart")}">
    ${grid.map((value) => html`<path class="grid" d="M${left} ${y(value)}H${width - right}"/>
      <text x="${left - 8}" y="${y(value) + text / 3}" text-anchor="end">${value}</text>`)}
    ${Array.from({ length: rounds }, (_, round) => (rounds < 10 || round % 2 === 0) && html`
      <text x="${x(round)}" y="${height - text / 2}" text-anchor="middle">${round + 1}</text>`)}
    ${lines.map(({ seat, name, sums }, at) => html`<g class="line line-${(seat - 1) % 10}">
      <polyline points="${sums.map((value, round) => `${x(round)},${y(value)}`).join(" ")}"/>
      <path d="M${x(sums.length - 1)} ${y(sums.at(-1))}L${width - right + 0.5 * text + ends[at].column * 1.2 * text} ${ends[at].y}"/>
      <use class="seat-${seat}" href="/static/icons.svg#shape-${((seat - 1) % 10) + 1}" x="${width - right + (0.6 + ends[at].column * 1.2) * text}"
        y="${ends[at].y - text / 2}" width="${text}" height="${text}"/>
      ${named ? html`<text x="${width - right + 1.9 * text}" y="${ends[at].y + text / 3}">${short(name)}</text>` : ""}</g>`)}
  </svg>`;
}

const short = (name) => (name.length > 11 ? `${name.slice(0, 10)}…` : name);

function roundStep(range, most) {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
  return steps.find((step) => range / step <= most) ?? 20000;
}

/** Place labels near their lines, in one column or by turns in several, without overlaps. */
function spread(ideal, lowest, apart, columns) {
  const order = ideal.map((_, at) => at).sort((a, b) => ideal[a] - ideal[b]);
  const placed = ideal.map((y) => ({ y, column: 0 }));
  for (let column = 0; column < columns; column += 1) {
    const own = order.filter((_, at) => at % columns === column).map((at) => placed[at]);
    own.forEach((label, at) => Object.assign(label, { column, y: Math.max(label.y, (own[at - 1]?.y ?? -Infinity) + apart) }));
    own.reverse().forEach((label, at) => { label.y = Math.min(label.y, at ? own[at - 1].y - apart : lowest); });
  }
  return placed;
}
