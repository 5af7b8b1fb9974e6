// Every check, with its result and what was found, whether it passes or not.

import { h, waiting } from "./dom.js";

const PATIENCE = 120_000;
const RESULTS = new Map([
  [true, ["passed", "✓"]],
  [false, ["failed", "✕"]],
  [null, ["too early", "·"]],
]);

function row(check) {
  const [words, mark] = RESULTS.get(check.passed);
  return h(
    "li",
    { class: `check ${words.replace(" ", "-")}`, "data-check": check.name },
    h("span", { class: "mark", "aria-hidden": "true" }, mark),
    h("div", {}, h("p", {}, h("b", {}, check.name), " ", h("span", { class: "soft" }, words)), h("p", { class: "small", dir: "auto" }, check.message)),
  );
}

export function openChecks(panel, page) {
  const body = h("div");
  async function refresh() {
    panel.setAttribute("aria-busy", "true");
    body.replaceChildren(waiting("Checking all answers and the log…"));
    try {
      const found = await page.call("/v1/checks", undefined, "GET", PATIENCE);
      const failed = found.checks.filter((check) => check.passed === false).length;
      const passed = found.checks.filter((check) => check.passed === true).length;
      const early = found.checks.length - failed - passed;
      const words = `${failed ? `${failed} failed, ` : ""}${passed} passed${early ? `, ${early} too early to say` : ""}.`;
      body.replaceChildren(h("p", {}, words), h("ul", { id: "checks" }, found.checks.map(row)), h("button", { type: "button", onclick: () => page.attempt(refresh) }, "Check again"));
    } finally {
      panel.setAttribute("aria-busy", "false");
    }
  }
  panel.replaceChildren(body);
  return { refresh };
}
