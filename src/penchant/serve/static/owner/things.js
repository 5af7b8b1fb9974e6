// The items: added one by one or from a file, edited, retired and brought back.

import { newId } from "../memory.js";
import { at, count, h, replace, table } from "./dom.js";

const SHOWN = 50;

export function openThings(panel, page) {
  const shown = { items: [], most: SHOWN, query: "", editing: null };
  const list = h("div", { id: "items" });
  const search = h("input", { type: "search", id: "item-search", placeholder: "Find a thing", "aria-label": "Find a thing" });
  const report = h("p", { id: "import-report", role: "status", hidden: true });
  search.addEventListener("input", () => ((shown.query = search.value.trim().toLowerCase()), draw()));

  const change = (item, body) =>
    page.attempt(async () => {
      await page.call(`/v1/items/${encodeURIComponent(item.id)}`, { id: newId(), ...body }, "PATCH");
      if (body.fields) shown.editing = null;
      await refresh();
    });

  const add = h(
    "form",
    {
      id: "add",
      class: "line",
      autocomplete: "off",
      onsubmit: (event) => {
        event.preventDefault();
        const [title, text] = [at("new-title").value, at("new-text").value];
        page.attempt(async () => {
          await page.call("/v1/items", { id: newId(), items: [text ? { title, text } : { title }] });
          event.target.reset();
          at("new-title").focus();
          await refresh();
        });
      },
    },
    h("div", { class: "field" }, h("label", { for: "new-title" }, "Title"), h("input", { id: "new-title", required: true })),
    h("div", { class: "field" }, h("label", { for: "new-text" }, "Text"), h("input", { id: "new-text" })),
    h("button", { type: "submit", class: "primary" }, "Add"),
  );

  function tellImport(words, good) {
    report.textContent = words;
    report.className = good ? "notice" : "notice rejected";
    report.dataset.kind = good ? "" : "trouble";
    report.hidden = !words;
  }

  async function take(file) {
    if (!file) return;
    tellImport(`Reading ${file.name} …`, true);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      const added = await page.call("/v1/items/import", { id: newId(), name: file.name, text });
      tellImport(`${count(added.items.length, "item")} added from ${file.name}.`, true);
      await refresh();
    } catch (trouble) {
      tellImport(trouble instanceof TypeError ? `${file.name} is not text in UTF-8: save it as CSV in UTF-8. Nothing was added.` : page.reason(trouble), false);
    }
  }

  const takeOne = (files) => (files.length > 1 ? tellImport("Drop one file at a time. Nothing was added.", false) : take(files[0]));

  const file = h("input", { type: "file", id: "file", accept: ".csv,.tsv,.txt,.jsonl,.ndjson", onchange: () => take(file.files[0]).then(() => (file.value = "")) });
  const zone = h(
    "div",
    { class: "zone", id: "zone" },
    h("label", { for: "file" }, h("b", {}, "A file of things"), " CSV with a column title, JSONL, or one a line. Drop it here, or choose it."),
    file,
  );
  for (const [kind, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", over);
      if (kind === "drop") takeOne(event.dataTransfer.files);
    });
  }

  function editor(item) {
    const title = h("input", { value: item.title, "aria-label": "Title", required: true, "data-key": "edit-title" });
    const text = h("textarea", { rows: 3, "aria-label": "Text", "data-key": "edit-text" }, item.text);
    const before = { title: title.value, text: text.value };
    const close = () => ((shown.editing = null), draw());
    const form = h(
      "form",
      {
        class: "editor",
        onsubmit: (event) => {
          event.preventDefault();
          // Only what was changed here: another window may have changed the rest.
          const now = Object.entries({ title: title.value, text: text.value }).filter(([name, value]) => value !== before[name]);
          if (now.length) change(item, { fields: Object.fromEntries(now) });
          else close();
        },
      },
      title,
      text,
      h("div", { class: "line" }, h("button", { type: "submit", class: "primary" }, "Save"), h("button", { type: "button", onclick: close }, "Cancel")),
    );
    return h("tr", { class: "detail" }, h("td", { colspan: 3 }, form));
  }

  /** Open the editor of an item; it stays as it is, with what was typed, while the list around it is drawn again. */
  function edit(item) {
    shown.editing = { item: item.id, row: editor(item) };
    draw();
    list.querySelector("[data-key=edit-title]")?.focus();
  }

  function row(item) {
    const fields = Object.entries(item.fields).map(([name, value]) => `${name} ${value}`).join(" · ");
    const line = h(
      "tr",
      { "data-thing": item.id, class: item.retired ? "aside" : null },
      h("th", { scope: "row", class: "name", dir: "auto" }, item.title, item.retired ? h("span", { class: "finding" }, "retired") : null),
      h("td", { class: "soft about", dir: "auto" }, item.text, item.text && fields ? h("br") : null, fields),
      h(
        "td",
        { class: "actions" },
        h("button", { type: "button", class: "plain", "data-key": `edit ${item.id}`, "aria-label": `Edit ${item.title}`, onclick: () => edit(item) }, "Edit"),
        h("button", { type: "button", class: "plain", "data-key": `retire ${item.id}`, "aria-label": `${item.retired ? "Bring back" : "Retire"} ${item.title}`, onclick: () => change(item, { retired: !item.retired }) }, item.retired ? "Bring back" : "Retire"),
      ),
    );
    return shown.editing?.item === item.id ? [line, shown.editing.row] : [line];
  }

  function draw() {
    const found = shown.items.filter((item) => !shown.query || `${item.title} ${item.id}`.toLowerCase().includes(shown.query));
    const rows = found.slice(0, shown.most).flatMap(row);
    const missing = found.length - Math.min(found.length, shown.most);
    const retired = shown.items.filter((item) => item.retired).length;
    search.hidden = shown.items.length < 12;
    replace(
      list,
      h("p", { class: "small soft" }, count(shown.items.length, "item"), retired ? `, ${retired} retired` : "", "."),
      rows.length ? table([["Title", "name"], ["Text", ""], [h("span", { class: "unseen" }, "What to do"), ""]], rows, { class: "things" }) : h("p", { class: "soft" }, "None."),
      missing ? h("button", { type: "button", "data-key": "more-things", onclick: () => ((shown.most += 2 * SHOWN), draw()) }, `Show more of ${missing.toLocaleString("en")}`) : null,
    );
  }

  async function look() {
    shown.items = (await page.call("/v1/items")).items;
  }

  async function refresh() {
    await look();
    draw();
  }

  /** Others changed something: nothing moves under somebody who types. */
  async function changed() {
    await look();
    if (shown.editing === null) draw();
  }

  panel.replaceChildren(add, zone, report, search, list);
  return { refresh, changed, kinds: ["items", "edited", "retired", "returned"] };
}
