// Two items: how probable it is that the first is preferred, and which answers make the difference.

import { h, number, percent, svg, waiting } from "./dom.js";

const TITLE = 28;
const short = (title) => (title.length > TITLE ? `${title.slice(0, TITLE - 1)}…` : title);

function chances(found, first, second) {
  const parts = [
    ["won", found.ahead, `${short(first.title)} preferred`],
    ["tied", found.tie, "equal"],
    ["lost", found.behind, `${short(second.title)} preferred`],
  ];
  let x = 0;
  const bars = parts.map(([kind, value]) => {
    const bar = svg("rect", { class: kind, x: `${100 * x}%`, y: 0, width: `${100 * value}%`, height: "100%" });
    x += value;
    return bar;
  });
  const legend = parts.map(([kind, value, words]) => h("li", { class: `legend-${kind}` }, h("b", {}, percent(value)), ` ${words}`));
  return [svg("svg", { class: "chances", role: "img", "aria-label": parts.map(([, value, words]) => `${percent(value)} ${words}`).join(", ") }, bars), h("ul", { class: "legend" }, legend)];
}

function reason(found, largest) {
  const width = (50 * Math.abs(found.weight)) / largest;
  const bar = svg(
    "svg",
    { class: "reason", "aria-hidden": "true" },
    svg("line", { class: "grid", x1: "50%", x2: "50%", y1: 0, y2: "100%" }),
    svg("rect", { class: found.weight >= 0 ? "won" : "lost", x: `${found.weight >= 0 ? 50 : 50 - width}%`, y: "20%", width: `${width}%`, height: "60%", rx: 2 }),
  );
  const signed = `${found.weight >= 0 ? "+" : ""}${number(found.weight)}`;
  return h("li", {}, h("span", { class: "number" }, signed), bar, h("span", { dir: "auto" }, found.what));
}

export async function showPair(place, [first, second], page) {
  if (!place.firstChild) place.replaceChildren(waiting("Comparing…"));
  const query = `a=${encodeURIComponent(first.item)}&b=${encodeURIComponent(second.item)}`;
  try {
    const [why, found] = await Promise.all([page.call(`/v1/why?${query}&most=6`), page.call(`/v1/outcomes?${query}`)]);
    const reasons = [...why.answers, ...why.links, ...why.features];
    const largest = Math.max(...reasons.map((each) => Math.abs(each.weight)), 1e-9);
    place.replaceChildren(
      h(
        "section",
        { class: "card", "aria-labelledby": "pair-heading" },
        h("h2", { id: "pair-heading", dir: "auto" }, `Why ${first.title} stands above ${second.title}`),
        h("p", { class: "small" }, `By ${number(why.difference)} ± ${number(why.sd)}. Asked about the two, a judge is expected to say:`),
        ...chances(found, first, second),
        h("h3", {}, "What the difference is made of"),
        h("ul", { class: "reasons" }, reasons.length ? reasons.map((each) => reason(each, largest)) : h("li", {}, "No answer says anything about them.")),
      ),
    );
  } catch (trouble) {
    place.replaceChildren(h("p", { class: "soft" }, page.reason(trouble)));
  }
}
