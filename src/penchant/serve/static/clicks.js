// The page of a coactive study: searches and corrections in; orders that follow from them, and what was learned, out.

import { call, Rejected, Unreachable } from "./api.js";
import { regretChart } from "./clicks_chart.js";
import { Items, MOST } from "./clicks_items.js";
import { List } from "./clicks_list.js";
import { influences, sentence, weightRows } from "./clicks_words.js";
import { Corrections } from "./corrections.js";
import { Memory, newId } from "./memory.js";

const ROUNDS = [10, 30, 100, 300];
const FIRST = "me";

const at = (id) => document.getElementById(id);
const link = new URLSearchParams(location.hash.slice(1));
const token = link.get("token") ?? "";
const memory = await Memory.of(token);
const outbox = new Corrections(token, memory, tellTrouble);

let study, settings, items, list;
let person = link.get("user") || FIRST;
let shown = { presentation: "", query: null, given: [] };
let corrections = []; // of this person, the last one last
let searches = 0;

function tell(words, kind = "trouble") {
  at("notice").textContent = words;
  at("notice").dataset.kind = kind;
  at("notice").hidden = !words;
}

function tellTrouble(seconds, kept, message) {
  if (!seconds) return tell("");
  const what = kept ? "Your correction is kept here and will be sent. " : "";
  tell(`${what}${message || "The server does not answer"}; trying again in ${seconds} s.`);
}

/** Do something, and put into words what the server rejects. */
async function trying(work) {
  try {
    await work();
  } catch (trouble) {
    if (!(trouble instanceof Rejected)) throw trouble;
    tell(trouble.message);
  }
}

const user = () => (settings.per_user ? person : undefined);

// -- searching ---------------------------------------------------------------------------------------------

/** Ask for an order of what a query finds; the corrections before it are learned from first. */
async function search(query, given = items.found(query)) {
  const number = ++searches;
  for (const button of at("suggestions").children) {
    button.setAttribute("aria-pressed", String(button.dataset.query === query));
  }
  if (!given.length) return showNothing(query);
  at("page").dataset.state = "busy";
  await outbox.running;
  const body = { id: newId(), candidates: given, user: user() };
  const reply = await outbox.ask("/v1/presentations", body);
  if (number !== searches) return; // another search came since
  shown = { presentation: reply.id, query, given };
  list.show(reply.order, given);
  at("hint").hidden = false;
  showStatus("");
  at("results-heading").textContent = heading(query);
  at("spoken").textContent = `${heading(query)}: ${reply.order.length} in order.`;
  await showLearned();
  at("page").dataset.state = "ready";
  at("page").dataset.presentation = reply.id;
}

function heading(query) {
  const what = query ? `“${query}”` : items.all.length > MOST ? "A dozen at random" : "All of them";
  return settings.per_user ? `${what}, for ${person}` : what;
}

function showNothing(query) {
  shown = { presentation: "", query, given: [] };
  list.show([], []);
  at("hint").hidden = true;
  at("results-heading").textContent = heading(query);
  showStatus("Nothing here has these words: try others, or one of the searches above.");
}

function showStatus(words) {
  at("status").textContent = words;
}

function showSuggestions() {
  const found = items.suggestions();
  const all = items.all.length > MOST ? "A dozen at random" : "All of them";
  at("suggestions").replaceChildren(...[...found, ""].map((query) => {
    const button = pill(query || all, () => {
      at("query").value = query;
      trying(() => search(query));
    });
    button.dataset.query = query;
    return button;
  }));
  return found[0] ?? "";
}

function pill(words, press) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: words, dir: "auto" });
  made.setAttribute("aria-pressed", "false");
  made.addEventListener("click", press);
  return made;
}

// -- correcting --------------------------------------------------------------------------------------------

function choose(id, before) {
  correct({ clicked: [id] }, before, `${titleOf(id)}: chosen.`);
}

function move(id, before) {
  const order = list.order;
  correct({ order }, before, `${titleOf(id)} is number ${order.indexOf(id) + 1} of ${order.length} now.`);
}

const titleOf = (id) => items.byId.get(id)?.title || id;

/** Send a correction, and show what was learned from it. */
function correct(what, before, words) {
  const made = { id: newId(), presentation: shown.presentation, before };
  corrections.push(made);
  if (settings.per_user) remember(person, true);
  at("undo").setAttribute("aria-disabled", "false");
  at("spoken").textContent = words;
  showStatus("Sending…");
  post("/v1/feedback", { id: made.id, presentation: made.presentation, ...what },
    (reply) => (reply.changed ? "Learned: the next search follows it." : "It stood first already."));
}

function takeBack() {
  const last = corrections.pop();
  if (!last) return;
  at("undo").setAttribute("aria-disabled", String(!corrections.length));
  if (last.presentation === shown.presentation) list.restore(last.before);
  at("spoken").textContent = "Taken back.";
  post("/v1/undo", { id: newId(), event: last.id }, () => "Taken back: it is as if you had not done it.");
}

