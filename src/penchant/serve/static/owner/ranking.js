// The ranking: a table of dots and intervals on one axis; a click shows an item, two ticked items are compared.

import { h, number, replace, waiting } from "./dom.js";
import { axisOf, drawnAxis, drawnRow } from "./dots.js";
import { showItem } from "./item.js";
import { showPair } from "./pair.js";
import { showVerdict } from "./verdict.js";

const FEW = 60; // up to so many rows are shown at once
const FIRST = 30;
const LAST = 10;
const MORE = 100;
const SEARCHABLE = 12;

export function openRanking(panel, page) {
  const shown = { ranking: null, before: new Map(), more: 0, query: "", open: null, detail: null, ticked: [] };
  const parts = {
    invitation: invitation(page),
    pair: h("div", { id: "pair" }),
    search: h("input", { type: "search", id: "search", placeholder: "Find an item", "aria-label": "Find an item" }),
    table: h("table", { id: "ranking", hidden: true }),
    notes: h("p", { class: "soft small", id: "notes" }),
  };
  parts.search.addEventListener("input", () => ((shown.query = parts.search.value.trim().toLowerCase()), draw()));
  panel.replaceChildren(waiting("Loading…"));

  function draw() {
    const { ranking } = shown;
    const empty = ranking.answers === 0;
    parts.invitation.hidden = !empty;
    parts.table.hidden = empty;
    parts.search.hidden = empty || ranking.items.length < SEARCHABLE;
    parts.notes.textContent = empty ? "" : ranking.notes.join(" ");
    parts.table.dataset.answers = ranking.answers;
    if (!empty) replace(parts.table, head(ranking), bodies());
  }

  function bodies() {
    const { items } = shown.ranking;
    const axis = axisOf(items);
    const { rows, gap, missing } = visible(items, shown);
    const made = [];
    let group = null;
    for (const row of rows) {
      if (row === gap) {
        made.push(gapBody(missing));
        group = null;
        continue;
      }
      if (row.group !== group) made.push(groupBody(row, shown));
      group = row.group;
      made[made.length - 1].append(...rowsOf(row, axis));
    }
    return made;
  }

  function gapBody(missing) {
    const button = h(
      "button",
      { type: "button", class: "plain", "data-key": "more", onclick: () => ((shown.more += MORE), draw()) },
      `Show ${Math.min(MORE, missing)} more of ${missing.toLocaleString("en")}`,
    );
    return h("tbody", { class: "gap" }, h("tr", {}, h("td", { colspan: 7 }, button)));
  }

  function rowsOf(row, axis) {
    const isOpen = shown.open === row.item;
    const title = h(
      "button",
      { type: "button", class: "title", dir: "auto", "data-key": `open ${row.item}`, "aria-expanded": page.owns ? String(isOpen) : null, disabled: !page.owns, onclick: () => toggle(row) },
      row.title,
    );
    const tick = h("input", { type: "checkbox", "data-key": `tick ${row.item}`, "aria-label": `Compare ${row.title}`, onchange: () => ticked(row.item) });
    tick.checked = shown.ticked.includes(row.item);
    const line = h(
      "tr",
      { "data-item": row.item, class: isOpen ? "open" : null },
      h("td", { class: "rank" }, String(row.rank)),
      h("th", { scope: "row", class: "name" }, title, moved(row, shown.before)),
      h("td", { class: "picture" }, drawnRow(row, axis)),
      h("td", { class: "number score" }, number(row.score)),
      h("td", { class: "number ranks" }, ranks(row)),
      h("td", { class: "number answers" }, String(row.answers ?? "")),
      h("td", { class: "tick" }, h("label", {}, tick)),
    );
    return isOpen ? [line, h("tr", { class: "detail" }, h("td", { colspan: 7 }, shown.detail))] : [line];
  }

  function toggle(row) {
    shown.open = shown.open === row.item ? null : row.item;
    if (shown.open) {
      shown.detail = h("div", { class: "item-report" }, waiting("Loading…"));
      showItem(shown.detail, row, page);
    }
    draw();
  }

  function ticked(item) {
    shown.ticked = shown.ticked.includes(item) ? shown.ticked.filter((other) => other !== item) : [...shown.ticked.slice(-1), item];
    draw();
    compare();
  }

  function compare() {
    const rows = shown.ticked.map((item) => shown.ranking.items.find((row) => row.item === item)).filter(Boolean);
    if (rows.length < 2) parts.pair.replaceChildren(...(rows.length ? [h("p", { class: "small soft" }, `Tick another item to see why ${rows[0].title} stands above or below it.`)] : []));
    else showPair(parts.pair, rows[0].rank < rows[1].rank ? rows : rows.reverse(), page);
  }

  async function refresh() {
    const ranking = await page.call("/v1/ranking");
    showVerdict(ranking);
    const first = shown.ranking === null;
    if (!first && shown.ranking.answers !== ranking.answers) shown.before = new Map(shown.ranking.items.map((row) => [row.item, row.rank]));
    shown.ranking = ranking;
    if (first) panel.replaceChildren(parts.invitation, parts.search, parts.pair, parts.table, parts.notes);
    draw();
    if (shown.ticked.length === 2) compare();
  }
  return { refresh };
}

