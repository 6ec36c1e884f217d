// Draws the result of a game or a season as a picture, to send or to save.

import { chart } from "./chart.js";
import { html, Safe } from "./dom.js";
import { added } from "./players.js";
import { language, t, won } from "./words.js";

const WIDTH = 1080;
const ROW = 84;
const HEAD = 330;
const COLOURS = ["paper", "card", "ink", "quiet", "line", "gold", "gold-ground",
  ...Array.from({ length: 10 }, (_, seat) => `seat-${seat + 1}`)];

/** A wall clock time as a date and a time of day. */
export const day = (at) => new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" }).format(at * 1000);

/** The key of what the button says: phones send pictures only over secure connections. */
export const shareWords = () => (navigator.canShare ? "picture.send" : "history.share");

const right = new Safe('text-anchor="end"');
const write = (words, x, y, size, colour = "ink", more = new Safe("")) => html`
  <text x="${x}" y="${y}" font-size="${size}" fill="var(--${colour})" ${more}>${words}</text>`;

/** Send or save the result of a game. */
export async function picture(game) {
  const shapes = await (await fetch("/static/icons.svg")).text();
  await send(drawing(game, shapes), `game-${game.number}`, game.title);
}

/** Send or save a season: up to ten people, with the words at the end of their lines. */
export async function seasonPicture(heading, span, people) {
  const height = 260 + ROW * people.length + 70;
  await send(String(framed(height, html`${write(heading, 70, 120, 68)}${write(span, 70, 180, 36, "quiet")}
    ${people.map(({ name, words }, at) => html`<g transform="translate(60 ${230 + ROW * at})">
      <rect width="${WIDTH - 120}" height="${ROW - 12}" rx="20" fill="var(--${at ? "card" : "gold-ground"})" stroke="var(--line)"/>
      ${write(`${at + 1}.`, 30, 52, 42, "quiet")}${write(name, 120, 52, 44)}${write(words, WIDTH - 150, 52, 40, "ink", right)}</g>`)}`)), "season", heading);
}

async function send(svg, name, title) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  const blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  const file = new File([blob], `${name}.png`, { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file], title }).catch(() => {}); // They changed their mind.
    return;
  }
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function drawing(game, shapes) {
  const players = [...game.players].sort((a, b) => (a.place ?? 99) - (b.place ?? 99));
  const size = { width: WIDTH - 120, height: 620, text: 34 };
  const below = HEAD + ROW * players.length + 30;
  const plotted = game.rounds.length > 1;
  const height = below + (plotted ? size.height + 20 : 0) + 70;
  const shape = (name, x, y, side, colour) => html`
    <use href="#${name}" x="${x}" y="${y}" width="${side}" height="${side}" color="var(--${colour})"/>`;
  const svg = framed(height, html`${new Safe(shapes.match(/<symbol[^]*symbol>/)[0])}
    ${write(game.title, 70, 120, 68)}${write(day(game.started_at), 70, 180, 36, "quiet")}
    ${game.finished ? shape("cup", 62, 218, 70, "gold") : ""}
    ${write(game.finished ? won(game.winners) : t("history.unfinished"), game.finished ? 145 : 70, 270, 50, "gold")}
    ${players.map((player, at) => html`<g transform="translate(60 ${HEAD + ROW * at})">
      <rect width="${WIDTH - 120}" height="${ROW - 12}" rx="20" fill="var(--${player.place === 1 ? "gold-ground" : "card"})" stroke="var(--line)"/>
      ${write(player.place ? `${player.place}.` : "", 30, 52, 42, "quiet")}${shape(`shape-${player.seat}`, 110, 14, 44, `seat-${player.seat}`)}
      ${write(player.name, 180, 52, 44)}${write(player.total, WIDTH - 150, 52, 48, "ink", right)}</g>`)}
    ${plotted ? html`<g transform="translate(60 ${below})">${chart(added(game.players), size)}</g>` : ""}`);
  return String(svg).replaceAll("/static/icons.svg#", "#")
    .replace('<svg class="chart"', `<svg class="chart" width="${size.width}" height="${size.height}"`);
}

const framed = (height, content) => html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}"
  font-family="system-ui, sans-serif" font-weight="700"><style>${new Safe(styles())}</style>
  <rect width="${WIDTH}" height="${height}" fill="var(--paper)"/>${content}
  ${write(t("title"), WIDTH / 2, height - 30, 30, "quiet", new Safe('text-anchor="middle"'))}</svg>`;

/** The page's colours and the rules for charts, for a picture outside the page. */
function styles() {
  const now = getComputedStyle(document.documentElement);
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText);
  return [`svg { ${COLOURS.map((name) => `--${name}: ${now.getPropertyValue(`--${name}`)}`).join("; ")} }`,
    ...rules.filter((rule) => /^\.(line|seat-|chart [.t])/.test(rule))].join("\n");
}
