// A score and its interval on an axis that all rows share: the axis, and the drawing of one row.

import { number, svg } from "./dom.js";

const low = (row) => row.lower ?? row.score;
const high = (row) => row.upper ?? row.score;
const STEPS = [1, 2, 5, 10];

/** The common axis: from a score to a place between 2 % and 98 % of the width, and its ticks. */
export function axisOf(rows) {
  let from = Infinity;
  let to = -Infinity;
  for (const row of rows) [from, to] = [Math.min(from, low(row)), Math.max(to, high(row))];
  const width = to - from || 1;
  const place = (score) => 2 + (96 * (score - from)) / width;
  const rough = width / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((factor) => factor * power >= rough);
  const ticks = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to + 1e-9; tick += step) ticks.push(tick);
  return { place, ticks, places: Math.max(0, -Math.floor(Math.log10(step))) };
}

const at = (axis, score) => `${axis.place(score).toFixed(3)}%`;

export function drawnAxis(axis) {
  const marks = axis.ticks.map((tick) => [
    svg("text", { x: at(axis, tick), y: "70%", "text-anchor": "middle" }, number(tick, axis.places)),
    svg("line", { x1: at(axis, tick), x2: at(axis, tick), y1: "82%", y2: "100%" }),
  ]);
  return svg("svg", { class: "axis", "aria-hidden": "true" }, marks);
}

export function drawnRow(row, axis) {
  const grid = axis.ticks.map((tick) =>
    svg("line", { class: "grid", x1: at(axis, tick), x2: at(axis, tick), y1: 0, y2: "100%" }),
  );
  const interval =
    row.lower === undefined ? []
    : svg("line", { class: "interval", x1: at(axis, row.lower), x2: at(axis, row.upper), y1: "50%", y2: "50%" });
  const dot = svg("circle", { class: "dot", cx: at(axis, row.score), cy: "50%", r: 4.5 });
  return svg("svg", { class: "dots", role: "img", "aria-label": spoken(row) }, grid, interval, dot);
}

function spoken(row) {
  const score = `score ${number(row.score)}`;
  return row.lower === undefined ? score : `${score}, from ${number(row.lower)} to ${number(row.upper)}`;
}