function invitation(page) {
  const go = h("button", { type: "button", class: "primary", onclick: () => page.go("people", "name") }, "Make a link for a judge");
  const words = page.owns ? "Make a link, send it to somebody, and the ranking appears here with the first answer." : "The ranking appears here with the first answer.";
  return h("div", { class: "invitation", hidden: true }, h("h2", {}, "Ask somebody"), h("p", {}, words), page.owns ? go : null);
}

function head(ranking) {
  const level = `${Math.round(100 * ranking.level)} %`;
  const column = (words, kind, more) => h("th", { scope: "col", class: kind }, words, more);
  return h(
    "thead",
    {},
    h(
      "tr",
      {},
      column("Rank", "rank"),
      column("Item", "name"),
      column(`Score with ${level} interval`, "picture", drawnAxis(axisOf(ranking.items))),
      column("Score", "number score"),
      column("Ranks", "number ranks"),
      column("Answers", "number answers"),
      column("Compare", "tick"),
    ),
  );
}

/** The rows to show: all of a few; of many the first, the last and what was asked for, with a gap between. */
function visible(items, { more, query }) {
  const gap = {};
  if (query) {
    const found = items.filter((row) => row.title.toLowerCase().includes(query));
    const missing = found.length - FEW - more;
    return missing > 0 ? { rows: [...found.slice(0, FEW + more), gap], gap, missing } : { rows: found };
  }
  if (items.length <= FEW + more) return { rows: items };
  return { rows: [...items.slice(0, FIRST + more), gap, ...items.slice(-LAST)], gap, missing: items.length - FIRST - more - LAST };
}

function groupBody(row, { ranking: { items, settled }, query }) {
  const body = h("tbody");
  if (row.group === undefined || query) return body;
  let first = row.rank - 1;
  while (first > 0 && items[first - 1].group === row.group) first -= 1;
  let last = row.rank - 1;
  while (last + 1 < items.length && items[last + 1].group === row.group) last += 1;
  if (last === first) return body;
  const words = `Places ${first + 1} to ${last + 1} are ${settled?.enough ? "" : "still "}open: ranks overlap`;
  body.append(h("tr", { class: "label" }, h("th", { colspan: 7, scope: "rowgroup" }, words)));
  return body;
}

function ranks(row) {
  if (row.rank_low === undefined) return "";
  return row.rank_low === row.rank_high ? `${row.rank_low}` : `${row.rank_low}–${row.rank_high}`;
}

function moved(row, before) {
  const places = before.has(row.item) ? before.get(row.item) - row.rank : 0;
  if (!places) return null;
  const words = `${places > 0 ? "up" : "down"} ${Math.abs(places)}`;
  return h("span", { class: "moved", role: "img", title: words, "aria-label": words }, `${places > 0 ? "▲" : "▼"} ${Math.abs(places)}`);
}
