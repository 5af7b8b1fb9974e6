// The owner's page: a token in; the parts that its role may see out, each opened when it is wanted and kept live.

import { call, Rejected } from "./api.js";
import { openedLink } from "./link.js";
import { Changes } from "./owner/changes.js";
import { openChecks } from "./owner/checks.js";
import { openCoactive } from "./owner/coactive.js";
import { at } from "./owner/dom.js";
import { openExports } from "./owner/exports.js";
import { openHistory } from "./owner/history.js";
import { openLearning } from "./owner/learning.js";
import { paced } from "./owner/pace.js";
import { openPeople } from "./owner/people.js";
import { openRanking } from "./owner/ranking.js";
import { openSettings } from "./owner/settings.js";
import { openThings } from "./owner/things.js";
import { showTitle } from "./title.js";

const OPEN = { ranking: openRanking, progress: openCoactive, people: openPeople, things: openThings, history: openHistory, learning: openLearning, checks: openChecks, exports: openExports, settings: openSettings };
const SEEN = {
  compare: { owner: ["ranking", "people", "things", "history", "learning", "checks", "exports", "settings"], other: ["ranking", "learning"] },
  coactive: { owner: ["progress", "people", "things", "history", "checks", "exports", "settings"], other: ["progress"] },
};
const UNREACHABLE = "The server does not answer; this is what was known last. Trying again.";

const { token } = openedLink();
const parts = new Map(); // by name what was opened: refresh, and which kinds of events change it
const page = { token, study: null, owns: false, call: (path, ...rest) => call(token, path, ...rest), tell, attempt, reason, go, retitle };
let current = "";

function tell(words, kind = "") {
  at("notice").textContent = words;
  at("notice").dataset.kind = kind;
  at("notice").hidden = !words;
}

function reason(trouble) {
  if (trouble instanceof Rejected) return trouble.message;
  return trouble.message || "The server does not answer: try again.";
}

/** Do what a person asked for, and tell what went wrong. */
async function attempt(work) {
  tell("");
  try {
    await work();
  } catch (trouble) {
    tell(reason(trouble), "trouble");
  }
}

function retitle(title) {
  at("title").textContent = title;
  document.title = `${title} · Penchant`;
}

// -- parts -------------------------------------------------------------------------------------------------

const tabs = () => [...document.querySelectorAll("[role=tab]")].filter((tab) => !tab.hidden);

async function go(name, focused) {
  for (const tab of tabs()) {
    const chosen = tab.dataset.part === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    at(`panel-${tab.dataset.part}`).hidden = !chosen;
    if (chosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  current = name;
  if (at("notice").dataset.kind !== "trouble") tell(""); // what was saved elsewhere
  if (!parts.has(name)) parts.set(name, OPEN[name](at(`panel-${name}`), page));
  if (focused) at(focused)?.focus();
  await look(parts.get(name).refresh);
}

/** Ask the server for what is shown, and say so when it does not answer. */
async function look(work) {
  try {
    await work();
    if (at("notice").textContent === UNREACHABLE) tell("");
  } catch (trouble) {
    tell(trouble instanceof Rejected ? trouble.message : UNREACHABLE, "trouble");
  }
}

at("tabs").addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab) go(tab.dataset.part);
});

at("tabs").addEventListener("keydown", (event) => {
  const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  if (!(event.key in steps)) return;
  event.preventDefault();
  const all = tabs();
  const place = all.indexOf(document.activeElement) + steps[event.key];
  const next = all[Number.isFinite(place) ? (place + all.length) % all.length : place < 0 ? 0 : all.length - 1];
  next.focus();
  go(next.dataset.part);
});

// A file that misses its place must not replace this page.
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
}

// -- live --------------------------------------------------------------------------------------------------

const main = () => (page.study.kind === "compare" ? "ranking" : "progress");
let kindsSince = new Set();

/** Bring what is shown up to date: the verdict above everything, and the open part if the events concern it. */
const update = paced(async () => {
  if (document.hidden) return;
  const kinds = kindsSince;
  kindsSince = new Set();
  await look(parts.get(main()).refresh);
  const open = parts.get(current);
  const concerned = open.changed && (open.kinds === null || kinds.has("*") || open.kinds.some((kind) => kinds.has(kind)));
  if (current !== main() && concerned) await look(open.changed);
});

function changed(kinds) {
  for (const kind of kinds ?? ["*"]) kindsSince.add(kind);
  update();
}

function connection(state) {
  at("live").dataset.state = state;
  at("live").textContent = state === "open" ? "live" : "not connected";
  if (state === "cut") tell(UNREACHABLE, "trouble");
  else if (state === "open" && at("notice").textContent === UNREACHABLE) changed(null);
}

document.addEventListener("visibilitychange", () => document.hidden || (parts.size && changed(null)));

async function begin() {
  page.study = await showTitle(token);
  const { kind, role } = page.study;
  page.owns = role === "owner";
  at("who").textContent = { owner: "for you, the owner", reader: "for readers", app: "for apps" }[role] ?? "";
  const seen = SEEN[kind][page.owns ? "owner" : "other"];
  for (const tab of document.querySelectorAll("[role=tab]")) tab.hidden = !seen.includes(tab.dataset.part);
  at("tabs").hidden = seen.length < 2;
  at("stop").hidden = !page.owns;
  await go(seen[0]);
  new Changes(token, changed, connection).follow();
}

/** Begin, again and again while the server does not answer. */
async function start() {
  try {
    await begin();
  } catch (trouble) {
    if (trouble instanceof Rejected) return tell(trouble.message, "trouble");
    tell(UNREACHABLE, "trouble");
    setTimeout(start, 2000);
  }
}

if (token) start();
else tell("Open the owner's link that the terminal shows: this address alone does not say who you are.", "trouble");
