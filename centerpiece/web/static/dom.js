// Drawing: text in, the smallest change to the page out. Nothing here knows about dominoes.

class Safe {
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

/** A template whose values are escaped, unless they are templates themselves. */
export const html = (parts, ...values) =>
  new Safe(parts.reduce((text, part, place) => text + shown(values[place - 1]) + part));

/** Make an element's content look like `drawn`, touching only what differs. */
export function draw(element, drawn) {
  const fresh = document.createElement("template");
  fresh.innerHTML = shown(drawn);
  morph(element, fresh.content);
}

function morph(old, fresh) {
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const found = wanted.id ? sibling(at, wanted.id) : at;
    if (found && alike(found, wanted)) {
      if (found === at) at = at.nextSibling;
      else old.insertBefore(found, at);
      update(found, wanted);
    } else {
      old.insertBefore(wanted, at);
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
  // What somebody has typed stays, unless the table itself has another value now.
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

/** Listen for clicks, changes and submissions of whatever says so: `data-do="name"`. */
export function listen(root, deeds) {
  const heard = (event) => {
    const source = event.target.closest("[data-do]");
    if (!source || !root.contains(source)) return;
    const wanted = source.matches("form") ? "submit"
      : source.matches("input, select") ? "change" : "click";
    if (wanted !== event.type) return;
    if (wanted === "submit") event.preventDefault();
    const deed = deeds[source.dataset.do];
    if (deed) deed(source, event);
  };
  for (const kind of ["click", "change", "submit"]) root.addEventListener(kind, heard);
}

/** A dialog that is open only as long as it is needed. */
export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

/** A word of the state for the drawing: the icon of a sign, hidden from screen readers. */
export const icon = (name) =>
  html`<svg class="icon" aria-hidden="true" focusable="false"><use href="/static/icons.svg#${name}"/></svg>`;
