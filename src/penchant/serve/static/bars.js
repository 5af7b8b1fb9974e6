// The ranking, drawn: its rows in; table rows with bars and whiskers out. Only text nodes and SVG attributes are
// set, so that titles stay text and the page needs no inline style.

const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const low = (row) => row.lower ?? row.score;
const high = (row) => row.upper ?? row.score;

/** From a worth to a place between 2 % and 98 % of the width. */
export function scaleOf(rows) {
  const from = Math.min(...rows.map(low));
  const width = Math.max(...rows.map(high)) - from || 1;
  return (worth) => 2 + (96 * (worth - from)) / width;
}

function bar(row, scale) {
  const drawn = shape("svg", { class: "drawn", role: "img", "aria-label": spoken(row) });
  const percent = (worth) => `${scale(worth).toFixed(3)}%`;
  drawn.append(shape("rect", { class: "worth", x: 0, y: "25%", height: "50%", width: percent(row.score), rx: 3 }));
  if (row.lower !== undefined) {
    const [x1, x2] = [percent(row.lower), percent(row.upper)];
    drawn.append(shape("line", { class: "whisker", x1, x2, y1: "50%", y2: "50%" }));
    for (const x of [x1, x2]) drawn.append(shape("line", { class: "whisker", x1: x, x2: x, y1: "32%", y2: "68%" }));
  }
  drawn.append(shape("circle", { class: "point", cx: percent(row.score), cy: "50%", r: 4.5 }));
  return drawn;
}

function spoken(row) {
  const worth = `worth ${row.score.toFixed(2)}`;
  return row.lower === undefined ? worth : `${worth}, from ${row.lower.toFixed(2)} to ${row.upper.toFixed(2)}`;
}

function ranks(row) {
  if (row.rank_low === undefined) return "";
  return row.rank_low === row.rank_high ? `${row.rank_low}` : `${row.rank_low}–${row.rank_high}`;
}

function moved(row, before) {
  const places = before.has(row.item) ? before.get(row.item) - row.rank : 0;
  if (!places) return "";
  const words = `${places > 0 ? "up" : "down"} ${Math.abs(places)}`;
  const arrow = `${places > 0 ? "▲" : "▼"} ${Math.abs(places)}`;
  return element("span", { class: places > 0 ? "up" : "down", title: words, "aria-label": words }, arrow);
}

function tableRow(row, scale, before) {
  return element(
    "tr",
    { "data-item": row.item },
    element("td", { class: "rank" }, String(row.rank)),
    element("th", { scope: "row", class: "name", dir: "auto" }, row.title, " ", moved(row, before)),
    element("td", { class: "bar" }, bar(row, scale)),
    element("td", { class: "number ranks" }, ranks(row)),
    element("td", { class: "number answers" }, String(row.answers ?? "")),
  );
}

function groupOf(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.group ?? 1, [...(groups.get(row.group ?? 1) ?? []), row]);
  return [...groups.values()];
}

function described(rows) {
  return rows.length === 1 ? "its place is certain" : `the order of these ${rows.length} is not certain yet`;
}

/** Return one table body a group; ``before`` maps items to the rank they had. */
export function rankingBodies(rows, before) {
  const scale = scaleOf(rows);
  return groupOf(rows).map((group, index) => {
    const label = element("th", { colspan: 5, scope: "rowgroup" }, `Group ${index + 1}: ${described(group)}`);
    const body = element("tbody", { class: `group-${index % 6}` }, element("tr", { class: "label" }, label));
    body.append(...group.map((row) => tableRow(row, scale, before)));
    return body;
  });
}
