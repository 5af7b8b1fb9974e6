// One item: whom it met and with what result, its last answers, and when it was changed.

import { ago, count, h, number, svg } from "./dom.js";

const MOST_OPPONENTS = 12;

function result(opponent) {
  const parts = [
    ["won", opponent.won],
    ["tied", opponent.tied],
    ["lost", opponent.lost + opponent.both_bad],
  ];
  const total = parts.reduce((sum, [, value]) => sum + value, 0) || 1;
  let x = 0;
  const bars = parts.map(([kind, value]) => {
    const width = (100 * value) / total;
    const bar = svg("rect", { class: kind, x: `${x}%`, y: 0, width: `${width}%`, height: "100%" });
    x += width;
    return bar;
  });
  const label = `won ${opponent.won}, tied ${opponent.tied}, lost ${opponent.lost}`;
  return svg("svg", { class: "result", role: "img", "aria-label": label }, bars);
}

function opponentRow(opponent) {
  const others = [
    [opponent.tied, "tied"],
    [opponent.both_bad, "both bad"],
    [opponent.skipped, "skipped"],
  ].filter(([value]) => value);
  return h(
    "li",
    {},
    h("span", { class: "who-met", dir: "auto" }, opponent.title),
    result(opponent),
    h("span", { class: "number" }, `${opponent.won} : ${opponent.lost}`, others.map(([value, words]) => ` · ${value} ${words}`)),
  );
}

const entry = (found) => h("li", {}, h("span", { dir: "auto" }, found.words), " ", h("span", { class: "soft" }, found.who, found.who ? " · " : "", ago(found.time)));

export async function showItem(place, row, page) {
  try {
    const found = await page.call(`/v1/items/${encodeURIComponent(row.item)}?most=10`);
    const beaten = found.opponents.filter((opponent) => opponent.won > opponent.lost).length;
    const met = found.opponents.slice(0, MOST_OPPONENTS);
    const rest = found.opponents.length - met.length;
    place.replaceChildren(
      h("p", { class: "small" }, `${count(found.answers, "answer")}; ahead of ${beaten} of ${count(found.opponents.length, "item")} that it met. Score ${number(row.score)}, ranks ${row.rank_low ?? row.rank} to ${row.rank_high ?? row.rank}.`),
      found.item.text ? h("p", { class: "soft small item-text", dir: "auto" }, found.item.text) : "",
      h("div", { class: "columns" },
        h("section", { "aria-label": "Whom it met" }, h("h3", {}, "Won : lost"), h("ul", { class: "met" }, met.map(opponentRow), rest ? h("li", { class: "soft" }, `and ${rest} more`) : null)),
        h("section", { "aria-label": "Last answers" }, h("h3", {}, "Last answers"), h("ul", { class: "entries" }, found.last.length ? found.last.map(entry) : h("li", { class: "soft" }, "none yet")), h("h3", {}, "Its history"), h("ul", { class: "entries" }, found.changes.map(entry))),
      ),
    );
  } catch (trouble) {
    place.replaceChildren(h("p", { class: "soft" }, page.reason(trouble)));
  }
}
