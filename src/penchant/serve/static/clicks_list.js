// The list that people correct: an order in; choices and new orders out, by mouse, finger or keyboard.

const NEAR = 56; // pixels from the edge of the window at which dragging scrolls
const SCROLL = 14;
const GLIDE = { duration: 220, easing: "ease-out" };

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export class List {
  /** `choose(id, before)` and `move(id, before)` are called for each correction, with the state of the list before it. */
  constructor(place, items, { choose, move }) {
    Object.assign(this, { place, items, choose, move });
    this.held = null;
    document.addEventListener("pointermove", (event) => this.drag(event));
    for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, () => this.drop());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.putBack());
  }

  /** Show an order; beside each item how much higher it stands than in the order in which it was `given`. */
  show(order, given) {
    this.drop();
    this.place.replaceChildren(...order.map((id, index) => this.row(id, given.indexOf(id) - index)));
    this.chosen = [];
    this.number();
  }

  get order() {
    return [...this.place.children].map((row) => row.dataset.id);
  }

  /** What the list looks like, for `restore`. */
  state() {
    const marked = [...this.place.querySelectorAll(".chosen")].map((row) => row.dataset.id);
    return { order: this.order, marked, chosen: this.chosen };
  }

  restore({ order, marked, chosen }) {
    this.arrange(order);
    for (const row of this.place.children) mark(row, marked.includes(row.dataset.id));
    this.chosen = chosen;
  }

  /** Put the rows in an order. The others move around the row that stays: one that is taken out loses the focus. */
  arrange(order, stays = this.place.firstElementChild) {
    this.glide(() => {
      const rows = new Map([...this.place.children].map((row) => [row.dataset.id, row]));
      const at = order.indexOf(stays.dataset.id);
      stays.before(...order.slice(0, at).map((id) => rows.get(id)));
      this.place.append(...order.slice(at + 1).map((id) => rows.get(id)));
    });
    this.number();
  }

  /** Let rows glide to where a change has put them, unless somebody prefers that nothing moves. */
  glide(change) {
    const rows = [...this.place.children];
    const tops = rows.map((row) => row.getBoundingClientRect().top);
    change();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    rows.forEach((row, index) => {
      const by = tops[index] - row.getBoundingClientRect().top;
      if (by) row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], GLIDE);
    });
  }

  row(id, rise) {
    const item = this.items.byId.get(id);
    const title = item?.title || id;
    const choose = element("button", { type: "button", class: "choose", dir: "auto", "aria-pressed": "false" }, title);
    const facts = element("p", { class: "facts", dir: "auto" }, (item ? this.items.facts(item) : []).join(" · "));
    if (rise > 0) facts.append(" ", element("span", { class: "rise", dir: "ltr" }, `▲ ${rise} by what was learned`));
    const words = element("div", {}, choose, element("p", { class: "text", dir: "auto" }, item?.text ?? ""), facts);
    const grip = element("div", { class: "grip", "aria-hidden": "true" }, element("span", { class: "place" }),
      element("span", { class: "dots" }, "⠿"));
    const moves = element("div", { class: "moves" }, this.mover("up", "↑", title), this.mover("down", "↓", title));
    const made = element("li", { class: "result", "data-id": id }, grip, words, moves);
    choose.addEventListener("click", () => this.pick(made));
    grip.addEventListener("pointerdown", (event) => this.hold(event, made));
    return made;
  }

  mover(direction, arrow, title) {
    const made = element("button", { type: "button", "data-move": direction, "aria-label": `Move ${direction}: ${title}` }, arrow);
    made.addEventListener("click", () => this.step(made.closest("li"), direction, made));
    return made;
  }

  /** What is chosen goes to the top, behind what was chosen since the list was put in order: as the study learns it. */
  pick(row) {
    if (row.classList.contains("chosen")) return;
    const before = this.state();
    mark(row, true);
    this.chosen = [...this.chosen, row.dataset.id];
    this.arrange([...this.chosen, ...before.order.filter((id) => !this.chosen.includes(id))], row);
    this.choose(row.dataset.id, before);
  }

  step(row, direction, button) {
    const other = direction === "up" ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    const before = this.state();
    this.chosen = [];
    this.glide(() => (direction === "up" ? row.after(other) : row.before(other)));
    this.number();
    button.scrollIntoView({ block: "nearest" });
    this.move(row.dataset.id, before);
  }

  hold(event, row) {
    if (event.button !== 0 || this.held) return;
    event.preventDefault();
    this.held = { row, before: this.state() };
    row.classList.add("held");
  }

  // The others move around the row that is held: one that is taken out of the page would lose the pointer.
  drag(event) {
    if (!this.held) return;
    const { row } = this.held;
    while (row.nextElementSibling && event.clientY > middle(row.nextElementSibling)) row.before(row.nextElementSibling);
    while (row.previousElementSibling && event.clientY < middle(row.previousElementSibling)) row.after(row.previousElementSibling);
    if (event.clientY < NEAR) scrollBy(0, -SCROLL);
    if (event.clientY > innerHeight - NEAR) scrollBy(0, SCROLL);
    this.number();
  }

  drop() {
    if (!this.held) return;
    const { row, before } = this.held;
    this.held = null;
    row.classList.remove("held");
    if (this.order.every((id, index) => id === before.order[index])) return;
    this.chosen = [];
    this.move(row.dataset.id, before);
  }

  putBack() {
    if (!this.held) return;
    const { row, before } = this.held;
    this.held = null;
    row.classList.remove("held");
    this.restore(before);
  }

  number() {
    const rows = [...this.place.children];
    rows.forEach((row, index) => {
      row.querySelector(".place").textContent = String(index + 1);
      row.querySelector("[data-move=up]").setAttribute("aria-disabled", String(index === 0));
      row.querySelector("[data-move=down]").setAttribute("aria-disabled", String(index === rows.length - 1));
    });
  }
}

function mark(row, chosen) {
  row.classList.toggle("chosen", chosen);
  row.querySelector(".choose").setAttribute("aria-pressed", String(chosen));
}

function middle(row) {
  const box = row.getBoundingClientRect();
  return box.top + box.height / 2;
}
