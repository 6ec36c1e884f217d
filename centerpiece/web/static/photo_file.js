// Recognizes picture files that are too large or in a format that browsers cannot read.

const MOST_PIXELS = 64e6; // Browsers decode a whole picture before scaling it down, at four bytes a pixel.
const HEAD = 256 * 1024;

/** "large" for a picture that does not fit into a phone's memory. */
export async function tooLarge(file) {
  const bytes = new DataView(await file.slice(0, HEAD).arrayBuffer());
  const [width, height] = sizeOf(bytes) ?? [0, 0];
  return width * height > MOST_PIXELS ? "large" : null;
}

/** Tell whether a picture is broader or higher than so many pixels; true where its head does not say. */
export async function isWider(file, pixels) {
  const bytes = new DataView(await file.slice(0, HEAD).arrayBuffer());
  const size = sizeOf(bytes);
  return !size || Math.max(...size) > pixels;
}

/** The reason why a file could not be opened: an unsupported picture format, or no picture. */
export async function unreadable(file) {
  const bytes = new DataView(await file.slice(0, 16).arrayBuffer());
  const kind = bytes.byteLength > 12 ? String.fromCharCode(...Array.from({ length: 8 }, (_, at) => bytes.getUint8(at + 4))) : "";
  return /^ftyp(hei|hev|mif|msf)/.test(kind) ? "heic" : "unreadable";
}

function sizeOf(bytes) {
  if (bytes.byteLength > 24 && bytes.getUint32(0) === 0x89504e47) return [bytes.getUint32(16), bytes.getUint32(20)];
  if (bytes.byteLength > 4 && bytes.getUint16(0) === 0xffd8) return jpegSize(bytes);
  return null;
}

/** Find a JPEG's size by walking its segments to the frame header. */
function jpegSize(bytes) {
  for (let at = 2; at + 9 < bytes.byteLength && bytes.getUint8(at) === 0xff;) {
    const kind = bytes.getUint8(at + 1);
    const frame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
    if (frame) return [bytes.getUint16(at + 7), bytes.getUint16(at + 5)];
    at += 2 + bytes.getUint16(at + 2);
  }
  return null;
}
