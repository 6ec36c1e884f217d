// What a file is, by its first bytes: whether it is too large, or of a kind that browsers cannot read.

const MOST_PIXELS = 64e6; // A browser unpacks a whole picture before it makes it small: four bytes each.
const HEAD = 256 * 1024;

/** "large" for a picture that would not fit into a phone's memory. */
export async function tooLarge(file) {
  const bytes = new DataView(await file.slice(0, HEAD).arrayBuffer());
  const [width, height] = sizeOf(bytes) ?? [0, 0];
  return width * height > MOST_PIXELS ? "large" : null;
}

/** Why a file could not be opened: a kind of picture that this browser does not know, or none. */
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

/** A JPEG is a row of parts with their lengths; one of them tells the size. */
function jpegSize(bytes) {
  for (let at = 2; at + 9 < bytes.byteLength && bytes.getUint8(at) === 0xff;) {
    const kind = bytes.getUint8(at + 1);
    const frame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
    if (frame) return [bytes.getUint16(at + 7), bytes.getUint16(at + 5)];
    at += 2 + bytes.getUint16(at + 2);
  }
  return null;
}
