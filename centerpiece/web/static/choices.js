// What this screen has chosen for itself. The table's own settings hold where it has not.

const KEY = "centerpiece.choices";

function all() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** A choice of this screen: `language`, `large_text` or `order`; undefined if it made none. */
export const choice = (name) => all()[name];

/** Choose, or with undefined do as the table does. */
export function choose(name, value) {
  const choices = all();
  if (value === undefined) delete choices[name];
  else choices[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(choices));
  } catch {
    // A private window keeps nothing; the choice holds until the page is closed.
  }
}

/** Make the page look as chosen. */
export function dress(settings) {
  const large = choice("large_text") ?? settings?.large_text ?? false;
  document.documentElement.toggleAttribute("data-large", large);
}

/** The seats in the order in which this screen lists them. */
export function inOrder(seats, settings) {
  const order = choice("order") ?? settings?.order;
  return order === "counterclockwise" ? [...seats].reverse() : seats;
}
