// Settings of this screen, kept in the browser. Without one, the table's setting applies.

const KEY = "centerpiece.choices";

function all() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** Return a setting, such as `language`, `large_text` or `order`; undefined if there is none. */
export const choice = (name) => all()[name];

/** Set a setting; undefined removes it, and the table's applies. */
export function choose(name, value) {
  const choices = all();
  if (value === undefined) delete choices[name];
  else choices[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(choices));
  } catch {
    // Private windows may refuse; the setting is then lost.
  }
}

/** Apply the size of text. */
export function dress(settings) {
  const large = choice("large_text") ?? settings?.large_text ?? false;
  document.documentElement.toggleAttribute("data-large", large);
}

/** The seats in this screen's order. */
export function inOrder(seats, settings) {
  const order = choice("order") ?? settings?.order;
  return order === "counterclockwise" ? [...seats].reverse() : seats;
}
