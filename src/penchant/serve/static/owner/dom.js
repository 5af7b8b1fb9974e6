// Elements from names, attributes and children: text is only ever a text node, so that titles stay text.

const SVG = "http://www.w3.org/2000/svg";

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const h = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
export const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);
export const at = (id) => document.getElementById(id);

export const percent = (share, places = 0) => (share === null ? "–" : `${(100 * share).toFixed(places)} %`);
export const number = (value, places = 2) => (value === null || value === undefined ? "–" : value.toFixed(places).replace("-", "−"));
export const count = (value, noun) => `${value.toLocaleString("en")} ${noun}${value === 1 ? "" : "s"}`;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, with the whole date as a title; nothing where it never was. */
export function ago(seconds) {
  if (seconds === null || seconds === undefined) return "never";
  const date = new Date(1000 * seconds);
  const past = Math.max(0, Date.now() / 1000 - seconds);
  const words =
    past < MINUTE ? "just now"
    : past < HOUR ? `${Math.floor(past / MINUTE)} min ago`
    : past < DAY ? `${Math.floor(past / HOUR)} h ago`
    : past < 30 * DAY ? `${Math.floor(past / DAY)} d ago`
    : date.toLocaleDateString();
  return h("time", { datetime: date.toISOString(), title: date.toLocaleString() }, words);
}

const SECOND_PRESS = 4000;
const pressed = new Map(); // by key until when a second press counts: live numbers redraw a table between two presses

/** A button that asks for a second press before it does what cannot be undone; `key` names it in every drawing. */
export function twice(key, words, label, work) {
  const button = h("button", { type: "button", class: "plain", "data-key": key });
  function show() {
    const left = (pressed.get(key) ?? 0) - Date.now();
    button.textContent = left > 0 ? "Really?" : words;
    button.setAttribute("aria-label", left > 0 ? `Really? ${label}` : label);
    if (left > 0) setTimeout(show, left + 1);
    return left > 0;
  }
  button.addEventListener("click", () => {
    if (show()) {
      pressed.delete(key);
      work(button);
    } else pressed.set(key, Date.now() + SECOND_PRESS);
    show();
  });
  show();
  return button;
}

/** Replace the children of a part of the page, and keep the focus on what has the same data-key. */
export function replace(parent, ...children) {
  const key = parent.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (key !== undefined) parent.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

export const table = (columns, rows, attributes = {}) =>
  h(
    "table",
    attributes,
    h("thead", {}, h("tr", {}, columns.map(([words, kind]) => h("th", { scope: "col", class: kind }, words)))),
    h("tbody", {}, rows),
  );

export const waiting = (words) => h("p", { class: "soft waiting", role: "status" }, words);
