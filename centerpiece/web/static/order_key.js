// The random key of an order, by which an order that arrives twice is done once.

// crypto.randomUUID exists on encrypted pages only.
export const orderKey = () => [...crypto.getRandomValues(new Uint8Array(16))]
  .map((byte) => byte.toString(16).padStart(2, "0")).join("");
