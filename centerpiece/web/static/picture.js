// Draws the result of a game as a picture, and saves it as a file to share.

import { t, won } from "./words.js";

const WIDTH = 1080;
const ROW = 92;
const HEAD = 330;

/** Draw and save; `day` formats a time in this language. */
export async function picture(game, day) {
  const players = [...game.players].sort((a, b) => (a.place ?? 99) - (b.place ?? 99));
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEAD + ROW * players.length + 90 });
  const pen = canvas.getContext("2d");
  const write = (words, x, y, size, colour, align = /** @type {CanvasTextAlign} */ ("left"), weight = 700) => {
    pen.font = `${weight} ${size}px system-ui, sans-serif`;
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.fillText(words, x, y, WIDTH - 160);
  };
  pen.fillStyle = "#17110c";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  write(game.title, 80, 120, 72, "#f8ecd9");
  write(day(game.started_at), 80, 180, 38, "#cdb9a1", "left", 400);
  write(game.finished ? won(game.winners) : t("history.unfinished"), 80, 268, 52, "#f4c466");
  players.forEach((player, at) => {
    const y = HEAD + ROW * at;
    pen.fillStyle = player.place === 1 ? "#3a2b0a" : "#241a13";
    pen.beginPath();
    pen.roundRect(70, y, WIDTH - 140, ROW - 14, 20);
    pen.fill();
    write(player.place ? `${player.place}.` : "", 100, y + 56, 44, "#cdb9a1");
    write(player.name, 190, y + 56, 46, "#f8ecd9");
    write(String(player.total), WIDTH - 110, y + 56, 50, "#f8ecd9", "right", 800);
  });
  write(t("title"), WIDTH / 2, canvas.height - 40, 32, "#cdb9a1", "center", 400);
  const file = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `game-${game.number}.png` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
