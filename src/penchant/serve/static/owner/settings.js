// The settings of the study: what judges read, what is to be found, and how it is asked.

import { Rejected } from "../api.js";
import { newId } from "../memory.js";
import { h } from "./dom.js";

const GOALS = { order: "Nearly the whole order", exact: "Exactly the whole order", top: "The best few" };
const FIELDS = {
  title: { words: "Title", hint: "Above everything." },
  question: { words: "Question", hint: "What judges are asked, above the two things." },
  instructions: { words: "Instructions", hint: "What judges read before they begin.", lines: 4 },
  goal: { words: "Goal", options: GOALS },
  top: { words: "How many are the best few", number: true, min: 1, hint: "Only with the goal above." },
  repeats: { words: "Repeats", number: true, required: true, min: 0, max: 50, step: "any", hint: "Percent of questions that ask a pair again with sides swapped: they measure noise." },
  least: { words: "Least exposure", number: true, required: true, min: 0, hint: "So many answers every thing gets before others get more." },
  most_ahead: { words: "Most ahead", number: true, min: 1, hint: "A thing with so many answers more than another waits; empty is no limit." },
};
const SHOWN = { compare: Object.keys(FIELDS), coactive: ["title"] };

function read(name, field) {
  const { value } = field;
  if (!FIELDS[name].number) return value;
  if (value === "") return null;
  return name === "repeats" ? Number(value) / 100 : Number(value);
}

const written = (name, value) => (value === null ? "" : name === "repeats" ? String(Math.round(10_000 * value) / 100) : String(value));

function fieldOf(name, value) {
  const { options, lines, number, required, min, max, step } = FIELDS[name];
  const common = { id: `setting-${name}`, name };
  if (options) {
    const made = h("select", common, Object.entries(options).map(([key, words]) => h("option", { value: key }, words)));
    made.value = value;
    return made;
  }
  if (lines) return h("textarea", { ...common, rows: lines }, value);
  return h("input", { ...common, type: number ? "number" : "text", required, min, max, step, value: written(name, value) });
}

export function openSettings(panel, page) {
  const before = new Map(); // by name what its field held when it was made: a field may round what is set
  const unsaved = h("p", { class: "small", id: "unsaved", role: "status" });

  /** Return by name what was typed and not saved. */
  function typed() {
    const form = panel.querySelector("form");
    const names = form ? SHOWN[page.study.kind].filter((name) => form.elements[name].value !== before.get(name)) : [];
    return new Map(names.map((name) => [name, form.elements[name].value]));
  }

  function showUnsaved() {
    const count = typed().size;
    unsaved.textContent = count ? `${count === 1 ? "One change is" : `${count} changes are`} not saved yet.` : "";
  }

  /** Show what the server has against a setting beside its field; return whether it names one that is here. */
  function showWrong(form, trouble) {
    const name = SHOWN[page.study.kind].find((each) => trouble.message.startsWith(`${each} `));
    if (!name || !(trouble instanceof Rejected)) return false;
    const field = form.elements[name];
    const words = `${FIELDS[name].words} ${trouble.message.slice(name.length + 1)} Nothing was saved.`;
    field.after(h("p", { class: "small wrong", id: `wrong-${name}`, role: "alert" }, words));
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", `wrong-${name}`);
    field.focus();
    return true;
  }

  function clearWrong(form) {
    for (const words of form.querySelectorAll(".wrong")) words.remove();
    for (const field of form.querySelectorAll("[aria-invalid]")) for (const name of ["aria-invalid", "aria-describedby"]) field.removeAttribute(name);
  }

  async function save(event) {
    event.preventDefault();
    const form = event.target;
    clearWrong(form);
    const changed = {};
    for (const name of SHOWN[page.study.kind]) {
      const field = form.elements[name];
      if (field.value !== before.get(name)) changed[name] = read(name, field);
    }
    if (changed.goal && changed.goal !== "top") delete changed.top;
    if (!Object.keys(changed).length) return page.tell("Nothing was changed.");
    await page.attempt(async () => {
      try {
        await page.call("/v1/settings", { id: newId(), settings: changed }, "PATCH");
      } catch (trouble) {
        if (showWrong(form, trouble)) return;
        throw trouble;
      }
      for (const name of SHOWN[page.study.kind]) before.set(name, form.elements[name].value);
      await refresh();
      page.tell("Saved.");
      if ("title" in changed) page.retitle(changed.title);
    });
  }

  async function refresh() {
    const { settings } = await page.call("/v1/settings");
    const kept = before.size ? typed() : new Map();
    const rows = SHOWN[page.study.kind].map((name) => {
      const field = fieldOf(name, settings[name]);
      before.set(name, field.value);
      if (kept.has(name)) field.value = kept.get(name);
      return h("div", { class: "setting" }, h("label", { for: `setting-${name}` }, FIELDS[name].words), field, FIELDS[name].hint ? h("p", { class: "small soft" }, FIELDS[name].hint) : null);
    });
    const others = Object.entries(settings).filter(([name]) => !SHOWN[page.study.kind].includes(name));
    panel.replaceChildren(
      h("form", { id: "settings", class: "card", autocomplete: "off", onsubmit: save, oninput: showUnsaved }, rows, unsaved, h("button", { type: "submit", class: "primary" }, "Save")),
      h("details", {}, h("summary", {}, "All other settings"), h("dl", { class: "others" }, others.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, typeof value === "string" ? value : JSON.stringify(value)))))),
    );
    showUnsaved();
  }

  // A window that is closed takes what was typed with it: the browser asks.
  addEventListener("beforeunload", (event) => typed().size && event.preventDefault());
  return { refresh };
}
