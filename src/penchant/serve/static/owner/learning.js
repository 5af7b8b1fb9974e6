// What was learned: how well answers are predicted, how certainty grew, what is asked next, and which model is best.

import { calibrationChart, figure, intervalChart, lineChart, scaleChart } from "./charts.js";
import { count, h, number, percent, svg, table, waiting } from "./dom.js";

const PATIENCE = 180_000;
const STEP = 2; // seconds for which the server computes points of a curve before it sends those that are there

const part = (title, id, ...children) => h("section", { class: "card", id, "aria-labelledby": `${id}-heading` }, h("h2", { id: `${id}-heading` }, title), h("div", { class: "filled" }, ...children));

/** Ask for a report and show it in its own part, whatever becomes of the others. */
async function fill(place, page, path, show, words) {
  const body = place.querySelector(".filled");
  place.setAttribute("aria-busy", "true");
  body.replaceChildren(waiting(words ?? "Computing…"));
  try {
    for (let left = Infinity; left; ) {
      const found = await page.call(path, undefined, "GET", PATIENCE);
      left = found.pending ?? 0;
      body.replaceChildren(...[show(found)].flat(), ...(left ? [waiting(`${count(left, "more point")} to be computed…`)] : []));
    }
  } catch (trouble) {
    body.replaceChildren(h("p", { class: "soft" }, page.reason(trouble)));
  }
  place.setAttribute("aria-busy", "false");
}

function nextPair(found) {
  const [left, right, tie] = found.probability;
  return [
    h("p", { class: "duel" }, h("b", { dir: "auto" }, found.titles[0]), h("span", { class: "soft" }, " or "), h("b", { dir: "auto" }, found.titles[1])),
    h("p", { class: "small", dir: "auto" }, found.words),
    svg("svg", { class: "chances", role: "img", "aria-label": `${percent(left)} to ${percent(right)}` },
      svg("rect", { class: "won", x: 0, y: 0, width: `${100 * left}%`, height: "100%" }),
      svg("rect", { class: "tied", x: `${100 * left}%`, y: 0, width: `${100 * tie}%`, height: "100%" }),
      svg("rect", { class: "lost", x: `${100 * (left + tie)}%`, y: 0, width: `${100 * right}%`, height: "100%" })),
    h("p", { class: "small soft" }, `Expected: ${percent(left)} left, ${percent(tie)} tie, ${percent(right)} right; difference ${number(found.difference)} ± ${number(found.sd)}.`),
  ];
}

function loss(found) {
  if (found.log_loss === null) return h("p", { class: "soft" }, `${sentence(found.verdict)}`);
  const marks = [["coin", found.coin], ["expected", found.expected], ["log loss", found.log_loss, true]].filter(([, value]) => value !== null);
  const figures = marks.map(([name, value]) => `${name} ${number(value, 3)}`).join(", ");
  return [
    h("p", {}, sentence(found.verdict)),
    scaleChart(`Log loss on a line, less is better: ${figures}`, marks),
    h("dl", { class: "figures" },
      h("div", {}, h("dt", {}, "Log loss"), h("dd", {}, `${number(found.log_loss, 3)} ± ${number(found.standard_error, 3)}`)),
      h("div", {}, h("dt", {}, "Expected"), h("dd", {}, number(found.expected, 3))),
      h("div", {}, h("dt", {}, "A coin"), h("dd", {}, number(found.coin, 3))),
      h("div", {}, h("dt", {}, "Answers"), h("dd", {}, found.answers.toLocaleString("en")))),
    found.calibration.length
      ? figure(calibrationChart(found.calibration), `Each dot: answers whose favourite was expected to win so often, and how often it won, with ${percent(found.level)} intervals. On the line, expectations are right.`,
          ["expected", "happened", "interval", "answers"],
          found.calibration.map((bin) => [percent(bin.probability), percent(bin.share), `${percent(bin.share_low)} to ${percent(bin.share_high)}`, String(bin.count)]))
      : "",
  ];
}

function growth(found) {
  if (found.answers.length < 2) return found.pending ? "" : h("p", { class: "soft" }, "There are too few answers, or too many items, for a curve.");
  const order = found.goal === "order";
  const shown = (value) => (order ? (1 + value) / 2 : value);
  const points = found.answers.map((answers, place) => [answers, shown(found.values[place])]);
  const low = order ? 0.5 : 0;
  const ticks = [low, (1 + low) / 2, 1].map((value) => [value, percent(value)]);
  const what = order ? "of pairs expected in the right order or nearly equal" : found.goal === "top" ? "sure of the top" : "sure of the whole order";
  return figure(
    lineChart(`Certainty against the number of answers: ${percent(points[points.length - 1][1])} after ${points[points.length - 1][0]}`, points, { yRange: [low, 1], yTicks: ticks, level: shown(found.level), xLabel: "answers", yLabel: "certainty" }),
    `Share ${what}; the dashed line, ${percent(shown(found.level))}, is enough.`,
    ["answers", "certainty"],
    points.map(([answers, value]) => [String(answers), value]),
  );
}

function race(found) {
  const widest = Math.max(0.01, ...found.models.flatMap((model) => [model.upper ?? model.difference ?? 0]));
  const lowest = Math.min(0, ...found.models.map((model) => model.lower ?? 0));
  const rows = found.models.map((model, place) =>
    h("tr", {},
      h("th", { scope: "row", class: "name" }, model.model),
      h("td", { class: "number" }, number(model.log_loss, 4)),
      h("td", { class: "picture" }, place ? intervalChart(`${number(model.difference, 4)} behind`, { value: model.difference, low: model.lower, high: model.upper, mark: 0, from: lowest, to: widest }) : "best"),
      h("td", { class: "number" }, place ? number(model.difference, 4) : ""),
      h("td", {}, model.behind ? "behind" : place ? "no difference yet" : "")));
  return [h("p", {}, sentence(found.verdict)), table([["Model", "name"], ["Log loss", "number"], ["Behind, with interval", "picture"], ["By", "number"], ["Verdict", ""]], rows, { class: "race" })];
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

export function openLearning(panel, page) {
  const upcoming = part("Asked next", "upcoming");
  const predictions = part("How well answers are predicted", "predictions");
  const certainty = part("Certainty against answers", "certainty");
  const button = h("button", { type: "button" }, "Let the models race");
  const racing = part("Models", "race", h("p", { class: "small" }, "Each model learns the answers and predicts the last 300 of them, one after the other. This takes a while."), button);
  button.addEventListener("click", () => fill(racing, page, "/v1/race?last=300", race, "The models race; this takes up to some minutes…"));
  const refresh = async () => {
    await fill(upcoming, page, "/v1/upcoming", nextPair);
    await fill(predictions, page, "/v1/predictions", loss);
    await fill(certainty, page, `/v1/certainty?seconds=${STEP}`, growth);
  };
  panel.replaceChildren(h("div", { class: "grid" }, upcoming, predictions, certainty, racing));
  return { refresh };
}
