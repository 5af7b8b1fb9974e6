// Regret beside its bound: two curves in; an SVG with logarithmic axes out, on which 1/√T is a straight line.

import { shape } from "./clicks_words.js";

const [WIDTH, HEIGHT] = [400, 240];
const EDGE = { left: 40, right: 12, top: 12, bottom: 32 };
const STEPS = [0.001, 0.01, 0.1, 1, 10, 100, 1000];

export function regretChart({ regret, bound, rounds }, total) {
  const floor = Math.max(Math.min(...regret, ...(bound ?? [])) / 1.5, 1e-3);
  const top = Math.max(...regret, ...(bound ?? []), 10 * floor) * 1.3;
  const x = scale(1, Math.max(total, 10), EDGE.left, WIDTH - EDGE.right);
  const y = scale(floor, top, HEIGHT - EDGE.bottom, EDGE.top);
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": spoken(regret, bound, rounds) });
  svg.append(...grid(x, y, floor, top, total));
  if (bound) {
    svg.append(shape("path", { class: "bound", d: path(bound, x, y) }), label(bound, "bound of Theorem 1", x, y, { by: [6, -8] }));
  }
  svg.append(shape("path", { class: "regret", d: path(regret.map((value) => Math.max(value, floor)), x, y) }));
  const last = Math.max(regret.at(-1), floor);
  svg.append(shape("circle", { class: "last", cx: x(rounds), cy: y(last), r: 4 }));
  svg.append(label(regret.map((value) => Math.max(value, floor)), "average regret", x, y,
    { by: [-4, 18], class: "of-regret", "text-anchor": "end" }));
  return svg;
}

function spoken(regret, bound, rounds) {
  const words = `Average regret over ${rounds} rounds, from ${regret[0].toFixed(2)} to ${regret.at(-1).toFixed(3)}`;
  return bound ? `${words}; the bound falls from ${bound[0].toFixed(1)} to ${bound.at(-1).toFixed(2)}` : words;
}

/** From values to places, by their logarithms. */
function scale(low, high, from, to) {
  const width = Math.log(high / low) || 1;
  return (value) => from + ((to - from) * Math.log(value / low)) / width;
}

/** Rounds that are drawn: all of the first ones, then ever fewer. */
function drawn(length) {
  const places = [];
  for (let t = 1; t <= length; t = Math.max(t + 1, Math.floor(t * 1.03))) places.push(t);
  if (places.at(-1) !== length) places.push(length);
  return places;
}

function path(values, x, y) {
  return drawn(values.length)
    .map((t, place) => `${place ? "L" : "M"}${x(t).toFixed(1)} ${y(values[t - 1]).toFixed(1)}`)
    .join("");
}

/** Words near the middle of a falling curve: above it to the right, or below it to the left. */
function label(values, words, x, y, { by: [right, below], ...attributes }) {
  const t = Math.max(1, Math.round(values.length ** 0.55));
  return shape("text", { x: (x(t) + right).toFixed(1), y: (y(values[t - 1]) + below).toFixed(1), ...attributes }, words);
}

function grid(x, y, floor, top, total) {
  const rows = STEPS.filter((step) => step >= floor && step <= top).flatMap((step) => [
    shape("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(step), y2: y(step) }),
    shape("text", { x: EDGE.left - 6, y: y(step) + 4, "text-anchor": "end" }, String(step)),
  ]);
  const columns = [1, 10, 100, total].filter((step, place, all) => step <= total && all.indexOf(step) === place).map((step) =>
    shape("text", { x: x(step), y: HEIGHT - 14, "text-anchor": step === total ? "end" : "middle" }, String(step)));
  return [...rows, ...columns, shape("text", { x: (EDGE.left + WIDTH) / 2, y: HEIGHT - 1, "text-anchor": "middle" }, "rounds")];
}
