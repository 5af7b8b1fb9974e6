// A study that presents orders: how far it is, what it prefers in words, who wins, and its learning curve.

import { figure, intervalChart, lineChart } from "./charts.js";
import { at, h, number, percent, svg, waiting } from "./dom.js";

const MOST = 20;

function steady(row) {
  if (row.steadiness === null) return "not seen yet";
  return row.steadiness >= 0.9 ? "steady" : row.steadiness >= 0.5 ? "fairly steady" : "unsteady";
}

function weightRow(row, largest) {
  const width = (50 * Math.abs(row.share)) / largest;
  const kind = steady(row);
  const bar = svg("svg", { class: "reason", "aria-hidden": "true" },
    svg("line", { class: "grid", x1: "50%", x2: "50%", y1: 0, y2: "100%" }),
    svg("rect", { class: row.share >= 0 ? "won" : "lost", x: `${row.share >= 0 ? 50 : 50 - width}%`, y: "20%", width: `${width}%`, height: "60%", rx: 2 }));
  const words = row.weight === 0 ? ["does not matter so far: "] : [row.weight > 0 ? "more " : "less ", h("b", { dir: "auto" }, row.feature), ` is preferred, ${kind}`];
  return h("li", {}, h("span", { class: "number" }, `${row.weight > 0 ? "+" : ""}${number(row.weight)}`), bar, h("span", {}, row.weight === 0 ? [...words, h("b", { dir: "auto" }, row.feature)] : words));
}

function weights(found) {
  if (!found.rounds) return [h("p", { class: "soft" }, "Nothing was learned yet.")];
  const largest = Math.max(...found.weights.map((row) => Math.abs(row.share)), 1e-9);
  const shown = found.weights.slice(0, MOST);
  const turned = found.angle === null ? "" : ` The direction turned by ${number(found.angle, 1)}° since round ${found.since}.`;
  return [
    h("p", { class: "small" }, `After ${found.rounds} rounds.${turned}`),
    shown.length ? h("ul", { class: "reasons" }, shown.map((row) => weightRow(row, largest))) : h("p", { class: "soft" }, "No feature is known yet."),
    found.weights.length > MOST ? h("p", { class: "soft small" }, `and ${found.weights.length - MOST} more`) : "",
  ];
}

function winner(found) {
  const [low, high] = found.interval;
  const rounds = found.wins + found.losses + found.ties;
  const words = !rounds ? "Nothing was interleaved yet." : low > 0.5 ? "The learned order wins." : high < 0.5 ? "The other order wins." : "Which order is better cannot be told yet.";
  return [
    h("p", {}, words),
    intervalChart(`Share of wins ${percent(found.share)}, from ${percent(low)} to ${percent(high)}`, { value: found.share, low, high, mark: 0.5 }),
    h("p", { class: "small soft" }, `${found.wins} wins, ${found.losses} losses, ${found.ties} ties; share of wins ${percent(found.share)}, ${percent(found.level)} interval ${percent(low)} to ${percent(high)}, which holds at any time.`),
  ];
}

function curve(found) {
  const points = found.blocks.filter((block) => block.first !== null).map((block) => [block.last_round, block.first]);
  if (points.length < 2) return h("p", { class: "soft" }, "There is too little feedback for a curve.");
  const ticks = [0, 0.5, 1].map((value) => [value, percent(value)]);
  return figure(
    lineChart("Share of presentations whose first place was right, by rounds", points, { yRange: [0, 1], yTicks: ticks, xLabel: "presentations with feedback", yLabel: "first place right" }),
    `Whose first place was clicked or kept: ${percent(found.first)} of all${found.ndcg === null ? "" : `; NDCG ${number(found.ndcg, 3)}`}.`,
    ["up to", "first right", "NDCG"],
    found.blocks.map((block) => [String(block.last_round), block.first ?? "–", block.ndcg ?? "–"]),
  );
}

export function openCoactive(panel, page) {
  const parts = [
    ["What is preferred", "weights", "/v1/weights/report", weights],
    ["Learned against another order", "interleaving", "/v1/interleaving", winner],
    ["Learning curve", "curve", "/v1/learning-curve", curve],
  ].map(([title, id, path, show]) => ({ path, show, body: h("div", {}, waiting("Loading…")), title, id }));
  panel.replaceChildren(h("div", { class: "grid" }, parts.map(({ title, id, body }) => h("section", { class: "card", id, "aria-labelledby": `${id}-heading` }, h("h2", { id: `${id}-heading` }, title), body))));

  async function refresh() {
    const study = await page.call("/v1/study");
    at("verdict").hidden = false;
    at("verdict-words").textContent = study.progress.startsWith("0 ") ? "Nothing was presented yet." : `${study.progress}.`;
    at("settled").textContent = study.progress.startsWith("0 ") ? "Make a link for an app under People; it presents orders and sends what was clicked." : "";
    for (const part of parts) part.body.replaceChildren(...[part.show(await page.call(part.path))].flat());
  }
  return { refresh, changed: refresh, kinds: ["presented", "feedback", "undone", "forgotten", "erased"] };
}
