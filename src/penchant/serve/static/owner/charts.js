// Small charts in SVG: points or a line in a square of two axes, with the numbers beside them.

import { h, number, svg } from "./dom.js";

const WIDTH = 360;
const HEIGHT = 240;
const LEFT = 60;
const BOTTOM = 34;
const TOP = 10;
const RIGHT = 14;

/** From numbers to places of the drawing. */
function scales([x0, x1], [y0, y1]) {
  const x = (value) => LEFT + ((WIDTH - LEFT - RIGHT) * (value - x0)) / (x1 - x0 || 1);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * (value - y0)) / (y1 - y0 || 1);
  return { x, y };
}

function frame({ x, y }, xTicks, yTicks, xLabel, yLabel) {
  return [
    yTicks.map(([value, words]) => [
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, words),
    ]),
    xTicks.map(([value, words]) => svg("text", { x: x(value), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, words)),
    svg("text", { class: "label", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 3, "text-anchor": "middle" }, xLabel),
    svg("text", { class: "label", transform: `translate(9 ${(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)`, "text-anchor": "middle" }, yLabel),
  ];
}

const chart = (label, ...children) =>
  svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...children);
const shares = [0, 0.25, 0.5, 0.75, 1].map((value) => [value, `${Math.round(100 * value)} %`]);

/** How often the favourite won, against how often it was expected to. */
export function calibrationChart(bins) {
  const to = scales([0.5, 1], [0, 1]);
  const ticks = [0.5, 0.6, 0.7, 0.8, 0.9, 1].map((value) => [value, `${Math.round(100 * value)} %`]);
  const points = bins.map((bin) => [
    svg("line", { class: "interval", x1: to.x(bin.probability), x2: to.x(bin.probability), y1: to.y(bin.share_low), y2: to.y(bin.share_high) }),
    svg("circle", { class: "dot", cx: to.x(bin.probability), cy: to.y(bin.share), r: 4 }),
  ]);
  const diagonal = svg("line", { class: "goal", x1: to.x(0.5), x2: to.x(1), y1: to.y(0.5), y2: to.y(1) });
  return chart("How often the favourite won, against how often it was expected to win", frame(to, ticks, shares, "expected", "happened"), diagonal, points);
}

/** A line with its level of enough. */
export function lineChart(label, points, { yRange, yTicks, level, xLabel, yLabel }) {
  const last = points[points.length - 1][0];
  const to = scales([Math.min(points[0][0], last), last], yRange);
  const xs = [...new Set([points[0][0], points[Math.floor(points.length / 2)][0], last])];
  const path = points.map(([x, y], place) => `${place ? "L" : "M"}${to.x(x).toFixed(1)} ${to.y(y).toFixed(1)}`).join("");
  const goal = level === undefined ? [] : svg("line", { class: "goal", x1: LEFT, x2: WIDTH - RIGHT, y1: to.y(level), y2: to.y(level) });
  const dots = points.map(([x, y]) => svg("circle", { class: "dot", cx: to.x(x), cy: to.y(y), r: 3 }));
  return chart(label, frame(to, xs.map((x) => [x, x.toLocaleString("en")]), yTicks, xLabel, yLabel), goal, svg("path", { class: "curve", d: path }), dots);
}

/** Numbers on one line, each named: what was reached between what is worst and best. */
export function scaleChart(label, marks) {
  const values = marks.map(([, value]) => value);
  const [from, to] = [Math.min(...values), Math.max(...values)];
  const x = (value) => 6 + (88 * (value - from)) / (to - from || 1);
  return svg(
    "svg",
    { class: "scale", role: "img", "aria-label": label },
    svg("line", { class: "track", x1: "6%", x2: "94%", y1: "50%", y2: "50%" }),
    marks.map(([, value, own]) => svg(own ? "circle" : "line", own ? { class: "dot", cx: `${x(value)}%`, cy: "50%", r: 5 } : { class: "goal", x1: `${x(value)}%`, x2: `${x(value)}%`, y1: "20%", y2: "80%" })),
  );
}

/** An interval around a value, on an axis from `from` to `to` with a mark in between. */
export function intervalChart(label, { value, low, high, mark, from = 0, to = 1 }) {
  const x = (given) => `${(4 + (92 * (given - from)) / (to - from || 1)).toFixed(2)}%`;
  return svg(
    "svg",
    { class: "scale", role: "img", "aria-label": label },
    svg("line", { class: "track", x1: x(from), x2: x(to), y1: "50%", y2: "50%" }),
    mark === undefined ? [] : svg("line", { class: "goal", x1: x(mark), x2: x(mark), y1: "15%", y2: "85%" }),
    low === null ? [] : svg("line", { class: "interval", x1: x(low), x2: x(high), y1: "50%", y2: "50%" }),
    value === null ? [] : svg("circle", { class: "dot", cx: x(value), cy: "50%", r: 5 }),
  );
}

/** A chart with its numbers, which a press opens. */
export const figure = (picture, words, columns, rows) =>
  h(
    "figure",
    {},
    picture,
    h("figcaption", { class: "small" }, words),
    h(
      "details",
      {},
      h("summary", { class: "small" }, "The numbers"),
      h("table", { class: "numbers" }, h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", { class: "number" }, typeof cell === "number" ? number(cell, 3) : cell)))))),
    ),
  );
