// Every event, the newest first; any answer is taken back, and what was taken back is restored.

import { newId } from "../memory.js";
import { ago, h, replace } from "./dom.js";

const PAGE = 50;

export function openHistory(panel, page) {
  const shown = { entries: [], last: 0 };
  const list = h("ol", { id: "history", reversed: true });
  const older = h("button", { type: "button", hidden: true, onclick: () => page.attempt(more) }, "Older");

  const undo = (entry) =>
    page.attempt(async () => {
      await page.call("/v1/undo", { id: newId(), event: entry.id });
      await refresh();
    });

  function action(entry) {
    if (entry.stands === null) return null;
    if (!entry.stands) return h("span", { class: "finding" }, entry.kind === "undone" ? "not in force" : "taken back");
    const words = entry.kind !== "undone" ? "Take back" : entry.words.startsWith("restored") ? "Take back again" : "Restore";
    return h("button", { type: "button", class: "plain", "data-key": `undo ${entry.id}`, "aria-label": `${words}: ${entry.words}`, onclick: () => undo(entry) }, words);
  }

  const row = (entry) =>
    h(
      "li",
      { "data-kind": entry.kind, "data-number": entry.number, class: entry.stands === false ? "aside" : null },
      h("span", { class: "number soft" }, String(entry.number)),
      h("span", { class: "what" }, entry.who ? [h("b", { dir: "auto" }, entry.who), " "] : null, h("span", { dir: "auto" }, entry.words)),
      h("span", { class: "soft when" }, ago(entry.time)),
      h("span", { class: "actions" }, action(entry)),
    );

  function draw() {
    replace(list, shown.entries.map(row));
    older.hidden = !shown.entries.length || shown.entries[shown.entries.length - 1].number === 1;
  }

  async function refresh() {
    const length = Math.min(1000, Math.max(PAGE, shown.entries.length));
    shown.entries = (await page.call(`/v1/history?limit=${length}`)).entries;
    draw();
  }

  async function more() {
    const before = shown.entries[shown.entries.length - 1].number;
    const found = await page.call(`/v1/history?before=${before}&limit=${PAGE}`);
    shown.entries = [...shown.entries, ...found.entries];
    draw();
  }

  panel.replaceChildren(h("p", { class: "soft small" }, "Nothing is ever deleted: taking back is an event too, and can be taken back."), list, older);
  return { refresh, changed: refresh, kinds: null };
}
