// Confetti for winners, for a few seconds; none where less motion is preferred.

const COLOURS = ["#f4c466", "#fbf1e0", "#8fe3aa", "#8fbcff"];
const PIECES = 140;
const LASTS_MS = 5_000;

/** Throw confetti, half of it in the colours of these seats. */
export function celebrate(seats) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const style = getComputedStyle(document.documentElement);
  const own = seats.map((seat) => style.getPropertyValue(`--seat-${seat}`));
  const canvas = document.createElement("canvas");
  canvas.className = "confetti";
  canvas.dataset.keep = "1";
  [canvas.width, canvas.height] = [innerWidth, innerHeight];
  document.body.append(canvas);
  const pen = canvas.getContext("2d");
  const pieces = Array.from({ length: PIECES }, (_, at) => ({
    x: Math.random() * innerWidth, y: -Math.random() * innerHeight, turn: Math.random() * 6,
    fall: 0.2 + Math.random() * 0.3, sway: Math.random() * 2 - 1, size: 8 + Math.random() * 14,
    colour: at % 2 ? own[at % own.length] : COLOURS[(at / 2) % COLOURS.length],
  }));
  const began = performance.now();
  let last = began;
  const frame = (now) => {
    const passed = now - last;
    last = now;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    for (const piece of pieces) {
      piece.y += piece.fall * passed;
      piece.x += piece.sway * 0.05 * passed;
      piece.turn += 0.004 * passed;
      pen.save();
      pen.translate(piece.x, piece.y);
      pen.rotate(piece.turn);
      pen.fillStyle = piece.colour;
      pen.fillRect(-piece.size / 2, -piece.size / 4, piece.size, piece.size / 2);
      pen.restore();
    }
    if (now - began < LASTS_MS) requestAnimationFrame(frame);
    else canvas.remove();
  };
  requestAnimationFrame(frame);
}
