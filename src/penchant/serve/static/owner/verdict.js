// What is certain, in one sentence, and what the goal still needs: the ranking in; words and a meter out.

import { at, svg } from "./dom.js";

const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const spelled = (value) => WORDS[value] ?? value.toLocaleString("en");

function sizesOf(rows) {
  const sizes = [];
  for (const row of rows) {
    if (row.group > sizes.length) sizes.push(0);
    sizes[sizes.length - 1] += 1;
  }
  return sizes;
}

/** Return the verdict on a ranking, of which the groups say what can be told apart. */
export function verdictOf(rows) {
  if (!rows.length || rows[0].group === undefined) return "How certain the order is, is not known.";
  const sizes = sizesOf(rows);
  if (sizes.length === 1) return "No place is settled yet.";
  if (sizes.length === rows.length) return "Every place is settled.";
  const open = sizes.findIndex((size) => size > 1);
  const settled = open === 0 ? "" : open === 1 ? "The first place is settled; " : `The first ${spelled(open)} are settled; `;
  const words = `${settled}${apart(sizes)} cannot be told apart yet.`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Name the places that are open, the first two runs of them one by one. */
function apart(sizes) {
  let place = 1;
  const runs = [];
  for (const size of sizes) {
    if (size > 1) runs.push(`${place} to ${place + size - 1}`);
    place += size;
  }
  const more = runs.length - 2;
  if (more > 0) return `places ${runs[0]}, ${runs[1]} and ${spelled(more)} more ${more === 1 ? "group" : "groups"}`;
  return `places ${runs.join(", and ")}`;
}

// Rounded down, so that a level is never shown before it is reached.
const below = (share) => `${Math.floor(100 * share + 1e-9)} %`;

function meter(settled) {
  const share = (value) => (settled.goal === "order" ? (1 + value) / 2 : value);
  const [now, enough] = [Math.max(0, share(settled.value)), share(settled.level)];
  const x = (value) => `${(100 * value).toFixed(2)}%`;
  const label = `${below(now)} reached, ${below(enough)} is enough`;
  return svg(
    "svg",
    { class: "meter-bar", role: "img", "aria-label": label },
    svg("rect", { class: "track", x: 0, y: "35%", width: "100%", height: "30%", rx: 2 }),
    svg("rect", { class: "fill", x: 0, y: "35%", width: x(now), height: "30%", rx: 2 }),
    svg("line", { class: "goal", x1: x(enough), x2: x(enough), y1: "5%", y2: "95%" }),
  );
}

function goal({ settled, answers, items }) {
  if (!settled && answers < items.length) return "How many answers the goal still needs is known once there are as many answers as items.";
  if (!settled) return "How many answers the goal still needs is not known yet: with many items it takes a while, or is not computed.";
  return settled.enough ? `The goal is reached. ${settled.words}` : settled.words;
}

export function showVerdict(ranking) {
  const answered = ranking.answers > 0;
  at("verdict-words").textContent = answered ? verdictOf(ranking.items) : "Nobody has answered yet.";
  at("certain").textContent = answered ? ranking.certain.join(" ") : "";
  at("settled").textContent = answered ? goal(ranking) : "";
  at("progress").textContent = ranking.progress;
  at("meter").replaceChildren(...(answered && ranking.settled ? [meter(ranking.settled)] : []));
  at("verdict").hidden = false;
}