function post(path, body, words) {
  trying(async () => {
    const whose = person;
    const reply = await outbox.post(path, body).catch((trouble) => {
      corrections = corrections.filter((made) => made.id !== body.id); // it was not kept, so it cannot be taken back
      at("undo").setAttribute("aria-disabled", String(!corrections.length));
      showStatus("");
      throw trouble;
    });
    await showLearned();
    if (whose === person) showStatus(`${words(reply)} ${at("words").textContent}`);
  });
}

// -- what was learned --------------------------------------------------------------------------------------

async function showLearned() {
  const whose = person;
  const shared = (await outbox.ask("/v1/weights")).weights;
  const own = settings.per_user ? await outbox.ask(`/v1/weights?user=${encodeURIComponent(whose)}`) : { weights: shared };
  if (whose !== person) return;
  const rows = influences(own.weights, items);
  const others = settings.per_user && !people().get(whose) && JSON.stringify(own.weights) === JSON.stringify(shared);
  const words = others ? sentence(rows, "You begin with what the others like:") : sentence(rows);
  at("words").textContent = words || "Nothing yet: the list stands as the search found it.";
  at("weights").tBodies[0].replaceChildren(...weightRows(rows));
  at("weights").hidden = !rows.length;
}

// -- people ------------------------------------------------------------------------------------------------

/** Return the names that this browser knows, and whether each has corrected anything here. */
const people = () => new Map(memory.get("people", []));

function remember(name, corrected) {
  const known = people();
  known.set(name, corrected || known.get(name) === true);
  memory.set("people", [...known]);
}

function showPeople() {
  remember(link.get("user") || FIRST, false);
  remember(person, false);
  at("persons").replaceChildren(...[...people().keys()].map((name) => {
    const button = pill(String(name), () => become(String(name)));
    button.setAttribute("aria-pressed", String(name === person));
    return button;
  }));
}

/** Let somebody else read: the same search, in the order that is theirs. */
function become(name) {
  if (name === person) return;
  person = name;
  corrections = [];
  at("undo").setAttribute("aria-disabled", "true");
  showPeople();
  [...at("persons").children].find((button) => button.textContent === name)?.focus();
  trying(() => search(shown.query ?? "", shown.given.length ? shown.given : undefined));
}

// -- the simulated reader ----------------------------------------------------------------------------------

async function simulate() {
  const button = at("simulate");
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  const [seed] = crypto.getRandomValues(new Uint32Array(1));
  try {
    for (const rounds of ROUNDS) showRun(await call(token, `/v1/simulation?rounds=${rounds}&seed=${seed}`));
  } catch (trouble) {
    const words = trouble instanceof Unreachable ? "The simulated reader could not go on: try again in a moment." : trouble.message;
    at("regret-words").textContent = words;
  }
  button.textContent = "Let another one use it";
  button.setAttribute("aria-disabled", "false");
}

function showRun(run) {
  at("regret").hidden = false;
  at("regret").dataset.rounds = run.rounds;
  at("chart").replaceChildren(regretChart(run, ROUNDS.at(-1)));
  const average = `After ${run.rounds} rounds the average regret is ${run.regret.at(-1).toFixed(3)}`;
  at("regret-words").textContent = run.bound
    ? `${average}. Theorem 1 allows at most ${run.bound.at(-1).toFixed(2)}, falling as 1/√T.`
    : `${average}. Theorem 1 is about another learner, so no bound is drawn.`;
  at("taste").textContent = sentence(influences(run.taste, items), "Likes");
  at("found").textContent = sentence(influences(run.learned, items), "Likes") || "Nothing yet.";
}

// -- beginning ---------------------------------------------------------------------------------------------

async function begin() {
  study = await outbox.ask("/v1/study");
  at("title").textContent = study.title;
  document.title = `${study.title} · Penchant`;
  if (study.kind !== "coactive") return tell("This study compares two things at a time: open the link of a judge.");
  ({ settings } = await outbox.ask("/v1/settings"));
  items = new Items((await outbox.ask("/v1/items")).items, settings);
  if (!items.all.length) {
    return tell("This study has no items of its own, so there is nothing to search in here: an app presents them.");
  }
  list = new List(at("results"), items, { choose, move });
  outbox.resume();
  at("page").hidden = false;
  at("people").hidden = !settings.per_user;
  if (settings.per_user) showPeople();
  const first = showSuggestions();
  at("query").value = first;
  await search(first);
}

at("search").addEventListener("submit", (event) => {
  event.preventDefault();
  trying(() => search(at("query").value.trim()));
});
at("join").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = at("newcomer").value.trim();
  at("newcomer").value = "";
  if (name) become(name);
});
at("undo").addEventListener("click", takeBack);
at("simulate").addEventListener("click", simulate);
addEventListener("hashchange", () => location.reload()); // another link: begin again with it

if (token) trying(begin);
else tell("Open the link that you were given: this address alone does not say who you are.");
