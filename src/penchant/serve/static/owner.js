// The owner's page: the ranking, asked for every two seconds, in; a table that moves, and links for judges, out.

import { call, Rejected } from "./api.js";
import { rankingBodies } from "./bars.js";
import { openedLink } from "./link.js";
import { showTitle } from "./title.js";

const EVERY = 2000;

const at = (id) => document.getElementById(id);
const { token } = openedLink();
let shown = "";
let ranks = new Map();

function tell(words) {
  at("notice").textContent = words;
  at("notice").dataset.kind = "trouble";
  at("notice").hidden = !words;
}

function show(ranking) {
  const text = JSON.stringify(ranking);
  if (text === shown) return;
  shown = text;
  at("progress").textContent = ranking.progress;
  at("settled").textContent = [...ranking.certain, ranking.settled?.words].filter(Boolean).join(" ");
  at("interval").textContent = `, with ${Math.round(100 * ranking.level)} % intervals`;
  at("notes").textContent = ranking.notes.join(" ");
  at("ranking").replaceChildren(at("ranking").tHead, ...rankingBodies(ranking.items, ranks));
  at("ranking").hidden = false;
  at("ranking").dataset.answers = ranking.answers;
  ranks = new Map(ranking.items.map((row) => [row.item, row.rank]));
}

async function look() {
  let again = true;
  try {
    show(await call(token, "/v1/ranking"));
    tell("");
  } catch (trouble) {
    again = !(trouble instanceof Rejected);
    tell(again ? "The server does not answer; this is what was known last. Trying again." : trouble.message);
  }
  if (again) setTimeout(look, EVERY);
}

async function addLink(name) {
  const made = await call(token, "/v1/judges", { name });
  const row = document.createElement("li");
  const who = document.createElement("span");
  const link = document.createElement("input");
  const copy = document.createElement("button");
  who.textContent = made.judge;
  who.className = "judge";
  Object.assign(link, { value: made.link, readOnly: true, ariaLabel: `Link for ${made.judge}` });
  Object.assign(copy, { textContent: "Copy", type: "button", ariaLabel: `Copy the link for ${made.judge}` });
  copy.addEventListener("click", () => copyFrom(link, copy));
  row.append(who, link, copy);
  row.dataset.token = made.id;
  at("links").prepend(row);
  await listTokens();
}

const time = (seconds) => (seconds === null ? "never" : new Date(1000 * seconds).toLocaleString());

/** Show who has a link, the newest first, each with a button that makes it stop working. */
async function listTokens() {
  const known = await call(token, "/v1/tokens");
  at("tokens").replaceChildren(...known.reverse().map(tokenRow));
}

function tokenRow(known) {
  const row = document.createElement("tr");
  for (const words of [known.name, known.role, time(known.made), time(known.used)]) {
    const cell = document.createElement("td");
    cell.textContent = words;
    cell.dir = "auto";
    row.append(cell);
  }
  const revoke = document.createElement("button");
  Object.assign(revoke, { textContent: "Revoke", type: "button", ariaLabel: `Revoke the link of ${known.name}` });
  revoke.addEventListener("click", () => revokeToken(known, revoke));
  const cell = document.createElement("td");
  cell.append(revoke);
  row.append(cell);
  return row;
}

/** The first press asks for a second one: a revoked link never works again. */
async function revokeToken(known, button) {
  if (button.textContent === "Revoke") {
    button.textContent = "Really?";
    setTimeout(() => (button.textContent = "Revoke"), 4000);
    return;
  }
  try {
    await call(token, `/v1/tokens/${encodeURIComponent(known.id)}`, {}, "DELETE");
    document.querySelector(`#links [data-token="${CSS.escape(known.id)}"]`)?.remove();
    await listTokens();
  } catch (trouble) {
    tell(trouble instanceof Rejected ? trouble.message : "The server does not answer: try again.");
  }
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

at("judges").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await addLink(at("name").value);
    at("name").value = "";
  } catch (trouble) {
    tell(trouble instanceof Rejected ? trouble.message : "The server does not answer: try again.");
  }
});

at("manage").addEventListener("toggle", () => at("manage").open && listTokens().catch(() => {}));

/** A study that presents orders has no ranking and no judges: show how far it is, and its links. */
function showProgress(study) {
  for (const id of ["ranking-section", "judges", "judges-words", "links", "links-words"]) at(id).hidden = true;
  at("judges-heading").textContent = "Links";
  at("about").textContent = `${study.progress}. Apps present and send clicks; penchant weights shows what was learned.`;
  at("about").hidden = false;
}

async function begin() {
  const study = await showTitle(token).catch(() => null);
  if (study?.kind === "coactive") showProgress(study);
  else look();
}

if (token) begin();
else tell("Open the owner's link that the terminal shows: this address alone does not say who you are.");
