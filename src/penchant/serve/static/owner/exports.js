// Everything as files: fetched with the token in a header, never in an address, and handed to the browser.

import { h } from "./dom.js";

const FILES = {
  compare: [
    ["events.jsonl", "Everything", "All events of the log; a study can be made of them again."],
    ["answers.csv", "Answers", "One row an answer that counts, safe in a spreadsheet."],
    ["answers.jsonl", "Answers, JSON lines", "The same for programs."],
    ["ranking.csv", "Ranking", "Scores, intervals, ranks and groups, safe in a spreadsheet."],
    ["ranking.jsonl", "Ranking, JSON lines", "The same for programs."],
  ],
  coactive: [
    ["events.jsonl", "Everything", "All events of the log, with what stands beside them."],
    ["presentations.jsonl", "Presentations", "What was presented and what came back, one line a round."],
  ],
};

async function download(page, file) {
  const reply = await fetch(`/v1/exports/${file}`, { headers: { Authorization: `Bearer ${page.token}` }, cache: "no-store", credentials: "omit" });
  if (!reply.ok) throw new Error((await reply.json().catch(() => null))?.error?.message ?? "The server does not answer");
  const url = URL.createObjectURL(await reply.blob());
  h("a", { href: url, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function openExports(panel, page) {
  const rows = FILES[page.study.kind].map(([file, title, words]) =>
    h(
      "li",
      { class: "line" },
      h("div", {}, h("p", {}, h("b", {}, title), " ", h("span", { class: "soft" }, file)), h("p", { class: "small" }, words)),
      h("button", { type: "button", "aria-label": `Download ${file}`, onclick: () => page.attempt(() => download(page, file)) }, "Download"),
    ),
  );
  panel.replaceChildren(h("ul", { id: "exports" }, rows));
  return { refresh: async () => {} };
}
