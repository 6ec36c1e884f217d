// What the pages take for granted of elements and events that the DOM's own types leave open: a
// selector finds HTML elements, and listeners added in a loop receive pointer events.

interface EventTarget {
  closest(selector: string): HTMLElement | null;
  matches(selector: string): boolean;
  id: string;
  value: string;
  open: boolean;
}

interface Element {
  dataset: DOMStringMap;
  offsetTop: number;
  style: CSSStyleDeclaration;
  focus(): void;
}

interface HTMLElement {
  open: boolean;
  close(): void;
  showModal(): void;
}

interface Event {
  button: number;
  clientX: number;
  clientY: number;
  pointerId: number;
  shiftKey: boolean;
}
