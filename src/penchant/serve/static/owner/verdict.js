// The verdict of the server, with the most important sentence first: the ranking in; words and a meter out.

import { at, svg } from "./dom.js";

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

export function showVerdict(ranking) {
  const answered = ranking.answers > 0;
  const [first, ...others] = ranking.verdict;
  at("verdict-words").textContent = first;
  at("certain").textContent = answered ? ranking.certain.join(" ") : "";
  at("settled").textContent = others.join(" ");
  at("progress").textContent = ranking.progress;
  at("meter").replaceChildren(...(answered && ranking.settled ? [meter(ranking.settled)] : []));
  at("verdict").hidden = false;
}
