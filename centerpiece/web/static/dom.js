// Rendering: HTML templates, and morphing the page to match them. Knows nothing of dominoes.

export class Safe {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const shown = (value) => {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Safe) return value.text;
  if (Array.isArray(value)) return value.map(shown).join("");
  return String(value).replace(/[&<>"']/g, (sign) => ESCAPES[sign]);
};

/** A template tag that escapes its values, unless they are templates themselves. */
export const html = (parts, ...values) =>
  new Safe(parts.reduce((text, part, place) => text + shown(values[place - 1]) + part));

/** Morph an element's content into `drawn`, changing only what differs. */
export function draw(element, drawn) {
  const fresh = document.createElement("template");
  fresh.innerHTML = shown(drawn);
  morph(element, fresh.content);
}

function morph(old, fresh) {
  let at = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const match = node.id ? sibling(at, node.id) : at;
    if (match && alike(match, node)) {
      if (match === at) at = at.nextSibling;
      else old.insertBefore(match, at);
      update(match, node);
    } else {
      old.insertBefore(node, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    if (!at.dataset?.keep) at.remove();
    at = next;
  }
}

function sibling(node, id) {
  while (node && node.id !== id) node = node.nextSibling;
  return node;
}

const alike = (a, b) =>
  a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id || "") === (b.id || "");

function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  // Typed text stays, unless the table's own value has changed.
  const anew = old.getAttribute("value") !== fresh.getAttribute("value");
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if ("checked" in old) old.checked = fresh.checked;
  if (old.nodeName === "INPUT" && anew && old !== document.activeElement) old.value = fresh.value;
  const chosen = old.nodeName === "SELECT" ? fresh.value : null;
  morph(old, fresh);
  if (chosen !== null) old.value = chosen;
}

/** Call `actions[name]` on a click, change or submit of an element with `data-do="name"`. */
export function listen(root, actions) {
  const onEvent = (event) => {
    const source = event.target.closest("[data-do]");
    if (!source || !root.contains(source)) return;
    const kind = source.matches("form") ? "submit"
      : source.matches("input, select") ? "change" : "click";
    if (kind !== event.type) return;
    if (kind === "submit") event.preventDefault();
    const action = actions[source.dataset.do];
    if (action) action(source, event);
  };
  for (const kind of ["click", "change", "submit"]) root.addEventListener(kind, onEvent);
}

/** Open a dialog modally, unless it is open. */
export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

/** Load a stylesheet of a part that not every page has. */
export const styled = (name) => document.head.append(
  Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/static/${name}.css` }));

/** A sign's icon, hidden from screen readers. */
export const icon = (name) =>
  html`<svg class="icon" aria-hidden="true" focusable="false"><use href="/static/icons.svg#${name}"/></svg>`;
