// A link that was just made, shown this once: to copy, or as a QR code that is drawn here.

import { h, svg } from "./dom.js";

const BORDER = 4; // light modules around the code, without which readers do not find it

function code(rows, label) {
  const size = rows.length + 2 * BORDER;
  let path = "";
  rows.forEach((row, y) => {
    for (const run of row.matchAll(/1+/g)) path += `M${run.index + BORDER} ${y + BORDER}h${run[0].length}v1h-${run[0].length}z`;
  });
  return svg(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    svg("rect", { class: "qr-light", width: size, height: size }),
    svg("path", { class: "qr-dark", d: path }),
  );
}

async function copyFrom(link, button) {
  link.select();
  try {
    await navigator.clipboard.writeText(link.value);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Press Ctrl C";
  }
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

/** The card of a new link; it is gone when the page is left. */
export function linkCard({ id, name, link, qr }) {
  const field = h("input", { value: link, readonly: true, "aria-label": `Link for ${name}` });
  const copy = h("button", { type: "button", "aria-label": `Copy the link for ${name}`, onclick: () => copyFrom(field, copy) }, "Copy");
  return h(
    "li",
    { class: "card link-card", "data-token": id },
    h(
      "div",
      {},
      h("p", {}, h("b", { class: "judge", dir: "auto" }, name)),
      h("div", { class: "line" }, field, copy),
      h("p", { class: "soft small" }, "Shown this once: copy it, or let a phone read the code. Whoever loses it gets a new one."),
    ),
    code(qr, `QR code of the link for ${name}`),
  );
}
